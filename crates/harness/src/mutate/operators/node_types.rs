//! The types that a format allows for a value.

use fsmsim_syntax::document::{Content, Node};
use fsmsim_syntax::shapes::{NameUse, Shape, ShapeType};

/// The types of a value: several if its type has alternatives. List items have the type of their list.
#[derive(Clone, Default)]
pub(super) struct NodeTypes {
    maps: Vec<&'static Shape>,
    others: Vec<&'static ShapeType>,
}

impl NodeTypes {
    pub(super) fn of(shape: &'static Shape) -> Self {
        let mut types = Self::default();
        types.add_shape(shape);
        types
    }

    fn add_shape(&mut self, shape: &'static Shape) {
        match &shape.is {
            Some(is) => self.add(is),
            None => self.maps.push(shape),
        }
    }

    fn add(&mut self, of: &'static ShapeType) {
        match of {
            ShapeType::Named(shape) => self.add_shape(shape),
            ShapeType::List(of) | ShapeType::Many(of) | ShapeType::Expected(of) => self.add(of),
            ShapeType::Either(either) => either.iter().for_each(|of| self.add(of)),
            ShapeType::As(of, names) => [of, names].into_iter().for_each(|of| self.add(of)),
            of => self.others.push(of),
        }
    }

    /// The types of the value of a key.
    pub(super) fn enter(&self, key: &str) -> Self {
        let mut inside = Self::default();
        for shape in &self.maps {
            let of = shape.key(key).map(|key| &key.of);
            of.or(shape.others.as_ref())
                .into_iter()
                .for_each(|of| inside.add(of));
        }
        for of in &self.others {
            if let ShapeType::Map(_, of) = of {
                inside.add(of);
            }
        }
        inside
    }

    /// The shapes that allow a key, each with whether it requires the key. Names of the model have an empty shape.
    pub(super) fn owners(&self, key: &str) -> Vec<(&'static str, bool)> {
        let owner = |shape: &&'static Shape| match shape.key(key) {
            Some(known) => Some((shape.name, known.is_required)),
            None => shape.others.as_ref().map(|_| (shape.name, false)),
        };
        let owners: Vec<_> = self.maps.iter().filter_map(owner).collect();
        if owners.is_empty() {
            return vec![("", false)];
        }
        owners
    }

    pub(super) fn has_map(&self, shape: &str) -> bool {
        self.maps.iter().any(|map| map.name == shape)
    }

    /// The kind of name that a value must have.
    pub(super) fn name(&self) -> Option<NameUse> {
        self.others.iter().find_map(|of| match of {
            ShapeType::Name(name) => Some(*name),
            _ => None,
        })
    }

    /// Whether the value is a condition, not another value that is allowed in its place.
    pub(super) fn is_condition(&self, node: &Node) -> bool {
        let is_form = |shape: &&'static Shape| {
            matches!(shape.name, "question" | "all_of" | "any_of" | "none_of")
                && node
                    .entries()
                    .iter()
                    .all(|(key, _)| shape.key(&key.text).is_some())
        };
        match &node.content {
            Content::Scalar(scalar) => {
                self.has_map("question") && !node.is_null() && !scalar.text.contains("{{")
            }
            Content::List(_) => false,
            Content::Map(map) => !map.entries.is_empty() && self.maps.iter().any(is_form),
        }
    }
}
