//! What a contract says of a dialogue and of a turn, in words.

use std::fmt::Write;

use colored::Colorize;

use super::render::shown;
use crate::diagnostic::escape_control;
use crate::engine::policy::contract::Violation;
use crate::engine::{Machine, Session, Settings, Symbol};
use crate::machine::{Frame, SlotId};
use crate::trace::RecordView;

/// The rows of a turn: its class, the frames that changed, and what was done that is not allowed. Each is a label and a
/// text.
pub(super) fn rows(line: &RecordView<'_>) -> Vec<(&'static str, String)> {
    let Some(contract) = line.machine.contract() else { return Vec::new() };
    let mut rows = Vec::new();
    if let Some(name) = line.contract_class() {
        let title =
            contract.class(name).map_or(String::new(), |(_, class)| format!(" {}", escape_control(&class.title)));
        let depth = line.depth().map_or("", |depth| depth.name());
        rows.push(("turn of", format!("{}{title}   carried over: {depth}", escape_control(name).bold())));
    }
    rows.extend(choices(line).into_iter().map(|text| ("", text)));
    let changed = line.machine.frames.iter().filter_map(|frame| changes(frame, line));
    rows.extend(changed.map(|text| ("frame", text)));
    let violations = line.contract_outcome().into_iter().flat_map(|outcome| &outcome.violations);
    rows.extend(violations.map(|violation| ("fault", in_words(violation, line).red().to_string())));
    rows
}

/// What else there is to say of the choice of the class.
fn choices(line: &RecordView<'_>) -> Vec<String> {
    let Some(outcome) = line.contract_outcome() else { return Vec::new() };
    let name = |class: &_| escape_control(line.class_name(*class));
    let names = |classes: &[_]| classes.iter().map(name).collect::<Vec<_>>().join(", ");
    let matching = &outcome.matching;
    let mut texts = Vec::new();
    if !matching.refused.is_empty() {
        texts.push(format!("{} would take it, but lacks what it requires", names(&matching.refused)));
    }
    if !matching.also.is_empty() {
        texts.push(format!("{} would take it too", names(&matching.also)));
    }
    if let (Some(chosen), Some(class)) = (&matching.class, &outcome.class)
        && chosen != class
    {
        let came_to = escape_control(outcome.outcome.as_deref().unwrap_or_default());
        texts.push(format!("it was to be {}, and the backend came to `{came_to}`", name(chosen)));
    }
    texts
}

/// What the turn did to a frame; nothing where it did nothing.
fn changes(frame: &Frame, line: &RecordView<'_>) -> Option<String> {
    let carryover = &line.record.carryover;
    let of = |names: &[Symbol<SlotId>], field: SlotId| names.iter().any(|name| name.known() == Some(field));
    let texts = frame.fields.iter().filter_map(|field| {
        let name = &field.name;
        let value = escape_control(&shown(line.session.slots.get(field.slot)));
        if of(&carryover.added, field.slot) {
            Some(format!("+{name}={value}").green().to_string())
        } else if of(&carryover.changed, field.slot) {
            Some(format!("~{name}={value}").yellow().to_string())
        } else if of(&carryover.dropped, field.slot) {
            Some(format!("-{name}").red().to_string())
        } else {
            None
        }
    });
    let texts: Vec<String> = texts.collect();
    (!texts.is_empty()).then(|| format!("{}: {}", escape_control(&frame.name), texts.join("  ")))
}

/// What the contract does not allow, in words.
fn in_words(violation: &Violation, line: &RecordView<'_>) -> String {
    let machine = line.machine;
    match violation {
        Violation::Unclassified => "no class takes the turn".to_owned(),
        Violation::UnknownOutcome(outcome) => {
            format!("the contract says nothing of the outcome `{}`", escape_control(outcome))
        }
        Violation::Value { slot, value, .. } => {
            format!("{} cannot hold {}", machine.names.slots.name(*slot), escape_control(&shown(value)))
        }
        Violation::Answer { class, mode } => {
            format!("{} does not answer as {}", line.class_name(*class), escape_control(&shown(mode)))
        }
        Violation::Property { class, property } => {
            let contract = machine.contract();
            let rule = contract.and_then(|contract| contract.classes.lookup(*class)?.properties.get(*property));
            let name = rule.map_or("", |rule| &*rule.name);
            let wants = if rule.is_some_and(|rule| rule.must) { "must" } else { "must not" };
            format!("{} {wants} {}", line.class_name(*class), escape_control(name))
        }
        // Only a turn that somebody else played does such a thing.
        Violation::OtherClass(_) | Violation::TooDeep(..) | Violation::Forbidden(_) | Violation::Changed(..) => {
            violation.name().to_owned()
        }
    }
}

/// The frames with what is known in them, and the classes with what they wait for.
pub(super) fn state(machine: &Machine, settings: &Settings, session: &Session) -> String {
    let mut text = String::new();
    let Some(contract) = machine.contract() else { return text };
    let known = |frame: &&Frame| frame.fields.iter().any(|field| !session.slots.get(field.slot).is_null());
    for frame in machine.frames.iter().filter(known) {
        let _ = writeln!(text, "  {}", format!("{}:", escape_control(&frame.name)).dimmed());
        for field in &frame.fields {
            let value = session.slots.get(field.slot);
            if !value.is_null() {
                let _ = writeln!(text, "    {} = {}", escape_control(&field.name), escape_control(&shown(value)));
            }
        }
    }
    if !contract.classes.is_empty() {
        let _ = writeln!(text, "  {}", "classes:".dimmed());
    }
    for (class, ready) in contract.prior_states(machine, settings, session) {
        let Some(class) = contract.classes.lookup(class) else { continue };
        let takes: Vec<&str> = class.readings.iter().map(|id| machine.names.intents.name(*id)).collect();
        let waits = if ready { "" } else { "   lacks what it requires" };
        let _ = writeln!(
            text,
            "    {} {}   {}{}",
            escape_control(&class.name).bold(),
            escape_control(&class.title),
            escape_control(&takes.join(", ")).cyan(),
            waits.dimmed()
        );
    }
    text
}

/// Why plain text is not understood: none of the phrases of the contract is in it. Nothing where it has none.
pub(super) fn no_phrase(machine: &Machine) -> Option<String> {
    let known: Vec<&str> = machine.phrases.iter().map(|reading| machine.names.intents.name(reading.intent)).collect();
    (!known.is_empty()).then(|| format!(
        "no phrase of the contract is in this, and no model is set up that could read it: write `text / reading`; the readings are {}.",
        known.join(", ")
    ))
}
