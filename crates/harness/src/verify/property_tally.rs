//! The results of a property for all dialogues of a trace.

use serde::{Deserialize, Serialize};

use super::check_context::rule_place;
use super::finding::{Finding, Sighting};
use super::property_watch::RULE;
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::{MachineProperty, PropertyKind};

/// The results of a property for all dialogues of a trace, in addition to its findings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PropertyTally {
    /// The name of the property.
    pub name: String,
    /// Number of dialogues that stopped with a pending obligation.
    pub open: u64,
    /// Number of turns in which it could not be checked.
    pub not_judged: u64,
    /// Its location.
    place: String,
    /// Whether some turn has shown it, if it must be reachable.
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
            open: 0,
            not_judged: 0,
            place,
            shown,
        }
    }

    /// Adds the observations of a dialogue.
    pub(super) fn add(&mut self, sighting: Sighting) {
        self.shown = self.shown.map(|shown| shown || sighting.shown);
        self.open += u64::from(sighting.open);
        self.not_judged += sighting.not_judged;
    }

    /// Adds the results for other dialogues of the same trace.
    pub(super) fn join(&mut self, other: &Self) {
        self.shown = self.shown.map(|shown| shown || other.shown == Some(true));
        self.open = self.open.saturating_add(other.open);
        self.not_judged = self.not_judged.saturating_add(other.not_judged);
    }

    /// Whether it could not be checked completely. `unusable` is the number of invalid dialogues and lines.
    pub(super) fn is_unjudged(&self, unusable: u64) -> bool {
        match self.shown {
            Some(shown) => !shown && (self.not_judged > 0 || unusable > 0),
            None => self.not_judged > 0,
        }
    }

    /// The finding about all dialogues together, if no turn shows the property.
    pub(super) fn unreached(&self, dialogues: &str, unusable: u64) -> Option<Finding> {
        let is_broken = self.shown == Some(false) && !self.is_unjudged(unusable);
        is_broken.then(|| {
            let found = format!("no turn of {dialogues} shows `{}`", self.name);
            let place = Some(self.place.clone());
            Finding {
                place,
                ..Finding::new(
                    None,
                    RULE,
                    found,
                    "some turn of some dialogue does".to_owned(),
                )
            }
        })
    }
}
