//! Explains conditions in a turn: their values, and the data they read.

use super::read::{self, Reading};
use super::{
    Answer, ConditionError, Input, Machine, PolicyNotes, Scope, ScriptedTurn, Session, Settings,
    TurnContext, TurnFacts, no_intent,
};
use crate::limits::MAX_EXPLAINED_STEPS;
use crate::machine::{
    Bound, Condition, ConditionId, Contact, Counted, Id, IntentId, Moment, NamedConditionId, Names,
    Signal, Subject, Test, Value, Words,
};
use fsmsim_syntax::terminal::Joined;

/// A turn as conditions see it: the intent is counted and the data is stored, but nothing is decided yet.
pub struct ConditionExplainer<'a> {
    machine: &'a Machine,
    settings: &'a Settings,
    before: Session,
    session: Session,
    input: Input,
    intent: IntentId,
    scope: Scope,
    facts: TurnFacts<'a>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvaluationStep {
    /// The nesting depth of the step.
    pub depth: usize,
    /// The name of the condition, or a description of the test.
    pub asked: String,
    /// The value of the subject; `None` for composed conditions.
    pub seen: Option<String>,
    /// The value of the condition.
    pub value: Result<bool, ConditionError>,
}

impl<'a> ConditionExplainer<'a> {
    /// Creates an explainer of a session in which the turn of the input `last` is already counted.
    pub fn new(
        machine: &'a Machine,
        settings: &'a Settings,
        session: &Session,
        last: &Input,
    ) -> Self {
        Self {
            machine,
            settings,
            before: session.clone(),
            session: session.clone(),
            input: last.clone(),
            intent: session.tracker.recent().next().unwrap_or_else(no_intent),
            scope: Scope::All,
            facts: TurnFacts::NONE,
        }
    }

    /// Creates an explainer of a turn as the rules of its state see it. `before` is the session before the turn.
    pub fn of_turn(
        machine: &'a Machine,
        settings: &'a Settings,
        mut before: Session,
        turn: &ScriptedTurn,
    ) -> Self {
        before.operate_all(&turn.before, machine, settings);
        let answers: Vec<Answer> = turn
            .answers
            .iter()
            .map(|(key, value)| Answer::given(*key, value.clone()))
            .collect();
        let input = match read::read(machine, settings, &before, &turn.input, &answers) {
            Reading::Ready(input, ..) => input.into_owned(),
            Reading::Need(_) | Reading::Unread => turn.input.clone(),
        };
        if let Some(branch) = read::branch_of(machine, settings, &before, &input) {
            before.enter_branch(branch, machine);
        }
        let intent = read::intent_of(machine, &mut before, &input);
        let mut session = before.clone();
        let mut notes = PolicyNotes::default();
        machine.policies.begin_notes(&mut notes);
        read::begin(machine, settings, &mut session, &input, intent, &mut notes);
        let mut explainer = Self {
            machine,
            settings,
            before,
            session,
            input,
            intent,
            scope: Scope::Most,
            facts: TurnFacts::NONE,
        };
        explainer.facts.class =
            explainer.in_turn(|turn| machine.policies.prepare(&mut notes, turn));
        explainer
    }

