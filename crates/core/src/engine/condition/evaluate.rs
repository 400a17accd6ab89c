//! Evaluates conditions.

use rustc_hash::FxHashMap;

use crate::engine::{ConditionError, Effect, Scope, Signals, Slots, TurnContext, TurnWatch};
use crate::limits::MAX_PLAIN_REFERENCES;
use crate::machine::{
    Bound, Condition, ConditionId, Counted, CounterId, Frame, FrameId, List, Moment,
    NamedConditionId, Signal, SlotId, Subject, Test, Value, Words,
};

/// The value of a test's subject.
enum Datum<'v> {
    Absent,
    Bool(bool),
    Number(f64),
    Text(&'v str),
    Value(&'v Value),
    /// A list of strings that is not stored as a value.
    Texts(Vec<&'v str>),
}

/// One evaluation of a condition.
pub(super) struct ConditionRun<'w> {
    scope: Scope,
    watch: Option<&'w TurnWatch>,
    /// The number of references to named conditions that were followed.
    followed: u32,
    /// The values of named conditions. Short conditions do not need them.
    known: FxHashMap<NamedConditionId, Result<bool, ConditionError>>,
}

impl ConditionRun<'_> {
    /// An evaluation that records nothing.
    pub(super) fn plain(scope: Scope) -> Self {
        Self {
            scope,
            watch: None,
            followed: 0,
            known: FxHashMap::default(),
        }
    }
}

