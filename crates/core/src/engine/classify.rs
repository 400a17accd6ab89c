//! Classifying: the structural class of a turn (docs/src/explanation/transition-classes.md).

use strum::{EnumString, IntoStaticStr, VariantArray};

use super::{Blackboard, Decision, Machine, Merge, ReasonKind, Session};
use crate::machine::{EdgeMark, StateId};

/// The structural class of a turn: the first variant that matches.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    EnumString,
    IntoStaticStr,
    VariantArray,
)]
#[strum(serialize_all = "snake_case")]
pub enum Class {
    /// A fallback decided the turn, or the turn could not be processed.
    Degrade,
    /// The dialogue ended.
    Finish,
    /// The dialogue went back.
    Back,
    /// The plan was repeated.
    Replan,
    /// Branches were started.
    Fork,
    /// Branches were joined.
    Join,
    /// A condition chose a branch.
    Choice,
    /// The dialogue returned to the return state.
    Resume,
    /// A return state was saved.
    Digress,
    /// A transition was requested or proposed, but stopped.
    Blocked,
    /// The state did not change.
    Hold,
    /// The dialogue moved to the initial state.
    Restart,
    /// The dialogue entered the first phase of the session.
    Enter,
    /// The dialogue moved to the next phase.
    Advance,
    /// The dialogue moved past the next phase.
    Skip,
    /// Any other change of state.
    Move,
}

impl Class {
    /// All classes in the order in which they are checked.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    pub fn from_name(name: &str) -> Option<Self> {
        name.parse().ok()
    }

    /// The name in traces and expectations.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// The parts of the session before the turn that determine the class.
#[derive(Clone, Copy, Debug)]
pub(super) struct Before {
    pub state: StateId,
    pub return_state: Option<StateId>,
    pub was_final: bool,
    pub phase_entered: bool,
}

/// The class of a committed turn.
pub(super) fn classify(
    machine: &Machine,
    before: &Before,
    session: &Session,
    board: &Blackboard,
    decision: &Decision,
) -> Class {
    let from = before.state;
    let to = session.position.state;
    if decision.reasons().any(|reason| reason.kind().is_fallback()) {
        return Class::Degrade;
    }
    if !before.was_final && session.is_final(machine) {
        return Class::Finish;
    }
    if from != to {
        match decision.mark {
            Some(EdgeMark::Back) => return Class::Back,
            Some(EdgeMark::Replan) => return Class::Replan,
            _ => {}
        }
    }
    match decision
        .traversal
        .as_ref()
        .and_then(|traversal| traversal.mark)
    {
        Some(EdgeMark::Fork) => return Class::Fork,
        Some(EdgeMark::Join) => return Class::Join,
        Some(EdgeMark::Choice) => return Class::Choice,
        Some(EdgeMark::Back | EdgeMark::Replan) | None => {}
    }
    let geometry = Geometry {
        from,
        to,
        returns: (before.return_state, session.return_state()),
        enters: !before.phase_entered && session.phase_entered,
    };
    match geometry.class(machine) {
        Class::Hold if was_stopped(board, decision) => Class::Blocked,
        class => class,
    }
}

/// The data that determines the class of a turn without a mark, an end or a fallback.
#[derive(Clone, Copy, Debug)]
pub struct Geometry {
    /// The state before.
    pub from: StateId,
    /// The state after.
    pub to: StateId,
    /// The return state, before and after.
    pub returns: (Option<StateId>, Option<StateId>),
    /// Whether the first phase of the session is entered.
    pub enters: bool,
}

impl Geometry {
    /// The class; `hold` can also mean `blocked`, because this data does not distinguish them.
    pub fn class(&self, machine: &Machine) -> Class {
        let Self {
            from,
            to,
            returns,
            enters,
        } = *self;
        let (before, after) = returns;
        let begins = before.is_none() && after.is_some();
        if from == to {
            return if begins { Class::Digress } else { Class::Hold };
        }
        if before == Some(to) {
            return Class::Resume;
        }
        // A nested aside keeps the aside that it interrupts.
        if begins || after != before && after == Some(from) {
            return Class::Digress;
        }
        if machine.goes_back(from, to) {
            return Class::Back;
        }
        if to == machine.initial {
            return Class::Restart;
        }
        if enters {
            return Class::Enter;
        }
        match (machine.position(from), machine.position(to)) {
            (Some(from), Some(to)) if to == from + 1 => Class::Advance,
            (Some(from), Some(to)) if to > from + 1 => Class::Skip,
            _ => Class::Move,
        }
    }
}

/// Whether a transition was proposed or requested and then stopped.
fn was_stopped(board: &Blackboard, decision: &Decision) -> bool {
    decision
        .reasons()
        .any(|reason| matches!(reason.kind(), ReasonKind::Stopped | ReasonKind::Refused))
        || (decision.merge == Merge::Blocked && board.has_move())
}
