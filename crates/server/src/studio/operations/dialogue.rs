//! Operations that change the dialogue.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::simulation::{ShowBody, simulated_turns};
use crate::studio::dialogue_view::DialogueView;
use crate::studio::operation::{Nothing, Reply, StudioOperation, at_once, operations};
use crate::studio::refusal::Refusal;
use crate::studio::studio_event::StudioEvent;
use crate::studio::studio_model::ModelUpdate;
use crate::studio::workbench::Workbench;
use fsmsim_core::engine::{Machine, ScriptedTurn};
use fsmsim_harness::rehearsal::{
    InputLine, RehearsalError, Reloaded, ReplayedDialogue, StoppedReplay,
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

/// The recognizer name for that of a loaded scenario.
const OF_SCENARIO: &str = "as the scenario says";

/// The notes about an operation, or an error.
type Noted = Result<Vec<String>, Refusal>;

/// The key that every operation on the dialogue has.
#[derive(Deserialize)]
struct KnownMoments {
    /// The last moment that the page has.
    #[serde(default)]
    known: u32,
}

/// Returns the dialogue.
fn show(bench: &mut Workbench, body: &[u8], reply: Reply) {
    at_once(bench, body, reply, |bench, KnownMoments { known }| {
        dialogue_json(bench, *known, &[], None)
    });
}

fn dialogue_json(
    bench: &Workbench,
    known: u32,
    notes: &[String],
    edit: Option<Json>,
) -> Result<Json, Refusal> {
    let view = serde_json::to_value(DialogueView::of(bench, known, notes, edit));
    view.map_err(|error| format!("the dialogue cannot be told: {error}").into())
}

/// Changes the dialogue and returns it. Notifies other tabs.
fn moved<B: serde::de::DeserializeOwned>(
    bench: &mut Workbench,
    body: &[u8],
    reply: Reply,
    act: fn(&mut Workbench, &B) -> Noted,
) {
    // `known` is removed first, so that the body of each operation has only its own keys.
    let (known, own) = split(body);
    at_once(bench, &own, reply, |bench, body: &B| {
        let done = act(bench, body);
        // A failed operation can have changed the dialogue, too.
        bench.events.tell(&StudioEvent::Moved);
        dialogue_json(bench, known, &done?, None)
    });
}

/// The last moment that the page has, and the rest of the body.
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

/// A turn as in a turns file, or a line as in the REPL.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlayBody {
    #[serde(default)]
    turn: Option<serde_json::Map<String, Json>>,
    #[serde(default)]
    line: Option<String>,
}

fn play(bench: &mut Workbench, body: &PlayBody) -> Noted {
    let (line, turn) = match (&body.turn, &body.line) {
        (Some(turn), None) => bench.rehearsal.turn_given(turn)?,
        (None, Some(line)) => match bench.rehearsal.read(line)? {
            InputLine::Turn(turn) => (line.clone(), *turn),
            InputLine::Empty => {
                return Err(Refusal::cannot(
                    "nothing is said",
                    "write what the user says, or choose an intent",
                ));
            }
            InputLine::Command(name, _) => {
                let help = "the page has a button for it; a line here is a turn";
                return Err(Refusal::cannot(
                    format!("`:{name}` is a command of `fsmsim run`"),
                    help,
                ));
            }
        },
        _ => {
            return Err(Refusal::bad(
                "a turn is played by `turn` or by `line`",
                "give one of the two",
            ));
        }
    };
    play_turn(bench, &line, turn)
}

