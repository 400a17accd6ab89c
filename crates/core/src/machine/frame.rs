//! Frames: parts of a dialogue's data, each with an owner and a lifetime, and the depth of the carryover.

use strum::{IntoStaticStr, VariantArray};

use super::{FrameId, IdVec, RuleId, SlotId, Value};

/// A frame: a part of the data with an owner and a lifetime.
#[derive(Clone, Debug)]
pub struct Frame {
    pub name: Box<str>,
    /// The fields, in the order of the file.
    pub fields: Box<[FrameField]>,
    /// The part of the carryover that the frame belongs to.
    pub part: FramePart,
    /// The location of the frame.
    pub rule: RuleId,
}

#[derive(Clone, Debug)]
pub struct FrameField {
    /// The name within the frame.
    pub name: Box<str>,
    /// The slot that stores the value.
    pub slot: SlotId,
    /// The type of the value.
    pub kind: FieldKind,
}

/// The type of a field. Every field can also be null.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldKind {
    Text,
    Number,
    /// Yes or no.
    Flag,
    /// The name of an item that is stored elsewhere.
    Reference,
    List,
    /// One of these values.
    OneOf(Box<[Value]>),
}

impl FieldKind {
    /// The names of the types.
    pub const WORDS: [(Self, &'static str); 5] = [
        (Self::Text, "text"),
        (Self::Number, "number"),
        (Self::Flag, "flag"),
        (Self::Reference, "reference"),
        (Self::List, "list"),
    ];

    /// Whether the field accepts the value; null is always accepted.
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

    /// Whether the value counts as empty in a record that contains every field: null, 0, an empty list, or the first
    /// of several values.
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

/// The part of the carryover that a frame belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum FramePart {
    /// The business slice.
    Root,
    /// The current object.
    Object,
    /// Data about the answers.
    Meta,
    /// No part: the carryover does not change the frame.
    None,
}

/// The frames of a machine, in the order of the file.
pub type Frames = IdVec<FrameId, Frame>;

impl Frames {
    /// The name of a frame; empty if it does not exist.
    pub fn name(&self, id: FrameId) -> &str {
        self.lookup(id).map_or("", |frame| &frame.name)
    }

    /// The fields of all frames.
    pub fn fields(&self) -> impl Iterator<Item = (&Frame, &FrameField)> {
        self.iter()
            .flat_map(|frame| frame.fields.iter().map(move |field| (frame, field)))
    }

    /// The field that a slot stores, with its frame.
    pub fn field(&self, slot: SlotId) -> Option<(&Frame, &FrameField)> {
        self.fields().find(|(_, field)| field.slot == slot)
    }
}

/// The depth of the carryover: the parts that it includes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Depth(u8);

impl Depth {
    /// All depths with their names, the deepest first.
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

    /// Whether the depth includes a part.
    pub fn has(self, part: FramePart) -> bool {
        bit(part).is_none_or(|bit| self.0 & bit != 0)
    }

    /// The parts that both depths include.
    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The depth with one more part.
    pub fn with(self, part: FramePart) -> Self {
        Self(self.0 | bit(part).unwrap_or(0))
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|(_, known)| *known == name)
            .map(|(depth, _)| depth)
    }

    /// The name of the depth: a single part, `none`, or `full` for several parts.
    pub fn name(self) -> &'static str {
        Self::ALL
            .into_iter()
            .find(|(depth, _)| *depth == self)
            .map_or("full", |(_, name)| name)
    }
}

fn bit(part: FramePart) -> Option<u8> {
    match part {
        FramePart::Root => Some(0b001),
        FramePart::Object => Some(0b010),
        FramePart::Meta => Some(0b100),
        FramePart::None => None,
    }
}
