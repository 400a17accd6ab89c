//! Operations that change the dialogue.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::simulation::{ShowBody, simulated_turns};
use crate::studio::dialogue_view::DialogueView;
use crate::studio::operation::{Nothing, Reply, StudioOperation, bodies, immediately, operations};
use crate::studio::refusal::Refusal;
use crate::studio::studio_event::StudioEvent;
use crate::studio::studio_model::ModelUpdate;
use crate::studio::studio_state::StudioState;
use fsmsim_core::engine::{Machine, ScriptedTurn};
use fsmsim_harness::interactive::{
    InputLine, InteractiveError, Reloaded, ReplayedDialogue, StoppedReplay,
};
use fsmsim_runtime::runtime::{DialogueSetup, files_of_start};
use fsmsim_syntax::diagnostic::plural;

operations! {
    "view" => show();
    "play" => moved(play);
    "undo" => moved(undo);
    "redo" => moved(redo);
    "moment" => moved(go_to_moment);
    "fork" => moved(fork);
    "switch" => moved(switch);
    "set" => moved(set);
    "go" => moved(go);
    "reset" => moved(reset);
    "load" => moved(load);
    "simulate/open" => moved(open_simulated);
    "model" => moved(choose_model);
    "ask" => moved(ask);
    "reload" => reload();
}

bodies! {
    /// A turn as in a turns file, or a line as in the REPL.
    struct PlayBody {
        turn: Option<serde_json::Map<String, Json>>,
        line: Option<String>,
    }

    struct TurnsBody {
        turns: Option<u32>,
    }

    struct MomentBody {
        number: u32,
    }

    struct ForkBody {
        #[serde(default)]
        name: String,
    }

    struct SwitchBody {
        branch: String,
    }

    struct SetBody {
        data: serde_json::Map<String, Json>,
    }

    struct GoBody {
        state: String,
    }

    struct ResetBody {
        #[serde(default)]
        start: String,
    }

    struct LoadBody {
        address: String,
    }

    struct ModelBody {
        path: String,
    }

    struct AskBody {
        who: String,
    }
}

/// The name for the recognizer of a loaded scenario.
const OF_SCENARIO: &str = "recognizer of the scenario";

/// The notes about an operation, or an error.
type Noted = Result<Vec<String>, Refusal>;

/// The key that every operation on the dialogue accepts.
#[derive(Deserialize)]
struct KnownMoments {
    /// The last moment that the page knows.
    #[serde(default)]
    known: u32,
}

/// Returns the dialogue.
fn show(bench: &mut StudioState, body: &[u8], reply: Reply) {
    immediately(bench, body, reply, |bench, KnownMoments { known }| {
        dialogue_json(bench, *known, &[], None)
    });
}

fn dialogue_json(
    bench: &StudioState,
    known: u32,
    notes: &[String],
    edit: Option<Json>,
) -> Result<Json, Refusal> {
    let view = serde_json::to_value(DialogueView::of(bench, known, notes, edit));
    view.map_err(|error| format!("cannot write the dialogue: {error}").into())
}

/// Changes the dialogue and returns it. Notifies other tabs.
fn moved<B: serde::de::DeserializeOwned>(
    bench: &mut StudioState,
    body: &[u8],
    reply: Reply,
    act: fn(&mut StudioState, &B) -> Noted,
) {
    // `known` is removed first, so that the body contains only the keys of the operation.
    let (known, own) = split(body);
    immediately(bench, &own, reply, |bench, body: &B| {
        let done = act(bench, body);
        // Even a failed operation might have changed the dialogue.
        bench.events.send(&StudioEvent::Moved);
        dialogue_json(bench, known, &done?, None)
    });
}

/// The last moment that the page knows, and the rest of the body.
fn split(body: &[u8]) -> (u32, Vec<u8>) {
    let Ok(Json::Object(mut map)) = serde_json::from_slice(body) else {
        return (0, body.to_vec());
    };
    let known = map
        .remove("known")
        .and_then(|known| u32::try_from(known.as_u64()?).ok())
        .unwrap_or_default();
    (known, Json::Object(map).to_string().into_bytes())
}

fn play(bench: &mut StudioState, body: &PlayBody) -> Noted {
    let (line, turn) = match (&body.turn, &body.line) {
        (Some(turn), None) => bench.interactive.turn_given(turn)?,
        (None, Some(line)) => match bench.interactive.read(line)? {
            InputLine::Turn(turn) => (line.clone(), *turn),
            InputLine::Empty => {
                return Err(Refusal::cannot(
                    "the input is empty",
                    "write an utterance, or choose an intent",
                ));
            }
            InputLine::Command(name, _) => {
                let help = "use the buttons on the page";
                return Err(Refusal::cannot(
                    format!("the command `:{name}` works only in `fsmsim run`"),
                    help,
                ));
            }
        },
        _ => {
            return Err(Refusal::bad(
                "expected either `turn` or `line`",
                "specify one of them",
            ));
        }
    };
    play_turn(bench, &line, turn)
}

