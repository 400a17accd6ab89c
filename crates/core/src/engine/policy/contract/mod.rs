//! The policy of a contract: the class of a turn, and what it carries over, changes and answers.
//!
//! First the coverage gate of the last turn takes back what must not be carried over ([`carryover`]), then a class is found
//! ([`matching`]), and, once it is known what the backend came to, what the turn leaves behind is worked out and held against
//! the properties of the class ([`apply`]). A turn that somebody else played is held against its class by [`check`].

mod apply;
mod breaches;
mod carryover;
mod check;
mod contract;
mod describe;
mod facts;
mod lack;
mod lint;
mod matching;
mod reason;
mod rows;
mod transition_class;
mod violation;

pub use self::apply::ContractOutcome;
pub use self::contract::Contract;
pub use self::lack::{Lack, Lacked, RefusedClass};
pub use self::matching::Matching;
pub use self::reason::ContractReason;
pub use self::transition_class::{OutcomeRule, Preserved, Property, TransitionClass};
pub use self::violation::Violation;

use crate::engine::Machine;
use crate::engine::blackboard::{Blackboard, SourceError};
use crate::engine::commit::CommitTurn;
use crate::engine::condition::TurnContext;
use crate::engine::decision::Decision;
use crate::engine::io::{Input, Need};
use crate::engine::policy::{Hooks, PolicyHooks, StoreTurn};
use crate::engine::record_view::{RecordPart, RecordView};
use crate::engine::session::{Session, Settings};
use crate::engine::sink::Sink;
use crate::engine::source_kind::SourceKind;
use crate::machine::{Intent, IntentId, Level, SlotId, SourceMask, State, StateId, Value};

/// What is noted of a turn of a contract.
#[derive(Clone, Debug, Default)]
pub struct ContractNotes {
    /// The classes that take the turn; nothing where the machine has none.
    matching: Option<Matching>,
    /// What the coverage gate of the last turn took back, for a turn that comes to nothing.
    withdrawn: Vec<(SlotId, Value)>,
    /// What the turn came to.
    pub outcome: Option<Box<ContractOutcome>>,
}

impl PolicyHooks for Contract {
    const NAME: &'static str = "contract";
    const HOOKS: Hooks = Hooks::STORE
        .union(Hooks::PREPARE)
        .union(Hooks::GATE)
        .union(Hooks::COMMIT);
    type Settings = ();
    type Memory = ();
    type Turn = ContractNotes;

    fn filter_by_state(&self, _: &Machine, _: Option<StateId>, _: &State) -> SourceMask {
        SourceMask::NONE.with(SourceKind::ContractClass, true)
    }

    fn filter_by_intent(&self, _: &Machine, _: IntentId, _: &Intent) -> (SourceMask, SourceMask) {
        (
            SourceMask::NONE.with(SourceKind::ContractClass, true),
            SourceMask::NONE,
        )
    }

    /// A reading that no class takes, but for those that take what no other does, leaves the turn to the next one.
    fn accepts(
        &self,
        machine: &Machine,
        settings: &Settings,
        session: &Session,
        input: &Input,
    ) -> bool {
        // Where the contract is not all there is, others may have a use for it.
        let takes = || self.classes_of(machine, settings, session, input)?.class;
        !self.is_whole || takes().is_some_and(|class| !self.takes_the_rest(class))
    }

    fn store(
        &self,
        (): &mut (),
        notes: &mut ContractNotes,
        turn: &mut StoreTurn<'_>,
        machine: &Machine,
    ) {
        notes.withdrawn = carryover::withdraw(self, &machine.frames, turn.slots);
    }

    fn prepare(&self, notes: &mut ContractNotes, turn: &TurnContext<'_>) -> Option<&str> {
        notes.matching = matching::matching(self, turn, &notes.withdrawn);
        notes
            .matching
            .as_ref()?
            .class
            .map(|class| self.class_name(class))
    }

    /// The class of the turn leads to its mode, and acts as it says.
    fn contribute(
        &self,
        kind: SourceKind,
        _: (&(), &()),
        notes: &mut ContractNotes,
        _: &TurnContext<'_>,
        board: &mut Blackboard,
    ) -> Result<(), SourceError> {
        let by = SourceKind::ContractClass;
        let taken = notes
            .matching
            .as_ref()
            .filter(|_| kind == by)
            .and_then(|matching| matching.class);
        let Some((id, class)) = taken.and_then(|id| Some((id, self.classes.lookup(id)?))) else {
            return Ok(());
        };
        let reason = ContractReason::Class(id);
        // The action of a class goes with its mode; alone it is proposed where there is none.
        match (class.mode, class.action) {
            (Some(mode), _) => board.go(by, mode, Level::Normal, reason).rule = Some(class.rule),
            (None, Some(action)) => {
                board.act(by, action, Level::Normal, reason).rule = Some(class.rule);
            }
            (None, None) => {}
        }
        Ok(())
    }

    fn apply(
        &self,
        notes: &mut ContractNotes,
        turn: &TurnContext<'_>,
        decision: &mut Decision,
    ) -> Option<Need> {
        let matching = notes.matching.take().filter(|_| !decision.failed)?;
        apply::apply(self, turn, matching, decision)
            .map(|outcome| notes.outcome = Some(Box::new(outcome)))
            .err()
    }

    /// A turn that comes to nothing carries on what it found.
    fn commit(&self, (): &(), (): &mut (), notes: &mut ContractNotes, turn: &mut CommitTurn<'_>) {
        if turn.decision.failed {
            carryover::restore(std::mem::take(&mut notes.withdrawn), turn.slots);
        }
    }

    fn unread(&self, notes: &mut ContractNotes) {
        if !self.classes.is_empty() {
            notes.outcome = Some(Box::new(ContractOutcome::unclassified(Matching::default())));
        }
    }

    fn registered_class<'a>(&'a self, notes: &'a ContractNotes) -> Option<&'a str> {
        Some(
            notes
                .outcome
                .as_deref()?
                .class
                .map_or(Self::UNCLASSIFIED, |class| self.class_name(class)),
        )
    }

    fn describe(
        &self,
        part: RecordPart,
        notes: &ContractNotes,
        line: &RecordView<'_>,
        out: &mut impl Sink,
    ) -> bool {
        describe::describe(self, part, notes, line, out)
    }
}
