//! The contract policy: the class of a turn, with its carryover, changes and answers.
//!
//! First the coverage gate of the last turn removes data that must not be carried over ([`carryover`]). Then a class
//! is matched ([`matching`]). When the outcome of the back end is known, the result of the turn is computed and
//! checked against the properties of the class ([`apply`]). [`check`] checks a turn of an external system against its
//! class.

mod apply;
mod breaches;
mod carryover;
mod check;
mod contract;
mod contract_class;
mod facts;
mod lint;
mod matching;
mod observe;
mod reason;

use super::{Hooks, PolicyHooks, PolicyObservations, StoreTurn};
use crate::engine::{
    Blackboard, CommitTurn, Decision, Input, Machine, Need, Readers, RecordPart, RecordView,
    Session, Settings, Sink, SourceError, SourceKind, Symbol, TurnContext, TurnRecord, key, pairs,
};
use crate::machine::{
    Condition, Depth, Intent, IntentId, Level, SlotId, SourceMask, State, StateId, Subject, Test,
    Value, ValueSource,
};
pub use apply::ContractOutcome;
pub use contract::Contract;
pub use contract_class::{OutcomeRule, Preserved, Property, TransitionClass, Violation};
pub use matching::{Matching, MissingPart, RefusedClass, UnmetRequirement};
pub use reason::ContractReason;

/// The notes on a turn of a contract.
#[derive(Clone, Debug, Default)]
pub struct ContractNotes {
    /// The matching classes; `None` if the machine has no classes.
    matching: Option<Matching>,
    /// The data that the coverage gate of the last turn removed, for restoring it after a failed turn.
    withdrawn: Vec<(SlotId, Value)>,
    /// The result of the turn.
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

