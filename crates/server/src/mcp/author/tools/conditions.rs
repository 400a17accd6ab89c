//! The vocabulary of a model, and the values of its conditions in a dialogue.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use crate::limits::MAX_PART_TEXT;
use crate::mcp::author::author_answer::{Answered, AuthorAnswer};
use crate::mcp::author::bounded_parts::{cut_parts, cut_text};
use crate::mcp::author::result_page::{PageCall, more_pages_text};
use crate::mcp::author::tool_executor::AuthorCall;
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::{Value, compared_values};
use fsmsim_harness::interactive::{InteractiveDialogue, InteractiveError};
use fsmsim_reports::dialogue_view::{ConditionView, WantedConditions, conditions_in};

/// Lists the names in a model with their descriptions: its conditions, or another `kind`. With `session`, returns the
/// conditions that the state of the last turn tests, with their values and inputs in that turn.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ConditionsCall {
    /// Path of the model, relative to the project; `PATH@PROFILE` selects the profile.
    model: Option<String>,
    /// Profile of the model; overrides the profile in the path.
    profile: Option<String>,
    /// ID of the dialogue (`session` of a `play` result).
    session: Option<String>,
    /// Turn to come, such as `price_question company_size=50`: evaluates the conditions of `session` in it.
    #[serde(rename = "if")]
    next: Option<String>,
    /// Kind of names to list (default: `conditions`).
    #[serde(default)]
    kind: WordKind,
    /// Only names that contain this text.
    find: Option<String>,
    #[serde(flatten)]
    page: PageCall<100>,
}

/// A kind of names.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema, strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
enum WordKind {
    #[default]
    Conditions,
    Intents,
    Slots,
    States,
    Actions,
    Phases,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ConditionsAnswer {
    kind: &'static str,
    #[schemars(with = "Vec<JsonObject>")]
    words: Vec<Json>,
    next: Option<String>,
}

/// Lists the vocabulary of a model.
pub(super) fn conditions(call: &ConditionsCall, to: &AuthorCall) -> Answered {
    let fenced = &to.desk.project_now()?;
    let page = call.page.read()?;
    let find = call.find.as_deref().unwrap_or_default();
    let mut words = match (&call.model, &call.session) {
        (Some(model), None) if call.next.is_none() => words_of(
            &*fenced.machine(model, call.profile.as_deref())?,
            call.kind,
            find,
        ),
        (None, Some(session)) => {
            let session = to.desk.sessions.find(session)?;
            let mut session = session.lock();
            session.look_at_files()?;
            match call.kind {
                WordKind::Conditions => {
                    conditions_here(&session.interactive, call.next.as_deref(), find)?
                }
                kind => words_of(session.interactive.dialogue().machine(), kind, find),
            }
        }
        _ => {
            return Err(
                "give either `model` to list its names, or `session` to list the values of its conditions"
                    .into(),
            );
        }
    };
    let all = words.len();
    let next = page.take(&mut words);
    for (word, text) in &mut words {
        // The inputs of a condition can be as long as a turn.
        if cut_parts(word, MAX_PART_TEXT) {
            *text = cut_text(text, MAX_PART_TEXT);
        }
    }
    let (words, lines): (Vec<Json>, Vec<String>) = words.into_iter().unzip();
    let kind: &str = call.kind.into();
    let text = match all {
        0 if find.is_empty() => format!("no {kind} found"),
        0 => format!("no {kind} with `{find}` in the name"),
        _ => lines.join("\n"),
    };
    let text = text + &more_pages_text(next.as_ref(), all);
    Ok(AuthorAnswer::new(
        text,
        &ConditionsAnswer { kind, words, next },
    ))
}

/// The conditions that the state of the last turn tests, with their values in that turn or in the turn `next`. With
/// `find`, the conditions whose name contains this text.
fn conditions_here(
    interactive: &InteractiveDialogue,
    next: Option<&str>,
    find: &str,
) -> Result<Vec<(Json, String)>, InteractiveError> {
    let explainer = interactive.explain_conditions(None, next)?;
    let wanted = if find.is_empty() {
        WantedConditions::Of(explainer.session().position.state, None)
    } else {
        WantedConditions::Named(find)
    };
    let views = conditions_in(interactive.dialogue().machine(), &explainer, wanted);
    let view_and_text = |view: ConditionView| (json!(view), view.to_string());
    Ok(views.into_iter().map(view_and_text).collect())
}

/// The words of a kind whose name contains `find`.
fn words_of(machine: &Machine, kind: WordKind, find: &str) -> Vec<(Json, String)> {
    let names = &machine.names;
    let place = |span| machine.files.place(span).to_string();
    let described = |name: &str| json!({"name": name, "description": ""});
    let words: Vec<Json> = match kind {
        WordKind::Conditions => machine
            .named_conditions
            .pairs()
            .map(|(id, named)| {
                json!({
                    "name": names.conditions.name(id),
                    "description": named.description,
                    "at": named.span.map(place),
                })
            })
            .collect(),
        WordKind::Intents => {
            let ids = names.intents.ids();
            let ids = ids.filter(|id| !machine.is_internal(*id));
            let word = |id| {
                let about = machine.description(id);
                let examples: Vec<&str> = about
                    .examples
                    .iter()
                    .map(|example| &**example)
                    .take(5)
                    .collect();
                let name = names.intents.name(id);
                let event = machine.is_event(id);
                json!({"name": name, "description": about.description, "examples": examples, "event": event})
            };
            ids.map(word).collect()
        }
        WordKind::Slots => {
            let compared = compared_values(machine.conditions.iter());
            let values = |name: &str| {
                let values = names
                    .slots
                    .id(name)
                    .and_then(|id| compared.get(&id))
                    .into_iter()
                    .flatten();
                values.map(Value::plain).collect::<Vec<_>>()
            };
            machine
                .known_slot_names()
                .map(|name| json!({"name": name, "compared_with": values(name)}))
                .collect()
        }
        WordKind::States => machine
            .declared_states()
            .map(|(id, state)| {
                json!({
                    "name": names.states.name(id),
                    "description": state.goal.as_deref().unwrap_or_default(),
                    "phase": state.phase.map(|phase| names.phases.name(phase)),
                    "final": state.is_final,
                    "at": state.span.map(place),
                })
            })
            .collect(),
        WordKind::Actions => names.actions.iter().map(described).collect(),
        WordKind::Phases => names.phases.iter().map(described).collect(),
    };
    let is_wanted = |word: &Json| {
        word["name"]
            .as_str()
            .is_some_and(|name| name.contains(find))
    };
    words
        .into_iter()
        .filter(is_wanted)
        .map(|word| (word.clone(), line(&word)))
        .collect()
}

/// Describes a word in one line.
fn line(word: &Json) -> String {
    let part = |key: &str, before: &str, after: &str| match &word[key] {
        Json::String(text) if !text.is_empty() => format!("{before}{text}{after}"),
        Json::Array(texts) if !texts.is_empty() => {
            let texts: Vec<&str> = texts.iter().filter_map(Json::as_str).collect();
            format!("{before}{}{after}", texts.join(", "))
        }
        _ => String::new(),
    };
    [
        part("name", "", ""),
        part("description", ": ", ""),
        part("examples", "; examples: ", ""),
        part("compared_with", "; conditions compare it with: ", ""),
        part("at", " (", ")"),
    ]
    .concat()
}
