//! A branch of a fork while it runs.

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

use crate::engine::session::Symbol;
use crate::machine::{BranchId, BranchPlan, SlotId, StateId, Value};

/// A branch of a fork, or a region of a parallel state, while it runs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Branch {
    /// Its name.
    pub id: BranchId,
    /// The fork that started it.
    pub fork: StateId,
    /// Where it is; a branch that was skipped is nowhere.
    pub state: Option<StateId>,
    /// How far it came.
    pub status: Status,
    /// What the turns that belonged to it brought.
    pub data: Vec<(Symbol<SlotId>, Value)>,
    /// Where it returns to after an objection.
    pub return_state: Option<StateId>,
}

/// How far a branch came.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, IntoStaticStr, VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Status {
    /// It takes turns.
    Active,
    /// It started branches of its own and waits for them.
    Waiting,
    /// It has come to its end.
    Completed,
    /// Its condition did not hold, so it never started.
    Skipped,
}

impl Status {
    /// All of them.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// The name in traces.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Whether nobody has to wait for it any more.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Completed | Self::Skipped)
    }
}

impl Branch {
    /// A branch that starts, or is skipped.
    pub fn new(plan: &BranchPlan, fork: StateId, starts: bool) -> Self {
        Self {
            id: plan.id,
            fork,
            state: starts.then_some(plan.start),
            status: if starts {
                Status::Active
            } else {
                Status::Skipped
            },
            data: Vec::new(),
            return_state: None,
        }
    }

    /// Adds data; a value that is known already is replaced.
    pub fn collect(&mut self, name: &Symbol<SlotId>, value: &Value) {
        match self.data.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => known.clone_from(value),
            None => self.data.push((name.clone(), value.clone())),
        }
    }
}
