//! What a flow declares and can never work, as far as only its files tell it.

use super::FlowParts;
use super::document::FlowDocument;
use super::state_lowering::FlowDraft;
use fsmsim_core::machine::MachineBuilder;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, FileId};
use fsmsim_syntax::document::Key;

/// The flag without which nobody steps back.
const STEPS_BACK: &str = "circular_flow";

/// Looks at a flow whose states are complete. `hidden` are own states with those of the base in whose place they stand.
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
    hide(hidden, found);
    let mut flags = parts.feature_flags();
    let is_said = flags.any(|flags| flags.get(STEPS_BACK).is_some());
    if parts.variant.switches().circular_flow && !is_said {
        steps_back(drafts, &own, found);
    }
    phases(document, builder, found);
}

/// Own states that take the place of states of the base, each with what it hides.
fn hide(pairs: &[(&Key, &Key)], found: &mut Diagnostics) {
    for (own, base) in pairs {
        let title = format!(
            "`{}` takes the place of a state of the base, with nothing of what that one says",
            own.text
        );
        Diagnostic::warning(Code::HiddenBase, title)
            .at(own.span, "defined again")
            .at(base.span, "hidden")
            .help("give it another name; to change only a part, let it extend a state of the base under a new name")
            .add_to(found);
    }
}

/// Steps back that the flow itself declares while nobody says whether there are any. One finding for all.
fn steps_back(drafts: &[FlowDraft<'_>], own: &[FileId], found: &mut Diagnostics) {
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
    let title = format!("`go_back` leads nowhere while the flag `{STEPS_BACK}` is off");
    let finding = Diagnostic::warning(Code::StepBackOff, title)
        .at(*first, "never taken")
        .help(format!("switch it on: `feature_flags: {{{STEPS_BACK}: true}}`, or say `false` where that is meant"));
    let more = places.len() - 1;
    found.push(if more == 0 {
        finding
    } else {
        finding.note(if more == 1 {
            "nor does another one of the flow".to_owned()
        } else {
            format!("nor do {more} more of the flow")
        })
    });
}

/// Phases of the order to which no state belongs.
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
            format!("no state belongs to the phase `{name}`"),
        )
        .at(node.span, "never entered")
        .help(format!(
            "say `mapping: {{{name}: STATE}}`, or `phase: {name}` in a state"
        ))
        .add_to(found);
    }
}
