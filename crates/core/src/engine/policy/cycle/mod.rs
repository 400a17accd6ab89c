//! The agent-cycle policy: a worker outside the engine performs the task of a node before the turn starts.
//!
//! States, edges, conditions, effects and gates of the machine define the flow, the memory, refusals and the end of a
//! task. The policy adds what they cannot express: a `tick` in the state of a node starts its task, whose result fills
//! slots.

mod cycle_schema;

use std::borrow::Cow;

use super::hooks::NoReason;
use super::{Hooks, PolicyHooks, PolicyReading, StateWorker, TurnInputs};
use crate::engine::{Answer, Input, Machine, Need, PolicyFacts, Session, Symbol, first_answer};
use crate::machine::{IntentId, NeedKind, SchemaError, SlotId, StateId, Value};
pub use cycle_schema::{CycleSchema, declare_schemas};

/// The policy has no reasons.
pub type CycleReason = NoReason<'c'>;

/// The key of the result in an answer.
const OUTPUT: &str = "output";

impl PolicyFacts for Cycle {
    fn inputs(&self) -> TurnInputs {
        TurnInputs {
            tasks: true,
            ..TurnInputs::default()
        }
    }

    fn is_like(&self, one: IntentId, other: IntentId) -> bool {
        one == other
    }

    fn worker(&self, id: StateId) -> Option<&StateWorker> {
        self.node_of(id)
    }

    fn is_test(&self, capability: &str) -> bool {
        self.tests.iter().any(|test| **test == *capability)
    }

    /// The state of the task in a session, validated with the schema of `fsmsim schema agent-state`: the data of a
    /// dialogue can have any shape.
    fn hand_over(
        &self,
        machine: &Machine,
        session: &Session,
    ) -> Option<Result<Value, SchemaError>> {
        let phase = machine.state(session.position.state).phase;
        let phase = phase.map_or(Value::Null, |phase| {
            Value::text(machine.names.phases.name(phase))
        });
        let known = FIELDS
            .into_iter()
            .map(|name| {
                let slot = Symbol::of(name, &machine.names.slots);
                (name, session.slots.by_name(&slot).clone())
            })
            .filter(|(_, value)| !value.is_null());
        let state = Value::map(known.chain([("current_phase", phase)]));
        let place = String::new();
        Some(match CycleSchema::AgentState.schema() {
            Ok(schema) => schema.error(&state).map_or(Ok(state), Err),
            Err(message) => Err(SchemaError { place, message }),
        })
    }
}

impl PolicyHooks for Cycle {
    const NAME: &'static str = "cycle";
    const HOOKS: Hooks = Hooks::READ;
    type Settings = ();
    type Memory = ();
    type Turn = ();

    /// If a node has a task, the data of the turn is the result: from the script, otherwise from a worker. An observation
    /// is completed.
    fn read<'i>(
        &self,
        machine: &Machine,
        state: StateId,
        input: &'i Input,
        answers: &[Answer],
    ) -> PolicyReading<'i> {
        let Some(intent) = input.known_intent() else {
            return PolicyReading::Pass;
        };
        let mut values = input.data.values().to_vec();
        let node = self.node_of(state).filter(|_| intent == self.tick);
        if let Some(node) = node.filter(|node| node.is_asked && !node.has_worked(&values)) {
            let Some(answer) = first_answer(answers, NeedKind::Work) else {
                return PolicyReading::Need(Need::Work { state });
            };
            let Some(output) = answer
                .value
                .as_ref()
                .map(|value| value.get(OUTPUT).unwrap_or(value))
            else {
                return PolicyReading::Unread;
            };
            node.take(output, &mut values);
        }
        if let Some(node) = node {
            node.spread(&mut values);
            self.shape(&mut values);
            let message = node
                .brings
                .first()
                .and_then(|(_, slot)| turn_value(*slot, &values))
                .map(Value::in_words);
            values.extend(
                message.map(|message| (Symbol::Known(self.message), Value::text(&message))),
            );
        }
        if intent == self.observe {
            self.complete(machine, input.at.as_deref(), &mut values);
        }
        let mut read = input.meant(intent, values, self.now);
        if read.data.values().is_empty() {
            read.data.clone_from(&input.data);
        }
        PolicyReading::Ready(Cow::Owned(read))
    }
}

