//! How far the task of a cycle is, as it is handed on.

use fsmsim_core::engine::policy::cycle::CycleSchema;
use fsmsim_core::engine::{Machine, Session, Symbol};
use fsmsim_core::machine::{SchemaError, Value};

/// How far the task of a cycle is, as it is handed on.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentState(Value);

/// What stands in it, by the names of the schema. Beside that, the phase.
const FIELDS: [&str; 7] = [
    "messages",
    "task_id",
    "plan",
    "code_artifacts",
    "validation_report",
    "memory_scope",
    "is_validated",
];

impl AgentState {
    /// The state of the task of a session; nothing where the machine leads no cycle.
    pub fn of(machine: &Machine, session: &Session) -> Option<Self> {
        machine.cycle()?;
        let phase = machine.state(session.position.state).phase;
        let phase = phase.map_or(Value::Null, |phase| {
            Value::text(machine.names.phases.name(phase))
        });
        let known = FIELDS.into_iter().map(|name| {
            let slot = Symbol::of(name, &machine.names.slots);
            (name, session.slots.by_name(&slot).clone())
        });
        let known = known.filter(|(_, value)| !value.is_null());
        Some(Self(Value::map(known.chain([("current_phase", phase)]))))
    }

    /// The state, where it is what `fsmsim schema agent-state` says.
    ///
    /// # Errors
    /// Where and how it breaks that: data of a dialogue may be anything that somebody put there.
    pub fn checked(self) -> Result<Value, SchemaError> {
        let schema = CycleSchema::AgentState.schema();
        let schema = schema.map_err(|message| SchemaError {
            place: String::new(),
            message,
        })?;
        schema.error(&self.0).map_or(Ok(self.0), Err)
    }
}