impl TurnContext<'_> {
    /// The value of a condition: true, false or an error. `and` and `or` short-circuit.
    #[inline]
    pub(crate) fn evaluate(
        &self,
        condition: ConditionId,
        scope: Scope,
    ) -> Result<bool, ConditionError> {
        let mut run = ConditionRun {
            scope,
            watch: self.watch,
            followed: 0,
            known: FxHashMap::default(),
        };
        self.value_in(condition, &mut run)
    }

    #[inline]
    fn value_in(
        &self,
        condition: ConditionId,
        run: &mut ConditionRun<'_>,
    ) -> Result<bool, ConditionError> {
        match run.watch {
            None => self.value_of(condition, run),
            Some(watch) => self.evaluate_watched(condition, run, watch),
        }
    }

    /// The value of a named condition, after many references; until then, remembering values costs more than it saves.
    /// If each condition refers to the previous one twice, each doubles the number of references.
    #[inline]
    pub(super) fn known_value(
        &self,
        named: NamedConditionId,
        run: &mut ConditionRun<'_>,
    ) -> Option<Result<bool, ConditionError>> {
        run.followed += 1;
        (run.followed > MAX_PLAIN_REFERENCES).then(|| self.remembered(named, run))
    }

    #[cold]
    fn remembered(
        &self,
        named: NamedConditionId,
        run: &mut ConditionRun<'_>,
    ) -> Result<bool, ConditionError> {
        if let Some(value) = run.known.get(&named) {
            return *value;
        }
        let value = self.value_in(self.machine.named_conditions[named].condition, run);
        run.known.insert(named, value);
        value
    }

    /// The value of a condition. Does not record it.
    pub(super) fn value_of(
        &self,
        condition: ConditionId,
        run: &mut ConditionRun<'_>,
    ) -> Result<bool, ConditionError> {
        let mut expression = &self.machine.conditions[condition];
        while let Condition::Named(named) = expression {
            if let Some(value) = self.known_value(*named, run) {
                return value;
            }
            expression = &self.machine.conditions[self.machine.named_conditions[*named].condition];
        }
        self.value_of_node(expression, run)
    }

    /// The value of an expression that is not a name.
    #[inline]
    pub(super) fn value_of_node(
        &self,
        expression: &Condition,
        run: &mut ConditionRun<'_>,
    ) -> Result<bool, ConditionError> {
        match expression {
            Condition::And(parts) => {
                for part in parts {
                    if !self.value_of(*part, run)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Condition::Or(parts) => {
                for part in parts {
                    if self.value_of(*part, run)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Condition::Not(part) => Ok(!self.value_of(*part, run)?),
            Condition::Category(category) => {
                Ok(category.is_some_and(|category| self.current_intent().in_category(category)))
            }
            Condition::From(states) => Ok(states.contains(&self.facts.from.unwrap_or(self.state))),
            Condition::States(states) => Ok(states.contains(&self.state)),
            Condition::Intents(intents) => Ok(intents.contains(&self.intent)),
            Condition::Flag(flag) => Ok(self.settings.flag(*flag)),
            Condition::Contact(kind) => Ok(self.has_contact(*kind)),
            Condition::Active(frame, moment) => Ok(self.is_active(*frame, *moment)),
            Condition::Executed => Ok(self.facts.executed
                || self
                    .facts
                    .effects
                    .iter()
                    .any(|effect| effect.outcome().is_some())),
            Condition::Final => Ok(self.session.would_be_final(self.state, self.machine)),
            // The caller resolves names.
            Condition::Broken(_) | Condition::Named(_) => Err(ConditionError::Broken),
            Condition::Test(Subject::Streak(counted), Test::Compare(comparison, bound)) => {
                Ok(comparison.holds(f64::from(self.streak(*counted)), self.bound(*bound)))
            }
            Condition::Test(Subject::Total(counted), Test::Compare(comparison, bound)) => {
                Ok(comparison.holds(f64::from(self.total(*counted)), self.bound(*bound)))
            }
            Condition::Test(subject, test) => self.ask(subject, test, run.scope),
        }
    }

    /// Whether a condition holds; a condition without a value does not.
    pub(crate) fn holds(&self, condition: ConditionId) -> bool {
        self.evaluate(condition, Scope::All).unwrap_or(false)
    }

    /// Evaluates a test. Not inlined, so that the common conditions do not need its stack frame.
    #[inline(never)]
    fn ask(&self, subject: &Subject, test: &Test, scope: Scope) -> Result<bool, ConditionError> {
        self.test(&self.datum(subject, scope), test)
    }

    /// Whether any field of a frame has a value.
    pub(crate) fn is_active(&self, frame: FrameId, moment: Moment) -> bool {
        let slots = match moment {
            Moment::Now => self.slots,
            Moment::Before => self.was,
        };
        self.machine
            .frames
            .lookup(frame)
            .is_some_and(|frame| frame.is_active(slots))
    }

    /// The value of a slot in the data of the turn.
    pub(crate) fn said(&self, slot: SlotId) -> &Value {
        self.input
            .data
            .values()
            .iter()
            .rev()
            .find(|(name, _)| name.known() == Some(slot))
            .map_or(&Value::Null, |(_, value)| value)
    }

    /// The value of a counter.
    fn counter(&self, counter: CounterId) -> i64 {
        self.machine
            .counter_in(self.counters, self.session, self.settings, counter)
    }

    /// The length of the current streak.
    fn streak(&self, counted: Counted) -> u32 {
        let tracker = &self.session.tracker;
        match counted {
            Counted::Intent(intent) => tracker.streak(intent),
            Counted::Current => tracker.streak(self.intent),
            Counted::Category(category) => tracker.category_streak(category),
        }
    }

    /// The total count.
    fn total(&self, counted: Counted) -> u32 {
        let tracker = &self.session.tracker;
        match counted {
            Counted::Intent(intent) => tracker.total(intent),
            Counted::Current => tracker.total(self.intent),
            Counted::Category(category) => tracker.category_total(category),
        }
    }

    /// The value of a subject as text.
    pub(crate) fn shown(&self, subject: &Subject, scope: Scope) -> String {
        match self.datum(subject, scope) {
            Datum::Absent => "nothing".to_owned(),
            Datum::Bool(value) => value.to_string(),
            Datum::Number(value) => value.to_string(),
            Datum::Text(text) => format!("`{text}`"),
            Datum::Value(value) => value.to_string(),
            Datum::Texts(texts) if texts.is_empty() => "nothing".to_owned(),
            Datum::Texts(texts) => texts.join(", "),
        }
    }

    fn datum<'v>(&'v self, subject: &'v Subject, scope: Scope) -> Datum<'v> {
        match subject {
            Subject::Slot(slot) => Datum::of(self.slots.get(*slot)),
            Subject::Field(slot, field) => self
                .slots
                .get(*slot)
                .get(field)
                .map_or(Datum::Absent, Datum::of),
            Subject::Intent => Datum::Text(self.session.intent_name(self.intent, self.machine)),
            Subject::State => Datum::Text(self.session.state_name(self.state, self.machine)),
            Subject::Phase => match self.seen_phase() {
                Some(phase) => Datum::Text(self.session.phase_name(phase, self.machine)),
                None => Datum::Absent,
            },
            Subject::Turn => Datum::Number(f64::from(self.session.tracker.turn())),
            Subject::Streak(counted) => Datum::Number(f64::from(self.streak(*counted))),
            Subject::Total(counted) => Datum::Number(f64::from(self.total(*counted))),
            Subject::Signal(signal) => self.signal(*signal, scope),
            Subject::Counter(counter) => {
                #[expect(clippy::cast_precision_loss, reason = "counters are small numbers")]
                let value = self.counter(*counter) as f64;
                Datum::Number(value)
            }
            Subject::Was(slot) => Datum::of(self.was.get(*slot)),
            Subject::Length(slot) => match self.slots.get(*slot) {
                Value::Text(text) => count(text.chars().count()),
                value => count(value.list().map_or(0, List::len)),
            },
            Subject::Said(slot) => Datum::of(self.said(*slot)),
            Subject::Reply if self.facts.replies.is_empty() => {
                Datum::text_of(self.input.reply.as_deref())
            }
            Subject::Reply => {
                let replies = self.facts.replies.iter().map(|reply| &**reply);
                Datum::Texts(
                    self.input
                        .reply
                        .as_deref()
                        .into_iter()
                        .chain(replies)
                        .collect(),
                )
            }
            Subject::Outcome => {
                let last = || self.facts.effects.iter().rev().find_map(Effect::outcome);
                Datum::text_of(self.facts.outcome.or_else(last))
            }
            Subject::Effect(kind) => {
                let last = self
                    .facts
                    .effects
                    .iter()
                    .rev()
                    .find(|effect| effect.kind == *kind);
                Datum::text_of(last.map(Effect::status))
            }
            Subject::Done(kind) => {
                let mut effects = self
                    .facts
                    .effects
                    .iter()
                    .filter(|effect| effect.kind == *kind);
                Datum::Bool(effects.any(Effect::is_done))
            }
            Subject::Payload(path) => Datum::at_path(self.facts.payload, path),
            Subject::Returned(path) => Datum::at_path(self.facts.given, path),
            Subject::Consent(kind) => match self.session.policies.consent(*kind) {
                Some(word) => Datum::Bool(word),
                None => Datum::Absent,
            },
            Subject::Class => Datum::text_of(self.facts.class),
            Subject::Missing => count(
                self.here()
                    .required
                    .iter()
                    .filter(|slot| self.is_missing(**slot))
                    .count(),
            ),
        }
    }

    fn signal(&self, signal: Signal, scope: Scope) -> Datum<'_> {
        let signals: Signals<'_> = self.signals_in(scope);
        #[expect(clippy::cast_precision_loss, reason = "signals are small numbers")]
        let number = |value: i64| Datum::Number(value as f64);
        let text = |value: Option<_>| value.map_or(Datum::Absent, Datum::Text);
        match signal {
            Signal::FrustrationLevel => number(signals.frustration_level),
            Signal::IsStuck => Datum::Bool(signals.is_stuck),
            Signal::HasOscillation => Datum::Bool(signals.has_oscillation),
            Signal::MomentumDirection => Datum::Text(signals.momentum_direction),
            Signal::Momentum => Datum::Number(signals.momentum),
            Signal::EngagementLevel => Datum::Text(signals.engagement_level),
            Signal::RepeatedQuestion => text(signals.repeated_question),
            Signal::ConfidenceTrend => Datum::Text(signals.confidence_trend),
            Signal::TotalObjections => number(signals.total_objections),
            Signal::HasBreakthrough => Datum::Bool(signals.has_breakthrough),
            Signal::TurnsSinceBreakthrough => signals
                .turns_since_breakthrough
                .map_or(Datum::Absent, number),
            Signal::GuardIntervention => text(signals.guard_intervention),
            Signal::Tone => text(signals.tone),
            Signal::UnclearCount => number(signals.unclear_count),
            Signal::SecondaryIntents => {
                Datum::Texts(signals.secondary.texts(self.machine).collect())
            }
            Signal::ConsecutiveSameState => number(signals.consecutive_same_state),
            Signal::IsProgressing => Datum::Bool(signals.is_progressing),
            Signal::HasExtractedData => Datum::Bool(signals.has_extracted_data),
            Signal::DisambiguationOptions => count(signals.options),
            Signal::DisambiguationQuestion => text(signals.question),
        }
    }

    fn test(&self, datum: &Datum<'_>, test: &Test) -> Result<bool, ConditionError> {
        match test {
            Test::Truthy => Ok(datum.truthy()),
            Test::Known(expected) => Ok(!matches!(datum, Datum::Absent) == *expected),
            Test::Filled(expected) => Ok(datum.filled() == *expected),
            Test::FilledText => Ok(datum.text().is_some_and(|text| !text.trim().is_empty())),
            Test::Is(values) => Ok(values.iter().any(|value| datum.equals(value))),
            Test::IsFolded(texts) => {
                let Some(said) = datum.text_or_absent()? else {
                    return Ok(false);
                };
                let folded = said.to_lowercase();
                Ok(texts.iter().any(|known| **known == *folded))
            }
            Test::Compare(comparison, bound) => {
                let Some(number) = datum.number_or_absent()? else {
                    return Ok(false);
                };
                Ok(comparison.holds(number, self.bound(*bound)))
            }
            Test::Between(low, high) => {
                let Some(number) = datum.number_or_absent()? else {
                    return Ok(false);
                };
                Ok(self.bound(*low) <= number && number <= self.bound(*high))
            }
            Test::Contains(words) => datum.any_text(
                words,
                |text, word| text.contains(word),
                |item, word| item == word,
            ),
            Test::SameAs(slot) => Ok(datum.equals(self.was.get(*slot))),
            Test::Within(slot) => Ok(datum.within(self.was.get(*slot))),
            Test::Later(moment, slot, by) => {
                let other = if *moment == Moment::Now {
                    self.slots
                } else {
                    self.was
                }
                .get(*slot);
                let moment = datum.text().map(Value::text);
                let later =
                    moment.and_then(|moment| moment.as_seconds()?.checked_sub(other.as_seconds()?));
                Ok(later.is_some_and(|later| later > *by))
            }
            Test::StartsWith(words) => {
                let starts = |text: &str, word: &str| text.starts_with(word);
                datum.any_text(words, starts, starts)
            }
        }
    }

    /// The value of a bound. If it is not a number, returns NaN, which makes every comparison false.
    pub(crate) fn bound(&self, bound: Bound) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "limits are small numbers")]
        match bound {
            Bound::Number(number) => number.get(),
            Bound::Limit(limit, plus) => (self.settings.limit(limit) + i64::from(plus)) as f64,
            Bound::ExhaustThreshold => self.here().exhaust_threshold as f64,
            Bound::Slot(slot) => self.slots.get(slot).as_number().unwrap_or(f64::NAN),
            Bound::Was(slot) => self.was.get(slot).as_number().unwrap_or(f64::NAN),
            Bound::Counter(counter) => self.counter(counter) as f64,
        }
    }
}

