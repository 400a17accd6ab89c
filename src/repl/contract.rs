//! What a contract says of a dialogue and of a turn, in words.

use std::fmt::Write;

use colored::Colorize;

use fsmsim_core::engine::policy::contract::{Contract, ContractOutcome, Violation};
use fsmsim_core::engine::{Machine, RecordView, Session, Settings, Symbol};
use fsmsim_core::machine::{Frame, SlotId, Value};
use fsmsim_syntax::terminal::{Joined, printable};

/// The rows of a turn: its class, the frames that changed, and what was done that is not allowed. Each is a label and a
/// text.
pub(super) fn rows(line: &RecordView<'_>) -> Vec<(&'static str, String)> {
    let Some(contract) = line.machine.contract() else {
        return Vec::new();
    };
    let notes = &line.record.policies.contract;
    let mut rows = Vec::new();
    if let Some(name) = line.contract_class() {
        let title = contract.class(name).map_or(String::new(), |(_, class)| {
            format!(" {}", printable(&class.title))
        });
        let depth = notes.depth(line).name();
        rows.push((
            "turn of",
            format!("{}{title}   carried over: {depth}", printable(name).bold()),
        ));
    }
    rows.extend(
        notes
            .outcome
            .iter()
            .flat_map(|outcome| choices(outcome, contract, line.machine))
            .map(|text| ("", text)),
    );
    let changed = line
        .machine
        .frames
        .iter()
        .filter_map(|frame| changes(frame, line));
    rows.extend(changed.map(|text| ("frame", text)));
    let violations = notes.outcome.iter().flat_map(|outcome| &outcome.violations);
    rows.extend(violations.map(|violation| {
        (
            "fault",
            in_words(violation, contract, line.machine)
                .red()
                .to_string(),
        )
    }));
    rows
}

/// What else there is to say of the choice of the class.
fn choices(outcome: &ContractOutcome, contract: &Contract, machine: &Machine) -> Vec<String> {
    let name = |class: &_| printable(contract.class_name(*class));
    let names = |classes: &[_]| classes.iter().map(name).joined(", ");
    let matching = &outcome.matching;
    let mut texts = Vec::new();
    for refused in &matching.refused {
        let lacks = refused.lacks.iter().map(|lack| {
            let gate = if lack.withdrawn {
                ", which the coverage gate took away"
            } else {
                ""
            };
            format!("{}{gate}", printable(lack.of.name(machine)))
        });
        let lacks = lacks.joined("; ");
        let lacks = if lacks.is_empty() {
            "what it requires".to_owned()
        } else {
            lacks
        };
        texts.push(format!(
            "{} would take it, but lacks {lacks}",
            name(&refused.class)
        ));
    }
    if !matching.also.is_empty() {
        texts.push(format!("{} would take it too", names(&matching.also)));
    }
    if let Some((chosen, _)) = outcome.replaced() {
        let came_to = printable(outcome.outcome.as_deref().unwrap_or_default());
        texts.push(format!(
            "it was to be {}, and the backend came to `{came_to}`",
            name(&chosen)
        ));
    }
    texts
}

/// What the turn did to a frame; nothing where it did nothing.
fn changes(frame: &Frame, line: &RecordView<'_>) -> Option<String> {
    let carryover = &line.record.carryover;
    let of = |names: &[Symbol<SlotId>], field: SlotId| {
        names.iter().any(|name| name.known() == Some(field))
    };
    let texts = frame.fields.iter().filter_map(|field| {
        let name = &field.name;
        let value = printable(&shown(line.session.slots.get(field.slot)));
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
    (!texts.is_empty()).then(|| format!("{}: {}", printable(&frame.name), texts.join("  ")))
}

/// What the contract does not allow, in words.
fn in_words(violation: &Violation, contract: &Contract, machine: &Machine) -> String {
    match violation {
        Violation::Unclassified => "no class takes the turn".to_owned(),
        Violation::UnknownOutcome(outcome) => {
            format!(
                "the contract says nothing of the outcome `{}`",
                printable(outcome)
            )
        }
        Violation::Value { slot, value } => {
            format!(
                "{} cannot hold {}",
                machine.names.slots.name(*slot),
                printable(&shown(value))
            )
        }
        Violation::Answer { class, mode } => {
            format!(
                "{} does not answer as {}",
                contract.class_name(*class),
                printable(&shown(mode))
            )
        }
        Violation::Property { class, property } => {
            let rule = contract.property(*class, *property);
            let name = rule.map_or("", |rule| &*rule.name);
            let wants = if rule.is_some_and(|rule| rule.must) {
                "must"
            } else {
                "must not"
            };
            format!(
                "{} {wants} {}",
                contract.class_name(*class),
                printable(name)
            )
        }
        Violation::Changed(slot, _) => {
            format!(
                "{} does not stay as it is, though the class leaves it",
                machine.names.slots.name(*slot)
            )
        }
        // Only a turn that somebody else played does such a thing.
        Violation::OtherClass(_)
        | Violation::TooDeep(..)
        | Violation::Forbidden(_)
        | Violation::NotDone(..) => violation.name().to_owned(),
    }
}

/// The frames with what is known in them, and the classes with what they wait for.
pub(super) fn state(machine: &Machine, settings: &Settings, session: &Session) -> String {
    let mut text = String::new();
    let Some(contract) = machine.contract() else {
        return text;
    };
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
                let _ = writeln!(
                    text,
                    "    {} = {}",
                    printable(&field.name),
                    printable(&shown(value))
                );
            }
        }
    }
    if !contract.classes.is_empty() {
        let _ = writeln!(text, "  {}", "classes:".dimmed());
    }
    for (class, ready) in contract.prior_states(machine, settings, session) {
        let Some(class) = contract.classes.lookup(class) else {
            continue;
        };
        let takes: Vec<&str> = class
            .readings
            .iter()
            .map(|id| machine.names.intents.name(*id))
            .collect();
        let waits = if ready {
            ""
        } else {
            "   lacks what it requires"
        };
        let _ = writeln!(
            text,
            "    {} {}   {}{}",
            printable(&class.name).bold(),
            printable(&class.title),
            printable(&takes.join(", ")).cyan(),
            waits.dimmed()
        );
    }
    text
}

/// A value without the quotation marks of a plain text.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::Text(text) => text.to_string(),
        value => value.to_string(),
    }
}
