//! Checks the names in an expectation: it cannot expect or exclude a name that never occurs.

use super::matcher::{OPERATORS, is_operation};
use fsmsim_core::trace::RecordField;
use fsmsim_runtime::schema::word_list;
use fsmsim_runtime::script::KnownNames;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics};
use fsmsim_syntax::document::{Map, Node, unknown_key};
use fsmsim_syntax::shapes::{self, NameUse, NamedKind, NamedRole, Shape, ShapeType};

/// Checks the names in the expectation for a field.
pub(super) fn check(
    field: RecordField,
    node: &Node,
    names: &KnownNames<'_>,
    found: &mut Diagnostics,
) {
    let mut checker = Checker {
        field: field.name(),
        names,
        found,
    };
    match shapes::EXPECTATION.key(field.name()) {
        _ if field == RecordField::Class => checker.check(node, &CLASS),
        Some(key) => checker.check(node, &key.of),
        None => {}
    }
}

/// The class of a turn. The schema lists all classes.
const CLASS: ShapeType = ShapeType::Name(NameUse {
    kind: NamedKind::TurnClass,
    role: NamedRole::Uses,
});

struct Checker<'c, 'm, 'd> {
    field: &'static str,
    names: &'c KnownNames<'m>,
    found: &'d mut Diagnostics,
}

impl Checker<'_, '_, '_> {
    fn check(&mut self, node: &Node, of: &ShapeType) {
        let of = match of {
            ShapeType::As(_, of)
            | ShapeType::Expected(of)
            | ShapeType::List(of)
            | ShapeType::Many(of) => return self.check(node, of),
            ShapeType::Named(Shape { is: Some(of), .. }) => return self.check(node, of),
            ShapeType::Plain(_) => return,
            of => of,
        };
        if node.is_null() {
            return;
        }
        if let Some(operation) = node.map().filter(|map| is_operation(map)) {
            for (key, _) in operation
                .entries
                .iter()
                .filter(|(key, _)| OF_NUMBERS.contains(&&*key.text))
            {
                Diagnostic::error(
                    Code::BadExpectation,
                    format!(
                        "cannot use `{}` with `{}`: the field is not a number",
                        key.text, self.field
                    ),
                )
                .at(key.span, "never matches")
                .help("write a name, or several: `{in: [A, B]}`")
                .add_to(self.found);
            }
            for (key, inner) in operation
                .entries
                .iter()
                .filter(|(key, _)| !NAMELESS.contains(&&*key.text))
            {
                let items = if &*key.text == "not" {
                    std::slice::from_ref(inner)
                } else {
                    inner.items()
                };
                for item in items {
                    self.check(item, of);
                }
            }
            return;
        }
        if let Some(items) = node.list() {
            for item in items {
                self.check(item, of);
            }
            return;
        }
        match (of, node.map()) {
            (ShapeType::Name(name), None) => self.names.check_node(name.kind, node, self.found),
            (ShapeType::Words(words), None) => self.word(node, words),
            (ShapeType::Listed(list), None) => self.word(node, &word_list(list)),
            (ShapeType::Map(Some(names), _), Some(_)) => {
                self.names.check_keys(names.kind, node, self.found);
            }
            (ShapeType::Named(shape), Some(map)) => self.parts(map, shape),
            (ShapeType::Either(either), map) => {
                let is_map = |of: &&ShapeType| matches!(of, ShapeType::Named(_));
                if let Some(of) = either.iter().find(|of| is_map(of) == map.is_some()) {
                    self.check(node, of);
                }
            }
            (ShapeType::Name(_) | ShapeType::Words(_) | ShapeType::Listed(_), Some(map)) => {
                self.operator(map);
            }
            _ => {}
        }
    }

    fn parts(&mut self, map: &Map, shape: &Shape) {
        for (key, value) in &map.entries {
            match shape.key(&key.text) {
                Some(known) => self.check(value, &known.of),
                None if shape.others.is_some() => {}
                None => {
                    let known: Vec<&str> = shape.key_names().collect();
                    unknown_key(key, &format!("`{}`", self.field), &known, self.found);
                }
            }
        }
    }

    fn word(&mut self, node: &Node, words: &[&'static str]) {
        // The texts in an input are free, because a script defines them.
        let is_free = self.field == RecordField::Input.name();
        let name = node.text().filter(|name| !is_free && !words.contains(name));
        let Some(name) = name else { return };
        Diagnostic::error(
            Code::UnknownName,
            format!("unknown value `{name}` for `{}`", self.field),
        )
        .at(node.span, "unknown value")
        .offer(name, "use one of", words.iter().copied())
        .add_to(self.found);
    }

    /// Checks a map in place of a name. Its keys can only be operators.
    fn operator(&mut self, map: &Map) {
        for (key, _) in map
            .entries
            .iter()
            .filter(|(key, _)| !OPERATORS.contains(&&*key.text))
        {
            Diagnostic::error(
                Code::BadExpectation,
                format!("unknown key `{}` in `{}`", key.text, self.field),
            )
            .at(key.span, "unknown key")
            .near(
                &key.text,
                OPERATORS,
                format!("write a name, or one of `{}`", OPERATORS.join("`, `")),
            )
            .add_to(self.found);
        }
    }
}

/// Operators that apply only to numbers.
const OF_NUMBERS: [&str; 3] = ["at_least", "at_most", "between"];
/// Operators whose values are not names.
const NAMELESS: [&str; 4] = ["matches", "at_least", "at_most", "between"];
