//! What a contract says of a turn to people: its class, and what is not allowed.

use super::apply::ContractOutcome;
use super::contract::Contract;
use super::violation::Violation;
use crate::engine::Machine;
use crate::engine::policy::{RowPart, TurnRow};
use crate::engine::record_view::RecordView;
use crate::machine::SlotId;
use fsmsim_syntax::terminal::Joined;

pub(super) fn rows(contract: &Contract, line: &RecordView<'_>) -> Vec<TurnRow> {
    let notes = &line.record.policies.contract;
    let mut rows = Vec::new();
    if let Some(name) = line.contract_class() {
        let title = contract
            .class(name)
            .map_or(String::new(), |(_, class)| format!(" {}", class.title));
        let depth = notes.depth(line).name();
        rows.push(TurnRow {
            part: RowPart::Class,
            label: "turn of",
            name: name.to_owned(),
            text: format!("{title}   carried over: {depth}"),
        });
    }
    if let Some(outcome) = &notes.outcome {
        let choices = choices(outcome, contract, line.machine).into_iter();
        rows.extend(choices.map(|text| TurnRow::plain(RowPart::Class, "", text)));
        rows.extend(outcome.violations.iter().map(|violation| {
            let text = in_words(violation, contract, line.machine);
            TurnRow::plain(RowPart::Fault, "fault", text)
        }));
    }
    rows
}

/// What else there is to say of the choice of the class.
fn choices(outcome: &ContractOutcome, contract: &Contract, machine: &Machine) -> Vec<String> {
    let name = |class: &_| contract.class_name(*class);
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
            format!("{}{gate}", lack.of.name(machine))
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
        let came_to = outcome.outcome.as_deref().unwrap_or_default();
        texts.push(format!(
            "it was to be {}, and the backend came to `{came_to}`",
            name(&chosen)
        ));
    }
    texts
}

/// What the contract does not allow, in words.
fn in_words(violation: &Violation, contract: &Contract, machine: &Machine) -> String {
    let slot_name = |slot: &SlotId| machine.names.slots.name(*slot);
    match violation {
        Violation::Unclassified => "no class takes the turn".to_owned(),
        Violation::UnknownOutcome(outcome) => {
            format!("the contract says nothing of the outcome `{outcome}`")
        }
        Violation::Value { slot, value } => {
            format!("{} cannot hold {}", slot_name(slot), value.plain())
        }
        Violation::Answer { class, mode } => {
            let class = contract.class_name(*class);
            format!("{class} does not answer as {}", mode.plain())
        }
        Violation::Property { class, property } => {
            let rule = contract.property(*class, *property);
            let name = rule.map_or("", |rule| &*rule.name);
            let wants = if rule.is_some_and(|rule| rule.must) {
                "must"
            } else {
                "must not"
            };
            format!("{} {wants} {name}", contract.class_name(*class))
        }
        Violation::Changed(slot, _) => {
            let slot = slot_name(slot);
            format!("{slot} does not stay as it is, though the class leaves it")
        }
        // Only a turn that somebody else played does such a thing.
        _ => violation.name().to_owned(),
    }
}
