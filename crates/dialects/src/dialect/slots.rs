//! Declarations of slots: `NAME: {type: integer, at_least: 1, description: TEXT}`.

use super::condition::slot_named;
use fsmsim_core::machine::{Float, MachineBuilder, SlotDeclaration, SlotFormat, SlotKind, Value};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use fsmsim_syntax::document::{Atom, Content, Fields, Key, Node, number_of, text_of, word_of};
use fsmsim_syntax::shapes;

/// Declares the slots with their types. This runs after the states have named their slots, because records list data in
/// the order in which slots are named.
pub(super) fn declare(
    entries: &[(Key, Node)],
    builder: &mut MachineBuilder,
    found: &mut Diagnostics,
) {
    for (key, node) in entries {
        let Some(mut fields) = Fields::of(node, &shapes::SLOT, found) else {
            continue;
        };
        let initial = fields.node("initial");
        let text = SlotText {
            kind: fields.node("type"),
            format: fields.node("format"),
            values: fields.node("values"),
            least: fields.node("at_least"),
            most: fields.node("at_most"),
        };
        let description_node = fields.node("description");
        fields.finish();
        let description = description_node
            .and_then(|node| words(node, found))
            .unwrap_or_default()
            .into();
        let Some(slot) = slot_named(&key.text, key.span, builder, found) else {
            continue;
        };
        let is_field = builder.frames.field(slot).is_some();
        if let Some(node) = text.first().filter(|_| is_field) {
            let title = format!("what `{}` may hold is declared under `frames`", key.text);
            bad(title, node.span, "a field of a frame")
                .help("leave this key out")
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
                let data = builder.initial_data.iter_mut();
                for (_, value) in data.filter(|(known, _)| *known == slot) {
                    value.clone_from(&admitted);
                }
            }
            Some((node, None)) => {
                let title = format!("`{}` cannot begin as {}", key.text, Value::from(node));
                bad(title, node.span, "not allowed")
                    .help(format!("it holds {}", declaration.in_words()))
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
            .and_then(|node| word_of::<SlotKind>(node, "a type", found));
        let format = self
            .format
            .and_then(|node| word_of::<SlotFormat>(node, "a type", found));
        let values = self
            .values
            .map(|node| values(node, found))
            .unwrap_or_default();
        let mut bound = |node: Option<&Node>, key| {
            let number = node.and_then(|node| number_of(node, key, found))?;
            if number.is_finite() {
                return Some(Float::new(number));
            }
            let finding = bad(
                format!("`{key}` cannot be `{number}`"),
                node?.span,
                "no bound",
            );
            finding.help("give a number, or leave it out").refuse(found)
        };
        let (least, most) = (bound(self.least, "at_least"), bound(self.most, "at_most"));
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

    /// Reports keys that do not apply to the type, and values that do not have the type.
    fn check(&self, declaration: &SlotDeclaration, values: &[Value], found: &mut Diagnostics) {
        let Some(kind) = declaration.kind else { return };
        let numbers = matches!(kind, SlotKind::Integer | SlotKind::Number);
        let of_text = "only a `text` is written in a format";
        let of_numbers = "only an `integer` and a `number` have bounds";
        let suits = [
            ("format", self.format, kind == SlotKind::Text, of_text),
            ("at_least", self.least, numbers, of_numbers),
            ("at_most", self.most, numbers, of_numbers),
        ];
        for (key, node, suits, why) in suits {
            if let Some(node) = node.filter(|_| !suits) {
                let title = format!("`{key}` does not suit the type `{}`", kind.name());
                bad(title, node.span, "of no use").help(why).add_to(found);
            }
        }
        if let Some(node) = self.most.filter(|_| {
            declaration
                .least
                .zip(declaration.most)
                .is_some_and(|(least, most)| least.get() > most.get())
        }) {
            bad(
                "no number is in these bounds",
                node.span,
                "below `at_least`",
            )
            .help("swap the two")
            .add_to(found);
        }
        let items = self.values.map(Node::items).unwrap_or_default();
        for (at, (node, value)) in items.iter().zip(values).enumerate() {
            if let Some(known) = values.iter().take(at).find(|known| is_same(known, value)) {
                let (title, help) = if known == value {
                    (
                        format!("`{value}` stands twice among the values"),
                        "leave one of them out",
                    )
                } else {
                    let help = "leave one of them out: the case of letters makes no difference";
                    (format!("`{value}` is the same value as `{known}`"), help)
                };
                bad(title, node.span, "said before")
                    .help(help)
                    .add_to(found);
            }
            let fits = match kind {
                SlotKind::List => !matches!(value, Value::List(_) | Value::Map(_)),
                _ => declaration.admit(value).as_ref() == Some(value),
            };
            if !fits {
                bad(
                    format!("`{value}` is no value of this slot"),
                    node.span,
                    "not allowed",
                )
                .help(format!("it holds {}", declaration.in_words()))
                .add_to(found);
            }
        }
    }
}

/// Whether two values are equal to the user: case and surrounding spaces are ignored.
fn is_same(one: &Value, other: &Value) -> bool {
    let folded = |value: &Value| value.as_text().map(|text| text.trim().to_lowercase());
    one == other || folded(one).is_some_and(|text| Some(text) == folded(other))
}

fn words<'n>(node: &'n Node, found: &mut Diagnostics) -> Option<&'n str> {
    if matches!(
        node.atom(),
        Some(Atom::Int(_) | Atom::Float(_) | Atom::Bool(_))
    ) {
        let finding = bad(
            "the `description` of a slot is a text",
            node.span,
            "no text",
        );
        return finding
            .help("say in a few words what the slot is for")
            .refuse(found);
    }
    text_of(node, "description", found)
}

/// The values of a slot: a list of scalars.
fn values(node: &Node, found: &mut Diagnostics) -> Box<[Value]> {
    let is_plain = |item: &Node| matches!(item.content, Content::Scalar(_)) && !item.is_null();
    match &node.content {
        Content::List(items) if !items.is_empty() && items.iter().all(is_plain) => {
            items.iter().map(Value::from).collect()
        }
        _ => {
            bad(
                "the values of a slot are a list of texts, numbers, `true` and `false`",
                node.span,
                "not such a list",
            )
            .help("write `values: [small, large]`, or leave it out: then it may hold any")
            .add_to(found);
            Box::default()
        }
    }
}

fn bad(title: impl Into<String>, span: Span, label: &str) -> Diagnostic {
    Diagnostic::error(Code::BadSlot, title).at(span, label)
}
