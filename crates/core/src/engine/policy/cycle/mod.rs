//! The policy of a cycle: the work of a node is done by somebody outside before the turn begins.
//!
//! Where the task goes, what is remembered, what is refused and when it is over are states, edges, conditions, effects and
//! gates of the machine. Left for a policy is what those cannot say: that a turn of time in the state of a node needs its
//! work, and under which names that work comes into the turn.

mod cycle_schema;

use std::borrow::Cow;

use super::hooks::NoReason;
use super::{Hooks, PolicyHooks, PolicyReading, StateWorker, TurnInputs};
use crate::engine::{Answer, Input, Machine, Need, PolicyFacts, Session, Symbol, first_answer};
use crate::machine::{IntentId, NeedKind, SchemaError, SlotId, StateId, Value};
pub use cycle_schema::{CycleSchema, declare_schemas};

/// It gives no reasons.
pub type CycleReason = NoReason<'c'>;

/// What the answer to the need of work holds.
const OUTPUT: &str = "output";

impl PolicyFacts for Cycle {
    fn inputs(&self) -> TurnInputs {
        TurnInputs {
            tasks: true,
            ..TurnInputs::default()
        }
    }

    fn worker(&self, id: StateId) -> Option<&StateWorker> {
        self.node_of(id)
    }

    fn is_test(&self, capability: &str) -> bool {
        self.tests.iter().any(|test| **test == *capability)
    }

    /// The state of the task of a session, where it is what `fsmsim schema agent-state` says: data of a dialogue may be anything
    /// that somebody put there.
    fn hand_over(
        &self,
        machine: &Machine,
        session: &Session,
    ) -> Option<Result<Value, SchemaError>> {
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

    /// Where it is time for a node to work, its work is what the turn brings: what the script says, else what somebody does.
    fn read<'i>(
        &self,
        _: &Machine,
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
                .and_then(|(_, slot)| brought(*slot, &values))
                .map(Value::in_words);
            values.extend(
                message.map(|message| (Symbol::Known(self.message), Value::text(&message))),
            );
        }
        let mut read = input.meant(intent, values, self.now);
        if read.data.values().is_empty() {
            read.data.clone_from(&input.data);
        }
        PolicyReading::Ready(Cow::Owned(read))
    }
}

impl Cycle {
    /// Subtasks are a list of texts and a report is a text, in whatever shape somebody says them.
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
    /// Whether the turn says what the work of the node comes to.
    fn has_worked(&self, values: &[(Symbol<SlotId>, Value)]) -> bool {
        self.brings
            .iter()
            .any(|(name, slot)| !name.contains('.') && brought(*slot, values).is_some())
    }

    /// Takes what the work came to. What the node does not bring is left out.
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

    /// What a part of the work holds that is a map comes into the turn under names of its own: `write.scope` of `write`.
    fn spread(&self, values: &mut Vec<(Symbol<SlotId>, Value)>) {
        for (name, slot) in self.brings.iter().filter(|(name, _)| name.contains('.')) {
            let Some((whole, part)) = name.split_once('.') else {
                continue;
            };
            let whole = self.brings.iter().find(|(name, _)| **name == *whole);
            let part = whole.and_then(|(_, whole)| brought(*whole, values)?.get(part).cloned());
            values.extend(part.map(|part| (Symbol::Known(*slot), part)));
        }
    }
}

/// What a turn brings under a name.
fn brought(slot: SlotId, values: &[(Symbol<SlotId>, Value)]) -> Option<&Value> {
    values
        .iter()
        .find(|(name, _)| *name == Symbol::Known(slot))
        .map(|(_, value)| value)
}

/// What works in a cycle.
#[derive(Clone, Debug, Default)]
pub struct Cycle {
    /// The nodes, in the order of their phases.
    pub nodes: Box<[StateWorker]>,
    /// Time for a node to work.
    pub tick: IntentId,
    /// The name under which a turn brings its time.
    pub now: SlotId,
    /// The name under which a turn brings what the work comes to in words.
    pub message: SlotId,
    /// The name under which a turn brings the subtasks.
    pub plan: SlotId,
    /// The name under which a turn brings a report.
    pub report: SlotId,
    /// The capabilities on whose success a verdict may rest.
    pub tests: Box<[Box<str>]>,
}

impl Cycle {
    /// The node that works in a state.
    pub fn node_of(&self, state: StateId) -> Option<&StateWorker> {
        self.nodes.iter().find(|node| node.state == state)
    }
}

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
