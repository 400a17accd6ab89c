//! Condition expressions. Conditions are data, and built-in conditions use the same language.

use std::collections::BTreeMap;

use strum::{EnumString, IntoStaticStr, VariantArray};

use super::{
    CategoryId, ConditionId, CounterId, EffectId, FlagId, Float, FrameId, IntentId, LimitId,
    NamedConditionId, Signal, SlotId, StateId, Value,
};
use crate::limits::MAX_COMPARED_VALUES;
use fsmsim_syntax::diagnostic::Span;

/// An expression node. Its value is true, false or an error.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// All parts hold. Evaluation stops at the first part that does not hold.
    And(Box<[ConditionId]>),
    /// At least one part holds. Evaluation stops at the first part that holds.
    Or(Box<[ConditionId]>),
    /// The part does not hold.
    Not(ConditionId),
    /// A named condition.
    Named(NamedConditionId),
    /// The intent belongs to the category; false if the configuration does not have the category.
    Category(Option<CategoryId>),
    /// The state is one of these.
    States(Box<[StateId]>),
    /// The state before the turn is one of these.
    From(Box<[StateId]>),
    /// The intent is one of these.
    Intents(Box<[IntentId]>),
    /// The feature flag is on.
    Flag(FlagId),
    /// A test of a subject.
    Test(Subject, Test),
    /// The collected data contains a usable contact.
    Contact(Contact),
    /// The dialogue has ended.
    Final,
    /// A field of the frame has a value, now or before the turn.
    Active(FrameId, Moment),
    /// The turn executed a route.
    Executed,
    /// The condition cannot be evaluated; contains the reason.
    Broken(Box<str>),
}

impl Condition {
    /// Whether the node itself reads data as it was before the turn.
    pub(super) fn looks_back(&self) -> bool {
        let was = |bound: &Bound| matches!(bound, Bound::Was(_));
        match self {
            Self::Active(_, moment) => *moment == Moment::Before,
            Self::Test(Subject::Was(_), _)
            | Self::Test(_, Test::SameAs(_) | Test::Within(_) | Test::Later(Moment::Before, ..)) => {
                true
            }
            Self::Test(_, Test::Compare(_, bound)) => was(bound),
            Self::Test(_, Test::Between(low, high)) => was(low) || was(high),
            _ => false,
        }
    }
}

/// The subject of a test.
#[derive(Clone, Debug, PartialEq)]
pub enum Subject {
    /// A piece of collected data.
    Slot(SlotId),
    /// A field of a slot that contains a map.
    Field(SlotId, Box<str>),
    /// The current intent.
    Intent,
    /// The current state.
    State,
    /// The current phase.
    Phase,
    /// The number of the turn.
    Turn,
    /// The length of the current streak.
    Streak(Counted),
    /// The total count.
    Total(Counted),
    /// A context signal.
    Signal(Signal),
    /// A counter of the session.
    Counter(CounterId),
    /// The value of a slot before the turn.
    Was(SlotId),
    /// The number of items of a list, or of characters of a string.
    Length(SlotId),
    /// The value of a slot in the data of the turn.
    Said(SlotId),
    /// The reply of the assistant.
    Reply,
    /// The outcome of the last effect of the turn, of any kind.
    Outcome,
    /// The outcome of the last effect of a kind in the turn.
    Effect(EffectId),
    /// Whether any effect of a kind was done in the turn, even if other effects of this kind failed.
    Done(EffectId),
    /// The value at a path in the effect's payload.
    Payload(Box<[Box<str>]>),
    /// The value at a path in the data that the effect returned.
    Returned(Box<[Box<str>]>),
    /// The user's consent to access data of the digital twin.
    Consent(ConsentKind),
    /// The class of the turn in the registry of the machine.
    Class,
    /// The number of required slots of the state that are not filled.
    Missing,
}

/// The operations on the data of the digital twin that a user can consent to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum ConsentKind {
    /// Reading data.
    Read,
    /// Writing data.
    Write,
}

/// The subject of a streak or a total.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    Intent(IntentId),
    /// The current intent.
    Current,
    /// All intents of a category; `None` if the configuration does not have the category.
    Category(Option<CategoryId>),
}