fn count<'v>(number: usize) -> Datum<'v> {
    #[expect(clippy::cast_precision_loss, reason = "counts are small numbers")]
    Datum::Number(number as f64)
}

impl<'v> Datum<'v> {
    fn of(value: &'v Value) -> Self {
        match value {
            Value::Null => Self::Absent,
            Value::Bool(value) => Self::Bool(*value),
            Value::Text(text) => Self::Text(text),
            value => value.as_number().map_or(Self::Value(value), Self::Number),
        }
    }

    fn text_of(text: Option<&'v str>) -> Self {
        text.map_or(Self::Absent, Self::Text)
    }

    /// The value at a path of keys.
    fn at_path(value: Option<&'v Value>, path: &[Box<str>]) -> Self {
        value
            .and_then(|value| value.at(path))
            .map_or(Self::Absent, Self::of)
    }

    fn truthy(&self) -> bool {
        match self {
            Self::Absent => false,
            Self::Bool(value) => *value,
            Self::Number(value) => *value != 0.0,
            Self::Text(text) => !text.is_empty(),
            Self::Value(value) => value.truthy(),
            Self::Texts(texts) => !texts.is_empty(),
        }
    }

    fn filled(&self) -> bool {
        matches!(self, Self::Bool(_) | Self::Number(_)) || self.truthy()
    }

