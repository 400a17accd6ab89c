//! Transitions that hold in every state: `everywhere` of a flow or a mixin.

use std::rc::Rc;

use super::inherit::InheritedEntry;
use super::nodes;
use super::state_lowering::FlowDraft;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics};
use fsmsim_syntax::document::{Fields, Node, text_of};
use fsmsim_syntax::shapes;

/// Adds the transitions of the definitions, each with its mixin, to all states. A transition of the state wins, and
/// null removes the transition. Final states and nodes that choose a branch take no turns.
pub(super) fn apply<'a>(
    definitions: impl Iterator<Item = (&'a Node, Option<&'a str>)>,
    drafts: &mut [FlowDraft<'a>],
    found: &mut Diagnostics,
) {
    let names: Vec<&str> = drafts.iter().map(|draft| draft.name).collect();
    for (node, mixin) in definitions {
        let Some(mut fields) = Fields::of(node, &shapes::EVERYWHERE, found) else {
            continue;
        };
        if fields.node("transitions").is_none() {
            fields.missing("transitions");
        }
        let transitions = fields.entries("transitions");
        let except = fields.node("except").map(Node::items).unwrap_or_default();
        fields.finish();
        let mut excepted = Vec::new();
        for item in except {
            let Some(name) = text_of(item, "except", found) else {
                continue;
            };
            excepted.push(name);
            if !names.contains(&name) {
                Diagnostic::unknown(Code::UnknownState, "state", name)
                    .at(item.span, "in `except`")
                    .near(name, names.iter().copied(), "use a state of the flow")
                    .add_to(found);
            }
        }
        let takes_turns = |draft: &&mut FlowDraft<'a>| {
            !excepted.contains(&draft.name) && !nodes::passes(draft) && !nodes::ends(draft)
        };
        for draft in drafts.iter_mut().filter(takes_turns) {
            let name = draft.name;
            let resolved = Rc::make_mut(&mut draft.resolved);
            for (key, target) in transitions {
                if target.text() == Some(name) {
                    continue;
                }
                resolved
                    .transitions
                    .entry(&*key.text)
                    .and_modify(|own| own.replaces = true)
                    .or_insert_with(|| InheritedEntry {
                        mixin,
                        ..InheritedEntry::new(key, target, name)
                    });
            }
        }
    }
}
