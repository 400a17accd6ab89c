//! The tool by which a dialogue is led: what it is called, what it is for, and what it takes.

use std::fmt::Write;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Map, Value as Json, json};

use super::tool_reply::{GET_INSTRUCTION, ToolReply};
use super::turn_reply::TurnReply;
use fsmsim_adapters::llm::{Offer, SlotOffer};
use fsmsim_core::engine::Machine;
use fsmsim_core::engine::policy::instructions::Instructions;
use fsmsim_runtime::script::AcceptedInputs;

/// The tool by which a dialogue is led.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ServedTool {
    /// The assistant goes from state to state, and is told what to do there.
    GetInstruction,
    /// The model leads: it is told what the user says, and says what comes of it.
    Turn,
}

/// Characters of schemas that the description of the tool quotes at most. Those that are longer are told where they are wanted.
const MOST_QUOTED: usize = 4_000;

/// Names that a description lists at most.
const MOST_NAMES: usize = 200;

impl ServedTool {
    /// The tool for a model.
    pub(super) fn of(machine: &Machine) -> Self {
        if AcceptedInputs::of(machine).moves {
            Self::GetInstruction
        } else {
            Self::Turn
        }
    }

    /// Its name.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::GetInstruction => GET_INSTRUCTION,
            Self::Turn => "turn",
        }
    }

    /// The names of what it takes.
    pub(super) fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::GetInstruction => &["state", "session", "data", "said", "reply", "new", "full"],
            Self::Turn => &["session", "say", "intent", "data", "new"],
        }
    }

    /// The same in a sentence.
    pub(super) fn takes(self) -> String {
        let names: Vec<String> = self
            .arguments()
            .iter()
            .map(|name| format!("`{name}`"))
            .collect();
        names.join(", ")
    }

    /// The tool as it is listed.
    pub(super) fn tool(self, machine: &Machine, reads: bool) -> Tool {
        let output = match self {
            Self::GetInstruction => ToolReply::schema(),
            Self::Turn => TurnReply::schema(),
        };
        Tool::new(
            self.name(),
            self.description(machine),
            object(self.schema(machine, reads)),
        )
        .with_raw_output_schema(object(output).into())
        .with_annotations(
            ToolAnnotations::new()
                .read_only(false)
                .destructive(false)
                .open_world(false),
        )
    }

    /// What the tool is for. All that a model has to know to use it stands here: not every client shows it anything else.
    pub(super) fn description(self, machine: &Machine) -> String {
        let name = &machine.header.name;
        match self {
            Self::GetInstruction => {
                let led = format!(
                    "Leads the dialogue `{name}` state by state. Call it before you answer the user for the first time, do what the \
                 instruction says, and call it with `state` whenever the dialogue goes on to another state. It tells what to do \
                 in the state in which the dialogue is, and where that leads; with `state` it goes there first. Give `session`, \
                 which every answer names, with every call."
                );
                led + &consent(machine)
            }
            Self::Turn => format!(
                "Plays the dialogue `{name}`, which the server leads. Call it with what the user said, word for word, before \
                 you answer, and tell the user what stands in `replies`, or act as `action` says. The first call, without \
                 anything, begins the dialogue. Give `session`, which every answer names, with every call."
            ),
        }
    }

    fn schema(self, machine: &Machine, reads: bool) -> Json {
        let text = |most: usize, description: &str| json!({"type": "string", "maxLength": most, "description": description});
        let flag = |description: &str| json!({"type": "boolean", "description": description});
        let session = text(
            MAX_NAME,
            "The session that the last answer named. Without it a new dialogue begins, unless this connection has one.",
        );
        let new = flag("Ends the dialogue, if there is one, and begins another.");
        let properties = match self {
            Self::GetInstruction => json!({
                "state": text(MAX_NAME, "The state to go to. Without it you are told what holds in the state as it is."),
                "session": session,
                "data": {"type": "object", "description": saved_data(machine)},
                "said": text(MAX_TEXT, "What the user said since your last call, word for word."),
                "reply": text(MAX_TEXT, "What you have said to the user since your last call, in the state that you were told of. It is held against the limits of that state."),
                "new": new,
                "full": flag("Tells the instructions that hold in every state once more; they stand in the first answer only."),
            }),
            Self::Turn => {
                let say = if reads {
                    "What the user said, word for word. Somebody reads it for you."
                } else {
                    "What the user said, word for word. Nobody reads it for you: give `intent` as well, unless the model knows the phrase."
                };
                json!({
                    "session": session,
                    "say": text(MAX_TEXT, say),
                    "intent": text(MAX_NAME, &intents(machine)),
                    "data": {"type": "object", "description": slots(machine)},
                    "new": new,
                })
            }
        };
        json!({"type": "object", "properties": properties, "additionalProperties": false})
    }
}

