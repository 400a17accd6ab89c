//! Decides whether a flow has the sales policy, and reports keys that only this policy knows
//! (docs/src/explanation/flows.md).

use super::document::FlowDocument;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics};
use fsmsim_syntax::document::Node;
use fsmsim_syntax::shapes::{self, Shape, ShapeType};

/// Whether a flow has the sales policy: because it says so, or because it has a configuration root. A base flow is a
/// part of its configuration root, so a flow that extends it has the policy too.
pub(super) fn is_sales(document: &FlowDocument<'_>, has_root: bool) -> bool {
    document.is_sales.unwrap_or(has_root)
}

/// Reports the keys of a plain flow and its separate states that only the sales policy knows.
pub(super) fn check_keys(flow: &Node, states: Option<&Node>, found: &mut Diagnostics) {
    check_map(flow, &shapes::FLOW_FILE, found);
    if let Some(states) = states {
        check_map(states, &shapes::STATES_FILE, found);
    }
}

fn check_map(node: &Node, shape: &'static Shape, found: &mut Diagnostics) {
    for (key, value) in node.entries() {
        let Some(known) = shape.key(&key.text) else {
            continue;
        };
        match &known.of {
            _ if !known.policy.is_empty() => {
                let title = format!("cannot use `{}` in a plain flow", key.text);
                Diagnostic::error(Code::PolicyKey, title)
                    .at(key.span, "key of the sales policy")
                    .help("set `flow: {policy: sales}`, or remove the key")
                    .add_to(found);
            }
            ShapeType::Named(shape) => check_map(value, shape, found),
            ShapeType::Map(_, ShapeType::Named(shape)) => {
                for (_, value) in value.entries() {
                    check_map(value, shape, found);
                }
            }
            _ => {}
        }
    }
}