/// The test of a subject.
#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    /// The value exists and is neither false, 0 nor empty.
    Truthy,
    /// The value exists (or does not).
    Known(bool),
    /// The value is filled (or is not): it exists and is not empty. 0 and false count as filled.
    Filled(bool),
    /// A string that does not consist of whitespace only.
    FilledText,
    /// Equals one of these values.
    Is(Box<[Value]>),
    /// Equals one of these lowercase strings, ignoring case.
    IsFolded(Box<[Box<str>]>),
    /// A comparison with a number.
    Compare(Comparison, Bound),
    /// Between two numbers, both included.
    Between(Bound, Bound),
    /// A string that contains one of these, or a list that contains one of these as an item.
    Contains(Words),
    /// Equals the value of a slot before the turn.
    SameAs(SlotId),
    /// A list whose items were all in the list of a slot before the turn.
    Within(SlotId),
    /// A time that is more than this many seconds after the time in a slot, now or before the turn. False if one of
    /// them is not a time.
    Later(Moment, SlotId, i64),
    /// A string that starts with one of these, or a list with such an item.
    StartsWith(Words),
}

/// The moment at which a value is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// After the changes of the turn so far.
    Now,
    /// Before the turn.
    Before,
}

/// Strings to search for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    /// The strings; lowercase if `folded` is set.
    pub texts: Box<[Box<str>]>,
    /// Whether the case is ignored.
    pub folded: bool,
}

/// A comparison of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Comparison {
    /// Greater than or equal.
    AtLeast,
    /// Less than or equal.
    AtMost,
    /// Greater.
    MoreThan,
    /// Less.
    LessThan,
}

impl Comparison {
    /// Whether the comparison of `left` with `right` is true.
    pub fn holds(self, left: f64, right: f64) -> bool {
        match self {
            Self::AtLeast => left >= right,
            Self::AtMost => left <= right,
            Self::MoreThan => left > right,
            Self::LessThan => left < right,
        }
    }
}

/// A number to compare with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    Number(Float),
    /// A limit of the dialogue plus an offset.
    Limit(LimitId, i32),
    /// The number of turns after which the state offers options.
    ExhaustThreshold,
    /// The number in a slot; if it contains no number, every comparison is false.
    Slot(SlotId),
    /// The number in a slot before the turn.
    Was(SlotId),
    /// A counter of the session.
    Counter(CounterId),
}

/// The contact data that must be usable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Contact {
    /// An email address or a phone number.
    #[strum(serialize = "contact")]
    Any,
    /// An email address.
    Email,
    /// A phone number.
    Phone,
}

#[derive(Clone, Debug)]
pub struct NamedCondition {
    pub condition: ConditionId,
    /// A human-readable description.
    pub description: Box<str>,
    /// The location of the definition; `None` for a built-in condition.
    pub span: Option<Span>,
}

/// A sample value for tests that only need some value.
pub const SOMETHING: &str = "known";

/// The values that conditions compare slots with, in the order of the conditions. A condition that only tests for
/// existence contributes a sample word. A numeric bound contributes the values below, at and above the bound.
pub fn compared_values<'c>(
    conditions: impl IntoIterator<Item = &'c Condition>,
) -> BTreeMap<SlotId, Vec<Value>> {
    let mut found: BTreeMap<SlotId, Vec<Value>> = BTreeMap::new();
    for condition in conditions {
        let Condition::Test(Subject::Slot(slot), test) = condition else {
            continue;
        };
        let number = |bound: &Bound, more: f64| match bound {
            Bound::Number(number) => Some(number_of(number.get() + more)),
            _ => None,
        };
        let values: Vec<Value> = match test {
            Test::Truthy => vec![Value::Bool(true), Value::text(SOMETHING)],
            Test::Known(_) | Test::Filled(_) | Test::FilledText => vec![Value::text(SOMETHING)],
            Test::Is(values) => values
                .iter()
                .filter(|value| is_plain(value))
                .cloned()
                .collect(),
            Test::IsFolded(texts) => texts.iter().map(|text| Value::text(text)).collect(),
            Test::Compare(_, bound) => [-1.0, 0.0, 1.0]
                .into_iter()
                .filter_map(|more| number(bound, more))
                .collect(),
            Test::Between(low, _) => number(low, 0.0).into_iter().collect(),
            Test::Contains(words) | Test::StartsWith(words) => {
                words.texts.iter().map(|text| Value::text(text)).collect()
            }
            Test::SameAs(_) | Test::Within(_) | Test::Later(..) => Vec::new(),
        };
        let known = found.entry(*slot).or_default();
        for value in values {
            if known.len() < MAX_COMPARED_VALUES && !known.contains(&value) {
                known.push(value);
            }
        }
    }
    found
}

fn is_plain(value: &Value) -> bool {
    matches!(value, Value::Text(_) | Value::Bool(_) | Value::Int(_))
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a whole number that a condition names"
)]
fn number_of(number: f64) -> Value {
    if number.fract() == 0.0 && number.abs() < 1e15 {
        Value::Int(number as i64)
    } else {
        Value::Float(Float::new(number))
    }
}
