//! The `play` tool: runs turns of a dialogue.

use std::fmt::Write;
use std::path::PathBuf;

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

use super::author_turn::AuthorTurn;
use crate::limits::{MAX_AUTHOR_TURNS, MAX_LISTED_HERE, MAX_NOTES, MAX_PART_TEXT, MAX_PARTS_BYTES};
use crate::mcp::author::author_answer::{Answered, AuthorAnswer, AuthorRefusal};
use crate::mcp::author::author_desk::{AuthorCall, AuthorDesk};
use crate::mcp::author::author_session::AuthorSession;
use crate::mcp::author::bounded_parts::{CUT, cut_parts, cut_text};
use crate::mcp::author::fenced_project::FencedProject;
use crate::mcp::author::named_answerers::NamedAnswerers;
use fsmsim_adapters::llm::DialogueKey;
use fsmsim_core::engine::ScriptedTurn;
use fsmsim_core::machine::Profile;
use fsmsim_harness::rehearsal::{LoadedDialogue, ModelReader, Rehearsal, ScenarioShelf};
use fsmsim_reports::view::HereView;
use fsmsim_runtime::project::ModelCache;
use fsmsim_runtime::runtime::files_of_start;
use fsmsim_syntax::diagnostic::{Diagnostic, plural};

/// Plays turns of a dialogue. With `model` one begins, with `session` it goes on; `undo` takes turns back first. Each turn
/// tells where it led, with which action and class, what was said, and why. An edit of the model between two calls is seen:
/// the dialogue is played again on it, and what went otherwise is told.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct PlayCall {
    /// Begins a dialogue of this model, by its path from the project; `PATH@PROFILE` fixes the profile.
    model: Option<String>,
    /// The profile.
    profile: Option<String>,
    /// How the dialogue starts, as under `start` of a scenario: {"state": …, "data": {…}}.
    start: Option<Map<String, Json>>,
    /// Plays the turns of a scenario first: `FILE::TITLE`, or `FILE::TITLE@3` for its first three turns.
    #[schemars(length(min = 1, max = 4000))]
    from: Option<String>,
    /// Who reads plain text in a new dialogue: `bank`, the examples of the model; `mock:FILE`; or `live`, the models of the
    /// project, where the user has agreed to that.
    ask: Option<String>,
    /// Goes on with this dialogue, as an earlier answer named it.
    session: Option<String>,
    /// Takes so many turns back first.
    #[schemars(range(min = 1, max = 500))]
    undo: Option<u32>,
    /// The turns, one after the other. An object as in a scenario:
    /// `{"intent": "price_question", "say": "How much?", "data": {"company_size": 50}}`, `{"say": …}` where somebody reads
    /// text, `{"goto": STATE}` for states in markdown, `{"open": true}` and other events. Or a line: `How much? /
    /// price_question company_size=50`; `:set slot=value` and `:go STATE` change the dialogue by hand.
    #[serde(default)]
    #[schemars(length(max = 100), extend("items" = {"type": ["object", "string"]}))]
    turns: Vec<Json>,
    /// Tell the whole record of each turn too.
    #[serde(default)]
    records: bool,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct PlayAnswer {
    session: String,
    model: String,
    profile: &'static str,
    #[schemars(with = "Vec<JsonObject>")]
    turns: Json,
    #[schemars(with = "JsonObject")]
    here: Json,
    notes: Vec<String>,
    stopped: Option<String>,
}

/// The dialogue key for recognizers.
const DIALOGUE: &str = "author";

