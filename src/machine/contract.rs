//! Transition contracts: what may be carried over from turn to turn, and which turns there are (docs/contracts.md).

use regex::{Captures, Regex};

use super::id::{ActionId, ClassId, ConditionId, FrameId, IdVec, IntentId, RuleId, SlotId, StateId};
use super::names::Names;
use super::value::Value;

/// The registry of a machine: its frames, the readings of what is said, the classes of transitions, and what outcomes of
/// the backend mean.
#[derive(Clone, Debug, Default)]
pub struct Contract {
    /// The frames, in the order of the file.
    pub frames: IdVec<FrameId, Frame>,
    /// The readings that phrases trigger, in the order in which they are tried.
    pub readings: Box<[PhraseReading]>,
    /// The classes, in the order in which they are tried.
    pub classes: IdVec<ClassId, TransitionClass>,
    /// What outcomes of the backend mean.
    pub outcomes: Box<[OutcomeRule]>,
    /// The field of the coverage gate that says how much the next turn may carry over.
    pub eligibility: Option<SlotId>,
    /// The field that holds the mode of the last answer.
    pub answer: Option<SlotId>,
    /// The contract is the whole machine: what a turn brings is gone with it, unless a class puts it into a frame, and a
    /// turn that no class takes does nothing.
    pub is_whole: bool,
}

/// A frame: a piece of state with an owner and a life of its own (docs/contracts.md, "Frames").
#[derive(Clone, Debug)]
pub struct Frame {
    /// The name.
    pub name: Box<str>,
    /// Its fields, in the order of the file.
    pub fields: Box<[FrameField]>,
    /// Which part of the carryover it is.
    pub part: FramePart,
    /// Where it is declared.
    pub rule: RuleId,
}

/// A field of a frame.
#[derive(Clone, Debug)]
pub struct FrameField {
    /// The name within the frame.
    pub name: Box<str>,
    /// Where its value is kept.
    pub slot: SlotId,
    /// What it may hold.
    pub kind: FieldKind,
}

/// What a field may hold, besides nothing.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldKind {
    /// A text.
    Text,
    /// A number.
    Number,
    /// Yes or no.
    Flag,
    /// The name of something that is kept elsewhere.
    Reference,
    /// A list.
    List,
    /// One of these.
    OneOf(Box<[Value]>),
}

impl FieldKind {
    /// The kinds that a word names.
    pub const WORDS: [(Self, &'static str); 5] = [
        (Self::Text, "text"),
        (Self::Number, "number"),
        (Self::Flag, "flag"),
        (Self::Reference, "reference"),
        (Self::List, "list"),
    ];

    /// Whether the field may hold the value; nothing may always stand there.
    #[must_use]
    pub fn admits(&self, value: &Value) -> bool {
        match self {
            _ if value.is_null() => true,
            Self::Text | Self::Reference => matches!(value, Value::Text(_)),
            Self::Number => matches!(value, Value::Int(_) | Value::Float(_)),
            Self::Flag => matches!(value, Value::Bool(_)),
            Self::List => matches!(value, Value::List(_)),
            Self::OneOf(values) => values.contains(value),
        }
    }
}

/// Which part of the carryover a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FramePart {
    /// The business slice.
    Root,
    /// The object that is looked at.
    Object,
    /// The talk about answers.
    Meta,
    /// None: it stays as it is, whatever is carried over.
    None,
}

