//! Conditions as tables over the parts of a product.

use super::partition::Partition;
use super::searched_model::SearchedModel;
use super::space::Space;
use fsmsim_core::engine::Session;
use fsmsim_core::machine::{Condition, ConditionId, Subject, Value};

/// A condition whose tests are tables: each reads the state, the block of one carried slot, or the number of the turn.
#[derive(Debug)]
pub(crate) enum PredicateTable {
    All(Vec<Self>),
    Any(Vec<Self>),
    Not(Box<Self>),
    /// The value in each state of the space.
    State(Box<[Option<bool>]>),
    /// The value for each block of the carried slot with this index.
    Slot(usize, Box<[Option<bool>]>),
    /// The value for each number of a turn; the last also applies to larger numbers.
    Turn(Box<[Option<bool>]>),
}

impl PredicateTable {
    /// Compiles a local condition. `turns` is the largest number of a turn that is distinguished.
    pub(crate) fn new(
        searched: &SearchedModel<'_>,
        space: &Space,
        condition: ConditionId,
        turns: u32,
    ) -> Self {
        let machine = searched.machine;
        let part = |part: &ConditionId| Self::new(searched, space, *part, turns);
        let leaf = match &machine.conditions[condition] {
            Condition::And(parts) => return Self::All(parts.iter().map(part).collect()),
            Condition::Or(parts) => return Self::Any(parts.iter().map(part).collect()),
            Condition::Not(inner) => return Self::Not(Box::new(part(inner))),
            Condition::Named(named) => return part(&machine.named_conditions[*named].condition),
            leaf => leaf,
        };
        let mut session = Session::new(machine);
        session.slots.clear();
        let holds = |session: &Session| machine.holds_alone(&searched.settings, session, leaf);
        let carried = |slot| {
            searched
                .projection
                .carried
                .iter()
                .position(|carried| carried.slot == slot)
        };
        match leaf {
            Condition::Test(Subject::Turn, _) => {
                let values = (0..=turns).map(|turn| {
                    session.tracker.set_turn(turn);
                    holds(&session)
                });
                Self::Turn(values.collect())
            }
            Condition::Test(Subject::Slot(slot) | Subject::Length(slot), _)
                if carried(*slot).is_some() =>
            {
                let index = carried(*slot).unwrap_or(0);
                let partition = searched.projection.carried.get(index);
                let blocks = partition.map_or(0, Partition::len);
                let values = (0..blocks).map(|block| {
                    let block = u32::try_from(block).unwrap_or(u32::MAX);
                    let value = partition.map_or(&Value::Null, |known| known.value(block));
                    session.slots.set(*slot, value.clone());
                    holds(&session)
                });
                Self::Slot(index, values.collect())
            }
            _ => {
                let values = space.numbers().map(|state| {
                    searched
                        .projection
                        .restore(&space.key(state), &mut session, machine);
                    holds(&session)
                });
                Self::State(values.collect())
            }
        }
    }

    /// The value of the condition; `None` if it has no value. `and` and `or` short-circuit, as in the engine.
    #[inline]
    pub(crate) fn value(
        &self,
        state: u32,
        turn: u32,
        block: &impl Fn(usize) -> u32,
    ) -> Option<bool> {
        let at = |table: &[Option<bool>], index: u32| {
            table
                .get(index as usize)
                .or(table.last())
                .copied()
                .flatten()
        };
        match self {
            Self::All(parts) => {
                for part in parts {
                    if !part.value(state, turn, block)? {
                        return Some(false);
                    }
                }
                Some(true)
            }
            Self::Any(parts) => {
                for part in parts {
                    if part.value(state, turn, block)? {
                        return Some(true);
                    }
                }
                Some(false)
            }
            Self::Not(part) => part.value(state, turn, block).map(|value| !value),
            Self::State(table) => at(table, state),
            Self::Slot(slot, table) => at(table, block(*slot)),
            Self::Turn(table) => at(table, turn),
        }
    }
}
