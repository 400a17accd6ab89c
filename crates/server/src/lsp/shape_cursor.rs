//! Names and words that a file format allows at a position.

use smallvec::SmallVec;

use super::file_format::FileFormat;
use fsmsim_harness::scenario::OPERATORS;
use fsmsim_runtime::schema::word_list;
use fsmsim_syntax::shapes::{NameUse, Shape, ShapeKey, ShapeType};

/// The parts of a format that match a position: several parts if a type has alternatives. List items have the type of
/// their list.
#[derive(Clone, Debug, Default)]
pub(super) struct ShapeCursor {
    parts: SmallVec<[CursorPart; 8]>,
}

/// A part of a format: a map, or a type without names.
#[derive(Clone, Copy, Debug)]
enum CursorPart {
    Map(&'static Shape),
    Type(&'static ShapeType),
}

impl ShapeCursor {
    /// The cursor at the root of a file.
    pub(super) fn of(format: FileFormat) -> Self {
        let mut cursor = Self::default();
        if let Some(shape) = format.shape() {
            cursor.add_shape(shape);
        }
        cursor
    }

    /// The cursor at a position, given by its parent keys.
    pub(super) fn at<'k>(format: FileFormat, path: impl IntoIterator<Item = &'k String>) -> Self {
        path.into_iter()
            .fold(Self::of(format), |at, key| at.enter(key))
    }

    /// Whether the format has no declaration for the position.
    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The cursor at the value of a key.
    pub(super) fn enter(&self, key: &str) -> Self {
        let mut inside = Self::default();
        for part in &self.parts {
            let of = match part {
                CursorPart::Map(shape) => {
                    shape.key(key).map(|key| &key.of).or(shape.others.as_ref())
                }
                CursorPart::Type(ShapeType::Map(_, of)) => Some(*of),
                CursorPart::Type(_) => None,
            };
            if let Some(of) = of {
                inside.add(of);
            }
        }
        // Below an operator, the same type is expected.
        match self.expected() {
            Some(of) if inside.is_empty() || OPERATORS.contains(&key) => {
                let mut same = Self::default();
                same.add(of);
                same
            }
            _ => inside,
        }
    }

    /// The type of an expectation, if there is one here.
    fn expected(&self) -> Option<&'static ShapeType> {
        self.parts.iter().find_map(|part| match part {
            CursorPart::Type(of @ ShapeType::Expected(_)) => Some(*of),
            _ => None,
        })
    }

    fn add(&mut self, of: &'static ShapeType) {
        match of {
            ShapeType::Named(shape) => self.add_shape(shape),
            ShapeType::List(of) | ShapeType::Many(of) => self.add(of),
            ShapeType::Either(either) => either.iter().for_each(|of| self.add(of)),
            ShapeType::As(of, names) => [of, names].into_iter().for_each(|of| self.add(of)),
            ShapeType::Expected(inner) => {
                self.parts.push(CursorPart::Type(of));
                self.add(inner);
            }
            of => self.parts.push(CursorPart::Type(of)),
        }
    }

    fn add_shape(&mut self, shape: &'static Shape) {
        match &shape.is {
            Some(is) => self.add(is),
            None => self.parts.push(CursorPart::Map(shape)),
        }
    }

    /// The kind of name that a key must have here.
    pub(super) fn key_name(&self) -> Option<NameUse> {
        self.parts.iter().find_map(|part| match part {
            CursorPart::Map(shape) => shape.names,
            CursorPart::Type(ShapeType::Map(names, _)) => *names,
            CursorPart::Type(_) => None,
        })
    }

    /// The kind of name that a value must have here.
    pub(super) fn value_name(&self) -> Option<NameUse> {
        self.parts.iter().find_map(|part| match part {
            CursorPart::Type(ShapeType::Name(name)) => Some(*name),
            CursorPart::Type(_) | CursorPart::Map(_) => None,
        })
    }

