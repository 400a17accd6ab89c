//! What all dialogues of a trace come to by one property.

use serde::{Deserialize, Serialize};

use super::check_context::rule_place;
use super::finding::{Finding, Sighting};
use super::property_watch::RULE;
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::{MachineProperty, PropertyKind};

/// What all dialogues of a trace come to by one property, besides what speaks against single ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PropertyTally {
    /// The name of the property.
    pub name: String,
    /// Dialogues that stopped while something was owed.
    pub open: u64,
    /// Turns in which nobody could judge it.
    pub not_judged: u64,
    /// Where it is written.
    place: String,
    /// Whether some turn has shown it, if that is what it asks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    shown: Option<bool>,
}

impl PropertyTally {
    /// Before the first dialogue.
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

    /// Adds what was seen in a dialogue.
    pub(super) fn add(&mut self, sighting: Sighting) {
        self.shown = self.shown.map(|shown| shown || sighting.shown);
        self.open += u64::from(sighting.open);
        self.not_judged += sighting.not_judged;
    }

    /// Adds what other dialogues of the same trace came to.
    pub(super) fn join(&mut self, other: &Self) {
        self.shown = self.shown.map(|shown| shown || other.shown == Some(true));
        self.open = self.open.saturating_add(other.open);
        self.not_judged = self.not_judged.saturating_add(other.not_judged);
    }

    /// Whether it could not be judged whole, where so much of the trace could not be used.
    pub(super) fn is_unjudged(&self, unusable: u64) -> bool {
        match self.shown {
            Some(shown) => !shown && (self.not_judged > 0 || unusable > 0),
            None => self.not_judged > 0,
        }
    }

    /// What speaks against all dialogues together.
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
