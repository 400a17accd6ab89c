//! The variables of prompt templates by need.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::{Value as Json, json};

use super::quoted::{lines, quoted, quoted_value, spoken};
use crate::llm::kind::TaskKind;
use crate::llm::reading_task::ReadingTask;
use crate::llm::task::{Goal, Task};
use crate::llm::utterance::{before, last_lines};
use crate::recognizer::SlotOffer;
use fsmsim_core::machine::Value;
use fsmsim_syntax::terminal::Joined;

/// The built-in text for the same part of the prompt, before or after `---`.
pub(super) const STANDARD: &str = "standard";
/// The utterance, in delimiters.
const UTTERANCE: &str = "utterance";
/// The previous utterances, in delimiters.
const HISTORY: &str = "history";
/// The replies to judge, in delimiters.
const REPLIES: &str = "replies";
/// The known data, in delimiters.
const KNOWN: &str = "known";

/// The variables of a task, except [`STANDARD`]. `today` is the date with its weekday.
pub(super) fn of(task: &Task<'_>, today: &str) -> Json {
    match task {
        Task::Classify(reading) => reading_variables(reading, today),
        Task::Navigate {
            state,
            instruction,
            history,
            targets,
            conditions,
            ..
        } => {
            let moves = targets.iter().enumerate().map(|(number, target)| {
                json!({"target": target, "when": conditions.get(number).cloned().unwrap_or_default()})
            });
            json!({"instruction": instruction, "state": state, "moves": moves.collect::<Vec<_>>(), HISTORY: lines(history)})
        }
        Task::Decide {
            state,
            goal,
            utterance,
            targets,
            known,
            history,
        } => {
            let states = targets
                .iter()
                .map(|target| json!({"name": target.state, "goal": target.goal}));
            json!({
                "states": states.collect::<Vec<_>>(), "state": state, "goal": goal, KNOWN: known_variables(known),
                HISTORY: lines(history), UTTERANCE: quoted(utterance),
            })
        }
        Task::Assess {
            point,
            sums_up,
            points,
            enough,
            utterance,
            history,
            ..
        } => json!({
            "points": points.iter().map(goal_variables).collect::<Vec<_>>(), "enough": enough,
            "asked": point.as_ref().map(goal_variables), "sums_up": sums_up,
            HISTORY: lines(before(history, utterance)), UTTERANCE: quoted(utterance),
        }),
        Task::Phrase {
            about,
            point,
            known,
            missing,
            knowledge,
            history,
            ..
        } => {
            let knowledge = knowledge
                .iter()
                .map(|(title, text)| json!({"title": quoted(title), "text": quoted(text)}));
            json!({
                "about": spoken(about), "point": point.as_ref().map(goal_variables),
                "missing": missing.iter().map(|text| quoted(text)).collect::<Vec<_>>(),
                "knowledge": knowledge.collect::<Vec<_>>(), KNOWN: known_texts(known), HISTORY: lines(history),
            })
        }
        Task::Work {
            state,
            role,
            goal,
            known,
            brings,
            capabilities,
        } => json!({
            "role": role, "state": state, "goal": goal, "brings": brings, "capabilities": capabilities,
            KNOWN: known_texts(known),
        }),
        Task::Judge {
            rubric,
            history,
            replies,
            ..
        } => {
            json!({"rubric": rubric, HISTORY: lines(last_lines(history)), REPLIES: quoted(replies)})
        }
        Task::PlayUser(user) => {
            let knows = user
                .knows
                .iter()
                .map(|(name, value)| json!({"name": name, "value": quoted_value(value)}));
            json!({
                "persona": user.persona, "goal": user.goal, "mood": user.mood, "knows": knows.collect::<Vec<_>>(),
                HISTORY: lines(user.history),
            })
        }
    }
}

/// Sample variables for each need, to check templates.
static SAMPLES: LazyLock<BTreeMap<TaskKind, Json>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../../prompts/samples.json")).unwrap_or_default()
});

/// The variables of a sample task.
pub(super) fn sample(kind: TaskKind) -> Json {
    SAMPLES.get(&kind).cloned().unwrap_or_default()
}

/// The variable with the input of a task. The changing part of a template must contain it, or [`STANDARD`].
pub(super) fn must_have(kind: TaskKind) -> &'static str {
    match kind {
        TaskKind::Classify | TaskKind::Decide | TaskKind::Assess => UTTERANCE,
        TaskKind::Navigate | TaskKind::Phrase | TaskKind::PlayUser => HISTORY,
        TaskKind::Work => KNOWN,
        TaskKind::Judge => REPLIES,
    }
}

/// Adds the built-in prompt to the variables.
pub(super) fn with_standard(mut variables: Json, standard: String) -> Json {
    if let Some(map) = variables.as_object_mut() {
        map.insert(STANDARD.to_owned(), standard.into());
    }
    variables
}

fn reading_variables(reading: &ReadingTask<'_>, today: &str) -> Json {
    let intents = reading.intents.iter().map(|offer| {
        let others = offer
            .confused_with
            .iter()
            .map(|(name, difference)| json!({"name": name, "difference": difference}));
        json!({
            "name": offer.intent, "description": offer.description,
            "examples": offer.examples.iter().map(|text| quoted(text)).collect::<Vec<_>>(),
            "confused_with": others.collect::<Vec<_>>(),
        })
    });
    let slots = reading.slots.iter().map(|slot| {
        let description = &slot.declared.description;
        let holds = slot.declared.in_words();
        json!({"name": slot.name, "description": description, "holds": holds, "text": slot_text(slot)})
    });
    let certainty = reading.certainty.map(|certainty| {
        json!({"carried_out": certainty.carried_out, "understood": certainty.understood, "gap": certainty.gap})
    });
    json!({
        "about": reading.about, "intents": intents.collect::<Vec<_>>(), "slots": slots.collect::<Vec<_>>(),
        "unclear": reading.unclear, "certainty": certainty, "state": reading.state, "goal": reading.goal,
        "here": reading.here, "wanted": reading.wanted, "today": today, KNOWN: known_variables(&reading.known), HISTORY: lines(reading.history),
        UTTERANCE: quoted(reading.utterance),
    })
}

/// A slot as text: its name, type and description.
fn slot_text(slot: &SlotOffer<'_>) -> String {
    let mut holds: Vec<String> = Vec::new();
    if slot.declared.is_typed() {
        holds.push(slot.declared.in_words());
    } else if slot.is_number {
        holds.push("a number".to_owned());
    }
    if !slot.hints.is_empty() {
        holds.push(format!(
            "such as {}",
            slot.hints.iter().map(quoted_value).joined(", ")
        ));
    }
    let mut text = slot.name.to_owned();
    if !holds.is_empty() {
        text = format!("{text} ({})", holds.join(", "));
    }
    match &*slot.declared.description {
        "" => text,
        description => format!("{text}: {description}"),
    }
}

fn goal_variables(goal: &Goal<'_>) -> Json {
    json!({"id": goal.id, "name": goal.name, "about": goal.about, "hints": goal.hints, "priority": goal.priority})
}

fn known_variables(known: &[(&str, Value)]) -> Json {
    known
        .iter()
        .map(|(name, value)| json!({"name": name, "value": quoted_value(value)}))
        .collect()
}

fn known_texts(known: &[(&str, String)]) -> Json {
    known
        .iter()
        .map(|(name, text)| json!({"name": name, "value": quoted(text)}))
        .collect()
}
