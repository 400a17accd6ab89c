//! The policies. `engine/mod.rs` lists them.
//!
//! A policy is a folder: its definition, its memory in the session, its sources, its gates, its part of the record, and what
//! it saves. The stages of a turn call its hooks ([`hooks`]) in the order of the list; front ends read its facts ([`facts`]).
//! Only its folder, the list and its dialect name a policy: [`Policies`] answers for all of them.

pub mod agenda;
mod assemble;
pub mod contract;
pub mod cycle;
mod deciding_texts;
mod facts;
mod foreign_turn;
pub mod guidance;
mod hooks;
pub mod inquiry;
pub mod instructions;
mod no_reason;
mod policies;
mod policy_item;
mod policy_lead;
mod policy_way;
pub mod sales;
mod source_filter;
mod state_worker;
mod turn_row;

use super::{PolicyMemories, PolicySettings};
use crate::engine::io::Consent;
use fsmsim_syntax::diagnostic::Diagnostics;
use fsmsim_syntax::document::{Map, Node};

pub use self::assemble::assemble;
pub use self::deciding_texts::DecidingTexts;
pub use self::facts::{PolicyFacts, TurnInputs};
pub use self::foreign_turn::{ForeignTurn, PolicyBreach};
pub use self::guidance::{Guidance, Guide, Move};
pub(super) use self::hooks::{BeginTurn, Hooks, PolicyHooks, PolicyReading, StoreTurn};
pub use self::inquiry::{Inquiry, Point, PointState};
pub use self::policies::Policies;
pub use self::policy_item::{ItemMark, PolicyItem};
pub use self::policy_lead::PolicyLead;
pub use self::policy_way::PolicyWay;
pub use self::state_worker::StateWorker;
pub use self::turn_row::{OfferedClass, ReplyFault, RowPart, TurnRow};
pub use crate::engine::record_view::RecordPart;

/// The limit on going back, which applies in every profile.
pub const GO_BACKS: &str = "max_gobacks";

/// The schemas of what policies exchange with others.
pub const SCHEMAS: &[cycle::CycleSchema] = cycle::CycleSchema::ALL;

impl PolicyMemories {
    /// Takes on what the user said about the data of the digital twin.
    pub fn set_consent(&mut self, consent: Consent) {
        self.instructions.consent = consent;
    }
}

impl PolicySettings {
    /// Reads the limits of personas from `start`.
    pub fn read_personas(&mut self, map: &Map, found: &mut Diagnostics) {
        self.sales.read_personas(map, found);
    }

    /// Reads the guard of dialogues from `start`.
    pub fn read_guard(&mut self, node: &Node, found: &mut Diagnostics) {
        self.sales.read_guard(node, found);
    }

    /// Whether moves that no state declares are taken.
    pub fn is_permissive(&self) -> bool {
        self.instructions.permissive
    }

    /// Lets moves be taken that no state declares.
    pub fn permit(&mut self) {
        self.instructions.permissive = true;
    }
}