/// Letters of a name at most. Longer ones are refused before anything looks for them.
pub(super) const MAX_NAME: usize = 200;
/// Letters of what somebody said at most.
pub(super) const MAX_TEXT: usize = 20_000;

/// How the assistant tells what the user wants done with the data, in words; nothing where no state needs any.
fn consent(machine: &Machine) -> String {
    let Some(instructions) = machine.instructions() else {
        return String::new();
    };
    let needs_data = instructions
        .all()
        .any(|(_, guide)| !guide.reads.is_empty() || guide.writes.is_some());
    let Some(asking) = instructions.consent.filter(|_| needs_data) else {
        return String::new();
    };
    let state = |id| machine.names.states.name(id);
    let without = match instructions.without_data {
        Some(without) => format!("to `{}`", state(without)),
        None => "elsewhere".to_owned(),
    };
    format!(
        " Where a state needs the user's data, the dialogue goes to `{}` first, unless the server has asked the user itself. From \
         there your move is the user's word: to go on to the state that needs the data says that the user has agreed, to go {without} \
         that the user has not. So ask the user before, and give the answer as `said`.",
        state(asking)
    )
}

/// What states save, in words.
fn saved_data(machine: &Machine) -> String {
    let saved: Vec<(&str, &str, String)> = machine
        .instructions()
        .into_iter()
        .flat_map(Instructions::all)
        .filter_map(|(state, guide)| {
            let schema = &machine.schemas[guide.writes?];
            let text = serde_json::to_string(&schema.text).unwrap_or_default();
            Some((machine.names.states.name(state), &*schema.name, text))
        })
        .collect();
    if saved.is_empty() {
        return "What the state saves that you go to. No state of this dialogue saves anything: leave it out."
            .to_owned();
    }
    let mut told =
        "What the state saves that you go to, or in which you are; it has to fit the schema of that state.".to_owned();
    let letters: usize = saved.iter().map(|(_, _, text)| text.len()).sum();
    for (state, schema, text) in saved {
        let _ = write!(told, " `{state}` saves `{schema}`");
        let _ = if letters <= MOST_QUOTED {
            write!(told, ": {text}.")
        } else {
            write!(told, ".")
        };
    }
    told
}

/// The intents that an assistant may say, in words.
fn intents(machine: &Machine) -> String {
    let names: Vec<String> = Offer::all(machine)
        .iter()
        .take(MOST_NAMES)
        .map(|offer| format!("`{}`", offer.intent))
        .collect();
    format!(
        "What the user meant, if you have read it yourself: {}.",
        names.join(", ")
    )
}

/// The slots that an assistant may fill, in words.
fn slots(machine: &Machine) -> String {
    let names: Vec<String> = SlotOffer::all(machine)
        .iter()
        .take(MOST_NAMES)
        .map(|offer| format!("`{}`", offer.name))
        .collect();
    if names.is_empty() {
        return "What the user told, if you have read it yourself. This dialogue takes none: leave it out.".to_owned();
    }
    format!(
        "What the user told, if you have read it yourself, by name: {}.",
        names.join(", ")
    )
}

/// A map, of what is written as one.
pub(super) fn object(value: Json) -> JsonObject {
    match value {
        Json::Object(object) => object,
        _ => Map::new(),
    }
}
