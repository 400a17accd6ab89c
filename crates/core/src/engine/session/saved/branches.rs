//! The saved form of the branches of a session.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::engine::{
    ActiveBranches, Branch, Machine, OpenFork, SavedNames, Session, Status, Symbol,
};
use crate::machine::{StateId, Value};

/// The open forks, their branches, and the history of regions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct SavedBranches {
    forks: Vec<SavedFork>,
    branches: Vec<SavedBranch>,
    current: Option<usize>,
    routed: u32,
    #[serde(default)]
    served: Option<usize>,
    left: IndexMap<String, String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct SavedFork {
    state: String,
    parent: Option<String>,
    turns: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct SavedBranch {
    id: String,
    fork: String,
    state: Option<String>,
    status: Status,
    data: IndexMap<String, Value>,
    return_state: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    outer_return_states: Vec<String>,
}

impl SavedBranches {
    pub(super) fn of(session: &Session, saved: &SavedNames<'_>) -> Self {
        let names = &saved.machine.names;
        let state = |id: StateId| saved.state(id);
        let open = &session.branches;
        Self {
            forks: open
                .forks
                .iter()
                .map(|fork| SavedFork {
                    state: state(fork.state),
                    parent: fork
                        .parent
                        .map(|branch| names.branches.name(branch).to_owned()),
                    turns: fork.turns,
                })
                .collect(),
            branches: open
                .branches
                .iter()
                .map(|branch| {
                    let (return_state, outer_return_states) = saved.returns(&branch.returns);
                    SavedBranch {
                        id: names.branches.name(branch.id).to_owned(),
                        fork: state(branch.fork),
                        state: branch.state.map(state),
                        status: branch.status,
                        data: branch
                            .data
                            .iter()
                            .map(|(name, value)| {
                                (name.text(&names.slots).to_owned(), value.clone())
                            })
                            .collect(),
                        return_state,
                        outer_return_states,
                    }
                })
                .collect(),
            current: open.current,
            routed: open.routed,
            served: open.served,
            left: open
                .left
                .iter()
                .map(|(region, left)| (state(*region), state(*left)))
                .collect(),
        }
    }

    /// Restores the branches. If the machine no longer defines one of them, no branch can continue, and all are
    /// dropped.
    pub(super) fn restore(&self, session: &mut Session, machine: &Machine) {
        let names = &machine.names;
        let mut open = ActiveBranches {
            current: self.current,
            routed: self.routed,
            served: self.served,
            ..ActiveBranches::default()
        };
        for (region, left) in &self.left {
            let region = session.state_named(region, machine);
            let left = session.state_named(left, machine);
            open.remember(region, left);
        }
        for fork in &self.forks {
            open.forks.push(OpenFork {
                state: session.state_named(&fork.state, machine),
                parent: fork
                    .parent
                    .as_deref()
                    .and_then(|name| names.branches.id(name)),
                turns: fork.turns,
            });
        }
        for branch in &self.branches {
            let Some(id) = names.branches.id(&branch.id) else {
                open.leave();
                break;
            };
            let returns = (branch.return_state.as_deref(), &*branch.outer_return_states);
            open.branches.push(Branch {
                id,
                fork: session.state_named(&branch.fork, machine),
                state: session.maybe_state(branch.state.as_deref(), machine),
                status: branch.status,
                data: branch
                    .data
                    .iter()
                    .map(|(name, value)| (Symbol::of(name, &names.slots), value.clone()))
                    .collect(),
                returns: session.returns_named(returns, machine),
            });
        }
        session.branches = open;
    }
}