impl FramePart {
    /// All parts with their names.
    pub const ALL: [(Self, &'static str); 4] =
        [(Self::Root, "root"), (Self::Object, "object"), (Self::Meta, "meta"), (Self::None, "none")];
}

/// How much is carried over: which parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Depth(u8);

impl Depth {
    /// All depths with their names (docs/contracts.md, "Frames"), the deepest first.
    pub const ALL: [(Self, &'static str); 5] = [
        (Self(0b111), "full"),
        (Self(0b001), "root_only"),
        (Self(0b010), "object_only"),
        (Self(0b100), "meta_only"),
        (Self(0), "none"),
    ];
    /// All parts.
    pub const FULL: Self = Self(0b111);
    /// No part.
    pub const NONE: Self = Self(0);

    /// Whether a part is carried over.
    #[must_use]
    pub fn has(self, part: FramePart) -> bool {
        part.bit().is_none_or(|bit| self.0 & bit != 0)
    }

    /// What is carried over by both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The same with one more part.
    #[must_use]
    pub fn with(self, part: FramePart) -> Self {
        Self(self.0 | part.bit().unwrap_or(0))
    }

    /// The depth of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(_, known)| *known == name).map(|(depth, _)| depth)
    }

    /// The name: of the only part, `none`, and `full` where there are several.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL.into_iter().find(|(depth, _)| *depth == self).map_or("full", |(_, name)| name)
    }
}

impl FramePart {
    fn bit(self) -> Option<u8> {
        match self {
            Self::Root => Some(0b001),
            Self::Object => Some(0b010),
            Self::Meta => Some(0b100),
            Self::None => None,
        }
    }
}

/// A reading and the phrases that trigger it.
#[derive(Clone, Debug)]
pub struct PhraseReading {
    /// What is meant.
    pub intent: IntentId,
    /// The phrases; named groups are data that the phrase brings.
    pub patterns: Box<[Regex]>,
}

/// A class of transitions: what it takes, what it carries over, changes and answers (docs/contracts.md, "Classes").
#[derive(Clone, Debug)]
pub struct TransitionClass {
    /// The name.
    pub name: Box<str>,
    /// What it is, in words.
    pub title: Box<str>,
    /// The frame that it is the owner of.
    pub owner: FrameId,
    /// The readings that it takes; any, where there are none.
    pub readings: Box<[IntentId]>,
    /// What else must hold for a turn to be of it.
    pub entry: Option<ConditionId>,
    /// What must be there from before.
    pub requires: Option<ConditionId>,
    /// How much it carries over, at most.
    pub depth: Depth,
    /// What it puts where.
    pub sets: Box<[Mutation]>,
    /// The frames that it clears.
    pub clears: Box<[FrameId]>,
    /// The frames that it must not carry over.
    pub forbids: Box<[FrameId]>,
    /// The fields that stay as they are.
    pub preserves: Box<[Preserved]>,
    /// The modes in which it answers; the first, where no outcome says another.
    pub answers: Box<[Value]>,
    /// The field that names the route to be executed; nothing, where it executes none.
    pub executes: Option<SlotId>,
    /// How it acts, where it says so.
    pub action: Option<ActionId>,
    /// The state that it leads to; nothing, where it leads nowhere.
    pub mode: Option<StateId>,
    /// What holds after each turn of it.
    pub properties: Box<[Property]>,
    /// Where it is declared.
    pub rule: RuleId,
}

/// Something that a class puts into a field.
#[derive(Clone, Debug)]
pub struct Mutation {
    /// The field.
    pub slot: SlotId,
    /// What is put there.
    pub source: ValueSource,
    /// Where it is written.
    pub rule: RuleId,
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum ValueSource {
    /// It is always this one.
    Constant(Value),
    /// What the turn brings under this name; where it brings nothing, the field stays as it is.
    Said(SlotId),
    /// What another field held before the turn.
    Was(SlotId),
    /// What another field would hold, had the class not been replaced.
    Attempted(SlotId),
    /// What the backend gave under this key.
    Outcome(Box<str>),
    /// The number of the turn.
    Turn,
    /// What was meant.
    Reading,
    /// The list that was there, with what the backend gave under this key at its end.
    Append(Box<str>),
    /// Of what the turn brings under this name, what is in the list that another field held before the turn.
    Among(SlotId, SlotId),
}

/// A field that a class leaves as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preserved {
    /// The field.
    pub slot: SlotId,
    /// Unless the turn itself brings this.
    pub unless: Option<SlotId>,
    /// Where it is written.
    pub rule: RuleId,
}

/// Something that holds, or never holds, after a turn of a class.
#[derive(Clone, Debug)]
pub struct Property {
    /// The name.
    pub name: Box<str>,
    /// The condition.
    pub guard: ConditionId,
    /// Whether it has to hold, or must not.
    pub must: bool,
    /// Where it is written.
    pub rule: RuleId,
}

/// What an outcome of the backend means.
#[derive(Clone, Debug)]
pub struct OutcomeRule {
    /// The outcome: `rows`, `partial`, `empty`, `error` and the like.
    pub name: Box<str>,
    /// What it puts where.
    pub sets: Box<[Mutation]>,
    /// The mode of the answer.
    pub answer: Option<Value>,
    /// The class that takes the turn over.
    pub becomes: Option<ClassId>,
    /// The state that it leads to, whatever the class says.
    pub mode: Option<StateId>,
    /// Where it is written.
    pub rule: RuleId,
}

impl Contract {
    /// The outcome of a backend that does not answer.
    pub const DOWN: &str = "down";
    /// The outcome of a route that failed.
    pub const ERROR: &str = "error";

    /// The class of a name.
    #[must_use]
    pub fn class(&self, name: &str) -> Option<(ClassId, &TransitionClass)> {
        self.classes.pairs().find(|(_, class)| &*class.name == name)
    }

    /// The names of what a turn may bring: all that are no fields of frames.
    pub fn brought<'n>(&self, names: &'n Names<SlotId>) -> impl Iterator<Item = &'n str> {
        let fields: Vec<SlotId> = self.fields().map(|(_, field)| field.slot).collect();
        names.iter().filter(move |name| names.id(name).is_some_and(|slot| !fields.contains(&slot)))
    }

    /// The first phrase that is found in what was said: its reading, the pattern, and what its groups hold.
    #[must_use]
    pub fn phrase<'c, 's>(&'c self, say: &'s str) -> Option<(&'c PhraseReading, &'c Regex, Captures<'s>)> {
        let mut phrases = self
            .readings
            .iter()
            .flat_map(|reading| reading.patterns.iter().map(move |pattern| (reading, pattern)));
        phrases.find_map(|(reading, pattern)| Some((reading, pattern, pattern.captures(say)?)))
    }

    /// The rule for an outcome. A backend that does not answer has failed, unless there is a rule for that.
    #[must_use]
    pub fn outcome(&self, name: &str) -> Option<&OutcomeRule> {
        let named = |name: &str| self.outcomes.iter().find(|rule| &*rule.name == name);
        named(name).or_else(|| named(Self::ERROR).filter(|_| name == Self::DOWN))
    }

    /// The fields of all frames.
    pub fn fields(&self) -> impl Iterator<Item = (&Frame, &FrameField)> {
        self.frames.iter().flat_map(|frame| frame.fields.iter().map(move |field| (frame, field)))
    }

    /// The field that is kept in a slot, with its frame.
    #[must_use]
    pub fn field(&self, slot: SlotId) -> Option<(&Frame, &FrameField)> {
        self.fields().find(|(_, field)| field.slot == slot)
    }
}
