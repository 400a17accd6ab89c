//! What a contract says of a dialogue and of a turn, in words.

use std::fmt::Write;

use colored::Colorize;

use super::render::shown;
use crate::diagnostic::escape_control;
use crate::engine::{Breach, Choice, ConditionExplainer, Session, Symbol};
use crate::machine::{Frame, Machine, SlotId};
use crate::trace::RecordView;

/// The rows of a turn: its class, the frames that changed, and what was done that is not allowed. Each is a label and a
/// text.
pub(super) fn rows(line: &RecordView<'_>) -> Vec<(&'static str, String)> {
    let Some(contract) = line.machine.contract.as_deref() else { return Vec::new() };
    let mut rows = Vec::new();
    if let Some(name) = line.contract_class() {
        let title = contract
            .class(name)
            .map_or(String::new(), |(_, class)| format!(" {}", escape_control(&class.title)));
        let depth = line.depth().map_or("", |depth| depth.name());
        rows.push(("turn of", format!("{}{title}   carried over: {depth}", escape_control(name).bold())));
    }
    rows.extend(choices(line).into_iter().map(|text| ("", text)));
    let changed = contract.frames.iter().filter_map(|frame| changes(frame, line));
    rows.extend(changed.map(|text| ("frame", text)));
    let breaches = line.record.settled.iter().flat_map(|settled| &settled.breaches);
    rows.extend(breaches.map(|breach| ("fault", in_words(breach, line).red().to_string())));
    rows
}

/// What else there is to say of the choice of the class.
fn choices(line: &RecordView<'_>) -> Vec<String> {
    let Some(settled) = line.record.settled.as_ref() else { return Vec::new() };
    let name = |class: &_| escape_control(Choice::name(line.machine, *class));
    let names = |classes: &[_]| classes.iter().map(name).collect::<Vec<_>>().join(", ");
    let choice = &settled.choice;
    let mut texts = Vec::new();
    if !choice.refused.is_empty() {
        texts.push(format!("{} would take it, but lacks what it requires", names(&choice.refused)));
    }
    if !choice.also.is_empty() {
        texts.push(format!("{} would take it too", names(&choice.also)));
    }
    if let (Some(chosen), Some(class)) = (&choice.class, &settled.class)
        && chosen != class
    {
        let outcome = escape_control(settled.outcome.as_deref().unwrap_or_default());
        texts.push(format!("it was to be {}, and the backend came to `{outcome}`", name(chosen)));
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

/// A breach of the contract, in words.
fn in_words(breach: &Breach, line: &RecordView<'_>) -> String {
    let machine = line.machine;
    match breach {
        Breach::Unclassified => "no class takes the turn".to_owned(),
        Breach::UnknownOutcome(outcome) => {
            format!("the contract says nothing of the outcome `{}`", escape_control(outcome))
        }
        Breach::Value { slot, value, .. } => {
            format!("{} cannot hold {}", machine.names.slots.name(*slot), escape_control(&shown(value)))
        }
        Breach::Answer { class, mode } => {
            format!("{} does not answer as {}", Choice::name(machine, *class), escape_control(&shown(mode)))
        }
        Breach::Property { class, property } => {
            let contract = machine.contract.as_deref();
            let rule =
                contract.and_then(|contract| contract.classes.lookup(*class)?.properties.get(*property));
            let name = rule.map_or("", |rule| &*rule.name);
            let wants = if rule.is_some_and(|rule| rule.must) { "must" } else { "must not" };
            format!("{} {wants} {}", Choice::name(machine, *class), escape_control(name))
        }
    }
}

/// The frames with what is known in them, and the classes with what they wait for.
pub(super) fn state(machine: &Machine, session: &Session, probe: &ConditionExplainer<'_>) -> String {
    let mut text = String::new();
    let Some(contract) = machine.contract.as_deref() else { return text };
    let known = |frame: &&Frame| frame.fields.iter().any(|field| !session.slots.get(field.slot).is_null());
    for frame in contract.frames.iter().filter(known) {
        let _ = writeln!(text, "  {}", format!("{}:", escape_control(&frame.name)).dimmed());
        for field in &frame.fields {
            let value = session.slots.get(field.slot);
            if !value.is_null() {
                let _ =
                    writeln!(text, "    {} = {}", escape_control(&field.name), escape_control(&shown(value)));
            }
        }
    }
    if !contract.classes.is_empty() {
        let _ = writeln!(text, "  {}", "classes:".dimmed());
    }
    for (class, ready) in probe.classes() {
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

/// Whether a phrase of the contract is in a text.
pub(super) fn is_phrase(text: &str, machine: &Machine) -> bool {
    machine.contract.as_ref().is_some_and(|contract| contract.phrase(text).is_some())
}

/// Whether a turn may say what the backend comes to.
pub(super) fn takes_outcomes(machine: &Machine) -> bool {
    machine.contract.is_some()
}

/// Why plain text is not understood: none of the phrases of the contract is in it. Nothing where it has none.
pub(super) fn no_phrase(machine: &Machine) -> Option<String> {
    let contract = machine.contract.as_deref().filter(|contract| !contract.readings.is_empty())?;
    let known: Vec<&str> =
        contract.readings.iter().map(|reading| machine.names.intents.name(reading.intent)).collect();
    Some(format!(
        "no phrase of the contract is in this, and no model is set up that could read it: write `text / reading`; the readings are {}.",
        known.join(", ")
    ))
}
