//! How far the task of a cycle is, as it is handed on.

use super::cycle_schema::CycleSchema;
use crate::engine::Machine;
use crate::engine::session::{Session, Symbol};
use crate::machine::{SchemaError, Value};

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

/// The state of the task of a session, where it is what `fsmsim schema agent-state` says: data of a dialogue may be anything
/// that somebody put there.
pub(super) fn agent_state(machine: &Machine, session: &Session) -> Result<Value, SchemaError> {
    let phase = machine.state(session.position.state).phase;
    let phase = phase.map_or(Value::Null, |phase| {
        Value::text(machine.names.phases.name(phase))
    });
    let known = FIELDS.into_iter().map(|name| {
        let slot = Symbol::of(name, &machine.names.slots);
        (name, session.slots.by_name(&slot).clone())
    });
    let known = known.filter(|(_, value)| !value.is_null());
    let state = Value::map(known.chain([("current_phase", phase)]));
    let schema = CycleSchema::AgentState.schema();
    let schema = schema.map_err(|message| SchemaError {
        place: String::new(),
        message,
    })?;
    schema.error(&state).map_or(Ok(state), Err)
}
