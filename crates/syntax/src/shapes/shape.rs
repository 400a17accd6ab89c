//! A part of a format as it is declared.

use super::named_kind::NameUse;

/// A format of files.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// The name of its schema.
    pub name: &'static str,
    /// What a whole file is.
    pub shape: &'static Shape,
    /// What it is the format of, in a few words.
    pub about: &'static str,
}

/// A part of a format: a map with its keys, or a type.
#[derive(Debug)]
pub struct Shape {
    /// Its name.
    pub name: &'static str,
    /// How findings call it: "a turn". Only readers of maps need that.
    pub what: &'static str,
    /// What it is, for people.
    pub about: &'static str,
    /// The type that it is; nothing where it is a map with keys of its own.
    pub is: Option<ShapeType>,
    /// The keys, in the order of the declaration.
    pub keys: &'static [ShapeKey],
    /// What other keys hold; nothing where there may be no others.
    pub others: Option<ShapeType>,
    /// What the other keys name.
    pub names: Option<NameUse>,
    /// The list of words that has the other keys.
    pub words: Option<&'static str>,
    /// How keys are written, as a regular expression; empty where that is free.
    pub pattern: &'static str,
    /// How many items or keys there are at least.
    pub least: u32,
    /// Keys of which one must be there.
    pub either: &'static [&'static str],
}

/// A key of a shape.
#[derive(Debug)]
pub struct ShapeKey {
    /// The key.
    pub name: &'static str,
    /// It must be there.
    pub is_required: bool,
    /// What it holds.
    pub of: ShapeType,
    /// What it is for.
    pub about: &'static str,
}

/// The type of a value.
#[derive(Debug)]
pub enum ShapeType {
    /// One that needs no other: `text`.
    Plain(&'static str),
    /// One of these words.
    Words(&'static [&'static str]),
    /// A word of a list that the program has.
    Listed(&'static str),
    /// A name.
    Name(NameUse),
    /// A list.
    List(&'static ShapeType),
    /// A map, with what its keys name.
    Map(Option<NameUse>, &'static ShapeType),
    /// One or a list.
    Many(&'static ShapeType),
    /// This, or how it is compared.
    Expected(&'static ShapeType),
    /// A shape.
    Named(&'static Shape),
    /// One of these.
    Either(&'static [ShapeType]),
    /// What counts, and where names stand in it.
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

    /// The key of a name.
    #[inline]
    pub fn key(&self, name: &str) -> Option<&'static ShapeKey> {
        self.keys.iter().find(|key| key.name == name)
    }

    /// The names of the keys.
    pub fn key_names(&self) -> impl Iterator<Item = &'static str> + Clone + use<> {
        self.keys.iter().map(|key| key.name)
    }
}
