//! Judging: a turn that somebody else played is held against its class.

use super::choose::classes_of;
use super::facts::{Facts, is_active};
use crate::engine::input::Input;
use crate::engine::name::Symbol;
use crate::engine::session::Session;
use crate::engine::signals::Scope;
use crate::engine::view::TurnContext;
use crate::machine::{
    ClassId, Contract, Depth, Frame, FrameId, Id, IntentId, Machine, OutcomeRule, RuleId, Settings, SlotId,
    TransitionClass, Value,
};

/// A turn that somebody else played, as far as it is known.
#[derive(Clone, Copy)]
pub struct ForeignTurn<'a> {
    /// The machine.
    pub machine: &'a Machine,
    /// The settings of the dialogue.
    pub settings: &'a Settings,
    /// The session before the turn.
    pub before: &'a Session,
    /// The session after it.
    pub after: &'a Session,
    /// What came in.
    pub input: &'a Input,
    /// The class that it is said to be of.
    pub class: ClassId,
    /// What the backend came to; nothing where it was not asked, or nobody says.
    pub outcome: Option<&'a str>,
    /// A route was executed.
    pub executed: bool,
}

/// What a turn does against its class.
#[derive(Clone, Debug, PartialEq)]
pub enum Offence {
    /// The class does not take such a turn; and which does, if any.
    Class(Option<ClassId>),
    /// A frame was carried over that is deeper than allowed: by the class, or by the coverage gate.
    TooDeep(FrameId, Depth),
    /// A frame was carried over that the class forbids.
    Forbidden(FrameId),
    /// A field changed that the class preserves.
    Changed(SlotId, RuleId),
    /// A field holds what it may not hold.
    Value(SlotId),
    /// The class does not answer in this mode.
    Answer(Value),
    /// A property of the class is broken: its place.
    Property(usize),
}

impl ForeignTurn<'_> {
    /// What the turn does against its class, in the order of the class's invariants.
    #[must_use]
    pub fn offences(&self) -> Vec<Offence> {
        let Some(contract) = self.machine.contract.as_deref() else { return Vec::new() };
        let Some(class) = contract.classes.lookup(self.class) else { return Vec::new() };
        let mut offences = Vec::new();
        self.entry(contract, &mut offences);
        self.carryover(contract, class, &mut offences);
        self.values(contract, class, &mut offences);
        self.properties(class, &mut offences);
        offences
    }

    /// Whether the class takes such a turn, or took it over when it was known what the backend came to.
    fn entry(&self, contract: &Contract, offences: &mut Vec<Offence>) {
        let choice = classes_of(self.machine, self.settings, self.before, self.input).unwrap_or_default();
        if choice.class == Some(self.class) || choice.also.contains(&self.class) {
            return;
        }
        let executes = |id| contract.classes.lookup(id).is_some_and(|class| class.executes.is_some());
        let becomes = |rule: &OutcomeRule| rule.becomes == Some(self.class);
        let taken_over = choice.class.is_some_and(executes)
            && match self.outcome {
                Some(outcome) => contract.outcome(outcome).is_some_and(becomes),
                None => contract.outcomes.iter().any(becomes),
            };
        if !taken_over {
            offences.push(Offence::Class(choice.class));
        }
    }

    fn carryover(&self, contract: &Contract, class: &TransitionClass, offences: &mut Vec<Offence>) {
        let gate = contract.eligibility.and_then(|field| self.before.slots.get(field).as_text());
        let gate = gate.and_then(Depth::from_name).unwrap_or(Depth::FULL);
        let depth = class.depth.and(gate);
        for (id, frame) in contract.frames.pairs() {
            if !self.was_carried(contract, class, frame) {
                continue;
            }
            if class.forbids.contains(&id) {
                offences.push(Offence::Forbidden(id));
            } else if !depth.has(frame.part) {
                offences.push(Offence::TooDeep(id, depth));
            }
        }
        for preserved in &class.preserves {
            let said = |slot| {
                let said = self.input.data.values().iter();
                said.into_iter().any(|(name, value)| name.known() == Some(slot) && !value.is_null())
            };
            let (before, after) =
                (self.before.slots.get(preserved.slot), self.after.slots.get(preserved.slot));
            if before != after && !preserved.unless.is_some_and(said) {
                offences.push(Offence::Changed(preserved.slot, preserved.rule));
            }
        }
    }

    /// Whether something of a frame came along that the turn did not put there itself.
    fn was_carried(&self, contract: &Contract, class: &TransitionClass, frame: &Frame) -> bool {
        let outcome = self.outcome.and_then(|outcome| contract.outcome(outcome));
        let sets = class.sets.iter().chain(outcome.iter().flat_map(|outcome| outcome.sets.iter()));
        let set: Vec<SlotId> = sets.map(|set| set.slot).collect();
        is_active(frame, &self.before.slots)
            && frame.fields.iter().any(|field| {
                let before = self.before.slots.get(field.slot);
                !before.is_null() && before == self.after.slots.get(field.slot) && !set.contains(&field.slot)
            })
    }

    fn values(&self, contract: &Contract, class: &TransitionClass, offences: &mut Vec<Offence>) {
        for (_, field) in contract.fields() {
            if !field.kind.admits(self.after.slots.get(field.slot)) {
                offences.push(Offence::Value(field.slot));
            }
        }
        if let Some(mode) = contract.answer.map(|field| self.after.slots.get(field))
            && !class.answers.is_empty()
            && !mode.is_null()
            && !class.answers.contains(mode)
        {
            offences.push(Offence::Answer(mode.clone()));
        }
    }

    fn properties(&self, class: &TransitionClass, offences: &mut Vec<Offence>) {
        let facts = Facts {
            before: &self.before.slots,
            outcome: self.outcome,
            executed: self.executed,
            class: Some(self.class),
        };
        let view = TurnContext {
            machine: self.machine,
            settings: self.settings,
            session: self.after,
            input: self.input,
            answer: None,
            intent: self
                .input
                .intent
                .as_ref()
                .and_then(Symbol::known)
                .unwrap_or(IntentId::from_index(usize::MAX)),
            state: self.after.position.state,
            signals: None,
            objections_before: (0, 0),
            facts: Some(facts),
        };
        for (place, property) in class.properties.iter().enumerate() {
            if view.evaluate(property.guard, Scope::All).unwrap_or(!property.must) != property.must {
                offences.push(Offence::Property(place));
            }
        }
    }
}