impl Cycle {
    /// Adds the time of the turn to an observation without a time. Collects the keys that no observation has: its schema
    /// rejects them.
    fn complete(
        &self,
        machine: &Machine,
        at: Option<&str>,
        values: &mut Vec<(Symbol<SlotId>, Value)>,
    ) {
        let is_known = |name: &Symbol<SlotId>| {
            name.known()
                .is_some_and(|slot| self.observed.contains(&slot))
        };
        let unknown: Vec<(&str, Value)> = values
            .iter()
            .filter(|(name, _)| !is_known(name))
            .map(|(name, value)| (name.text(&machine.names.slots), value.clone()))
            .collect();
        if !unknown.is_empty() {
            let unknown = Value::map(unknown);
            values.push((Symbol::Known(self.unknown), unknown));
        }
        if turn_value(self.timestamp, values).is_none() {
            values.extend(at.map(|at| (Symbol::Known(self.timestamp), Value::text(at))));
        }
    }

    /// Converts subtasks to a list of strings and a report to a string, whatever their shape.
    fn shape(&self, values: &mut [(Symbol<SlotId>, Value)]) {
        for (name, value) in values {
            if *name == Symbol::Known(self.plan) {
                let said = value.list().map_or_else(
                    || vec![value.in_words()],
                    |list| list.iter().map(Value::in_words).collect(),
                );
                let said = said.iter().filter(|subtask| !subtask.is_empty());
                *value = Value::List(said.map(|subtask| Value::text(subtask)).collect());
            } else if *name == Symbol::Known(self.report) {
                *value = Value::text(&value.in_words());
            }
        }
    }
}

impl StateWorker {
    /// Whether the turn contains a result of the node.
    fn has_worked(&self, values: &[(Symbol<SlotId>, Value)]) -> bool {
        self.brings
            .iter()
            .any(|(name, slot)| !name.contains('.') && turn_value(*slot, values).is_some())
    }

    /// Adds the result of the work. Values that the node does not declare are ignored.
    fn take(&self, output: &Value, values: &mut Vec<(Symbol<SlotId>, Value)>) {
        if matches!(output, Value::Map(_)) {
            for (name, slot) in &self.brings {
                values.extend(
                    output
                        .get(name)
                        .map(|value| (Symbol::Known(*slot), value.clone())),
                );
            }
        } else if let Some((_, slot)) = self.brings.first() {
            values.push((Symbol::Known(*slot), output.clone()));
        }
    }

    /// Adds the parts of map results under separate names: `write.scope` is the part `scope` of `write`.
    fn spread(&self, values: &mut Vec<(Symbol<SlotId>, Value)>) {
        for (name, slot) in self.brings.iter().filter(|(name, _)| name.contains('.')) {
            let Some((output_name, part)) = name.split_once('.') else {
                continue;
            };
            let part = self
                .brings
                .iter()
                .find(|(name, _)| **name == *output_name)
                .and_then(|(_, slot)| turn_value(*slot, values)?.get(part).cloned());
            values.extend(part.map(|part| (Symbol::Known(*slot), part)));
        }
    }
}

/// The value of a slot in the data of the turn.
fn turn_value(slot: SlotId, values: &[(Symbol<SlotId>, Value)]) -> Option<&Value> {
    values
        .iter()
        .find(|(name, _)| *name == Symbol::Known(slot))
        .map(|(_, value)| value)
}

/// The definition of a cycle.
#[derive(Clone, Debug, Default)]
pub struct Cycle {
    /// The nodes, in the order of their phases.
    pub nodes: Box<[StateWorker]>,
    /// The event that starts the task of a node.
    pub tick: IntentId,
    /// The event that brings an observation.
    pub observe: IntentId,
    /// The slots that an observation can have.
    pub observed: Box<[SlotId]>,
    /// The slot for the time of an observation.
    pub timestamp: SlotId,
    /// The slot for the other data of an observation.
    pub unknown: SlotId,
    /// The slot for the time of a turn.
    pub now: SlotId,
    /// The slot for the text of the result.
    pub message: SlotId,
    /// The slot for the subtasks.
    pub plan: SlotId,
    /// The slot for a report.
    pub report: SlotId,
    /// The capabilities whose success can justify a verdict.
    pub tests: Box<[Box<str>]>,
}

impl Cycle {
    /// The node of a state.
    pub fn node_of(&self, state: StateId) -> Option<&StateWorker> {
        self.nodes.iter().find(|node| node.state == state)
    }
}

/// The fields of the task state, as named in the schema. The phase is added separately.
const FIELDS: [&str; 7] = [
    "messages",
    "task_id",
    "plan",
    "code_artifacts",
    "validation_report",
    "memory_scope",
    "is_validated",
];
