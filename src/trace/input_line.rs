//! The input of a turn, as it was given.

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::turn_line::Seq;
use crate::engine::{Name, Operation, ScriptedTurn, TurnData};
use crate::machine::{Machine, SlotId, Value};

/// The input of a turn: what a turn of a turns file says, without what it leaves out.
pub(super) struct InputLine<'a> {
    scripted: &'a ScriptedTurn,
    machine: &'a Machine,
}

impl<'a> InputLine<'a> {
    pub(super) fn new(scripted: &'a ScriptedTurn, machine: &'a Machine) -> Self {
        Self { scripted, machine }
    }
}

impl Serialize for InputLine<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let input = &self.scripted.input;
        let intents = &self.machine.names.intents;
        let mut map = serializer.serialize_map(None)?;
        if !self.scripted.before.is_empty() {
            let operations = || self.scripted.before.iter().map(|operation| OperationLine(operation, self.machine));
            map.serialize_entry("before", &Seq(operations))?;
        }
        if let Some(say) = &input.say {
            map.serialize_entry("say", &**say)?;
        }
        if let Some(intent) = &input.intent {
            map.serialize_entry("intent", intent.text(intents))?;
        }
        if !input.also.is_empty() {
            map.serialize_entry("also", &Seq(|| input.also.iter().map(|name| name.text(intents))))?;
        }
        if let Some(confidence) = input.confidence {
            map.serialize_entry("confidence", &confidence.get())?;
        }
        if let Some(tone) = &input.tone {
            map.serialize_entry("tone", &**tone)?;
        }
        if let Some(frustration) = input.frustration {
            map.serialize_entry("frustration", &frustration)?;
        }
        match &input.data {
            TurnData::Absent => {}
            TurnData::Null => map.serialize_entry("data", &())?,
            TurnData::Given(values) => map.serialize_entry("data", &ValuesLine(values, self.machine))?,
        }
        if !input.signals.is_empty() {
            map.serialize_entry("signals", &SignalsLine(&input.signals))?;
        }
        if !input.options.is_empty() {
            map.serialize_entry("options", &input.options)?;
        }
        if let Some(question) = &input.question {
            map.serialize_entry("question", &**question)?;
        }
        if let Some(elapsed) = input.elapsed {
            map.serialize_entry("elapsed_s", &elapsed.get())?;
        }
        if let Some(answer) = &self.scripted.answer {
            map.serialize_entry("answer", answer)?;
        }
        map.end()
    }
}

struct ValuesLine<'a>(&'a [(Name<SlotId>, Value)], &'a Machine);

impl Serialize for ValuesLine<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name.text(&self.1.names.slots), value)))
    }
}

struct SignalsLine<'a>(&'a [(crate::machine::Signal, Value)]);

impl Serialize for SignalsLine<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(signal, value)| (signal.name(), value)))
    }
}

struct OperationLine<'a>(&'a Operation, &'a Machine);

impl Serialize for OperationLine<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(operation, machine) = self;
        let mut map = serializer.serialize_map(None)?;
        match operation {
            Operation::Snapshot => map.serialize_entry("op", "snapshot")?,
            Operation::Reset => map.serialize_entry("op", "reset")?,
            Operation::SyncPhase => map.serialize_entry("op", "sync_phase")?,
            Operation::SetState(state) => {
                map.serialize_entry("op", "set_state")?;
                map.serialize_entry("state", state.text(&machine.names.states))?;
            }
            Operation::SetData(values) => {
                map.serialize_entry("op", "set_data")?;
                map.serialize_entry("data", &ValuesLine(values, machine))?;
            }
            Operation::TransitionTo {
                state,
                action,
                phase,
                validate,
            } => {
                map.serialize_entry("op", "transition_to")?;
                map.serialize_entry("next_state", state.text(&machine.names.states))?;
                if let Some(action) = action {
                    map.serialize_entry("action", action.text(&machine.names.actions))?;
                }
                if let Some(phase) = phase {
                    map.serialize_entry("phase", phase.text(&machine.names.phases))?;
                }
                map.serialize_entry("validate", validate)?;
            }
        }
        map.end()
    }
}
