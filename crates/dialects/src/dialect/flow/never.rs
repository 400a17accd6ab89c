//! Finds declarations of a flow that cannot have an effect.

use super::FlowParts;
use super::document::FlowDocument;
use super::state_lowering::FlowDraft;
use fsmsim_core::machine::MachineBuilder;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, FileId};
use fsmsim_syntax::document::Key;

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
    if parts.variant.switches().circular_flow && !is_set {
        disabled_go_back(drafts, &own, found);
    }
    phases(document, builder, found);
}

/// Reports states of the flow that replace states of the base flow.
fn replaced_states(pairs: &[(&Key, &Key)], found: &mut Diagnostics) {
    for (own, base) in pairs {
        let title = format!(
            "state `{}` replaces a state of the base flow completely",
            own.text
        );
        Diagnostic::warning(Code::HiddenBase, title)
            .at(own.span, "replaces the base state")
            .at(base.span, "base state")
            .help("rename the state; to change only part of it, use `extends` with a new name")
            .add_to(found);
    }
}

/// Reports the `go_back` transitions of the flow in one finding, if the flow does not set the flag that enables them.
fn disabled_go_back(drafts: &[FlowDraft<'_>], own: &[FileId], found: &mut Diagnostics) {
    let declared = drafts
        .iter()
        .filter_map(|draft| draft.resolved.transitions.get("go_back"));
    let mut places: Vec<_> = declared
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

/// Reports phases of the order without states.
fn phases(document: &FlowDocument<'_>, builder: &MachineBuilder, found: &mut Diagnostics) {
    let Some(phases) = &document.phases else {
        return;
    };
    let belongs = |name: &str| {
        let phase = builder.names.phases.id(name);
        let mapped = phases.mapping.iter().any(|(key, _)| &*key.text == name);
        mapped
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
}
