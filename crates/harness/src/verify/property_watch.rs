//! The properties of a model over the turns of one dialogue.

use super::check_context::rule_place;
use super::debt::Debt;
use super::dialogue_verdict::DialogueVerdict;
use super::finding::{Finding, Sighting, TurnPlace};
use fsmsim_core::engine::{Machine, PropertyView};
use fsmsim_core::machine::{MachineProperty, PropertyKind};
use fsmsim_syntax::diagnostic::plural;

/// What findings about a property are called.
pub(super) const RULE: &str = "broken_property";

/// Watches the properties of a model over the turns of one dialogue.
pub(super) struct PropertyWatch<'w> {
    machine: &'w Machine,
    /// The name of the dialogue.
    dialogue: &'w str,
    /// The number of the last turn, and its line.
    last: (u32, usize),
    /// What is owed by each property.
    debts: Vec<Debt>,
    /// What was seen of each.
    sightings: Vec<Sighting>,
}

impl<'w> PropertyWatch<'w> {
    /// Before the first turn.
    pub(super) fn new(machine: &'w Machine, dialogue: &'w str) -> Self {
        let count = machine.properties.len();
        Self {
            machine,
            dialogue,
            last: (0, 0),
            debts: vec![Debt::default(); count],
            sightings: vec![Sighting::default(); count],
        }
    }

    /// Looks at a turn: its number, its line, and what it shows. A property that lasts is looked at in every turn, others where
    /// the turn shows something of them.
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
        let (debt, sighting) = (self.debts.get_mut(number)?, self.sightings.get_mut(number)?);
        let mut is_judged = sight.holds.is_some();
        let broken = match property.kind {
            PropertyKind::Reachable => {
                sighting.shown |= sight.holds == Some(true);
                None
            }
            PropertyKind::Always | PropertyKind::Never => (sight.holds == Some(false)).then(|| {
                let declared = match property.kind {
                    PropertyKind::Always => "it always holds",
                    _ => "what it asks for never holds",
                };
                let found = format!("`{}` does not hold", property.name);
                (found, declared.to_owned())
            }),
            PropertyKind::LeadsTo { within, .. } => {
                *debt = debt.behind(self.last.0, sight);
                is_judged = *debt != Debt::Perhaps;
                debt.overdue(within).zip(within).map(|(since, within)| {
                    *debt = Debt::Broken;
                    let turns = plural(within, "turn");
                    (
                        owed(property, since),
                        format!("what it leads to holds within {turns}"),
                    )
                })
            }
        };
        sighting.not_judged += u64::from(!is_judged);
        broken.map(|(found, declared)| self.finding(property, found, declared))
    }

    /// Behind the last turn of the dialogue: what is owed where it is over is not coming any more.
    pub(super) fn end(&mut self, is_final: bool, findings: &mut Vec<Finding>) {
        let machine = self.machine;
        for (number, property) in machine.properties.iter().enumerate() {
            let Some(Debt::Owed { turn, .. }) = self.debts.get(number).copied() else {
                continue;
            };
            if is_final {
                let declared = "what it leads to holds before the dialogue is over".to_owned();
                findings.push(self.finding(property, owed(property, turn), declared));
            } else if let Some(sighting) = self.sightings.get_mut(number) {
                sighting.open = true;
            }
        }
    }

    /// Of the rest of the dialogue, so many turns, nothing can be said.
    pub(super) fn stop(&mut self, turns: usize) {
        for (property, sighting) in self.machine.properties.iter().zip(&mut self.sightings) {
            if property.kind.is_lasting() {
                sighting.not_judged += turns as u64;
            }
        }
    }

    /// What is said of the dialogue, with so many turns.
    pub(super) fn verdict(self, turns: usize, findings: Vec<Finding>) -> DialogueVerdict {
        DialogueVerdict {
            turns,
            findings,
            sightings: self.sightings,
        }
    }

    fn finding(&self, property: &MachineProperty, found: String, declared: String) -> Finding {
        let (turn, line) = self.last;
        let at = TurnPlace {
            dialogue: self.dialogue.to_owned(),
            turn,
            line,
        };
        let place = Some(rule_place(self.machine, property.rule));
        Finding {
            place,
            ..Finding::new(Some(at), RULE, found, declared)
        }
    }
}

fn owed(property: &MachineProperty, since: u32) -> String {
    format!("`{}` is owed since turn {since}", property.name)
}