    /// Rejects an intent that only a fallback class matches, so that the next intent is tried.
    fn accepts(
        &self,
        machine: &Machine,
        settings: &Settings,
        session: &Session,
        input: &Input,
    ) -> bool {
        // If the contract is not the complete machine, other parts can handle the intent.
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

    /// Proposes the mode of the class and its action.
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
        let Some((id, class)) = self.entry(taken) else {
            return Ok(());
        };
        let reason = ContractReason::Class(id);
        // The action of a class applies with its mode. It is proposed separately only if there is no mode.
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

    /// Restores the removed data after a failed turn.
    fn commit(&self, (): &(), (): &mut (), notes: &mut ContractNotes, turn: &mut CommitTurn<'_>) {
        if turn.decision.failed {
            carryover::restore(std::mem::take(&mut notes.withdrawn), turn.slots);
        }
    }

    fn reads(&self, (): &(), readers: &mut Readers<'_>) {
        for class in &self.classes {
            let conditions = class.entry.into_iter().chain(class.requires);
            conditions.for_each(|condition| readers.condition(condition));
            readers.rule(class.does);
            for preserved in class.preserves.iter().chain(&class.executes) {
                preserved
                    .when
                    .into_iter()
                    .for_each(|when| readers.condition(when));
                if let Some(slot) = preserved.unless {
                    let test = Condition::Test(Subject::Slot(slot), Test::Known(true));
                    readers.reads.said.entry(slot).or_default().tests.push(test);
                }
            }
            for property in &class.properties {
                readers.condition(property.condition);
            }
            // A field survives the class if an outcome copies what the replaced class carried over.
            let machine = readers.machine;
            let frames = class.forbids.iter();
            let fields = frames
                .filter_map(|frame| machine.frames.lookup(*frame))
                .flat_map(|frame| &frame.fields);
            for slot in fields.map(|field| field.slot) {
                let source = Some(ValueSource::Attempted(slot));
                let mut ops = machine.all_ops().iter();
                if ops.any(|op| op.slot() == Some(slot) && op.source() == source.as_ref()) {
                    readers.slot(slot, Subject::Slot(slot), &Test::Known(true));
                }
            }
        }
        for rule in &self.outcomes {
            readers.outcome(rule.outcome);
        }
        if let Some(slot) = self.eligibility {
            let names = Depth::ALL.map(|(_, name)| Value::text(name));
            readers.slot(slot, Subject::Slot(slot), &Test::Is(names.into()));
        }
        let request = self.executes.map(|effect| &readers.machine.effects[effect]);
        if request.is_some_and(|effect| effect.schema.is_some() || !effect.gates.is_empty()) {
            readers.loosen("the request to the back end is checked");
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
        let outcome = notes.outcome.as_deref();
        match part {
            RecordPart::Carryover => key!(out, "depth").word(notes.depth(line).name()),
            RecordPart::Frames => write_frames(self, line, out),
            RecordPart::Violations => {
                for violation in outcome.into_iter().flat_map(|outcome| &outcome.violations) {
                    write_violation(violation, self, line.machine, out.item());
                }
            }
            RecordPart::EventsBefore => {
                if let Some(outcome) = outcome {
                    write_events(outcome, self, line.machine, out);
                }
            }
            RecordPart::GoBacks | RecordPart::Points | RecordPart::EventsAfter => return false,
        }
        true
    }

    fn observe(&self, record: &TurnRecord, machine: &Machine, found: &mut PolicyObservations) {
        self.observed(record, machine, found);
    }
}

impl ContractNotes {
    /// The depth of the carryover.
    pub fn depth(&self, line: &RecordView<'_>) -> Depth {
        if let Some(depth) = self.outcome.as_ref().and_then(|outcome| outcome.depth) {
            return depth;
        }
        line.record
            .carryover
            .kept
            .iter()
            .filter_map(Symbol::known)
            .filter_map(|slot| line.machine.frames.field(slot).map(|(frame, _)| frame))
            .fold(Depth::NONE, |depth, frame| depth.with(frame.part))
    }
}

/// Writes the frames with their values.
fn write_frames(contract: &Contract, line: &RecordView<'_>, out: &mut impl Sink) {
    out.object(|out| {
        for frame in &line.machine.frames {
            if !frame.is_active(&line.session.slots) {
                continue;
            }
            out.name(&frame.name).object(|out| {
                for field in &frame.fields {
                    match line.session.slots.get(field.slot) {
                        Value::Null => {}
                        Value::List(list) if contract.appended.contains(&field.slot) => {
                            out.name(&field.name)
                                .collected(list, line.record.known_before(field.slot, list));
                        }
                        value => out.name(&field.name).value(value),
                    }
                }
            });
        }
    });
}

/// Writes a violation of the contract.
fn write_violation(
    violation: &Violation,
    contract: &Contract,
    machine: &Machine,
    out: &mut impl Sink,
) {
    out.object(|out| {
        key!(out, "fault").text(violation.name());
        match violation {
            Violation::UnknownOutcome(outcome) => key!(out, "outcome").text(outcome),
            Violation::Value { slot, value } => {
                pairs!(
                    out,
                    field = text(machine.names.slots.name(*slot)),
                    value = value(value),
                );
            }
            Violation::Answer { class, mode } => {
                pairs!(
                    out,
                    class = text(contract.class_name(*class)),
                    answer = value(mode),
                );
            }
            Violation::Property { class, property } => {
                key!(out, "class").text(contract.class_name(*class));
                let rule = contract.property(*class, *property);
                key!(out, "property").text_or_null(rule.map(|rule| &*rule.name));
            }
            Violation::Changed(slot, _) => key!(out, "field").text(machine.names.slots.name(*slot)),
            // The other violations have no further data.
            _ => {}
        }
    });
}

/// Writes events about the choice of the class: some lacked a prior state, several matched, or another class took over.
fn write_events(
    outcome: &ContractOutcome,
    contract: &Contract,
    machine: &Machine,
    out: &mut impl Sink,
) {
    let name = |class| contract.class_name(class);
    let matching = &outcome.matching;
    if !matching.refused.is_empty() {
        out.item().object(|out| {
            pairs!(
                out,
                event = word("class_refused"),
                classes = texts(matching.refused.iter().map(|refused| name(refused.class))),
            );
            let lacks = |refused: &RefusedClass| {
                refused
                    .lacks
                    .iter()
                    .map(|lack| (refused.class, *lack))
                    .collect::<Vec<_>>()
            };
            key!(out, "lacks").each(
                matching.refused.iter().flat_map(lacks),
                |(class, lack), out| {
                    out.object(|out| {
                        key!(out, "class").text(name(class));
                        key!(out, "what").text(lack.of.name(machine));
                        key!(out, "withdrawn").boolean(lack.withdrawn);
                    });
                },
            );
        });
    }
    if let Some(chosen) = matching.class.filter(|_| !matching.also.is_empty()) {
        out.item().object(|out| {
            pairs!(
                out,
                event = word("class_ambiguous"),
                taken = text(name(chosen)),
                also = texts(matching.also.iter().map(|class| name(*class))),
            );
        });
    }
    if let Some((chosen, class)) = outcome.replaced() {
        out.item().object(|out| {
            pairs!(
                out,
                event = word("class_replaced"),
                from = text(name(chosen)),
                to = text(name(class)),
                outcome = text_or_null(outcome.outcome.as_deref()),
            );
        });
    }
}
