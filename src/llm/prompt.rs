//! What a model is asked in words.

use std::fmt::Write;

use serde::Serialize;
use serde_json::{Value as Json, json};

use super::judging;
use super::task::{Goal, Offer, Speaker, Task, Utterance};

/// What a model is asked in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// How it is to answer.
    pub system: String,
    /// What it is to look at.
    pub user: String,
    /// The JSON Schema of the answer, with the names that may be chosen.
    pub schema: Json,
}

impl Prompt {
    /// The words for a task.
    pub fn of(task: &Task<'_>) -> Self {
        let mut schema = task.kind().schema();
        let (system, user) = match task {
            Task::Classify { state, goal, utterance, intents, slots } => {
                let names: Vec<&str> = intents.iter().map(|offer| offer.intent).collect();
                choose(&mut schema, "/properties/intent", &names);
                choose(&mut schema, "/properties/alternatives/items/properties/intent", &names);
                if let Some(list) = schema.pointer_mut("/properties/alternatives").and_then(Json::as_object_mut) {
                    list.insert("maxItems".to_owned(), ALTERNATIVES.into());
                }
                (reading(intents, slots), format!("State: {state} ({goal})\nThe user says: {utterance}"))
            }
            Task::Navigate { state, instruction, history, targets, .. } => {
                choose_or_null(&mut schema, "/properties/target", targets);
                let targets = if targets.is_empty() { "none".to_owned() } else { targets.join(", ") };
                let system = format!(
                    "{instruction}\n\nYou are in the state `{state}`. Answer only with a JSON object: {{\"reply\": TEXT, \
                     \"target\": NAME OR null, \"consent\": {{\"read\": BOOLEAN, \"write\": BOOLEAN}} OR null}}. `reply` is what you \
                     say to the user; `target` is the state that the dialogue goes to now, or null to stay; `consent` is \
                     what the user has just said about the use of data, or null. States that may be gone to: {targets}."
                );
                (system, said(history))
            }
            Task::Decide { state, goal, utterance, targets } => {
                choose_or_null(&mut schema, "/properties/next_state", targets);
                let system = format!(
                    "You decide how a dialogue goes on. Answer only with a JSON object: {{\"should_transition\": BOOLEAN, \
                     \"next_state\": NAME OR null, \"reasoning\": TEXT}}. States: {}.",
                    targets.join(", ")
                );
                (system, format!("State: {state} ({goal})\nThe user says: {utterance}"))
            }
            Task::Assess { point, sums_up, others, utterance, history, .. } => {
                let names: Vec<&str> = point.iter().chain(others).map(|goal| goal.id).collect();
                choose(&mut schema, "/properties/for/items/properties/point", &names);
                (assessing(*point, *sums_up, others), format!("{}The answer: {utterance}", said(history)))
            }
            Task::Work { state, role, goal, known, brings, capabilities } => {
                let mut system = format!(
                    "You are the {role} of a team that works on a task, step by step. This step is `{state}`: {goal}\nAnswer \
                     only with a JSON object: {{\"output\": {{…}}}}. The output may have the keys {}.",
                    brings.join(", ")
                );
                if brings.contains(&"action") {
                    let _ = write!(
                        system,
                        " `action` asks for something to be done: {{\"capability\": NAME, \"inputs\": {{…}}}}. Capabilities: {}.",
                        capabilities.join(", ")
                    );
                }
                let mut user = String::from("What is known:");
                for (name, value) in known {
                    let _ = write!(user, "\n- {name}: {value}");
                }
                (system, user)
            }
            Task::Phrase { about, known, missing, knowledge, history, .. } => {
                let mut system = format!(
                    "You find the words of an assistant in a dialogue. Answer only with a JSON object: {{\"reply\": TEXT}}. \
                     `reply` is what the assistant says next, in the language of the dialogue. What is to be said: {about}"
                );
                if !missing.is_empty() {
                    let _ = write!(system, "\nMissing in the last answer: {}", missing.join("; "));
                }
                if !knowledge.is_empty() {
                    system.push_str("\nWhat matters about it:");
                    for (title, text) in knowledge {
                        let title = if title.is_empty() { String::new() } else { format!("{title}: ") };
                        let _ = write!(system, "\n- {title}{text}");
                    }
                }
                if !known.is_empty() {
                    system.push_str("\nWhat is known by now, and need not be asked again:");
                    for (label, answer) in known {
                        let _ = write!(system, "\n- {label}: {answer}");
                    }
                }
                (system, if history.is_empty() { "The assistant begins.".to_owned() } else { said(history) })
            }
            Task::Judge { rubric, history, replies, .. } => judging::words(rubric, history, replies),
            Task::PlayUser { persona, goal, history } => {
                let system = format!(
                    "You play a user who talks to an assistant. Who you are: {persona} What you want: {goal} Answer only \
                     with a JSON object: {{\"say\": TEXT, \"leaves\": BOOLEAN}}. `say` is what you say next, in one or two \
                     sentences, in the language of the persona; `leaves` is true where you end the dialogue with it."
                );
                let history = if history.is_empty() { "You begin.".to_owned() } else { said(history) };
                (system, history)
            }
        };
        Self { system, user, schema }
    }
}

