//! Properties: invariants of a dialogue (docs/src/explanation/properties-and-counters.md).

use rustc_hash::FxHashMap;

use super::{
    Input, KnownState, KnownTurn, Machine, Session, Settings, TurnContext, TurnFacts, no_intent,
};
use crate::machine::{Condition, ConditionId, PropertyKind};

/// A finished turn, with its result.
#[derive(Clone, Copy)]
pub struct FinishedTurn<'a> {
    turn: TurnContext<'a>,
    /// Facts that are known only after the turn.
    facts: TurnFacts<'a>,
    /// The known parts of the turn; `None` if everything is known, because the engine ran the turn.
    known: Option<KnownTurn<'a>>,
}

/// The evaluation of a property in one turn. A value that cannot be determined is `None`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PropertyView {
    /// The index of the property.
    pub property: usize,
    /// Whether the turn creates the obligation; false for properties without an obligation.
    pub owed: Option<bool>,
    /// Whether the property holds after the turn.
    pub holds: Option<bool>,
}

impl<'a> FinishedTurn<'a> {
    /// Creates a turn that the engine ran.
    pub(super) fn played(turn: TurnContext<'a>, facts: TurnFacts<'a>) -> Self {
        Self {
            turn,
            facts,
            known: None,
        }
    }

    /// Creates a turn of an external system: `before` and `after` contain its known data.
    pub fn outside(
        machine: &'a Machine,
        settings: &'a Settings,
        before: &'a Session,
        after: &'a Session,
        input: &'a Input,
        known: KnownTurn<'a>,
    ) -> Self {
        let intent = input.known_intent().unwrap_or_else(no_intent);
        let turn = TurnContext::new(machine, settings, before, after, input, intent);
        let state = known.to.state().unwrap_or(turn.state);
        let effects = known.effects.unwrap_or_default();
        let facts = TurnFacts {
            from: known.from.state(),
            effects,
            ..TurnFacts::NONE
        };
        Self {
            turn: TurnContext { state, ..turn },
            facts,
            known: Some(known),
        }
    }

    /// The indices of the properties that a single turn decides and that do not hold.
    pub(super) fn broken(&self) -> impl Iterator<Item = usize> {
        self.sights(|kind| !kind.is_lasting())
            .filter(|sight| sight.holds == Some(false))
            .map(|sight| sight.property)
    }

    /// The evaluations of the properties of the wanted kinds, in the order of the machine.
    pub fn sights(
        &self,
        wanted: impl Fn(PropertyKind) -> bool,
    ) -> impl Iterator<Item = PropertyView> {
        self.turn
            .machine
            .properties
            .iter()
            .enumerate()
            .filter(move |(_, property)| wanted(property.kind))
            .map(|(number, property)| {
                let holds = self.holds(property.condition);
                let (owed, holds) = match property.kind {
                    PropertyKind::Always | PropertyKind::Reachable => (Some(false), holds),
                    PropertyKind::Never => (Some(false), holds.map(|holds| !holds)),
                    PropertyKind::LeadsTo { after, .. } => (self.holds(after), holds),
                };
                PropertyView {
                    property: number,
                    owed,
                    holds,
                }
            })
    }

    /// Whether a condition holds; `None` if it needs unknown data. A condition without a value does not hold. Partial
    /// knowledge can be enough: if one operand decides, the other operands do not matter.
    fn holds(&self, condition: ConditionId) -> Option<bool> {
        self.holds_in(condition, &mut SeenConditions::default())
    }

    fn holds_in(&self, condition: ConditionId, seen: &mut SeenConditions) -> Option<bool> {
        if self.is_known_in(condition, seen) {
            return Some(
                TurnContext {
                    facts: &self.facts,
                    ..self.turn
                }
                .holds(condition),
            );
        }
        let known = self.known?;
        if let Some(value) = seen.values.get(&condition) {
            return *value;
        }
        let value = match &self.turn.machine.conditions[condition] {
            Condition::And(parts) => self.decided(parts, false, seen),
            Condition::Or(parts) => self.decided(parts, true, seen),
            Condition::Not(part) => self.holds_in(*part, seen).map(|holds| !holds),
            Condition::Named(named) => {
                self.holds_in(self.turn.machine.named_conditions[*named].condition, seen)
            }
            // An undefined state is not in the list.
            Condition::States(_) => (known.to == KnownState::Strange).then_some(false),
            Condition::From(_) => (known.from == KnownState::Strange).then_some(false),
            _ => None,
        };
        seen.values.insert(condition, value);
        value
    }

    /// The value of a composed condition; one operand with the value `enough` decides it.
    fn decided(
        &self,
        parts: &[ConditionId],
        enough: bool,
        seen: &mut SeenConditions,
    ) -> Option<bool> {
        let mut all = Some(!enough);
        for part in parts {
            match self.holds_in(*part, seen) {
                Some(holds) if holds == enough => return Some(enough),
                Some(_) => {}
                None => all = None,
            }
        }
        all
    }

    /// Whether a condition reads only known data of the turn.
    pub(super) fn is_known(&self, condition: ConditionId) -> bool {
        self.is_known_in(condition, &mut SeenConditions::default())
    }

    fn is_known_in(&self, condition: ConditionId, seen: &mut SeenConditions) -> bool {
        let Some(known) = self.known else { return true };
        if let Some(is_known) = seen.are_known.get(&condition) {
            return *is_known;
        }
        let machine = self.turn.machine;
        let is_known = match &machine.conditions[condition] {
            Condition::And(parts) | Condition::Or(parts) => {
                parts.iter().all(|part| self.is_known_in(*part, seen))
            }
            Condition::Not(part) => self.is_known_in(*part, seen),
            Condition::Named(named) => {
                self.is_known_in(machine.named_conditions[*named].condition, seen)
            }
            Condition::States(_) => known.to.state().is_some(),
            Condition::From(_) => known.from.state().is_some(),
            Condition::Flag(_) => true,
            Condition::Active(_, moment) => known.frames(*moment),
            Condition::Category(_) | Condition::Intents(_) => known.meant,
            Condition::Test(subject, test) => known.answers(subject, test, machine),
            Condition::Contact(_)
            | Condition::Final
            | Condition::Executed
            | Condition::Broken(_) => false,
        };
        seen.are_known.insert(condition, is_known);
        is_known
    }
}

/// The results for the conditions of a turn that is known in part. Many conditions can refer to the same one.
#[derive(Default)]
struct SeenConditions {
    are_known: FxHashMap<ConditionId, bool>,
    values: FxHashMap<ConditionId, Option<bool>>,
}
