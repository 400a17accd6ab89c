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
use crate::mcp::author::author_session::AuthorSession;
use crate::mcp::author::bounded_parts::{CUT, cut_parts, cut_text};
use crate::mcp::author::fenced_project::FencedProject;
use crate::mcp::author::named_answerers::NamedAnswerers;
use crate::mcp::author::tool_executor::{AuthorCall, ToolExecutor};
use fsmsim_adapters::llm::DialogueKey;
use fsmsim_core::engine::ScriptedTurn;
use fsmsim_core::machine::Profile;
use fsmsim_harness::interactive::{
    InteractiveDialogue, LoadedDialogue, ModelReader, ScenarioLookup,
};
use fsmsim_reports::dialogue_view::StateView;
use fsmsim_runtime::project::ModelCache;
use fsmsim_runtime::runtime::files_of_start;
use fsmsim_syntax::diagnostic::{Diagnostic, plural};

/// Runs turns of a dialogue: `model` starts a dialogue, `session` continues one, and `undo` reverts turns first.
/// Reports the state, action, class and replies of each turn, and the reason for them. If the model was edited since
/// the last call, the dialogue is replayed on the edited model, and the differences are reported.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct PlayCall {
    /// Start a dialogue with this model: its path, relative to the project; `PATH@PROFILE` selects the profile.
    model: Option<String>,
    /// Profile of a new dialogue; overrides the profile in the path.
    profile: Option<String>,
    /// Initial state and data of a new dialogue, written as under `start` in a scenario: {"state": …, "data": {…}}.
    start: Option<Map<String, Json>>,
    /// Run the turns of a scenario first: `FILE::TITLE`, or `FILE::TITLE@3` for its first three turns.
    #[schemars(length(min = 1, max = 4000))]
    from: Option<String>,
    /// Recognizers for a new dialogue, separated by commas: `examples` (the examples of the model; the default),
    /// `mock:FILE`, or `live` (the LLM providers of the project, if the user has agreed to them).
    ask: Option<String>,
    /// ID of the dialogue to continue (`session` of an earlier result).
    session: Option<String>,
    /// Number of turns to revert first.
    #[schemars(range(min = 1, max = 500))]
    undo: Option<u32>,
    /// Turns to run, in order. An object is a turn as in a scenario: `{"intent": "price_question", "say": "How much?",
    /// "data": {"company_size": 50}}`, `{"say": …}` to recognize it by examples, `{"goto": STATE}` in state sets,
    /// `{"open": true}` and other events. A string is a line: `How much? / price_question company_size=50`; `:set
    /// slot=value` and `:goto STATE` change the dialogue directly.
    #[serde(default)]
    #[schemars(length(max = 100), extend("items" = {"type": ["object", "string"]}))]
    turns: Vec<Json>,
    /// Also return the complete record of each turn.
    #[serde(default)]
    records: bool,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct PlayAnswer {
    session: String,
    model: String,
    profile: Option<&'static str>,
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
    let desk = &*to.desk;
    let fenced = &to.desk.project_now()?;
    let mut notes = Vec::new();
    let session = match (&call.session, &call.model, &call.from) {
        (Some(name), None, None) => {
            if call.start.is_some() || call.ask.is_some() || call.profile.is_some() {
                return Err("cannot use `start`, `ask` or `profile` with `session`".into());
            }
            let session = desk.sessions.find(name)?;
            notes.extend(session.lock().look_at_files()?);
            session
        }
        (Some(_), ..) => {
            return Err("cannot use `model` or `from` with `session`".into());
        }
        (None, None, None) => {
            return Err(
                "missing `model` or `session`: `model` starts a dialogue, `session` continues one"
                    .into(),
            );
        }
        (None, model, from) => {
            if call.undo.is_some() {
                return Err("cannot use `undo` without `session`".into());
            }
            let session = begin(call, model.as_deref(), from.as_deref(), desk, fenced)?;
            let (session, ended) = desk.sessions.add(session);
            notes.extend(ended);
            session
        }
    };
    let mut session = session.lock();
    let before = session.interactive.tree().moments().len();
    let stopped = go_on(call, &mut session, fenced, &mut notes)
        .err()
        .map(|why| why.text);
    let interactive = &session.interactive;
    let last = interactive.tree().moments().len();
    let numbers = (before..last).filter_map(|before| u32::try_from(before + 1).ok());
    let mut left = MAX_PARTS_BYTES;
    let mut unrecorded = 0_usize;
    let mut is_cut = false;
    let mut text = format!("session {}", session.name);
    let turns = numbers.map(|number| {
        let mut turn = AuthorTurn::of(interactive, number, call.records);
        unrecorded += usize::from(turn.leave_record(&mut left));
        text += "\n";
        text += &cut_text(&turn.text, MAX_PART_TEXT);
        let mut parts = json!(turn);
        is_cut |= cut_parts(&mut parts, MAX_PARTS_BYTES);
        parts
    });
    let mut turns = Json::Array(turns.collect());
    is_cut |= cut_parts(&mut turns, MAX_PARTS_BYTES);
    let played = interactive.tree().turns_at(interactive.tree().at());
    let here = StateView::of(interactive).in_brief(MAX_LISTED_HERE, played);
    let here_text = here.to_string();
    let mut here = json!(here);
    is_cut |= cut_parts(&mut here, MAX_PARTS_BYTES / 4);
    if unrecorded > 0 {
        let records = plural(unrecorded, "record");
        notes.push(format!(
            "{records} omitted because the result is too large: call `why` with `record` for each of these turns"
        ));
    }
    if is_cut {
        notes.push(format!("{CUT}: call `why` for more about a turn"));
    }
    let notes = bounded_notes(&notes);
    let stopped = stopped.map(|why| cut_text(&why, MAX_PART_TEXT * 4));
    for note in &notes {
        let _ = write!(text, "\nnote: {note}");
    }
    if let Some(why) = &stopped {
        let _ = write!(text, "\n\nNot run:\n{why}\n");
    }
    let _ = write!(text, "\n{here_text}");
    let is_short = stopped.is_some();
    let parts = PlayAnswer {
        session: session.name.clone(),
        model: interactive.model().to_owned(),
        profile: interactive.dialogue().machine().shown_profile(),
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
    desk: &ToolExecutor,
    fenced: &FencedProject,
) -> Result<AuthorSession, AuthorRefusal> {
    let shelf = ScenarioLookup::of(&fenced.project, fenced.config.clone());
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
    let mut interactive =
        InteractiveDialogue::new(&machine, &start, false)?.of_model(&fenced.named(&path));
    interactive = interactive.reading_again(reader);
    if let Some(answerers) = &answerers {
        interactive = interactive.asking(answerers.answerer(&DialogueKey::named(DIALOGUE)));
    }
    interactive = interactive.loading(Box::new(move |wanted, machine| shelf.load(wanted, machine)));
    Ok(AuthorSession {
        name: desk.sessions.next_name(),
        interactive,
        played: 0,
        broken: None,
    })
}

/// Reloads the model of a dialogue from the current project.
fn model_reader(fenced: &FencedProject, path: PathBuf, profile: Profile) -> ModelReader {
    let project = fenced.project.clone();
    let config = fenced.config.clone();
    Box::new(move || {
        // The project file might have changed. If it is invalid now, the previous project is used.
        match FencedProject::open(config.as_deref()) {
            Ok(fenced) => fenced.load(&path, profile).map_err(|why| why.text),
            Err(_) => ModelCache::new(&project, config.clone())
                .load(&path, profile)
                .ok_or_else(|| {
                    "cannot load the model and `fsmsim.toml`: call `lint` for the findings"
                        .to_owned()
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
        session.interactive.play_first()?;
    }
    if let Some(turns) = call.undo {
        session.interactive.undo(Some(turns))?;
    }
    if let Some(from) = &call.from {
        let mut loaded: LoadedDialogue = session.interactive.find(from)?;
        session.interactive.ask_as(&mut loaded);
        for turn in &loaded.turns {
            let line = session.interactive.line_of(&turn.scripted);
            play_turn(session, &line, turn.scripted.clone(), notes)?;
        }
    }
    for turn in &call.turns {
        match turn {
            Json::String(line) if line.trim_start().starts_with(':') => {
                session.interactive.change_by_line(line.trim())?;
            }
            Json::String(line) => {
                let turn = session.interactive.turn_typed(line)?;
                play_turn(session, line, turn, notes)?;
            }
            Json::Object(given) => {
                // Turns contain no file names, but `start` can.
                admit_files(&Json::Object(given.clone()).to_string(), "", fenced)?;
                let (line, turn) = session.interactive.turn_given(given)?;
                play_turn(session, &line, turn, notes)?;
            }
            _ => return Err("expected an object or a string for a turn".into()),
        }
    }
    Ok(())
}

/// Checks that the files that the JSON text of a start or a turn names are in the project.
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
        let title = format!(
            "the session has reached its limit of {MAX_AUTHOR_TURNS} turns, which includes undone turns"
        );
        return Err(Diagnostic::bad_arguments(title)
            .help("start another session with `model`")
            .into());
    }
    session.played += 1;
    let played = session.interactive.play(line, turn)?;
    notes.extend(
        played
            .former
            .map(|former| format!("the undone turns are saved as the branch `{former}`")),
    );
    if let Some(failure) = session.interactive.dialogue().unread() {
        return Err(format!("the utterance was not recognized: {}", failure.reason).into());
    }
    Ok(())
}
