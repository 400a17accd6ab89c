//! The policies. `engine/mod.rs` lists them.
//!
//! A policy is a folder: its definition, its memory in the session, its sources, its gates, its part of the record, and
//! its saved data. The stages of a turn call its hooks ([`hooks`]) in the order of the list; front ends read its facts
//! ([`facts`]). Only its folder, the list and its dialect name a policy. Other code uses all policies through
//! [`Policies`].

pub mod agenda;
mod assemble;
mod confidence;
pub mod contract;
pub mod cycle;
mod facts;
pub mod guidance;
mod hooks;
pub mod inquiry;
pub mod instructions;
pub mod plain;
mod policies;
mod policy_observations;
pub mod sales;

pub use super::record_view::RecordPart;
use super::{Cap, Consent, PolicyMemories, PolicySettings, Readers};
use crate::machine::CounterId;
pub use assemble::assemble;
pub use facts::{
    ForeignTurn, ItemMark, OfferedClass, PolicyBreach, PolicyFacts, PolicyItem, PolicyLead,
    PolicyTransition, ReplyFault, RowPart, StateWorker, TurnInputs, TurnRow,
};
use fsmsim_syntax::diagnostic::Diagnostics;
use fsmsim_syntax::document::{Map, Node};
pub use guidance::{Guidance, Guide, Move};
pub(super) use hooks::{BeginTurn, Hooks, PolicyHooks, PolicyReading, StoreTurn};
pub use inquiry::{Inquiry, Point, PointState};
pub use policies::Policies;
pub use policy_observations::PolicyObservations;

/// The limit on going back, which applies in every profile.
pub const GO_BACKS: &str = "max_gobacks";

/// The schemas of the data that policies exchange with other systems.
pub const SCHEMAS: &[cycle::CycleSchema] = cycle::CycleSchema::ALL;

/// Reports the reads of the counters of taken and remaining go-backs; `limit` is their limit. Returns whether `id` is
/// one of them.
pub(super) fn reads_go_backs(
    [taken, left]: [CounterId; 2],
    id: CounterId,
    (cap, limit): (Cap, i64),
    readers: &mut Readers<'_>,
) -> bool {
    let cap = if id == left { Cap::At(limit) } else { cap };
    let is_computed = id == taken || id == left;
    if is_computed {
        readers.reads.go_backs.widen(cap);
    }
    is_computed
}

impl PolicyMemories {
    /// Sets the user's consent to access data of the digital twin.
    pub fn set_consent(&mut self, consent: Consent) {
        self.instructions.consent = consent;
    }
}

impl PolicySettings {
    /// Reads the limits of personas from `start`.
    pub fn read_personas(&mut self, map: &Map, found: &mut Diagnostics) {
        self.sales.read_personas(map, found);
    }

    /// Reads the conversation guard from `start`.
    pub fn read_guard(&mut self, node: &Node, found: &mut Diagnostics) {
        self.sales.read_guard(node, found);
    }

    /// Whether undeclared transitions are permitted.
    pub fn is_permissive(&self) -> bool {
        self.instructions.permissive
    }

    /// Permits undeclared transitions.
    pub fn permit(&mut self) {
        self.instructions.permissive = true;
    }
}