    fn maps(&self) -> impl Iterator<Item = &'static Shape> {
        self.parts.iter().filter_map(|part| match part {
            CursorPart::Map(shape) => Some(*shape),
            CursorPart::Type(_) => None,
        })
    }

    /// The declared keys.
    pub(super) fn keys(&self) -> Vec<&'static ShapeKey> {
        let mut keys: Vec<&ShapeKey> = Vec::new();
        for key in self.maps().flat_map(|shape| shape.keys) {
            if !keys.iter().any(|known| known.name == key.name) {
                keys.push(key);
            }
        }
        keys
    }

    /// The keys from a word list, each with the description of the map, and the operators of expectations.
    pub(super) fn key_words(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let listed = self.maps().flat_map(|shape| {
            shape
                .words
                .map(word_list)
                .unwrap_or_default()
                .into_iter()
                .map(|word| (word, shape.about))
        });
        let operators = self.expected().into_iter().flat_map(|_| OPERATORS);
        listed.chain(operators.map(|word| (word, "Operator of an expectation")))
    }

    /// The words that are possible as the value.
    pub(super) fn words(&self) -> Vec<&'static str> {
        let mut words = Vec::new();
        for part in &self.parts {
            let more = match part {
                CursorPart::Type(ShapeType::Words(words)) => words.to_vec(),
                CursorPart::Type(ShapeType::Listed(list)) => word_list(list),
                CursorPart::Type(ShapeType::Plain("flag")) => vec!["true", "false"],
                CursorPart::Type(_) | CursorPart::Map(_) => Vec::new(),
            };
            words.extend(more);
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsmsim_syntax::shapes::NamedKind::{self, Category, Condition, Intent, Phase, Slot, State};

    fn at(format: FileFormat, path: &str) -> ShapeCursor {
        let keys: Vec<String> = path.split_terminator('/').map(str::to_owned).collect();
        ShapeCursor::at(format, &keys)
    }

    #[test]
    fn declaration_determines_the_names_at_a_path() {
        let kinds = |format: FileFormat, path: &str| -> (Option<NamedKind>, Option<NamedKind>) {
            let cursor = at(format, path);
            (
                cursor.key_name().map(|name| name.kind),
                cursor.value_name().map(|name| name.kind),
            )
        };
        for (format, path, key, value) in [
            (FileFormat::Flow, "states", Some(State), None),
            (
                FileFormat::States,
                "states/a/transitions",
                Some(Intent),
                None,
            ),
            (
                FileFormat::States,
                "states/a/transitions/b",
                None,
                Some(State),
            ),
            (
                FileFormat::States,
                "states/a/transitions/b/then",
                None,
                Some(State),
            ),
            (
                FileFormat::States,
                "states/a/transitions/b/when",
                None,
                Some(Condition),
            ),
            (
                FileFormat::States,
                "states/a/transitions/b/when/and/slot",
                None,
                Some(Slot),
            ),
            (FileFormat::Flow, "flow/phases/order", None, Some(Phase)),
            (FileFormat::Flow, "phases/order", None, Some(Phase)),
            (
                FileFormat::Constants,
                "intents/categories",
                Some(Category),
                None,
            ),
            (
                FileFormat::Constants,
                "intents/categories/price",
                None,
                Some(Intent),
            ),
            (
                FileFormat::Flow,
                "constants/intents/categories/price",
                None,
                Some(Intent),
            ),
            (
                FileFormat::Scenario,
                "turns/expect/state",
                None,
                Some(State),
            ),
            (
                FileFormat::Scenario,
                "turns/expect/state/any",
                None,
                Some(State),
            ),
            (FileFormat::Scenario, "end/data", Some(Slot), None),
            (FileFormat::Scenario, "turns/say", None, None),
            (FileFormat::Other, "states", None, None),
        ] {
            assert_eq!(kinds(format, path), (key, value), "{path}");
        }
    }

    #[test]
    fn declaration_determines_keys_and_words_at_a_path() {
        let keys = at(FileFormat::States, "states/a").keys();
        assert!(
            keys.iter()
                .any(|key| key.name == "goal" && !key.about.is_empty())
        );
        let keys = at(FileFormat::States, "states/a/transitions/x").keys();
        assert!(keys.iter().any(|key| key.name == "then" && key.is_required));
        let words = at(FileFormat::Scenario, "turns/expect/class").words();
        assert!(words.contains(&"advance"), "{words:?}");
        assert!(at(FileFormat::Other, "").keys().is_empty());
    }
}