    fn text(&self) -> Option<&'v str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    fn text_or_absent(&self) -> Result<Option<&'v str>, ConditionError> {
        match self {
            Self::Absent => Ok(None),
            Self::Text(text) => Ok(Some(text)),
            _ => Err(ConditionError::WrongType),
        }
    }

    fn number_or_absent(&self) -> Result<Option<f64>, ConditionError> {
        match self {
            Self::Absent => Ok(None),
            Self::Number(number) => Ok(Some(*number)),
            Self::Bool(value) => Ok(Some(f64::from(u8::from(*value)))),
            _ => Err(ConditionError::WrongType),
        }
    }

    fn equals(&self, other: &Value) -> bool {
        match (self, other) {
            (Self::Absent, Value::Null) => true,
            (Self::Text(text), Value::Text(other)) => *text == &**other,
            (Self::Value(value), other) => *value == other,
            (Self::Number(number), other) => other.as_number() == Some(*number),
            (Self::Bool(value), other) => other.as_number() == Some(f64::from(u8::from(*value))),
            _ => false,
        }
    }

    /// Whether all items of this list, or this single value, are in another list. An absent value is in every list.
    fn within(&self, other: &Value) -> bool {
        let known = match other {
            Value::List(items) => items.clone(),
            _ => List::default(),
        };
        match self {
            Self::Absent => true,
            Self::Value(Value::List(items)) => items.iter().all(|item| known.contains(item)),
            Self::Value(value) => known.contains(value),
            Self::Text(text) => known.contains(&Value::text(text)),
            datum => known.iter().any(|item| datum.equals(item)),
        }
    }

    /// Whether a string or an item of a list matches one of the words, tested with `in_text` or `in_list`.
    fn any_text(
        &self,
        words: &Words,
        in_text: impl Fn(&str, &str) -> bool,
        in_list: impl Fn(&str, &str) -> bool,
    ) -> Result<bool, ConditionError> {
        let fold = |text: &str| {
            if words.folded {
                text.to_lowercase()
            } else {
                text.to_owned()
            }
        };
        let any = |text: &str, test: &dyn Fn(&str, &str) -> bool| {
            let text = fold(text);
            words.texts.iter().any(|word| test(&text, word))
        };
        match self {
            Self::Absent => Ok(false),
            Self::Text(text) => Ok(any(text, &in_text)),
            Self::Texts(texts) => Ok(texts.iter().any(|text| any(text, &in_list))),
            Self::Value(Value::List(items)) => Ok(items
                .iter()
                .filter_map(Value::as_text)
                .any(|text| any(text, &in_list))),
            _ => Err(ConditionError::WrongType),
        }
    }
}

impl Frame {
    /// Whether any field of the frame has a value.
    pub(crate) fn is_active(&self, slots: &Slots) -> bool {
        self.fields
            .iter()
            .any(|field| !slots.get(field.slot).is_null())
    }
}
