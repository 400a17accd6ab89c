//! The parts of a session that conditions read.

use super::{TurnContext, evaluate::ConditionRun};
use crate::engine::{Cap, Input, Machine, Readers, Scope, Session, Settings, no_intent};
use crate::machine::{Condition, ConditionId, Counted, Signal, Subject, Test};

impl Readers<'_> {
    /// The parts that a condition reads.
    pub(crate) fn condition(&mut self, id: ConditionId) {
        if !self.enter(id) {
            return;
        }
        let machine = self.machine;
        match &machine.conditions[id] {
            Condition::And(parts) | Condition::Or(parts) => {
                parts.iter().for_each(|part| self.condition(*part));
            }
            Condition::Not(part) => self.condition(*part),
            Condition::Named(named) => self.condition(machine.named_conditions[*named].condition),
            Condition::Contact(kind) => {
                for slot in machine.well_known.contact.into_iter().flatten() {
                    self.leaf(slot, Condition::Contact(*kind));
                }
            }
            Condition::Active(frame, _) => {
                let fields = machine
                    .frames
                    .lookup(*frame)
                    .map_or(&[][..], |frame| &frame.fields);
                for field in fields {
                    self.slot(field.slot, Subject::Slot(field.slot), &Test::Known(true));
                }
            }
            Condition::Final => {
                for slot in machine.states.iter().filter_map(|state| state.final_if) {
                    self.slot(slot, Subject::Slot(slot), &Test::Truthy);
                }
            }
            Condition::Test(subject, test) => self.test(subject, test),
            // These read the position, the input, the settings, or facts of the turn.
            Condition::Category(_)
            | Condition::States(_)
            | Condition::From(_)
            | Condition::Intents(_)
            | Condition::Flag(_)
            | Condition::Executed
            | Condition::Broken(_) => {}
        }
    }

    fn test(&mut self, subject: &Subject, test: &Test) {
        match subject {
            Subject::Slot(slot) | Subject::Was(slot) => {
                self.slot(*slot, Subject::Slot(*slot), test);
            }
            Subject::Field(slot, _) | Subject::Length(slot) => {
                self.slot(*slot, subject.clone(), test);
            }
            Subject::Said(slot) => {
                self.cap(test);
                let test = Condition::Test(Subject::Slot(*slot), test.clone());
                let tests = &mut self.reads.said.entry(*slot).or_default().tests;
                if !tests.contains(&test) {
                    tests.push(test);
                }
            }
            Subject::Reply => self.replies(),
            Subject::Payload(path) => {
                self.cap(test);
                self.payload_tests.push((path.clone(), test.clone()));
            }
            Subject::Turn => {
                let cap = self.cap(test);
                self.reads.turn.widen(cap);
            }
            Subject::Streak(counted) | Subject::Total(counted) => {
                let cap = self.cap(test);
                self.counted(*counted, cap, matches!(subject, Subject::Streak(_)));
            }
            Subject::Signal(signal) => {
                let cap = self.cap(test);
                self.signal(*signal, cap);
                self.levels(*signal, test);
            }
            Subject::Counter(counter) => {
                let cap = self.cap(test);
                self.counter(*counter, cap);
            }
            Subject::Consent(_) => self.reads.consent = true,
            Subject::Missing => {
                let required = self.machine.states.iter().flat_map(|state| &state.required);
                required.for_each(|slot| self.filled(*slot));
            }
            Subject::Intent
            | Subject::State
            | Subject::Phase
            | Subject::Outcome
            | Subject::Effect(_)
            | Subject::Done(_)
            | Subject::Returned(_)
            | Subject::Class => {
                self.cap(test);
            }
        }
    }

    fn counted(&mut self, counted: Counted, cap: Cap, is_streak: bool) {
        let reads = &mut self.reads;
        let entry = match (counted, is_streak) {
            (Counted::Intent(intent), true) => reads.intent_streaks.entry(intent).or_default(),
            (Counted::Intent(intent), false) => reads.intent_totals.entry(intent).or_default(),
            (Counted::Current, true) => &mut reads.current_streak,
            (Counted::Current, false) => &mut reads.current_total,
            (Counted::Category(None), _) => return,
            (Counted::Category(Some(category)), true) => {
                reads.category_streaks.entry(category).or_default()
            }
            (Counted::Category(Some(category)), false) => {
                reads.category_totals.entry(category).or_default()
            }
        };
        entry.widen(cap);
    }

    /// The levels of a signal of the input that a test distinguishes.
    fn levels(&mut self, signal: Signal, test: &Test) {
        match (signal, test) {
            (Signal::FrustrationLevel, _) => {
                if let Cap::At(above) = self.cap(test) {
                    self.reads.frustration.extend([above - 1, above]);
                }
            }
            (Signal::Tone, Test::Is(values)) => {
                let texts = values.iter().filter_map(|value| value.as_text());
                self.reads.tones.extend(texts.map(Into::into));
            }
            (Signal::Tone, Test::IsFolded(texts)) => self.reads.tones.extend(texts.iter().cloned()),
            (
                Signal::ConfidenceTrend
                | Signal::DisambiguationOptions
                | Signal::DisambiguationQuestion
                | Signal::SecondaryIntents,
                _,
            ) => self.loosen(format!("the signal `{}` is not varied", signal.name())),
            _ => {}
        }
    }
}

impl Machine {
    /// The value of a test that reads nothing except the slots of a session; `None` if it has no value.
    pub fn holds_alone(
        &self,
        settings: &Settings,
        session: &Session,
        condition: &Condition,
    ) -> Option<bool> {
        let input = Input::default();
        let turn = TurnContext::new(self, settings, session, session, &input, no_intent());
        turn.value_of_node(condition, &mut ConditionRun::plain(Scope::All))
            .ok()
    }
}
