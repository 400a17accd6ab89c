//! Compiles frames: names, fields, and the part of the carryover to which each frame belongs.

use fsmsim_core::machine::{
    FieldKind, Frame, FrameField, FrameId, FramePart, IdVec, MachineBuilder, OriginId, Value,
};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics};
use fsmsim_syntax::document::{Content, Fields, Map, Node, text_of, word_of};
use fsmsim_syntax::shapes;

/// Compiles the frames. Their fields are slots with the name `FRAME.FIELD`.
pub(super) fn compile(
    map: &Map,
    origin: OriginId,
    builder: &mut MachineBuilder,
    found: &mut Diagnostics,
) -> IdVec<FrameId, Frame> {
    let mut frames = IdVec::default();
    for (key, node) in &map.entries {
        let Some(mut fields) = Fields::of(node, &shapes::FRAME, found) else {
            continue;
        };
        fields.text("about");
        let part = fields.node("carried");
        let own = fields.map("fields");
        if own.is_none() {
            fields.missing("fields");
        }
        fields.finish();
        if key.text.contains('.') || key.text.is_empty() {
            found.push(bad("expected a frame name without periods").at(key.span, "invalid name"));
        }
        let part = part.and_then(|node| word_of::<FramePart>(node, "carried", found));
        let fields = own
            .into_iter()
            .flat_map(|map| &map.entries)
            .map(|(field, node)| {
                // A field with an invalid kind is still declared, to avoid further findings.
                let kind = kind(node, found).unwrap_or(FieldKind::Text);
                let slot = builder.slot(&format!("{}.{}", key.text, field.text));
                FrameField {
                    name: field.text.clone(),
                    slot,
                    kind,
                }
            });
        let fields = fields.collect();
        let rule = builder.rule(key.span, origin);
        frames.push(Frame {
            name: key.text.clone(),
            fields,
            part: part.unwrap_or(FramePart::None),
            rule,
        });
    }
    frames
}

/// The type of a field: the name of a kind, or the allowed values.
fn kind(node: &Node, found: &mut Diagnostics) -> Option<FieldKind> {
    if let Content::List(items) = &node.content {
        if items.is_empty() {
            return bad("empty list of allowed values for a field")
                .at(node.span, "empty list")
                .help("list the allowed values")
                .refuse(found);
        }
        return Some(FieldKind::OneOf(items.iter().map(Value::from).collect()));
    }
    let name = text_of(node, "the type of a field", found)?;
    FieldKind::WORDS
        .into_iter()
        .find(|(_, word)| *word == name)
        .map(|(kind, _)| kind)
        .or_else(|| {
            let words = FieldKind::WORDS.iter().map(|(_, word)| *word);
            bad(&format!("unknown field type `{name}`"))
                .at(node.span, "not defined")
                .near(
                    name,
                    words,
                    "use `text`, `number`, `flag`, `reference`, `list`, or a list of the allowed values",
                )
                .refuse(found)
        })
}

fn bad(title: &str) -> Diagnostic {
    Diagnostic::error(Code::BadFrame, title)
}
