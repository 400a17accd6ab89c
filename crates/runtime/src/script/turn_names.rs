//! Checks the names of a scenario turn against the model, and numbers against their ranges.

use super::known_names::KnownNames;
use fsmsim_core::engine::{Machine, TONES};
use fsmsim_core::machine::{EVENTS, NeedKind};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics};
use fsmsim_syntax::document::{Atom, Node};
use fsmsim_syntax::shapes::NamedKind;

/// Maximum frustration of a user.
pub const MAX_FRUSTRATION: i64 = 10;

/// Reports unknown names and numbers out of range in a turn. Dialogues that moves drive have no intents.
pub(super) fn check_names(
    turn: &Node,
    is_led: bool,
    names: &KnownNames<'_>,
    found: &mut Diagnostics,
) {
    if is_led {
        turn.get("goto")
            .into_iter()
            .for_each(|node| names.check_node(NamedKind::State, node, found));
    } else {
        for node in ["intent", "also"]
            .into_iter()
            .filter_map(|key| turn.get(key))
            .flat_map(Node::items)
        {
            names.check_node(NamedKind::Intent, node, found);
        }
    }
    // The results of a node's task are also data.
    let outputs = turn
        .get("answers")
        .map(Node::items)
        .unwrap_or_default()
        .iter()
        .filter(|answer| answer.get("need").and_then(Node::text) == Some(NeedKind::Work.name()))
        .filter_map(|answer| answer.get("answer")?.get("output"));
    turn.get("data")
        .into_iter()
        .chain(outputs)
        .for_each(|data| names.check_keys(NamedKind::Slot, data, found));
    EVENTS
        .into_iter()
        .filter_map(|key| turn.get(key))
        .for_each(|data| names.check_event(data, found));
    for operation in turn.get("before").map(Node::items).unwrap_or_default() {
        check_operation(operation, names, found);
    }
    if let Some(node) = turn.get("tone")
        && let Some(tone) = node
            .text()
            .filter(|tone| !TONES.contains(&&*tone.to_lowercase()))
        && !names.is_foreign(tone)
    {
        Diagnostic::not_among(Code::UnknownName, "tone", tone, node.span, TONES).add_to(found);
    }
    if let Some(node) = turn.get("frustration")
        && let Some(Atom::Int(level)) = node.atom()
        && !(0..=MAX_FRUSTRATION).contains(&level)
    {
        Diagnostic::error(
            Code::OutOfRange,
            format!(
                "expected a number from 0 to {MAX_FRUSTRATION} for `frustration`, found {level}"
            ),
        )
        .at(node.span, "out of range")
        .help("use 0 for a user who is not frustrated")
        .add_to(found);
    }
}

/// Reports the triggers that a turn contains as intents.
pub(super) fn check_triggers(turn: &Node, machine: &Machine, found: &mut Diagnostics) {
    let said = ["intent", "also"]
        .into_iter()
        .filter_map(|key| turn.get(key));
    for node in said.flat_map(Node::items) {
        if let Some(finding) = node.text().and_then(|name| said_trigger(machine, name)) {
            finding.at(node.span, "not an intent").add_to(found);
        }
    }
}

/// The finding about a trigger that a user says. A model with profiles accepts it, because its recordings contain
/// triggers.
pub fn said_trigger(machine: &Machine, name: &str) -> Option<Diagnostic> {
    let id = machine.names.intents.id(name)?;
    if machine.has_profiles() || !machine.is_trigger(id) {
        return None;
    }
    let title = format!("cannot use the trigger `{name}` as an intent");
    let help = "give required data with an intent, or write `say` without an intent";
    Some(Diagnostic::error(Code::SaidTrigger, title).help(help))
}

/// Checks the names of an operation between turns.
fn check_operation(operation: &Node, names: &KnownNames<'_>, found: &mut Diagnostics) {
    let kinds = [
        ("state", NamedKind::State),
        ("next_state", NamedKind::State),
        ("phase", NamedKind::Phase),
        ("action", NamedKind::Action),
    ];
    for (key, kind) in kinds {
        if let Some(node) = operation.get(key) {
            names.check_node(kind, node, found);
        }
    }
    if let Some(data) = operation.get("data") {
        names.check_keys(NamedKind::Slot, data, found);
    }
}