fn play_turn(bench: &mut Workbench, line: &str, turn: ScriptedTurn) -> Noted {
    bench.rehearsal.note_line(line)?;
    let played = bench.rehearsal.play(line, turn)?;
    let former = played
        .former
        .map(|former| format!("what came next is kept as the branch `{former}`"));
    let unread = bench
        .rehearsal
        .dialogue()
        .unread()
        .map(|failure| format!("nobody read it: {}", failure.reason));
    Ok(former.into_iter().chain(unread).collect())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TurnsBody {
    #[serde(default)]
    turns: Option<u32>,
}

fn undo(bench: &mut Workbench, body: &TurnsBody) -> Noted {
    // Manual changes are undone before a turn is.
    let turns = body.turns.filter(|turns| *turns > 1);
    bench.rehearsal.undo(turns)?;
    Ok(permanent_effects(bench))
}

fn redo(bench: &mut Workbench, body: &TurnsBody) -> Noted {
    bench.rehearsal.redo(body.turns.unwrap_or(1))?;
    Ok(Vec::new())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MomentBody {
    number: u32,
}

fn go_to_moment(bench: &mut Workbench, body: &MomentBody) -> Noted {
    bench.rehearsal.go_to_moment(body.number)?;
    Ok(permanent_effects(bench))
}

/// A note about effects that cannot be undone.
fn permanent_effects(bench: &Workbench) -> Vec<String> {
    let note = bench
        .rehearsal
        .keeps_for_good()
        .then(|| "what was written to the twin stays written".to_owned());
    note.into_iter().collect()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ForkBody {
    #[serde(default)]
    name: String,
}

fn fork(bench: &mut Workbench, body: &ForkBody) -> Noted {
    let tree = bench.rehearsal.tree();
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
    bench.rehearsal.fork(&name)?;
    Ok(vec![format!("the branch `{name}` begins here")])
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SwitchBody {
    branch: String,
}

fn switch(bench: &mut Workbench, body: &SwitchBody) -> Noted {
    bench.rehearsal.switch(&body.branch)?;
    Ok(permanent_effects(bench))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SetBody {
    data: serde_json::Map<String, Json>,
}

fn set(bench: &mut Workbench, body: &SetBody) -> Noted {
    let pairs = body.data.iter().map(|(slot, value)| {
        let is_name = !slot.is_empty()
            && !slot.contains(|c: char| c.is_whitespace() || ['=', '"', '\'', ':'].contains(&c));
        let refused = || {
            Refusal::cannot(
                format!("`{slot}` is no name of a slot"),
                "choose a slot of the model",
            )
        };
        is_name
            .then(|| format!("{slot}={value}"))
            .ok_or_else(refused)
    });
    let data = pairs.collect::<Result<Vec<_>, _>>()?.join(" ");
    bench.rehearsal.set(&data, &format!(":set {data}"))?;
    Ok(Vec::new())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GoBody {
    state: String,
}

fn go(bench: &mut Workbench, body: &GoBody) -> Noted {
    let line = format!(":go {}", body.state);
    bench.rehearsal.go(&body.state, &line)?;
    Ok(Vec::new())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ResetBody {
    #[serde(default)]
    start: String,
}

fn reset(bench: &mut Workbench, body: &ResetBody) -> Noted {
    only_inside(bench, &body.start)?;
    start_new(bench, &body.start)?;
    bench.rehearsal.play_first()?;
    Ok(Vec::new())
}

/// Starts another dialogue on the current model files. A stored dialogue stays available under its name.
fn start_new(bench: &mut Workbench, start: &str) -> Result<(), Refusal> {
    let now = bench.model_now(&bench.model.path, bench.model.profile)?;
    // An invalid start is rejected before the current dialogue ends.
    DialogueSetup::parse(&now.machine, start)?;
    bench.begin_on(now)?;
    if bench.rehearsal.started() != start {
        bench.rehearsal.begin_again(start)?;
        bench.began_anew();
    }
    Ok(())
}

/// Rejects a start that names files outside the project.
fn only_inside(bench: &Workbench, start: &str) -> Result<(), Refusal> {
    match files_of_start(start)
        .into_iter()
        .find(|(_, file)| !bench.has(Path::new(file)))
    {
        Some((key, _)) => {
            let error = format!("`{key}` names no file of the project");
            Err(Refusal::cannot(
                error,
                "name one of its files, by its path from the project",
            ))
        }
        None => Ok(()),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LoadBody {
    address: String,
}

fn load(bench: &mut Workbench, body: &LoadBody) -> Noted {
    // A scenario ID names a file; only files of the project are read.
    let file = body.address.split("::").next().unwrap_or_default();
    let file = if body.address.contains("::") {
        file
    } else {
        file.rsplit_once('@').map_or(file, |(file, _)| file)
    };
    if !bench.has(Path::new(file)) {
        return Err(Refusal::cannot(
            "the project has no such scenario",
            "give the address that `fsmsim list` tells",
        ));
    }
    let loaded = bench.rehearsal.find(&body.address)?;
    prepare_start(bench, &loaded.start)?;
    // The model might have changed.
    let mut loaded = bench.rehearsal.load(&body.address)?;
    forget_opening(bench);
    let asked = bench.rehearsal.asks();
    bench.rehearsal.ask_as(&mut loaded);
    if bench.rehearsal.asks() && !asked {
        bench.asks = Some(OF_SCENARIO.to_owned());
    }
    let mut notes = play_all(bench, loaded.turns.iter().map(|turn| turn.scripted.clone()))?;
    if loaded.left > 0 {
        notes.push(format!(
            "{} more in `{}`",
            plural(loaded.left, "turn"),
            loaded.address
        ));
    }
    Ok(notes)
}

/// Prepares a dialogue with this start: at the start of the current one if that is equal, otherwise as a new one.
fn prepare_start(bench: &mut Workbench, start: &str) -> Result<(), Refusal> {
    if bench.rehearsal.begins_as(start) {
        return Ok(bench.rehearsal.begin_as(start)?);
    }
    start_new(bench, start)
}

/// A dialogue with memory cannot go back to its start: it has started again, without its opening.
fn forget_opening(bench: &mut Workbench) {
    if bench.rehearsal.remembers() {
        bench.began_anew();
    }
}

/// Runs a simulated dialogue here, on a separate branch.
fn open_simulated(bench: &mut Workbench, body: &ShowBody) -> Noted {
    let turns = simulated_turns(bench, body)?;
    prepare_start(bench, "")?;
    bench.rehearsal.begin_as("")?;
    forget_opening(bench);
    play_all(bench, turns)
}

/// Runs turns in sequence, until one cannot be recognized.
fn play_all(bench: &mut Workbench, turns: impl IntoIterator<Item = ScriptedTurn>) -> Noted {
    let mut notes = Vec::new();
    for turn in turns {
        let line = bench.rehearsal.line_of(&turn);
        notes.append(&mut play_turn(bench, &line, turn)?);
        if bench.rehearsal.dialogue().unread().is_some() {
            break;
        }
    }
    Ok(notes)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ModelBody {
    path: String,
}

fn choose_model(bench: &mut Workbench, body: &ModelBody) -> Noted {
    bench.choose_model(&body.path)?;
    Ok(Vec::new())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AskBody {
    who: String,
}

fn ask(bench: &mut Workbench, body: &AskBody) -> Noted {
    bench.ask(&body.who)?;
    Ok(Vec::new())
}

/// Reloads the model, even if the watcher reported no change.
fn reload(bench: &mut Workbench, body: &[u8], reply: Reply) {
    let (_, own) = split(body);
    at_once(bench, &own, reply, |bench, _: &Nothing| {
        let files = bench.edited_files();
        let (notes, edit) = match bench.model.read_again(&bench.settings) {
            ModelUpdate::Edited(machine) => replay(bench, machine, &files),
            ModelUpdate::None => (vec!["no file of the model has changed".to_owned()], None),
            ModelUpdate::Mended => (Vec::new(), None),
            ModelUpdate::Broken => (
                vec!["the model cannot be used as it is; the former one goes on".to_owned()],
                None,
            ),
        };
        bench.watch_model();
        bench.events.tell(&StudioEvent::Moved);
        dialogue_json(bench, 0, &notes, edit)
    });
}

/// Replays the dialogue on an edited model. If that fails, the dialogue continues on the previous one, with a note.
fn replay(
    bench: &mut Workbench,
    machine: Arc<Machine>,
    files: &[String],
) -> (Vec<String>, Option<Json>) {
    let begun = Instant::now();
    match bench.rehearsal.replay_on(&machine) {
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
                    "the dialogue goes on on the model as it was before the edit: {why}"
                )],
                None,
            )
        }
    }
}

/// The effect of a model edit on the dialogue.
fn edit_json(replayed: &ReplayedDialogue, files: &[String], milliseconds: u64) -> Json {
    let undone = replayed.undone.iter();
    let undone = undone.map(|(line, why)| format!("`{line}` is not done again: {why}"));
    json!({
        "turns": replayed.turns,
        "differing": replayed.changes,
        "stopped": replayed.stopped.as_ref().map(StoppedReplay::told),
        "former": replayed.former,
        "undone": undone.collect::<Vec<_>>(),
        "files": files,
        "milliseconds": milliseconds,
    })
}

/// Reports the state of the model after one of its files was saved.
pub(super) fn model_edited(bench: &mut Workbench, update: ModelUpdate, files: &[String]) {
    let event = match update {
        ModelUpdate::None => return,
        ModelUpdate::Mended => StudioEvent::Mended,
        ModelUpdate::Broken => StudioEvent::Broken {
            model: bench.model.told(&bench.settings),
        },
        ModelUpdate::Edited(machine) => {
            let (notes, edit) = replay(bench, machine, files);
            match dialogue_json(bench, 0, &notes, edit) {
                Ok(view) => StudioEvent::Edited { view },
                Err(_) => StudioEvent::Moved,
            }
        }
    };
    bench.events.tell(&event);
}

impl From<RehearsalError> for Refusal {
    fn from(why: RehearsalError) -> Self {
        match why {
            RehearsalError::Refused(why) => Self::from(why),
            RehearsalError::Lost(finding) => Self::from(finding),
        }
    }
}
