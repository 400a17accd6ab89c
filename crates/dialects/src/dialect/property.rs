//! Compiles properties: `{always: CONDITION}`, `{never: CONDITION}`, `{reachable: CONDITION}` or `{after: CONDITION,
//! leads_to: CONDITION, within: TURNS}`.

use std::num::NonZeroU32;

use super::condition::Conditions;
use fsmsim_core::machine::{MachineBuilder, MachineProperty, Origin, PropertyKind};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics};
use fsmsim_syntax::document::{Fields, Key, Node, integer_of};
use fsmsim_syntax::shapes;

/// The forms of a property.
const FORMS: &str = "write `{always: CONDITION}`, `{never: CONDITION}`, `{reachable: CONDITION}` or \
                    `{after: CONDITION, leads_to: CONDITION}`";

/// Compiles a property. Returns `None`, with findings, if it is invalid.
pub(super) fn compile_property<'n>(
    key: &Key,
    node: &'n Node,
    conditions: &mut Conditions<'n>,
    builder: &mut MachineBuilder,
    found: &mut Diagnostics,
) -> Option<MachineProperty> {
    let mut fields = Fields::of(node, &shapes::PROPERTY, found)?;
    let mut parts: Vec<(&str, &Node)> = Vec::new();
    for kind in ["always", "never", "reachable", "leads_to"] {
        parts.extend(fields.node(kind).map(|node| (kind, node)));
    }
    let [after, within] = fields.nodes(["after", "within"]);
    let span = node.span;
    let before = fields.found().error_count();
    fields.finish();
    let [(kind, condition)] = *parts else {
        // A typo in the key is already reported.
        if parts.is_empty() && found.error_count() > before {
            return None;
        }
        let says = if parts.is_empty() {
            "missing condition"
        } else {
            "several conditions"
        };
        return Diagnostic::error(
            Code::BadCondition,
            format!("{says} in the property `{}`", key.text),
        )
        .at(span, "expected one")
        .help(FORMS)
        .refuse(found);
    };
    let mut compile = |node| conditions.compile_of_property(node, builder, found);
    let condition = compile(condition);
    let after = after.map(|node| (node, compile(node)));
    let kind = match (kind, after) {
        ("leads_to", Some((_, after))) => PropertyKind::LeadsTo {
            after,
            within: turns(within, found),
        },
        ("leads_to", None) => {
            return Diagnostic::error(
                Code::MissingKey,
                format!("missing `after` in the property `{}`", key.text),
            )
            .at(span, "no trigger")
            .help("write `{after: CONDITION, leads_to: CONDITION}`")
            .refuse(found);
        }
        (kind, after) => {
            let after = after.map(|(node, _)| ("after", node));
            let within = within.map(|node| ("within", node));
            for (word, node) in after.into_iter().chain(within) {
                Diagnostic::error(
                    Code::BadCondition,
                    format!("cannot use `{word}` with `{kind}`"),
                )
                .at(node.span, "only with `leads_to`")
                .help(format!(
                    "remove `{word}`, or use `leads_to` instead of `{kind}`"
                ))
                .add_to(found);
            }
            match kind {
                "always" => PropertyKind::Always,
                "never" => PropertyKind::Never,
                _ => PropertyKind::Reachable,
            }
        }
    };
    let origin = builder.origin(Origin::default());
    Some(MachineProperty {
        name: key.text.clone(),
        condition,
        kind,
        rule: builder.rule(key.span, origin),
    })
}

/// Reads the limit on turns.
fn turns(node: Option<&Node>, found: &mut Diagnostics) -> Option<NonZeroU32> {
    let node = node?;
    let turns = integer_of(node, "within", found)?;
    u32::try_from(turns)
        .ok()
        .and_then(NonZeroU32::new)
        .or_else(|| {
            Diagnostic::error(
                Code::WrongType,
                format!("expected a number of turns for `within`, found {turns}"),
            )
            .at(node.span, "out of range")
            .help("use an integer from 1 to 4294967295; for the same turn, use `always`")
            .refuse(found)
        })
}
