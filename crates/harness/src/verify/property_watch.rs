//! Checks the properties of a model throughout the turns of a dialogue.

use super::check_context::rule_place;
use super::dialogue_verdict::DialogueVerdict;
use super::finding::{Finding, Sighting};
use super::obligation::Obligation;
use fsmsim_core::engine::{Machine, PropertyView};
use fsmsim_core::machine::{MachineProperty, PropertyKind};
use fsmsim_syntax::diagnostic::plural;

/// The rule name in findings about properties.
pub(super) const RULE: &str = "broken_property";

/// Checks the properties of a model throughout the turns of a dialogue.
pub(super) struct PropertyWatch<'w> {
    machine: &'w Machine,
    dialogue: &'w str,
    /// The number and the line of the last turn.
    last: (u32, usize),
    /// The obligation of each property.
    debts: Vec<Obligation>,
    /// The observations about each property.
    sightings: Vec<Sighting>,
}

impl<'w> PropertyWatch<'w> {
    /// Creates a watch for a dialogue before its first turn.
    pub(super) fn new(machine: &'w Machine, dialogue: &'w str) -> Self {
        let count = machine.properties.len();
        Self {
            machine,
            dialogue,
            last: (0, 0),
            debts: vec![Obligation::default(); count],
            sightings: vec![Sighting::default(); count],
        }
    }

    /// Restores a watch between two turns, with the number and the line of the last turn.
    pub(super) fn restored(
        machine: &'w Machine,
        dialogue: &'w str,
        last: (u32, usize),
        (debts, sightings): (Box<[Obligation]>, Box<[Sighting]>),
    ) -> Self {
        Self {
            machine,
            dialogue,
            last,
            debts: debts.into(),
            sightings: sightings.into(),
        }
    }

    /// The obligation of each property, and the observations about it.
    pub(super) fn saved(self) -> (Box<[Obligation]>, Box<[Sighting]>) {
        (self.debts.into(), self.sightings.into())
    }

    /// Checks a turn, given its number, its line, and the views of properties in it. A lasting property is checked in
    /// every turn, and other properties only in turns that have a view of them.
    pub(super) fn look(
        &mut self,
        turn: u32,
        line: usize,
        sights: impl IntoIterator<Item = PropertyView>,
        findings: &mut Vec<Finding>,
    ) {
        self.last = (turn, line);
        let machine = self.machine;
        let mut sights = sights.into_iter().peekable();
        for (number, property) in machine.properties.iter().enumerate() {
            let sight = sights.next_if(|sight| sight.property == number);
            if sight.is_none() && !property.kind.is_lasting() {
                continue;
            }
            let sight = sight.unwrap_or(PropertyView {
                property: number,
                owed: None,
                holds: None,
            });
            findings.extend(self.judge(property, sight));
        }
    }

    fn judge(&mut self, property: &MachineProperty, sight: PropertyView) -> Option<Finding> {
        let number = sight.property;
        let debt = self.debts.get_mut(number)?;
        let sighting = self.sightings.get_mut(number)?;
        let mut is_judged = sight.holds.is_some();
        let broken = match property.kind {
            PropertyKind::Reachable => {
                sighting.shown |= sight.holds == Some(true);
                None
            }
            PropertyKind::Always | PropertyKind::Never => (sight.holds == Some(false)).then(|| {
                let declared = match property.kind {
                    PropertyKind::Always => "its condition always holds",
                    _ => "its condition never holds",
                };
                let found = format!("`{}` is violated", property.name);
                (found, declared.to_owned())
            }),
            PropertyKind::LeadsTo { within, .. } => {
                *debt = debt.after(self.last.0, sight);
                is_judged = *debt != Obligation::Perhaps;
                debt.overdue(within).zip(within).map(|(since, within)| {
                    *debt = Obligation::Broken;
                    let turns = plural(within, "turn");
                    (
                        owed(property, since),
                        format!("the condition of `leads_to` holds within {turns}"),
                    )
                })
            }
        };
        sighting.not_checked += u64::from(!is_judged);
        broken.map(|(found, declared)| self.finding(property, found, declared))
    }

    /// Ends the dialogue. If it ended in a final state, pending obligations are violated.
    pub(super) fn end(&mut self, is_final: bool, findings: &mut Vec<Finding>) {
        let machine = self.machine;
        for (number, property) in machine.properties.iter().enumerate() {
            let Some(Obligation::Owed { turn, .. }) = self.debts.get(number).copied() else {
                continue;
            };
            if is_final {
                let declared =
                    "the condition of `leads_to` holds before the dialogue ends".to_owned();
                findings.push(self.finding(property, owed(property, turn), declared));
            } else if let Some(sighting) = self.sightings.get_mut(number) {
                sighting.pending = true;
            }
        }
    }

    /// Stops before the last `turns` turns of the dialogue because they cannot be checked.
    pub(super) fn stop(&mut self, turns: usize) {
        for (property, sighting) in self.machine.properties.iter().zip(&mut self.sightings) {
            if property.kind.is_lasting() {
                sighting.not_checked += turns as u64;
            }
        }
    }

    /// The verdict on the dialogue.
    pub(super) fn verdict(self, turns: usize, findings: Vec<Finding>) -> DialogueVerdict {
        DialogueVerdict {
            turns,
            findings,
            sightings: self.sightings,
            ..DialogueVerdict::default()
        }
    }

    fn finding(&self, property: &MachineProperty, found: String, declared: String) -> Finding {
        Finding {
            place: Some(rule_place(self.machine, property.rule)),
            subject: property.name.to_string(),
            ..Finding::in_turn(self.dialogue, self.last, RULE, found, declared)
        }
    }
}

fn owed(property: &MachineProperty, since: u32) -> String {
    format!("`{}` has been pending since turn {since}", property.name)
}
