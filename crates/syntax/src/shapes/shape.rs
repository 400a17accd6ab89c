//! The declaration of a part of a format.

use super::named_kind::NameUse;

/// A file format.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// The name of the schema.
    pub name: &'static str,
    /// The shape of a complete file.
    pub shape: &'static Shape,
    /// A short description.
    pub about: &'static str,
    /// A complete example: its path in a project, and its text. The examples of all formats are one project.
    pub example: (&'static str, &'static str),
}

/// A part of a format: a map with its keys, or a type.
#[derive(Debug)]
pub struct Shape {
    pub name: &'static str,
    /// The noun in findings, such as "a turn". Only maps need a noun.
    pub what: &'static str,
    /// A description.
    pub about: &'static str,
    /// The type, unless the shape is a map with its own keys.
    pub is: Option<ShapeType>,
    /// The keys, in the order of the declaration.
    pub keys: &'static [ShapeKey],
    /// The type of undeclared keys, if they are allowed.
    pub others: Option<ShapeType>,
    /// The kind of the names that undeclared keys must be.
    pub names: Option<NameUse>,
    /// The list of words that undeclared keys must be from.
    pub words: Option<&'static str>,
    /// A regular expression for keys; empty if any key is allowed.
    pub pattern: &'static str,
    /// The minimum number of items or keys.
    pub least: u32,
    /// Keys of which one is required.
    pub either: &'static [&'static str],
}

#[derive(Debug)]
pub struct ShapeKey {
    pub name: &'static str,
    /// Whether the key is required.
    pub is_required: bool,
    /// The only policy of flows that knows the key; empty if the key does not depend on the policy.
    pub policy: &'static str,
    /// The type of the value.
    pub of: ShapeType,
    /// A description.
    pub about: &'static str,
}

/// The type of a value.
#[derive(Debug)]
pub enum ShapeType {
    /// A basic type, such as `text`.
    Plain(&'static str),
    /// One of these words.
    Words(&'static [&'static str]),
    /// A word from a list in the program.
    Listed(&'static str),
    Name(NameUse),
    List(&'static ShapeType),
    /// A map, with the kind of name of its keys.
    Map(Option<NameUse>, &'static ShapeType),
    /// One value, or a list of values.
    Many(&'static ShapeType),
    /// The type, or a map of comparison operators.
    Expected(&'static ShapeType),
    Named(&'static Shape),
    /// One of these types.
    Either(&'static [ShapeType]),
    /// The type for checks and schemas, and the type that locates names.
    As(&'static ShapeType, &'static ShapeType),
}

impl Shape {
    pub(super) const EMPTY: Self = Self {
        name: "",
        what: "",
        about: "",
        is: None,
        keys: &[],
        others: None,
        names: None,
        words: None,
        pattern: "",
        least: 0,
        either: &[],
    };

    /// The key with this name.
    #[inline]
    pub fn key(&self, name: &str) -> Option<&'static ShapeKey> {
        self.keys.iter().find(|key| key.name == name)
    }

    pub fn key_names(&self) -> impl Iterator<Item = &'static str> + Clone + use<> {
        self.keys.iter().map(|key| key.name)
    }
}
