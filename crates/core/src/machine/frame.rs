//! Frames: pieces of a dialogue's state, each with an owner and a life of its own.

use strum::{IntoStaticStr, VariantArray};

use super::id::{FrameId, IdVec, RuleId, SlotId};
use super::value::Value;

/// A frame: a piece of state with an owner and a life of its own.
#[derive(Clone, Debug)]
pub struct Frame {
    pub name: Box<str>,
    /// Its fields, in the order of the file.
    pub fields: Box<[FrameField]>,
    /// Which part of the carryover it is.
    pub part: FramePart,
    /// Where it is declared.
    pub rule: RuleId,
}

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
    Text,
    Number,
    /// Yes or no.
    Flag,
    /// The name of something that is kept elsewhere.
    Reference,
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

    /// Whether the value stands for nothing where a record tells every field: 0, no items, the first of several.
    pub fn is_nothing(&self, value: &Value) -> bool {
        match (self, value) {
            (_, Value::Null) => true,
            (Self::Number, Value::Int(_) | Value::Float(_)) => value.as_number() == Some(0.0),
            (Self::List, Value::List(list)) => list.is_empty(),
            (Self::OneOf(values), _) => values.first() == Some(value),
            _ => false,
        }
    }
}

/// Which part of the carryover a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
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

/// The frames of a machine, in the order of the file.
pub type Frames = IdVec<FrameId, Frame>;

impl Frames {
    /// The fields of all frames.
    pub fn fields(&self) -> impl Iterator<Item = (&Frame, &FrameField)> {
        self.iter()
            .flat_map(|frame| frame.fields.iter().map(move |field| (frame, field)))
    }

    /// The field that is kept in a slot, with its frame.
    pub fn field(&self, slot: SlotId) -> Option<(&Frame, &FrameField)> {
        self.fields().find(|(_, field)| field.slot == slot)
    }
}