/// Runs turns.
pub(super) fn play(call: &PlayCall, to: &AuthorCall) -> Answered {
    let (desk, fenced) = (&*to.desk, &to.desk.project_now()?);
    let mut notes = Vec::new();
    let session = match (&call.session, &call.model, &call.from) {
        (Some(name), None, None) => {
            if call.start.is_some() || call.ask.is_some() || call.profile.is_some() {
                return Err("`start`, `ask` and `profile` are for a dialogue that begins: leave `session` out".into());
            }
            let session = desk.sessions.find(name)?;
            notes.extend(session.lock().look_at_files()?);
            session
        }
        (Some(_), ..) => {
            return Err(
                "a dialogue that goes on has its model: give `session` alone, or `model`".into(),
            );
        }
        (None, None, None) => {
            return Err("give `model` to begin a dialogue, or `session` to go on with one".into());
        }
        (None, model, from) => {
            if call.undo.is_some() {
                return Err(
                    "a dialogue that begins has no turn to take back: leave `undo` out".into(),
                );
            }
            let session = begin(call, model.as_deref(), from.as_deref(), desk, fenced)?;
            let (session, ended) = desk.sessions.add(session);
            notes.extend(ended);
            session
        }
    };
    let mut session = session.lock();
    let before = session.rehearsal.tree().moments().len();
    let stopped = go_on(call, &mut session, fenced, &mut notes)
        .err()
        .map(|why| why.text);
    let rehearsal = &session.rehearsal;
    let last = rehearsal.tree().moments().len();
    let numbers = (before..last).filter_map(|before| u32::try_from(before + 1).ok());
    let (mut left, mut unrecorded, mut is_cut) = (MAX_PARTS_BYTES, 0_usize, false);
    let mut text = format!("session {}", session.name);
    let turns = numbers.map(|number| {
        let mut turn = AuthorTurn::of(rehearsal, number, call.records);
        unrecorded += usize::from(turn.leave_record(&mut left));
        text += "\n";
        text += &cut_text(&turn.text, MAX_PART_TEXT);
        let mut parts = json!(turn);
        is_cut |= cut_parts(&mut parts, MAX_PARTS_BYTES);
        parts
    });
    let mut turns = Json::Array(turns.collect());
    is_cut |= cut_parts(&mut turns, MAX_PARTS_BYTES);
    let played = rehearsal.tree().turns_at(rehearsal.tree().at());
    let here = HereView::of(rehearsal).in_brief(MAX_LISTED_HERE, played);
    let here_text = here.to_string();
    let mut here = json!(here);
    is_cut |= cut_parts(&mut here, MAX_PARTS_BYTES / 4);
    if unrecorded > 0 {
        let records = plural(unrecorded, "record");
        notes.push(format!(
            "{records} left out, since all of them are more than can be told at once: why with `record` tells one"
        ));
    }
    if is_cut {
        notes.push(format!("{CUT}: why tells more of a turn"));
    }
    let notes = bounded_notes(&notes);
    let stopped = stopped.map(|why| cut_text(&why, MAX_PART_TEXT * 4));
    for note in &notes {
        let _ = write!(text, "\nnote: {note}");
    }
    if let Some(why) = &stopped {
        let _ = write!(text, "\n\nNot played:\n{why}\n");
    }
    let _ = write!(text, "\n{here_text}");
    let is_short = stopped.is_some();
    let parts = PlayAnswer {
        session: session.name.clone(),
        model: rehearsal.model().to_owned(),
        profile: session.profile,
        turns,
        here,
        notes,
        stopped,
    };
    Ok(AuthorAnswer {
        is_short,
        ..AuthorAnswer::new(text, &parts)
    })
}

/// The notes of a result, limited in number and length.
fn bounded_notes(notes: &[String]) -> Vec<String> {
    let mut bounded: Vec<String> = notes
        .iter()
        .take(MAX_NOTES)
        .map(|note| cut_text(note, MAX_PART_TEXT))
        .collect();
    if let Some(more) = notes.len().checked_sub(MAX_NOTES).filter(|more| *more > 0) {
        bounded.push(format!("… and {more} more"));
    }
    bounded
}

/// Starts a dialogue. It is stored only if it starts without an error.
fn begin(
    call: &PlayCall,
    model: Option<&str>,
    from: Option<&str>,
    desk: &AuthorDesk,
    fenced: &FencedProject,
) -> Result<AuthorSession, AuthorRefusal> {
    let shelf = ScenarioShelf::of(&fenced.project, fenced.config.clone());
    let mut named = model.map(str::to_owned);
    let mut start = call
        .start
        .clone()
        .map(|start| Json::Object(start).to_string())
        .unwrap_or_default();
    if let Some(from) = from {
        admit_address(from, fenced)?;
        let beginning = shelf.beginning(from)?;
        named = Some(named.unwrap_or(beginning.model));
        if call.start.is_none() {
            start = beginning.start;
        }
    }
    admit_files(&start, " of `start`", fenced)?;
    let (path, profile) = fenced.model(
        named.as_deref().unwrap_or_default(),
        call.profile.as_deref(),
    )?;
    let machine = fenced.load(&path, profile)?;
    let answerers = call
        .ask
        .as_deref()
        .map(|who| NamedAnswerers::named(who, fenced, desk.service.trusts))
        .transpose()?;
    let reader = model_reader(fenced, path.clone(), profile);
    let mut rehearsal = Rehearsal::new(&machine, &start, false)?.of_model(&fenced.named(&path));
    rehearsal = rehearsal.reading_again(reader);
    if let Some(answerers) = &answerers {
        rehearsal = rehearsal.asking(answerers.answerer(&DialogueKey::named(DIALOGUE)));
    }
    rehearsal = rehearsal.loading(Box::new(move |wanted, machine| shelf.load(wanted, machine)));
    Ok(AuthorSession {
        name: desk.sessions.next_name(),
        profile: profile.name(),
        rehearsal,
        played: 0,
        broken: None,
    })
}