    /// Calls `see` with the context of the turn.
    fn in_turn<R>(&self, see: impl FnOnce(&TurnContext<'_>) -> R) -> R {
        let Self {
            machine,
            settings,
            before,
            session,
            input,
            intent,
            facts,
            ..
        } = self;
        let signals = read::signals(machine, settings, before, input, *intent);
        let turn = TurnContext::new(machine, settings, before, session, input, *intent);
        see(&TurnContext {
            signals: signals.as_ref(),
            facts,
            ..turn
        })
    }

    /// The session in the turn.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The intent of the turn; empty if the turn has none.
    pub fn intent_name(&self) -> &str {
        self.session.intent_name(self.intent, self.machine)
    }

    /// The turn in words.
    pub fn turn_in_words(&self) -> String {
        let state = self.session.position.state;
        let state = self.session.state_name(state, self.machine);
        match self.intent_name() {
            "" => format!("no intent in {state}"),
            intent => format!("{intent} in {state}"),
        }
    }

    /// The value of a condition.
    pub fn value(&self, condition: NamedConditionId) -> Result<bool, ConditionError> {
        let condition = self.machine.named_conditions[condition].condition;
        self.in_turn(|turn| turn.evaluate(condition, self.scope))
    }

    /// The names and values of the signals; empty if nothing reads them.
    pub fn signals(&self) -> Vec<(&'static str, String)> {
        self.in_turn(|turn| {
            let seen = Signal::ALL.iter().filter(|_| turn.signals.is_some());
            let shown = |signal| turn.shown(&Subject::Signal(signal), self.scope);
            seen.map(|signal| (signal.name(), shown(*signal))).collect()
        })
    }

    /// The evaluation of a condition, step by step, as far as it was evaluated.
    pub fn explain(&self, condition: NamedConditionId) -> Vec<EvaluationStep> {
        let mut steps = Vec::new();
        // The value is in the first step.
        let _ = self.named(condition, 0, &mut steps);
        steps
    }

    /// The evaluation of any condition, step by step, as far as it was evaluated. For a composed condition, the first
    /// step describes the whole condition.
    pub fn explain_any(&self, condition: ConditionId) -> Vec<EvaluationStep> {
        let mut steps = Vec::new();
        // The value is in the first step.
        let _ = match &self.machine.conditions[condition] {
            Condition::And(_) | Condition::Or(_) => {
                let asked = self.in_words(condition);
                self.composed(asked, condition, 0, &mut steps, |value| value)
            }
            _ => self.step(condition, 0, &mut steps),
        };
        steps
    }

    /// A description of a condition, including composed conditions.
    pub fn in_words(&self, condition: ConditionId) -> String {
        let all = |parts: &[ConditionId], word: &str| {
            let inner = |part: &ConditionId| match &self.machine.conditions[*part] {
                Condition::And(_) | Condition::Or(_) => format!("({})", self.in_words(*part)),
                _ => self.in_words(*part),
            };
            parts.iter().map(inner).joined(word)
        };
        match &self.machine.conditions[condition] {
            Condition::And(parts) => all(parts, " and "),
            Condition::Or(parts) => all(parts, " or "),
            Condition::Not(part) => format!("not {}", all(&[*part], "")),
            Condition::Named(named) => self.machine.names.conditions.name(*named).to_owned(),
            leaf => self.words(leaf).0,
        }
    }

    fn named(
        &self,
        condition: NamedConditionId,
        depth: usize,
        steps: &mut Vec<EvaluationStep>,
    ) -> Result<bool, ConditionError> {
        let asked = self.machine.names.conditions.name(condition).to_owned();
        if steps.len() >= MAX_EXPLAINED_STEPS {
            let value = self.value(condition);
            steps.push(EvaluationStep {
                depth,
                asked,
                seen: None,
                value,
            });
            return value;
        }
        let inner = self.machine.named_conditions[condition].condition;
        self.composed(asked, inner, depth, steps, |value| value)
    }

    /// Adds a step whose value comes from the steps below it.
    fn composed(
        &self,
        asked: String,
        inner: ConditionId,
        depth: usize,
        steps: &mut Vec<EvaluationStep>,
        value_of: impl Fn(bool) -> bool,
    ) -> Result<bool, ConditionError> {
        let at = steps.len();
        steps.push(EvaluationStep {
            depth,
            asked,
            seen: None,
            value: Ok(false),
        });
        let value = self.step(inner, depth + 1, steps).map(value_of);
        if let Some(step) = steps.get_mut(at) {
            step.value = value;
        }
        value
    }

    fn step(
        &self,
        condition: ConditionId,
        depth: usize,
        steps: &mut Vec<EvaluationStep>,
    ) -> Result<bool, ConditionError> {
        match &self.machine.conditions[condition] {
            Condition::And(parts) => {
                for part in parts {
                    if !self.step(*part, depth, steps)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Condition::Or(parts) => {
                for part in parts {
                    if self.step(*part, depth, steps)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Condition::Not(part) => {
                self.composed("not".to_owned(), *part, depth, steps, |value| !value)
            }
            Condition::Named(named) => self.named(*named, depth, steps),
            leaf => {
                let value = self.in_turn(|turn| turn.evaluate(condition, self.scope));
                let (asked, seen) = self.words(leaf);
                steps.push(EvaluationStep {
                    depth,
                    asked,
                    seen: Some(seen),
                    value,
                });
                value
            }
        }
    }

    /// The description of a test, and the value of its subject.
    fn words(&self, condition: &Condition) -> (String, String) {
        let names = &self.machine.names;
        let session = &self.session;
        let machine = self.machine;
        let here = || {
            let state = session.position.state;
            session.state_name(state, machine).to_owned()
        };
        let intent = || match self.intent_name() {
            "" => "no intent".to_owned(),
            name => name.to_owned(),
        };
        match condition {
            Condition::Category(Some(category)) => (
                format!(
                    "the intent is in the category {}",
                    names.categories.name(*category)
                ),
                intent(),
            ),
            Condition::Category(None) => {
                ("the intent is in an unknown category".to_owned(), intent())
            }
            Condition::States(states) => {
                let states = any_of(states, &names.states);
                (format!("the state is {states}"), here())
            }
            Condition::From(states) => {
                let states = any_of(states, &names.states);
                (format!("the state before the turn is {states}"), here())
            }
            Condition::Intents(intents) => {
                let intents = any_of(intents, &names.intents);
                (format!("the intent is {intents}"), intent())
            }
            Condition::Flag(flag) => {
                let on = if self.settings.flag(*flag) {
                    "on"
                } else {
                    "off"
                };
                (
                    format!("the flag {} is on", names.flags.name(*flag)),
                    on.to_owned(),
                )
            }
            Condition::Contact(kind) => {
                let given: Vec<String> = machine
                    .well_known
                    .contact
                    .iter()
                    .flatten()
                    .filter(|slot| !session.slots.get(**slot).is_null())
                    .map(|slot| format!("{}={}", names.slots.name(*slot), session.slots.get(*slot)))
                    .collect();
                let seen = if given.is_empty() {
                    "no contact".to_owned()
                } else {
                    given.join(", ")
                };
                let kind = match kind {
                    Contact::Any => "contact",
                    Contact::Email => "email address",
                    Contact::Phone => "phone number",
                };
                (format!("there is a usable {kind}"), seen)
            }
            Condition::Final => ("the dialogue has ended".to_owned(), here()),
            Condition::Active(frame, moment) => {
                let name = machine.frames.name(*frame);
                let was = if *moment == Moment::Before {
                    "was"
                } else {
                    "is"
                };
                let seen = if self.in_turn(|turn| turn.is_active(*frame, *moment)) {
                    "has data"
                } else {
                    "no data"
                };
                (format!("the frame {name} {was} active"), seen.to_owned())
            }
            Condition::Executed => ("a route was executed".to_owned(), "no".to_owned()),
            Condition::Broken(why) => (why.to_string(), "cannot be evaluated".to_owned()),
            Condition::Test(subject, test) => (
                format!("{} {}", self.subject(subject), self.test(test)),
                self.in_turn(|turn| turn.shown(subject, self.scope)),
            ),
            Condition::And(_) | Condition::Or(_) | Condition::Not(_) | Condition::Named(_) => {
                (String::new(), String::new())
            }
        }
    }

    fn subject(&self, subject: &Subject) -> String {
        let names = &self.machine.names;
        let counted_name = |what: &Counted| match what {
            Counted::Intent(intent) => names.intents.name(*intent).to_owned(),
            Counted::Current => "the current intent".to_owned(),
            Counted::Category(Some(category)) => {
                format!("the category {}", names.categories.name(*category))
            }
            Counted::Category(None) => "an unknown category".to_owned(),
        };
        match subject {
            Subject::Slot(slot) => format!("slot {}", names.slots.name(*slot)),
            Subject::Field(slot, field) => {
                format!("slot {}, field {field}", names.slots.name(*slot))
            }
            Subject::Intent => "the intent".to_owned(),
            Subject::State => "the state".to_owned(),
            Subject::Phase => "the phase".to_owned(),
            Subject::Turn => "the turn".to_owned(),
            Subject::Streak(what) => format!("{} in a row", counted_name(what)),
            Subject::Total(what) => format!("{} in total", counted_name(what)),
            Subject::Signal(signal) => format!("signal {}", signal.name()),
            Subject::Counter(counter) => format!("counter {}", names.counters.name(*counter)),
            Subject::Was(slot) => format!("slot {} before the turn", names.slots.name(*slot)),
            Subject::Length(slot) => format!("length of slot {}", names.slots.name(*slot)),
            Subject::Said(slot) => format!("{} in the turn data", names.slots.name(*slot)),
            Subject::Reply => "the reply".to_owned(),
            Subject::Outcome => "the outcome".to_owned(),
            Subject::Class => "the class of the turn".to_owned(),
            Subject::Effect(kind) => format!("outcome of `{}`", names.effects.name(*kind)),
            Subject::Done(kind) => {
                format!("whether any `{}` was performed", names.effects.name(*kind))
            }
            Subject::Payload(path) => format!("payload {}", path.join(".")),
            Subject::Returned(path) => format!("returned {}", path.join(".")),
            Subject::Consent(kind) => format!("consent to {}", <&str>::from(*kind)),
            Subject::Missing => "missing required data".to_owned(),
        }
    }

    fn test(&self, test: &Test) -> String {
        let values = |values: &[Value]| values.iter().map(Value::to_string).joined(" or ");
        let words = |words: &Words| {
            words
                .texts
                .iter()
                .map(|text| format!("`{text}`"))
                .joined(" or ")
        };
        match test {
            Test::Truthy => "has a value".to_owned(),
            Test::Known(true) => "is known".to_owned(),
            Test::Known(false) => "is not known".to_owned(),
            Test::Filled(true) => "is filled".to_owned(),
            Test::Filled(false) => "is not filled".to_owned(),
            Test::FilledText => "is a string".to_owned(),
            Test::Is(list) => format!("is {}", values(list)),
            Test::IsFolded(texts) => {
                format!(
                    "is {}, ignoring case",
                    texts.iter().map(|text| format!("`{text}`")).joined(" or ")
                )
            }
            Test::Compare(comparison, bound) => {
                let word = <&str>::from(comparison);
                format!("is {} {}", word.replace('_', " "), self.bound(*bound))
            }
            Test::Between(low, high) => {
                format!("is from {} to {}", self.bound(*low), self.bound(*high))
            }
            Test::Contains(list) => format!("contains {}", words(list)),
            Test::SameAs(slot) => format!(
                "is the previous value of {}",
                self.machine.names.slots.name(*slot)
            ),
            Test::Within(slot) => {
                format!(
                    "is in the previous value of {}",
                    self.machine.names.slots.name(*slot)
                )
            }
            Test::Later(moment, slot, by) => {
                let by = if *by == 0 {
                    String::new()
                } else {
                    format!("more than {by} seconds ")
                };
                let before = if *moment == Moment::Before {
                    " before the turn"
                } else {
                    ""
                };
                format!(
                    "is {by}later than slot {}{before}",
                    self.machine.names.slots.name(*slot)
                )
            }
            Test::StartsWith(list) => format!("starts with {}", words(list)),
        }
    }

    fn bound(&self, bound: Bound) -> String {
        let number = self.in_turn(|turn| turn.bound(bound));
        match bound {
            Bound::Number(_) => number.to_string(),
            Bound::Limit(limit, _) => {
                format!("{number} (limit {})", self.machine.names.limits.name(limit))
            }
            Bound::ExhaustThreshold => format!("{number} (the state's phase_exhaust_threshold)"),
            Bound::Slot(slot) => format!("{number} (slot {})", self.machine.names.slots.name(slot)),
            Bound::Was(slot) => format!(
                "{number} (slot {} before the turn)",
                self.machine.names.slots.name(slot)
            ),
            Bound::Counter(counter) => format!(
                "{number} (counter {})",
                self.machine.names.counters.name(counter)
            ),
        }
    }
}

/// Alternative names, joined by "or".
fn any_of<I: Id>(ids: &[I], names: &Names<I>) -> String {
    ids.iter().map(|id| names.name(*id)).joined(" or ")
}
