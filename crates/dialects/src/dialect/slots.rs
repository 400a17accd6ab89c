//! Declarations of slots: `NAME: {type: integer, at_least: 1, description: TEXT}`.

use super::condition::slot_named;
use fsmsim_core::machine::{Float, MachineBuilder, SlotDeclaration, SlotFormat, SlotKind, Value};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use fsmsim_syntax::document::{Atom, Content, Fields, Key, Node, number_of, text_of, word_of};
use fsmsim_syntax::shapes;

/// Declares the slots with their types. Must run after the slots of all states are declared, because records list data
/// in the order of declaration.
pub(super) fn declare(
    entries: &[(Key, Node)],
    builder: &mut MachineBuilder,
    found: &mut Diagnostics,
) {
    for (key, node) in entries {
        let Some(mut fields) = Fields::of(node, &shapes::SLOT, found) else {
            continue;
        };
        let [initial, description, kind, format] =
            fields.nodes(["initial", "description", "type", "format"]);
        let [values, least, most] = fields.nodes(["values", "at_least", "at_most"]);
        fields.finish();
        let text = SlotText {
            kind,
            format,
            values,
            least,
            most,
        };
        let description = description
            .and_then(|node| words(node, found))
            .unwrap_or_default()
            .into();
        let Some(slot) = slot_named(&key.text, key.span, builder, found) else {
            continue;
        };
        let is_field = builder.frames.field(slot).is_some();
        if let Some(node) = text.first().filter(|_| is_field) {
            let title = format!("cannot restrict the field `{}` under `slots`", key.text);
            bad(title, node.span, "field of a frame")
                .help("remove the key; declare the values under `frames`")
                .add_to(found);
            continue;
        }
        let Some(declaration) = text.read(found) else {
            continue;
        };
        let admitted = initial.map(|node| (node, declaration.admit(&Value::from(node))));
        match admitted {
            None => {}
            Some((_, Some(admitted))) => {
                for (_, value) in builder
                    .initial_data
                    .iter_mut()
                    .filter(|(known, _)| *known == slot)
                {
                    value.clone_from(&admitted);
                }
            }
            Some((node, None)) => {
                let title = format!(
                    "slot `{}` does not allow the initial value {}",
                    key.text,
                    Value::from(node)
                );
                bad(title, node.span, "not allowed")
                    .help(format!("use {}", declaration.in_words()))
                    .add_to(found);
            }
        }
        *builder.slots.grow(slot) = SlotDeclaration {
            is_declared: true,
            description,
            ..declaration
        };
    }
}

/// The keys that restrict the values of a slot.
struct SlotText<'n> {
    kind: Option<&'n Node>,
    format: Option<&'n Node>,
    values: Option<&'n Node>,
    least: Option<&'n Node>,
    most: Option<&'n Node>,
}

