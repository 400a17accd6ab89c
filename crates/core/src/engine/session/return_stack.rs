//! The states to which a dialogue returns from asides.

use smallvec::SmallVec;

use crate::engine::Machine;
use crate::limits::MAX_ASIDES;
use crate::machine::StateId;

/// The return states, innermost last.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub struct ReturnStack(SmallVec<[StateId; 2]>);

impl Clone for ReturnStack {
    // Sessions are copied often, and nearly always without return states.
    #[inline]
    fn clone(&self) -> Self {
        if self.0.is_empty() {
            return Self::default();
        }
        Self(self.0.clone())
    }
}

impl ReturnStack {
    /// The innermost return state: the target of `resume`.
    #[inline]
    pub fn top(&self) -> Option<StateId> {
        self.0.last().copied()
    }

    /// The return states, innermost last.
    pub fn iter(&self) -> impl Iterator<Item = StateId> {
        self.0.iter().copied()
    }

    /// Removes the innermost return state.
    pub(crate) fn pop(&mut self) {
        self.0.pop();
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// Adds a return state. Only a session from outside can exceed the limit; the outermost state is then removed.
    pub(crate) fn push(&mut self, state: StateId) {
        if self.0.len() >= MAX_ASIDES {
            self.0.remove(0);
        }
        self.0.push(state);
    }

    /// Whether a transition would enter an aside although the maximum number of asides is open.
    pub(crate) fn refuses(&self, from: StateId, to: StateId, machine: &Machine) -> bool {
        self.0.len() >= MAX_ASIDES && self.top() != Some(to) && machine.digresses(from, to)
    }

    /// Follows a transition. Example with the asides `hours` and `prices`: from `home` to `hours` and on to `prices`,
    /// the stack is `home`, `hours`. Back in `hours` it is `home`. A transition from an aside to an ordinary state that
    /// is not a return state leaves all asides, so nothing can be resumed.
    pub(crate) fn follow(&mut self, from: StateId, to: StateId, machine: &Machine) {
        let is_inside = machine.state(from).aside.is_some();
        if from == to || !is_inside && !machine.digresses(from, to) {
            return;
        }
        if is_inside && self.top() == Some(to) {
            self.pop();
        } else if machine.digresses(from, to) {
            self.push(from);
        } else if machine.state(to).aside.is_none() {
            let outer = self.0.iter().position(|state| *state == to);
            self.0.truncate(outer.unwrap_or(0));
        }
    }

    /// Replaces the transition to `to` with a digression, after which the dialogue continues in `to`.
    pub(crate) fn keep(&mut self, from: StateId, to: StateId, machine: &Machine) {
        if machine.state(from).aside.is_some() {
            self.follow(from, to, machine);
        } else {
            // The dialogue is in such a digression already, and waits for the same state or another one.
            self.pop();
        }
        self.push(to);
    }
}

impl FromIterator<StateId> for ReturnStack {
    fn from_iter<I: IntoIterator<Item = StateId>>(states: I) -> Self {
        let mut stack = Self::default();
        states.into_iter().for_each(|state| stack.push(state));
        stack
    }
}
