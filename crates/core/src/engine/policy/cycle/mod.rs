//! The policy of a cycle: the work of a node is done by somebody outside before the turn begins.
//!
//! Where the task goes, what is remembered, what is refused and when it is over are states, edges, conditions, effects and
//! gates of the machine. Left for a policy is what those cannot say: that a turn of time in the state of a node needs its
//! work, and under which names that work comes into the turn.

mod agent_state;
mod cycle;
mod cycle_schema;

pub use self::cycle::Cycle;
pub use self::cycle_schema::{CycleSchema, declare_schemas};

use std::borrow::Cow;

use crate::engine::Machine;
use crate::engine::io::{Answer, Input, Need, TurnData, first_answer};
use crate::engine::policy::no_reason::NoReason;
use crate::engine::policy::{
    Hooks, PolicyFacts, PolicyHooks, PolicyReading, StateWorker, TurnInputs,
};
use crate::engine::session::{Session, Symbol};
use crate::machine::{IntentId, NeedKind, SchemaError, SlotId, StateId, Value};

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

    fn hand_over(
        &self,
        machine: &Machine,
        session: &Session,
    ) -> Option<Result<Value, SchemaError>> {
        Some(agent_state::agent_state(machine, session))
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
        let Some(intent) = input.intent.as_ref().and_then(Symbol::known) else {
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
        PolicyReading::Ready(Cow::Owned(self.meant(input, intent, values)))
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

    /// An input that means something, with what it brings and its time.
    fn meant(
        &self,
        input: &Input,
        intent: IntentId,
        mut values: Vec<(Symbol<SlotId>, Value)>,
    ) -> Input {
        values.extend(
            input
                .at
                .as_deref()
                .map(|at| (Symbol::Known(self.now), Value::text(at))),
        );
        let data = if values.is_empty() {
            input.data.clone()
        } else {
            TurnData::Given(values)
        };
        Input {
            intent: Some(Symbol::Known(intent)),
            data,
            ..input.clone()
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
