//! The tool by which a dialogue is led: what it is called, what it is for, and what it takes.

use std::fmt::Write;

use super::argument_schema::listed;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use schemars::generate::Contract;
use serde_json::{Value as Json, json};

use super::call::ToolCall;
use super::tool_reply::{GET_INSTRUCTION, InstructionAnswer};
use super::turn_reply::TurnReply;
use super::typed_tool::schema_of;
use crate::limits::{MAX_LISTED_NAMES, MAX_QUOTED_SCHEMAS};
use fsmsim_adapters::llm::{Offer, SlotOffer};
use fsmsim_core::engine::Machine;
use fsmsim_core::engine::policy::Guidance;
use fsmsim_runtime::script::AcceptedInputs;

/// The tool by which a dialogue is led.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ServedTool {
    /// The assistant goes from state to state, and is told what to do there.
    GetInstruction,
    /// The model leads: it is told what the user says, and says what comes of it.
    Turn,
}

impl ServedTool {
    /// The tool for a model.
    pub(super) fn of(machine: &Machine) -> Self {
        if AcceptedInputs::of(machine).moves {
            Self::GetInstruction
        } else {
            Self::Turn
        }
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::GetInstruction => GET_INSTRUCTION,
            Self::Turn => "turn",
        }
    }

    /// The tool as it is listed.
    pub(super) fn tool(self, machine: &Machine, reads: bool) -> Tool {
        let output = match self {
            Self::GetInstruction => schema_of::<InstructionAnswer<'_>>(Contract::Serialize),
            Self::Turn => schema_of::<TurnReply<'_>>(Contract::Serialize),
        };
        Tool::new(
            self.name(),
            self.description(machine),
            self.schema(machine, reads),
        )
        .with_raw_output_schema(output.into())
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

    fn schema(self, machine: &Machine, reads: bool) -> JsonObject {
        let mut schema = schema_of::<ToolCall>(Contract::Deserialize);
        schema.remove("description");
        let mut known = schema.remove("properties").unwrap_or_default();
        let mut argument = |(name, field, about): (&str, &str, Option<String>)| {
            let mut argument = known.get_mut(field)?.take();
            if let (Some(argument), Some(about)) = (argument.as_object_mut(), about) {
                argument.insert("description".to_owned(), json!(about));
            }
            Some((name.to_owned(), argument))
        };
        let plain = |name| (name, name, None);
        let properties: JsonObject = match self {
            Self::GetInstruction => [
                plain("state"),
                plain("session"),
                ("data", "data", Some(saved_data(machine))),
                plain("said"),
                plain("reply"),
                plain("new"),
                plain("full"),
            ]
            .into_iter()
            .filter_map(&mut argument)
            .collect(),
            Self::Turn => {
                let read = if reads {
                    "Somebody reads it for you."
                } else {
                    "Nobody reads it for you: give `intent` as well, unless the model knows the phrase."
                };
                let said = format!("What the user said, word for word. {read}");
                [
                    plain("session"),
                    ("say", "said", Some(said)),
                    ("intent", "intent", Some(intents(machine))),
                    ("data", "data", Some(slots(machine))),
                    plain("new"),
                ]
                .into_iter()
                .filter_map(&mut argument)
                .collect()
            }
        };
        schema.insert("properties".to_owned(), Json::Object(properties));
        schema.insert("additionalProperties".to_owned(), json!(false));
        schema
    }
}

/// How the assistant tells what the user wants done with the data, in words; nothing where no state needs any.
fn consent(machine: &Machine) -> String {
    let Some(guidance) = machine.policies.guidance() else {
        return String::new();
    };
    let needs_data = guidance
        .all()
        .any(|(_, guide)| !guide.reads.is_empty() || guide.writes.is_some());
    let Some(asking) = guidance.consent.filter(|_| needs_data) else {
        return String::new();
    };
    let state = |id| machine.names.states.name(id);
    let without = match guidance.without_data {
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
        .policies
        .guidance()
        .into_iter()
        .flat_map(Guidance::all)
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
        let _ = if letters <= MAX_QUOTED_SCHEMAS {
            write!(told, ": {text}.")
        } else {
            write!(told, ".")
        };
    }
    told
}

/// The intents that an assistant may say, in words.
fn intents(machine: &Machine) -> String {
    let offers = Offer::all(machine);
    let names = offers
        .iter()
        .take(MAX_LISTED_NAMES)
        .map(|offer| &offer.intent);
    format!(
        "What the user meant, if you have read it yourself: {}.",
        listed(&names.collect::<Vec<_>>())
    )
}

/// The slots that an assistant may fill, in words.
fn slots(machine: &Machine) -> String {
    let offers = SlotOffer::all(machine);
    let names = offers
        .iter()
        .take(MAX_LISTED_NAMES)
        .map(|offer| &offer.name);
    let names: Vec<_> = names.collect();
    if names.is_empty() {
        return "What the user told, if you have read it yourself. This dialogue takes none: leave it out.".to_owned();
    }
    format!(
        "What the user told, if you have read it yourself, by name: {}.",
        listed(&names)
    )
}