fn play_turn(bench: &mut StudioState, line: &str, turn: ScriptedTurn) -> Noted {
    bench.interactive.note_line(line)?;
    let played = bench.interactive.play(line, turn)?;
    let former = played
        .former
        .map(|former| format!("the undone turns are saved as the branch `{former}`"));
    let unread = bench
        .interactive
        .dialogue()
        .unread()
        .map(|failure| format!("the text was not recognized: {}", failure.reason));
    Ok(former.into_iter().chain(unread).collect())
}

fn undo(bench: &mut StudioState, body: &TurnsBody) -> Noted {
    // Manual changes are undone before turns.
    let turns = body.turns.filter(|turns| *turns > 1);
    bench.interactive.undo(turns)?;
    Ok(permanent_effects(bench))
}

fn redo(bench: &mut StudioState, body: &TurnsBody) -> Noted {
    bench.interactive.redo(body.turns.unwrap_or(1))?;
    Ok(Vec::new())
}

fn go_to_moment(bench: &mut StudioState, body: &MomentBody) -> Noted {
    bench.interactive.go_to_moment(body.number)?;
    Ok(permanent_effects(bench))
}

/// A note about effects that cannot be undone.
fn permanent_effects(bench: &StudioState) -> Vec<String> {
    let note = bench
        .interactive
        .persists_data()
        .then(|| "changes in the twin store are not undone".to_owned());
    note.into_iter().collect()
}

fn fork(bench: &mut StudioState, body: &ForkBody) -> Noted {
    let tree = bench.interactive.tree();
    let free = || {
        (1..=u32::MAX)
            .map(|number| format!("branch-{number}"))
            .find(|name| tree.tip(name).is_none())
    };
    let name = if body.name.is_empty() {
        free().unwrap_or_default()
    } else {
        body.name.clone()
    };
    bench.interactive.fork(&name)?;
    Ok(vec![format!("the branch `{name}` starts here")])
}

fn switch(bench: &mut StudioState, body: &SwitchBody) -> Noted {
    bench.interactive.switch(&body.branch)?;
    Ok(permanent_effects(bench))
}

fn set(bench: &mut StudioState, body: &SetBody) -> Noted {
    let pairs = body.data.iter().map(|(slot, value)| {
        let is_name = !slot.is_empty()
            && !slot.contains(|c: char| c.is_whitespace() || ['=', '"', '\'', ':'].contains(&c));
        let refused = || {
            Refusal::cannot(
                format!("invalid slot name `{slot}`"),
                "choose a slot that the model has",
            )
        };
        is_name
            .then(|| format!("{slot}={value}"))
            .ok_or_else(refused)
    });
    let data = pairs.collect::<Result<Vec<_>, _>>()?.join(" ");
    bench.interactive.set(&data, &format!(":set {data}"))?;
    Ok(Vec::new())
}

fn go(bench: &mut StudioState, body: &GoBody) -> Noted {
    let line = format!(":goto {}", body.state);
    bench.interactive.go(&body.state, &line)?;
    Ok(Vec::new())
}

fn reset(bench: &mut StudioState, body: &ResetBody) -> Noted {
    only_inside(bench, &body.start)?;
    start_new(bench, &body.start)?;
    bench.interactive.play_first()?;
    Ok(Vec::new())
}

/// Starts another dialogue on the current model files. A stored dialogue stays available under its name.
fn start_new(bench: &mut StudioState, start: &str) -> Result<(), Refusal> {
    let now = bench.model_now(&bench.model.path, bench.model.profile)?;
    // An invalid start is rejected before the current dialogue ends.
    DialogueSetup::parse(&now.machine, start)?;
    bench.begin_on(now)?;
    if bench.interactive.started() != start {
        bench.interactive.begin_again(start)?;
        bench.restarted();
    }
    Ok(())
}

/// Rejects a start that names files outside the project.
fn only_inside(bench: &StudioState, start: &str) -> Result<(), Refusal> {
    match files_of_start(start)
        .into_iter()
        .find(|(_, file)| !bench.has(Path::new(file)))
    {
        Some((key, _)) => {
            let error = format!("`{key}` is not a file in the project");
            Err(Refusal::cannot(
                error,
                "use a file path relative to the project",
            ))
        }
        None => Ok(()),
    }
}

fn load(bench: &mut StudioState, body: &LoadBody) -> Noted {
    // A scenario ID names a file; only files in the project are read.
    let file = body.address.split("::").next().unwrap_or_default();
    let file = if body.address.contains("::") {
        file
    } else {
        file.rsplit_once('@').map_or(file, |(file, _)| file)
    };
    if !bench.has(Path::new(file)) {
        return Err(Refusal::cannot(
            format!("unknown scenario `{}`", body.address),
            "use an ID that `fsmsim list` prints",
        ));
    }
    let loaded = bench.interactive.find(&body.address)?;
    prepare_start(bench, &loaded.start)?;
    // The model might have changed.
    let mut loaded = bench.interactive.load(&body.address)?;
    forget_opening(bench);
    let asked = bench.interactive.asks();
    bench.interactive.ask_as(&mut loaded);
    if bench.interactive.asks() && !asked {
        bench.asks = Some(OF_SCENARIO.to_owned());
    }
    let mut notes = play_all(bench, loaded.turns.iter().map(|turn| turn.scripted.clone()))?;
    if loaded.left > 0 {
        notes.push(format!(
            "{} in `{}`",
            plural(loaded.left, "more turn"),
            loaded.address
        ));
    }
    Ok(notes)
}

