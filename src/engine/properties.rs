//! Properties: what a dialogue keeps to, whatever way it takes (docs/operations.md, "Properties").

use super::Machine;
use super::condition::{TurnContext, TurnFacts};
use super::io::Input;
use super::policy::no_intent;
use super::session::{Session, Settings, Symbol};
use crate::machine::{Bound, Condition, ConditionId, Moment, PropertyKind, StateId, Subject, Test};

/// A turn that is over: it shows what it has left.
#[derive(Clone, Copy)]
pub struct FinishedTurn<'a> {
    turn: TurnContext<'a>,
    /// What is known of it only once it is over.
    facts: TurnFacts<'a>,
    /// What is known of it; all, where it was played here.
    known: Option<KnownTurn>,
}

/// What is known of a turn that somebody else played.
#[derive(Clone, Copy, Debug, Default)]
pub struct KnownTurn {
    /// The state before it.
    pub from: Option<StateId>,
    /// The state after it.
    pub to: Option<StateId>,
    /// Whether the data before it are known.
    pub before: bool,
    /// Whether the data after it are known.
    pub after: bool,
}

/// What a turn shows of a property. Where it cannot be judged, nothing is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PropertyView {
    /// The number of the property.
    pub property: usize,
    /// Whether the turn makes it owed; of a property that is never owed, no.
    pub owed: Option<bool>,
    /// Whether it holds after the turn.
    pub holds: Option<bool>,
}

impl<'a> FinishedTurn<'a> {
    /// A turn that was played here.
    pub(super) fn played(turn: TurnContext<'a>, facts: TurnFacts<'a>) -> Self {
        Self { turn, facts, known: None }
    }

    /// A turn that somebody else played: `before` and `after` have its data, as far as they are known.
    pub fn outside(
        machine: &'a Machine,
        settings: &'a Settings,
        before: &'a Session,
        after: &'a Session,
        input: &'a Input,
        known: KnownTurn,
    ) -> Self {
        let intent = input.intent.as_ref().and_then(Symbol::known).unwrap_or_else(no_intent);
        let turn = TurnContext::outside(machine, settings, before, after, input, intent);
        let state = known.to.unwrap_or(turn.state);
        let facts = TurnFacts { from: known.from, ..TurnFacts::NONE };
        Self { turn: TurnContext { state, ..turn }, facts, known: Some(known) }
    }

    /// The numbers of the properties that the turn alone breaks.
    pub(super) fn broken(&self) -> impl Iterator<Item = usize> {
        let sights = self.sights(|kind| !kind.is_lasting());
        sights.filter(|sight| sight.holds == Some(false)).map(|sight| sight.property)
    }

    /// What the turn shows of the properties of some kinds, in the order of the machine.
    pub fn sights(&self, wanted: impl Fn(PropertyKind) -> bool) -> impl Iterator<Item = PropertyView> {
        let properties = self.turn.machine.properties.iter().enumerate();
        properties.filter(move |(_, property)| wanted(property.kind)).map(|(number, property)| {
            let holds = self.holds(property.condition);
            let (owed, holds) = match property.kind {
                PropertyKind::Always | PropertyKind::Reachable => (Some(false), holds),
                PropertyKind::Never => (Some(false), holds.map(|holds| !holds)),
                PropertyKind::LeadsTo { after, .. } => (self.holds(after), holds),
            };
            PropertyView { property: number, owed, holds }
        })
    }

    /// Whether a condition holds; nothing, where it asks for more than is known. One that has no value does not hold.
    fn holds(&self, condition: ConditionId) -> Option<bool> {
        self.is_known(condition).then(|| TurnContext { facts: &self.facts, ..self.turn }.holds(condition))
    }

    /// Whether a condition asks only for what is known of the turn.
    pub(super) fn is_known(&self, condition: ConditionId) -> bool {
        let Some(known) = self.known else { return true };
        let all = |parts: &[ConditionId]| parts.iter().all(|part| self.is_known(*part));
        let intent = self.turn.input.intent.is_some();
        match &self.turn.machine.conditions[condition] {
            Condition::And(parts) | Condition::Or(parts) => all(parts),
            Condition::Not(part) => all(&[*part]),
            Condition::Named(named) => all(&[self.turn.machine.named_conditions[*named].condition]),
            Condition::States(_) => known.to.is_some(),
            Condition::From(_) => known.from.is_some(),
            Condition::Flag(_) => true,
            Condition::Active(_, moment) => known.data(*moment),
            Condition::Category(_) | Condition::Intents(_) => intent,
            Condition::Test(subject, test) => {
                let subject = match subject {
                    Subject::Slot(_) | Subject::Field(..) | Subject::Length(_) => known.after,
                    Subject::Was(_) => known.before,
                    Subject::Said(_) => true,
                    Subject::State => known.to.is_some(),
                    Subject::Intent => intent,
                    _ => false,
                };
                subject && known.test(test)
            }
            Condition::Contact(_) | Condition::Final | Condition::Executed | Condition::Broken(_) => false,
        }
    }
}

impl KnownTurn {
    /// Whether the data of a moment are known.
    fn data(self, moment: Moment) -> bool {
        match moment {
            Moment::Before => self.before,
            Moment::Now => self.after,
        }
    }

    /// Whether all is known with which a test compares.
    fn test(self, test: &Test) -> bool {
        let bound = |bound: &Bound| match bound {
            Bound::Number(_) | Bound::Limit(..) => true,
            Bound::Slot(_) => self.after,
            Bound::Was(_) => self.before,
            Bound::ExhaustThreshold | Bound::Counter(_) => false,
        };
        match test {
            Test::Compare(_, with) => bound(with),
            Test::Between(low, high) => bound(low) && bound(high),
            Test::SameAs(_) | Test::Within(_) => self.before,
            _ => true,
        }
    }
}
