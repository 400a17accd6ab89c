//! What templates of a project may name: the variables of each need.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::{Value as Json, json};

use super::quoted::{lines, quoted, quoted_value, spoken};
use crate::llm::kind::TaskKind;
use crate::llm::reading_task::ReadingTask;
use crate::llm::slot_offer::SlotOffer;
use crate::llm::task::{Goal, Task};
use crate::llm::utterance::{before, last_lines};
use fsmsim_core::machine::Value;
use fsmsim_syntax::terminal::Joined;

/// What is said where nothing else is; of the part behind `---`, that part.
pub(super) const STANDARD: &str = "standard";
/// What was said, in delimiters.
const UTTERANCE: &str = "utterance";
/// What was said before, in delimiters.
const HISTORY: &str = "history";
/// What is judged, in delimiters.
const REPLIES: &str = "replies";
/// What is known, in delimiters.
const KNOWN: &str = "known";

/// The variables of a task, but for [`STANDARD`].
pub(super) fn of(task: &Task<'_>) -> Json {
    match task {
        Task::Classify(reading) => of_reading(reading),
        Task::Navigate {
            state,
            instruction,
            history,
            targets,
            conditions,
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
                "states": states.collect::<Vec<_>>(), "state": state, "goal": goal, KNOWN: of_known(known),
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
            "points": points.iter().map(of_goal).collect::<Vec<_>>(), "enough": enough,
            "asked": point.as_ref().map(of_goal), "sums_up": sums_up,
            HISTORY: lines(before(history, utterance)), UTTERANCE: quoted(utterance),
        }),
        Task::Phrase {
            about,
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
                "about": spoken(about), "missing": missing.iter().map(|text| quoted(text)).collect::<Vec<_>>(),
                "knowledge": knowledge.collect::<Vec<_>>(), KNOWN: of_words(known), HISTORY: lines(history),
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
            KNOWN: of_words(known),
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

/// Made-up variables for each need, so that a template can be tried.
static SAMPLES: LazyLock<BTreeMap<TaskKind, Json>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../../prompts/samples.json")).unwrap_or_default()
});

/// The same of a made-up task; its keys are the names of the variables.
pub(super) fn sample(kind: TaskKind) -> Json {
    SAMPLES.get(&kind).cloned().unwrap_or_default()
}

/// Where what people said stands: a template for what changes has one of these, or the standard words.
pub(super) fn must_have(kind: TaskKind) -> &'static str {
    match kind {
        TaskKind::Classify | TaskKind::Decide | TaskKind::Assess => UTTERANCE,
        TaskKind::Navigate | TaskKind::Phrase | TaskKind::PlayUser => HISTORY,
        TaskKind::Work => KNOWN,
        TaskKind::Judge => REPLIES,
    }
}

/// The variables with the words that are said where a project says nothing else.
pub(super) fn with_standard(mut variables: Json, standard: String) -> Json {
    if let Some(map) = variables.as_object_mut() {
        map.insert(STANDARD.to_owned(), standard.into());
    }
    variables
}

fn of_reading(reading: &ReadingTask<'_>) -> Json {
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
        let (description, holds) = (&slot.declared.description, slot.declared.in_words());
        json!({"name": slot.name, "description": description, "holds": holds, "text": of_slot(slot)})
    });
    let certainty = reading.certainty.map(|certainty| {
        json!({"carried_out": certainty.carried_out, "understood": certainty.understood, "gap": certainty.gap})
    });
    json!({
        "about": reading.about, "intents": intents.collect::<Vec<_>>(), "slots": slots.collect::<Vec<_>>(),
        "unclear": reading.unclear, "certainty": certainty, "state": reading.state, "goal": reading.goal,
        "here": reading.here, "wanted": reading.wanted, KNOWN: of_known(&reading.known), HISTORY: lines(reading.history),
        UTTERANCE: quoted(reading.utterance),
    })
}

/// A slot in words: its name, what it may hold, and what it is for.
fn of_slot(slot: &SlotOffer<'_>) -> String {
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

fn of_goal(goal: &Goal<'_>) -> Json {
    json!({"id": goal.id, "name": goal.name, "about": goal.about, "hints": goal.hints})
}

fn of_known(known: &[(&str, Value)]) -> Json {
    known
        .iter()
        .map(|(name, value)| json!({"name": name, "value": quoted_value(value)}))
        .collect()
}

fn of_words(known: &[(&str, String)]) -> Json {
    known
        .iter()
        .map(|(name, text)| json!({"name": name, "value": quoted(text)}))
        .collect()
}
