//! Finds declarations of a flow that cannot have an effect.

use super::FlowParts;
use super::document::FlowDocument;
use super::state_lowering::FlowDraft;
use crate::dialect::condition::state_named;
use fsmsim_core::machine::MachineBuilder;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, FileId, nearest};
use fsmsim_syntax::document::{Key, text_of};

/// The flag that enables going back.
const GO_BACK_FLAG: &str = "circular_flow";

/// Checks a flow. All states must be complete. `hidden` lists the states of the flow that replace base states.
pub(super) fn check(
    parts: &FlowParts<'_>,
    drafts: &[FlowDraft<'_>],
    hidden: &[(&Key, &Key)],
    builder: &MachineBuilder,
    found: &mut Diagnostics,
) {
    let document = &parts.document;
    let own: Vec<FileId> = [document.states, parts.own]
        .into_iter()
        .flatten()
        .map(|node| node.span.file)
        .collect();
    replaced_states(hidden, found);
    let mut flags = parts.feature_flags();
    let is_set = flags.any(|flags| flags.get(GO_BACK_FLAG).is_some());
    if parts.is_sales && parts.variant.switches().circular_flow && !is_set {
        disabled_go_back(drafts, &own, found);
    }
    phases(document, drafts, builder, found);
}

/// Reports states of the flow that replace states of the base flow.
fn replaced_states(pairs: &[(&Key, &Key)], found: &mut Diagnostics) {
    for (own, base) in pairs {
        Diagnostic::warning(
            Code::HiddenBase,
            format!(
                "state `{}` replaces a state of the base flow completely",
                own.text
            ),
        )
        .at(own.span, "replaces the base state")
        .at(base.span, "base state")
        .help("rename the state; to change only part of it, use `extends` with a new name")
        .add_to(found);
    }
}

/// Reports the `go_back` transitions of the flow in one finding, if the flow does not set the flag that enables them.
fn disabled_go_back(drafts: &[FlowDraft<'_>], own: &[FileId], found: &mut Diagnostics) {
    let mut places: Vec<_> = drafts
        .iter()
        .filter_map(|draft| draft.resolved.transitions.get("go_back"))
        .map(|entry| entry.key.span)
        .filter(|span| own.contains(&span.file))
        .collect();
    places.sort_unstable();
    places.dedup();
    let Some(first) = places.first() else { return };
    let title =
        format!("transition `go_back` is disabled because the flag `{GO_BACK_FLAG}` is off");
    let finding = Diagnostic::warning(Code::StepBackOff, title)
        .at(*first, "never taken")
        .help(format!("enable it with `feature_flags: {{{GO_BACK_FLAG}: true}}`, or set `false` if that is intended"));
    let more = places.len() - 1;
    found.push(if more == 0 {
        finding
    } else {
        finding.note(if more == 1 {
            "1 more transition of the flow is disabled".to_owned()
        } else {
            format!("{more} more transitions of the flow are disabled")
        })
    });
}

/// Reports phases of the order without states, and phases that are not in the order. Phases of `mapping` can follow the
/// order, unless their names are similar.
fn phases(
    document: &FlowDocument<'_>,
    drafts: &[FlowDraft<'_>],
    builder: &MachineBuilder,
    found: &mut Diagnostics,
) {
    let Some(phases) = &document.phases else {
        return;
    };
    let is_mapped = |name: &str| phases.mapping.iter().any(|(key, _)| &*key.text == name);
    let belongs = |name: &str| {
        let phase = builder.names.phases.id(name);
        is_mapped(name)
            || builder
                .states
                .iter()
                .any(|state| state.declared && phase.is_some() && state.seen_phase == phase)
    };
    for node in phases.order_items {
        let Some(name) = node.text().filter(|name| !belongs(name)) else {
            continue;
        };
        Diagnostic::warning(
            Code::PhaseWithoutState,
            format!("phase `{name}` has no state"),
        )
        .at(node.span, "never entered")
        .help(format!(
            "add `mapping: {{{name}: STATE}}`, or `phase: {name}` in a state"
        ))
        .add_to(found);
    }
    let mut used: Vec<_> = phases
        .mapping
        .iter()
        .chain(phases.skip_conditions)
        .map(|(key, _)| (&*key.text, key.span, true))
        .collect();
    for (intent, node) in phases.progress_intents {
        used.extend(text_of(node, &intent.text, found).map(|name| (name, node.span, true)));
    }
    used.extend(drafts.iter().filter_map(|draft| {
        let node = ["phase", "spin_phase"]
            .into_iter()
            .find_map(|key| draft.resolved.fields.get(key)?.node())?;
        let phase = builder.states[state_named(draft.name, builder)?].phase?;
        Some((builder.names.phases.name(phase), node.span, false))
    }));
    let order = || phases.order.iter().copied();
    for (name, span, is_strict) in used {
        let near = nearest(name, order());
        let may_follow = near.is_none() && is_mapped(name) || phases.order.is_empty();
        if may_follow || order().any(|known| known == name) {
            continue;
        }
        Diagnostic::error_if(
            is_strict && near.is_some(),
            Code::UnknownPhase,
            format!("unknown phase `{name}`"),
        )
        .at(span, "not in the order")
        .suggest(near, "add it to `phases.order`, or correct the name")
        .add_to(found);
    }
}