/// Reloads the model of a dialogue from the current project.
fn model_reader(fenced: &FencedProject, path: PathBuf, profile: Profile) -> ModelReader {
    let (project, config) = (fenced.project.clone(), fenced.config.clone());
    Box::new(move || {
        // The project file might have changed. If it is invalid now, the previous project is used.
        match FencedProject::open(config.as_deref()) {
            Ok(fenced) => fenced.load(&path, profile).map_err(|why| why.text),
            Err(_) => ModelCache::new(&project, config.clone())
                .load(&path, profile)
                .ok_or_else(|| {
                    "the model and `fsmsim.toml` cannot be used: lint tells more".to_owned()
                }),
        }
    })
}

/// Rejects a scenario ID outside the project.
fn admit_address(address: &str, fenced: &FencedProject) -> Result<(), AuthorRefusal> {
    let file = match address.split_once("::") {
        Some((file, _)) => file,
        None => address.rsplit_once('@').map_or(address, |(file, _)| file),
    };
    fenced.admit(file).map(drop)
}

/// Runs the requested turns up to the first error.
fn go_on(
    call: &PlayCall,
    session: &mut AuthorSession,
    fenced: &FencedProject,
    notes: &mut Vec<String>,
) -> Result<(), AuthorRefusal> {
    if call.session.is_none() {
        session.rehearsal.play_first()?;
    }
    if let Some(turns) = call.undo {
        session.rehearsal.undo(Some(turns))?;
    }
    if let Some(from) = &call.from {
        let mut loaded: LoadedDialogue = session.rehearsal.find(from)?;
        session.rehearsal.ask_as(&mut loaded);
        for turn in &loaded.turns {
            let line = session.rehearsal.line_of(&turn.scripted);
            play_turn(session, &line, turn.scripted.clone(), notes)?;
        }
    }
    for turn in &call.turns {
        match turn {
            Json::String(line) if line.trim_start().starts_with(':') => {
                session.rehearsal.change_by_line(line.trim())?;
            }
            Json::String(line) => {
                let turn = session.rehearsal.turn_typed(line)?;
                play_turn(session, line, turn, notes)?;
            }
            Json::Object(given) => {
                // A turn has no file names; `start` can have some.
                admit_files(&Json::Object(given.clone()).to_string(), "", fenced)?;
                let (line, turn) = session.rehearsal.turn_given(given)?;
                play_turn(session, &line, turn, notes)?;
            }
            _ => return Err("a turn is an object, or a line".into()),
        }
    }
    Ok(())
}

/// Checks that the files named in the JSON text of a start or a turn are in the project.
fn admit_files(text: &str, of: &str, fenced: &FencedProject) -> Result<(), AuthorRefusal> {
    for (key, file) in files_of_start(text) {
        fenced
            .admit(&file)
            .map_err(|why| format!("`{key}`{of}: {}", why.text))?;
    }
    Ok(())
}

fn play_turn(
    session: &mut AuthorSession,
    line: &str,
    turn: ScriptedTurn,
    notes: &mut Vec<String>,
) -> Result<(), AuthorRefusal> {
    if session.played >= MAX_AUTHOR_TURNS {
        let finding = Diagnostic::bad_arguments(format!(
            "a session has at most {MAX_AUTHOR_TURNS} turns, and those that were taken back count"
        ));
        return Err(finding.help("begin another one with `model`").into());
    }
    session.played += 1;
    let played = session.rehearsal.play(line, turn)?;
    notes.extend(
        played
            .former
            .map(|former| format!("what came next is kept as the branch `{former}`")),
    );
    if let Some(failure) = session.rehearsal.dialogue().unread() {
        return Err(format!("nobody read it: {}", failure.reason).into());
    }
    Ok(())
}