impl<'n> SlotText<'n> {
    fn first(&self) -> Option<&'n Node> {
        [self.kind, self.format, self.values, self.least, self.most]
            .into_iter()
            .flatten()
            .next()
    }

    /// Reads the keys. Returns `None`, with findings, if they are invalid.
    fn read(&self, found: &mut Diagnostics) -> Option<SlotDeclaration> {
        let errors = found.error_count();
        let kind = self
            .kind
            .and_then(|node| word_of::<SlotKind>(node, "type", found));
        let format = self
            .format
            .and_then(|node| word_of::<SlotFormat>(node, "format", found));
        let values = self
            .values
            .map(|node| values(node, found))
            .unwrap_or_default();
        let mut bound = |node: Option<&Node>, key| {
            node.and_then(|node| number_of(node, key, found))
                .map(Float::new)
        };
        let least = bound(self.least, "at_least");
        let most = bound(self.most, "at_most");
        // Without `type`, the type follows from the values, the format or the bounds.
        let implied = match values.first() {
            Some(Value::Text(_)) => Some(SlotKind::Text),
            Some(Value::Bool(_)) => Some(SlotKind::Boolean),
            Some(_) if values.iter().all(|value| matches!(value, Value::Int(_))) => {
                Some(SlotKind::Integer)
            }
            Some(_) => Some(SlotKind::Number),
            None if format.is_some() => Some(SlotKind::Text),
            None if least.is_some() || most.is_some() => Some(SlotKind::Number),
            None => None,
        };
        let declaration = SlotDeclaration {
            kind: kind.or(implied),
            format,
            least,
            most,
            ..SlotDeclaration::default()
        };
        self.check(&declaration, &values, found);
        found.no_errors_since(errors).then_some(SlotDeclaration {
            values,
            ..declaration
        })
    }

    /// Reports keys that do not apply to the type, and values of another type.
    fn check(&self, declaration: &SlotDeclaration, values: &[Value], found: &mut Diagnostics) {
        let Some(kind) = declaration.kind else { return };
        let numbers = matches!(kind, SlotKind::Integer | SlotKind::Number);
        let of_text = "remove the key, or set `type: text`";
        let of_numbers = "remove the key, or set `type: integer` or `type: number`";
        let suits = [
            ("format", self.format, kind == SlotKind::Text, of_text),
            ("at_least", self.least, numbers, of_numbers),
            ("at_most", self.most, numbers, of_numbers),
        ];
        for (key, node, suits, why) in suits {
            if let Some(node) = node.filter(|_| !suits) {
                let title = format!("cannot use `{key}` with the type `{}`", kind.name());
                bad(title, node.span, "no effect").help(why).add_to(found);
            }
        }
        if let Some(node) = self.most.filter(|_| {
            declaration
                .least
                .zip(declaration.most)
                .is_some_and(|(least, most)| least.get() > most.get())
        }) {
            bad(
                "`at_least` is greater than `at_most`",
                node.span,
                "too small",
            )
            .help("swap the two numbers")
            .add_to(found);
        }
        for (at, (node, value)) in self
            .values
            .map(Node::items)
            .unwrap_or_default()
            .iter()
            .zip(values)
            .enumerate()
        {
            if let Some(known) = values.iter().take(at).find(|known| is_same(known, value)) {
                let (title, help) = if known == value {
                    (
                        format!("value `{value}` is defined twice"),
                        "remove one of them",
                    )
                } else {
                    let help = "remove one of them; case and surrounding spaces are ignored";
                    (format!("value `{value}` is the same as `{known}`"), help)
                };
                bad(title, node.span, "second definition")
                    .help(help)
                    .add_to(found);
            }
            let fits = match kind {
                SlotKind::List => !matches!(value, Value::List(_) | Value::Map(_)),
                _ => declaration.admit(value).as_ref() == Some(value),
            };
            if !fits {
                bad(
                    format!("invalid value `{value}` for the slot"),
                    node.span,
                    "not allowed",
                )
                .help(format!("use {}", declaration.in_words()))
                .add_to(found);
            }
        }
    }
}

/// Whether two values are equal for a user: case and surrounding spaces are ignored.
fn is_same(one: &Value, other: &Value) -> bool {
    let folded = |value: &Value| value.as_text().map(|text| text.trim().to_lowercase());
    one == other || folded(one).is_some_and(|text| Some(text) == folded(other))
}

fn words<'n>(node: &'n Node, found: &mut Diagnostics) -> Option<&'n str> {
    if matches!(
        node.atom(),
        Some(Atom::Int(_) | Atom::Float(_) | Atom::Bool(_))
    ) {
        return bad(
            "expected a string for the `description` of a slot",
            node.span,
            "not a string",
        )
        .help("describe the purpose of the slot")
        .refuse(found);
    }
    text_of(node, "description", found)
}

/// Reads the values of a slot: a list of scalars.
fn values(node: &Node, found: &mut Diagnostics) -> Box<[Value]> {
    let is_plain = |item: &Node| matches!(item.content, Content::Scalar(_)) && !item.is_null();
    match &node.content {
        Content::List(items) if !items.is_empty() && items.iter().all(is_plain) => {
            items.iter().map(Value::from).collect()
        }
        _ => {
            bad(
                "expected a list of strings, numbers or booleans for the values of a slot",
                node.span,
                "invalid values",
            )
            .help("write a list, such as `values: [small, large]`, or remove the key to allow any value")
            .add_to(found);
            Box::default()
        }
    }
}

fn bad(title: impl Into<String>, span: Span, label: &str) -> Diagnostic {
    Diagnostic::error(Code::BadSlot, title).at(span, label)
}