/// Prepares a dialogue with this start. If the current dialogue has an equal start, it goes back there, otherwise a new
/// dialogue begins.
fn prepare_start(bench: &mut StudioState, start: &str) -> Result<(), Refusal> {
    if bench.interactive.begins_as(start) {
        return Ok(bench.interactive.begin_as(start)?);
    }
    start_new(bench, start)
}

/// A dialogue with memory cannot go back to its start. Instead, it was started again, without its opening.
fn forget_opening(bench: &mut StudioState) {
    if bench.interactive.remembers() {
        bench.restarted();
    }
}

/// Runs a simulated dialogue here, on a separate branch.
fn open_simulated(bench: &mut StudioState, body: &ShowBody) -> Noted {
    let turns = simulated_turns(bench, body)?;
    prepare_start(bench, "")?;
    bench.interactive.begin_as("")?;
    forget_opening(bench);
    play_all(bench, turns)
}

/// Runs turns in sequence, until a turn is not recognized.
fn play_all(bench: &mut StudioState, turns: impl IntoIterator<Item = ScriptedTurn>) -> Noted {
    let mut notes = Vec::new();
    for turn in turns {
        let line = bench.interactive.line_of(&turn);
        notes.append(&mut play_turn(bench, &line, turn)?);
        if bench.interactive.dialogue().unread().is_some() {
            break;
        }
    }
    Ok(notes)
}

fn choose_model(bench: &mut StudioState, body: &ModelBody) -> Noted {
    bench.choose_model(&body.path)?;
    Ok(Vec::new())
}

fn ask(bench: &mut StudioState, body: &AskBody) -> Noted {
    bench.ask(&body.who)?;
    Ok(Vec::new())
}

/// Reloads the model, even if the file watcher reported no change.
fn reload(bench: &mut StudioState, body: &[u8], reply: Reply) {
    let (_, own) = split(body);
    immediately(bench, &own, reply, |bench, _: &Nothing| {
        let files = bench.edited_files();
        let (notes, edit) = match bench.model.read_again(&bench.settings) {
            ModelUpdate::Edited(machine) => replay(bench, machine, &files),
            ModelUpdate::None => (vec!["no model file has changed".to_owned()], None),
            ModelUpdate::Fixed => (Vec::new(), None),
            ModelUpdate::Broken => (
                vec!["the model is invalid; the last working version is still in use".to_owned()],
                None,
            ),
        };
        bench.watch_model();
        bench.events.send(&StudioEvent::Moved);
        dialogue_json(bench, 0, &notes, edit)
    });
}

/// Replays the dialogue on an edited model. If that fails, the dialogue continues with the previous model, and a note
/// reports it.
fn replay(
    bench: &mut StudioState,
    machine: Arc<Machine>,
    files: &[String],
) -> (Vec<String>, Option<Json>) {
    let begun = Instant::now();
    match bench.interactive.replay_on(&machine) {
        Ok(Reloaded::Same) => (Vec::new(), None),
        Ok(Reloaded::Replayed(replayed)) => {
            bench.model.take(machine);
            let took = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
            (Vec::new(), Some(edit_json(&replayed, files, took)))
        }
        Err(why) => {
            let why = Refusal::from(why).error;
            (
                vec![format!(
                    "the dialogue continues with the model before the edit: {why}"
                )],
                None,
            )
        }
    }
}

/// The effect of a model edit on the dialogue.
fn edit_json(replayed: &ReplayedDialogue, files: &[String], milliseconds: u64) -> Json {
    let undone = replayed
        .undone
        .iter()
        .map(|(line, why)| format!("`{line}` was not repeated: {why}"));
    json!({
        "turns": replayed.turns,
        "differing": replayed.changes,
        "stopped": replayed.stopped.as_ref().map(StoppedReplay::text),
        "former": replayed.former,
        "undone": undone.collect::<Json>(),
        "files": files,
        "milliseconds": milliseconds,
    })
}

/// Reports the state of the model after a model file was saved.
pub(super) fn model_edited(bench: &mut StudioState, update: ModelUpdate, files: &[String]) {
    let event = match update {
        ModelUpdate::None => return,
        ModelUpdate::Fixed => StudioEvent::Fixed,
        ModelUpdate::Broken => StudioEvent::Broken {
            model: bench.model.view(&bench.settings),
        },
        ModelUpdate::Edited(machine) => {
            let (notes, edit) = replay(bench, machine, files);
            match dialogue_json(bench, 0, &notes, edit) {
                Ok(view) => StudioEvent::Edited { view },
                Err(_) => StudioEvent::Moved,
            }
        }
    };
    bench.events.send(&event);
}

impl From<InteractiveError> for Refusal {
    fn from(why: InteractiveError) -> Self {
        match why {
            InteractiveError::Refused(why) => Self::from(why),
            InteractiveError::Lost(finding) => Self::from(finding),
        }
    }
}
