//! Policy data of a dialogue and of a turn, as text.

use std::fmt::Write;

use colored::Colorize;

use fsmsim_core::engine::policy::{OfferedClass, RowPart, TurnRow};
use fsmsim_core::engine::{Machine, RecordView, Session, Settings, Symbol};
use fsmsim_core::machine::{Frame, SlotId};
use fsmsim_syntax::terminal::printable;

/// The rows of a turn: its class, changed frames, and violations. Each row has a label and a text.
pub(super) fn rows(line: &RecordView<'_>) -> Vec<(&'static str, String)> {
    let policies = line.machine.policies.facts();
    let rows: Vec<TurnRow> = policies.flat_map(|policy| policy.rows(line)).collect();
    let of = |part| rows_of(part, &rows);
    let changed = line
        .machine
        .frames
        .iter()
        .filter(|_| line.machine.policies.inputs().frames)
        .filter_map(|frame| changes(frame, line));
    of(RowPart::Class)
        .chain(changed.map(|text| ("frame", text)))
        .chain(of(RowPart::Fault))
        .collect()
}

/// The rows of a part, each as a label and a text.
fn rows_of(part: RowPart, rows: &[TurnRow]) -> impl Iterator<Item = (&'static str, String)> {
    rows.iter()
        .filter(move |row| row.part == part)
        .map(move |row| {
            let text = printable(&row.text);
            let text = match part {
                RowPart::Class if row.name.is_empty() => text,
                RowPart::Class => format!("{}{text}", printable(&row.name).bold()),
                RowPart::Fault => text.red().to_string(),
            };
            (row.label, text)
        })
}

/// The changes that the turn made to a frame; `None` without changes.
fn changes(frame: &Frame, line: &RecordView<'_>) -> Option<String> {
    let carryover = &line.record.carryover;
    let of = |names: &[Symbol<SlotId>], field: SlotId| {
        names.iter().any(|name| name.known() == Some(field))
    };
    let texts = frame.fields.iter().filter_map(|field| {
        let name = &field.name;
        let value = printable(&line.session.slots.get(field.slot).plain());
        if of(&carryover.added, field.slot) {
            Some(added(&format!("{name}={value}")))
        } else if of(&carryover.changed, field.slot) {
            Some(changed(&format!("{name}={value}")))
        } else {
            of(&carryover.dropped, field.slot).then(|| dropped(name))
        }
    });
    let texts: Vec<String> = texts.collect();
    (!texts.is_empty()).then(|| format!("{}: {}", printable(&frame.name), texts.join("  ")))
}

/// A new value.
pub(super) fn added(text: &str) -> String {
    format!("+{text}").green().to_string()
}

/// A changed value.
pub(super) fn changed(text: &str) -> String {
    format!("~{text}").yellow().to_string()
}

/// A deleted value.
pub(super) fn dropped(text: &str) -> String {
    format!("-{text}").red().to_string()
}

/// The frames with their values, and the classes with their inputs.
pub(super) fn state(machine: &Machine, settings: &Settings, session: &Session) -> String {
    let mut text = String::new();
    if !machine.policies.inputs().frames {
        return text;
    }
    let known = |frame: &&Frame| {
        frame
            .fields
            .iter()
            .any(|field| !session.slots.get(field.slot).is_null())
    };
    for frame in machine.frames.iter().filter(known) {
        let _ = writeln!(
            text,
            "  {}",
            format!("{}:", printable(&frame.name)).dimmed()
        );
        for field in &frame.fields {
            let value = session.slots.get(field.slot);
            if !value.is_null() {
                let name = printable(&field.name);
                let value = printable(&value.plain());
                let _ = writeln!(text, "    {name} = {value}");
            }
        }
    }
    let policies = machine.policies.facts();
    let classes: Vec<OfferedClass<'_>> = policies
        .flat_map(|policy| policy.offered_classes(machine, settings, session))
        .collect();
    if !classes.is_empty() {
        let _ = writeln!(text, "  {}", "classes:".dimmed());
    }
    for class in classes {
        let waits = if class.is_ready {
            ""
        } else {
            "   requirements not met"
        };
        let _ = writeln!(
            text,
            "    {} {}   {}{}",
            printable(class.name).bold(),
            printable(class.title),
            printable(&class.takes.join(", ")).cyan(),
            waits.dimmed()
        );
    }
    text
}
