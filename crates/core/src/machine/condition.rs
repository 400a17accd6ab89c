//! The expressions of conditions. Conditions are data: the built-in ones are written in this language too.

use std::collections::BTreeMap;

use strum::{EnumString, IntoStaticStr, VariantArray};

use super::{
    CategoryId, ConditionId, CounterId, EffectId, FlagId, Float, FrameId, IntentId, LimitId,
    NamedConditionId, Signal, SlotId, StateId, Value,
};
use crate::limits::MAX_COMPARED_VALUES;
use fsmsim_syntax::diagnostic::Span;

/// One node of an expression. Its value is true, false, or an error.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// All parts hold; the first that does not ends the evaluation.
    And(Box<[ConditionId]>),
    /// Some part holds; the first that does ends the evaluation.
    Or(Box<[ConditionId]>),
    /// The part does not hold.
    Not(ConditionId),
    /// Another condition.
    Named(NamedConditionId),
    /// The intent belongs to the category; never, where the configuration lacks the category.
    Category(Option<CategoryId>),
    /// The state is one of these.
    States(Box<[StateId]>),
    /// The state before the turn is one of these.
    From(Box<[StateId]>),
    /// The intent is one of these.
    Intents(Box<[IntentId]>),
    /// The feature flag is on.
    Flag(FlagId),
    /// A question about one subject.
    Test(Subject, Test),
    /// The collected data hold a usable contact.
    Contact(Contact),
    /// The dialogue is over.
    Final,
    /// Something is known of the frame; before the turn, where so asked.
    Active(FrameId, Moment),
    /// The turn executed a route.
    Executed,
    /// Cannot be evaluated, and why.
    Broken(Box<str>),
}

impl Condition {
    /// Whether it looks, itself, at data as it was before the turn.
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

/// What a question is about.
#[derive(Clone, Debug, PartialEq)]
pub enum Subject {
    /// A piece of collected data.
    Slot(SlotId),
    /// A field of a piece of collected data that is a map.
    Field(SlotId, Box<str>),
    /// The current intent.
    Intent,
    /// The current state.
    State,
    /// The current phase.
    Phase,
    /// The number of the turn.
    Turn,
    /// How often in a row.
    Streak(Counted),
    /// How often in all.
    Total(Counted),
    /// A context signal.
    Signal(Signal),
    /// A counter of the session.
    Counter(CounterId),
    /// A piece of data as it was before the turn.
    Was(SlotId),
    /// How many items a list has, or how many characters a text.
    Length(SlotId),
    /// What the turn itself brings under a name.
    Said(SlotId),
    /// What the assistant says.
    Reply,
    /// What the world came to in the turn.
    Outcome,
    /// What the last effect of a kind came to in the turn.
    Effect(EffectId),
    /// Whether an effect of a kind was done in the turn, whatever else of the kind was tried.
    Done(EffectId),
    /// What an effect is to be done with, under these keys.
    Payload(Box<[Box<str>]>),
    /// What the world gave, under these keys.
    Given(Box<[Box<str>]>),
    /// What the user said about the data of the digital twin.
    Consent(ConsentKind),
    /// The class of the turn in the registry of the machine.
    Class,
    /// The number of required slots of the state that are not filled.
    Missing,
}

/// What the user lets the assistant do with the data of the digital twin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum ConsentKind {
    /// Data is read.
    Read,
    /// Data is written.
    Write,
}

/// What a streak or a total counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    Intent(IntentId),
    /// The current intent, whichever it is.
    Current,
    /// All intents of a category; nothing, where the configuration lacks the category.
    Category(Option<CategoryId>),
}

/// What is asked about a subject.
#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    /// It is there and neither false, 0 nor empty.
    Truthy,
    /// It is known at all (or is not).
    Known(bool),
    /// It is there and not empty (or is not); 0 and false are there.
    Filled(bool),
    /// It is a text with more than blanks.
    FilledText,
    /// It equals one of these.
    Is(Box<[Value]>),
    /// It equals one of these (lower-case) texts, whatever its case.
    IsFolded(Box<[Box<str>]>),
    /// It compares like this with a number.
    Compare(Comparison, Bound),
    /// It lies between two numbers, both included.
    Between(Bound, Bound),
    /// A text that contains one of these, or a list with one of these as an item.
    Contains(Words),
    /// It equals what a piece of data was before the turn.
    SameAs(SlotId),
    /// A list of which all items were in a list before the turn.
    Within(SlotId),
    /// It is a point in time, and more than so many seconds later than the one in a slot, as it is or was before the turn;
    /// neither is anything else.
    Later(Moment, SlotId, i64),
    /// A text that starts with one of these, or a list with such an item.
    StartsWith(Words),
}

/// When something is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// As it is.
    Now,
    /// As it was before the turn.
    Before,
}

/// Texts to look for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    /// The texts; lower-case where the case is ignored.
    pub texts: Box<[Box<str>]>,
    /// Whether the case is ignored.
    pub folded: bool,
}

/// A comparison of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Comparison {
    /// Not smaller.
    AtLeast,
    /// Not larger.
    AtMost,
    /// Larger.
    MoreThan,
    /// Smaller.
    LessThan,
}

impl Comparison {
    /// Whether `left` compares like this with `right`.
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
    /// A limit of the dialogue, shifted.
    Limit(LimitId, i32),
    /// The turns after which the state offers options.
    ExhaustThreshold,
    /// What a slot holds; without a number in it nothing compares with it.
    Slot(SlotId),
    /// What a slot held before the turn.
    Was(SlotId),
    /// A counter of the session.
    Counter(CounterId),
}

/// Which contact must be usable.
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
    /// The expression.
    pub condition: ConditionId,
    /// What it means, for people.
    pub description: Box<str>,
    /// Where it is defined; nothing for a built-in one.
    pub span: Option<Span>,
}

/// A value that is only there.
pub const SOMETHING: &str = "known";

/// The values with which conditions compare slots, in the order of the conditions: where a condition only asks whether there is
/// anything, a word; for a bound, what lies below it, on it and above it.
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