/// The other readings that a model is asked for. One that is held to a schema without a limit may go on for ever.
const ALTERNATIVES: u32 = 3;

/// How an utterance is to be read.
fn reading(intents: &[Offer<'_>], slots: &[&str]) -> String {
    let mut system = String::from(
        "You read what a user says in a dialogue. Answer only with a JSON object: {\"intent\": NAME, \
         \"confidence\": NUMBER FROM 0 TO 1, \"alternatives\": [{\"intent\": NAME, \"confidence\": NUMBER}], \
         \"data\": {SLOT: VALUE}}. `intent` is one of the names below, `alternatives` are others that it may be; \
         `data` holds only what the user said.\nIntents:\n",
    );
    for offer in intents.iter().filter(|offer| !offer.description.is_empty()) {
        let _ = writeln!(system, "- {}: {}", offer.intent, offer.description);
    }
    let plain: Vec<&str> =
        intents.iter().filter(|offer| offer.description.is_empty()).map(|offer| offer.intent).collect();
    if !plain.is_empty() {
        let _ = writeln!(system, "- {}", plain.join(", "));
    }
    let _ = write!(system, "Slots: {}.", slots.join(", "));
    system
}

/// How an answer is to be judged.
fn assessing(point: Option<Goal<'_>>, sums_up: bool, others: &[Goal<'_>]) -> String {
    let mut system = String::from(
        "You judge an answer in an interview. Answer only with a JSON object: {\"completeness\": NUMBER FROM 0 TO 1, \
         \"missing\": [TEXT], \"for\": [{\"point\": NAME, \"completeness\": NUMBER, \"text\": TEXT}], \"approved\": BOOLEAN OR \
         null}. `completeness` is how much of what was asked is answered: 0 is nothing or a refusal, 0.7 is enough. `missing` \
         names what is still to be asked, in the language of the dialogue. `for` lists each of the other points that the \
         answer tells something about, with the very words of it.",
    );
    match point {
        Some(point) => {
            let _ = write!(system, "\nAsked was: {} — {}", point.name, point.about);
            for hint in point.hints {
                let _ = write!(system, "\n- {hint}");
            }
        }
        None if sums_up => system.push_str(
            "\nAll that is known was summed up, and the user was asked whether it is right. `approved` is true where the \
             user agrees; else `for` names the points that the user corrects or adds to, with `completeness` where the \
             answer says how.",
        ),
        None => system.push_str("\nNothing was asked yet."),
    }
    system.push_str("\nOther points:");
    for other in others {
        let _ = write!(system, "\n- {}: {} — {}", other.id, other.name, other.about);
    }
    system
}

/// A dialogue as text.
fn said(history: &[Utterance]) -> String {
    let mut text = String::new();
    for line in history {
        let who = match line.by {
            Speaker::User => "User",
            Speaker::Assistant => "Assistant",
        };
        let _ = writeln!(text, "{who}: {}", line.text);
    }
    text
}

fn choose<T: Serialize>(schema: &mut Json, place: &str, names: &[T]) {
    if let Some(property) = schema.pointer_mut(place) {
        *property = json!({"enum": names});
    }
}

fn choose_or_null(schema: &mut Json, place: &str, names: &[&str]) {
    let names: Vec<Option<&str>> = names.iter().copied().map(Some).chain([None]).collect();
    choose(schema, place, &names);
}
