//! The dialogue tool: name, description and schema.

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
use fsmsim_adapters::llm::{IntentOption, SlotOffer};
use fsmsim_core::engine::Machine;
use fsmsim_core::engine::policy::Guidance;
use fsmsim_runtime::script::AcceptedInputs;

/// The dialogue tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ServedTool {
    /// The assistant selects the state and receives its instructions.
    GetInstruction,
    /// The model leads: the tool takes user turns and returns the outcome.
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

    /// The entry in the list of tools.
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

    /// The description of the tool. It contains everything that an LLM must know, because some clients show nothing
    /// else.
    pub(super) fn description(self, machine: &Machine) -> String {
        let name = &machine.header.name;
        match self {
            Self::GetInstruction => {
                let led = format!(
                    "Guides the dialogue `{name}` state by state. Call it before you answer the user for the first time, follow the \
                 instruction, and call it with `state` whenever the dialogue enters another state. It returns the instruction for \
                 the current state and the possible next states; with `state`, it enters that state first. Pass the `session` of \
                 the last answer with every call."
                );
                led + &consent(machine)
            }
            Self::Turn => format!(
                "Runs the dialogue `{name}`, which the server controls. Call it with the user's words, verbatim, before \
                 you answer. Then say `replies` to the user, or do what `action` says. The first call, without arguments, \
                 starts the dialogue. Pass the `session` of the last answer with every call."
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
                    "The server recognizes it."
                } else {
                    "The server has no recognizer: give `intent` as well, unless the model contains the phrase."
                };
                let said = format!("The user's words, verbatim. {read}");
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

/// Describes how the assistant reports consent; empty if no state needs data.
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
    let without = match guidance.no_data_state {
        Some(without) => format!("to `{}`", state(without)),
        None => "to another state".to_owned(),
    };
    format!(
        " If a state reads or saves the user's data, the dialogue enters `{}` first, unless the server has asked the user itself. \
         From there, your call reports the user's decision: go to the waiting state if the user agrees, or {without} \
         otherwise. So ask the user first, and pass the answer as `said`.",
        state(asking)
    )
}

/// Describes the data that states save.
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
        return "Data for the state to save. No state of this dialogue saves data: omit it."
            .to_owned();
    }
    let mut text =
        "Data for the entered or current state to save; it must match the schema of that state."
            .to_owned();
    let bytes: usize = saved.iter().map(|(_, _, text)| text.len()).sum();
    for (state, name, schema) in saved {
        let _ = write!(text, " `{state}` saves `{name}`");
        let _ = if bytes <= MAX_QUOTED_SCHEMAS {
            write!(text, ": {schema}.")
        } else {
            write!(text, ".")
        };
    }
    text
}

/// Lists the user intents.
fn intents(machine: &Machine) -> String {
    let offers = IntentOption::all(machine);
    let names = offers
        .iter()
        .take(MAX_LISTED_NAMES)
        .map(|offer| &offer.intent);
    format!(
        "Intent of the user, if you have recognized it: {}.",
        listed(&names.collect::<Vec<_>>())
    )
}

/// Lists the slots that the user can fill.
fn slots(machine: &Machine) -> String {
    let offers = SlotOffer::all(machine);
    let names: Vec<_> = offers
        .iter()
        .take(MAX_LISTED_NAMES)
        .map(|offer| &offer.name)
        .collect();
    if names.is_empty() {
        return "Data from the user's words. This dialogue accepts none: omit it.".to_owned();
    }
    format!(
        "Data from the user's words, if you have recognized any, by name: {}.",
        listed(&names)
    )
}
