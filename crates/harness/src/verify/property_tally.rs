//! The results for a property in all dialogues of a trace.

use serde::{Deserialize, Serialize};

use super::check_context::rule_place;
use super::finding::{Finding, Sighting};
use super::property_watch::RULE;
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::{MachineProperty, PropertyKind};

/// The results for a property in all dialogues of a trace, in addition to findings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PropertyTally {
    /// The name of the property.
    pub name: String,
    /// The number of dialogues that stopped while an obligation was pending.
    pub pending: u64,
    /// The number of turns in which the property could not be checked.
    pub not_checked: u64,
    /// The location of the property.
    place: String,
    /// Whether the property held in any turn, if it must be reachable.
    #[serde(skip_serializing_if = "Option::is_none")]
    shown: Option<bool>,
}

impl PropertyTally {
    /// An empty tally.
    pub(super) fn new(property: &MachineProperty, machine: &Machine) -> Self {
        let shown = (property.kind == PropertyKind::Reachable).then_some(false);
        let place = rule_place(machine, property.rule);
        Self {
            name: property.name.to_string(),
            pending: 0,
            not_checked: 0,
            place,
            shown,
        }
    }

    /// Adds the observations of a dialogue.
    pub(super) fn add(&mut self, sighting: Sighting) {
        self.shown = self.shown.map(|shown| shown || sighting.shown);
        self.pending += u64::from(sighting.pending);
        self.not_checked += sighting.not_checked;
    }

    /// Adds the results from other dialogues of the same trace.
    pub(super) fn join(&mut self, other: &Self) {
        self.shown = self.shown.map(|shown| shown || other.shown == Some(true));
        self.pending = self.pending.saturating_add(other.pending);
        self.not_checked = self.not_checked.saturating_add(other.not_checked);
    }

    /// Whether the property could not be checked in every case. `invalid` is the number of invalid dialogues and lines.
    pub(super) fn is_unchecked(&self, invalid: u64) -> bool {
        match self.shown {
            Some(shown) => !shown && (self.not_checked > 0 || invalid > 0),
            None => self.not_checked > 0,
        }
    }

    /// The finding about all dialogues together, if the property holds in no turn.
    pub(super) fn unreached(&self, dialogues: &str, invalid: u64) -> Option<Finding> {
        let is_violated = self.shown == Some(false) && !self.is_unchecked(invalid);
        is_violated.then(|| Finding {
            rule: RULE,
            found: format!("`{}` holds in no turn of {dialogues}", self.name),
            declared: "it holds in at least one turn".to_owned(),
            place: Some(self.place.clone()),
            subject: self.name.clone(),
            ..Finding::default()
        })
    }
}
