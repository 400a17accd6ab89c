//! Reads the operations of transitions in a state set: `moves: {STATE: {STATE: {sets: …}}}` in `contract.yaml`.

use crate::dialect::condition::Conditions;
use crate::dialect::ops::{KEYS, OpsReader};
use fsmsim_core::engine::policy::{Guidance, Guide};
use fsmsim_core::machine::{MachineBuilder, RuleId};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics};
use fsmsim_syntax::document::{Fields, Key, Node, entries_of};
use fsmsim_syntax::shapes;

/// Adds the operations to the transitions.
pub(super) fn operations<'n>(
    moves: &'n [(Key, Node)],
    guidance: &Guidance,
    conditions: &mut Conditions<'n>,
    builder: &mut MachineBuilder,
    found: &mut Diagnostics,
) {
    for (from, node) in moves {
        let Some(own) = builder
            .names
            .states
            .id(&from.text)
            .and_then(|id| guidance.of(id))
        else {
            Diagnostic::undefined(Code::UnknownState, "state", &from.text, from.span)
                .near(
                    &from.text,
                    builder.names.states.iter(),
                    "use a state of the state set",
                )
                .add_to(found);
            continue;
        };
        for (to, node) in entries_of(node, "moves", found) {
            let Some(rule) = move_to(from, to, own, builder, found) else {
                continue;
            };
            let Some(fields) = Fields::of(node, &shapes::MOVE, found) else {
                continue;
            };
            fields.finish();
            let origin = builder.rule_origin(rule);
            let code = Code::BadTransition;
            let mut reader = OpsReader {
                conditions,
                builder,
                found,
                origin,
                code,
                fields_only: false,
            };
            let ops = reader.read_all(node, &KEYS);
            builder.give_ops(rule, ops);
        }
    }
}

/// The rule of a declared transition.
fn move_to(
    from: &Key,
    to: &Key,
    own: &Guide,
    builder: &MachineBuilder,
    found: &mut Diagnostics,
) -> Option<RuleId> {
    let declared = builder
        .names
        .states
        .id(&to.text)
        .and_then(|target| own.move_to(target));
    declared.map(|declared| declared.rule).or_else(|| {
        let names = own
            .moves
            .iter()
            .map(|declared| builder.names.states.name(declared.target));
        Diagnostic::error(
            Code::UnknownState,
            format!("state `{}` has no transition to `{}`", from.text, to.text),
        )
        .at(to.span, "not declared")
        .near(
            &to.text,
            names,
            "declare the transition in the text of the state",
        )
        .refuse(found)
    })
}
