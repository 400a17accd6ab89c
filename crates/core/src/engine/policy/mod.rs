//! The policies, and the one place that lists them.
//!
//! A policy is a folder: its definition, its memory in the session, its sources, its gates, its part of the record, what it
//! saves. The verbs of the turn call its hooks ([`hooks`]) in the order of this list. Outside of its
//! folder and its dialect nobody needs to know which policies there are: [`Policies`] answers for all of them.

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
mod source_kind;
mod state_worker;
mod turn_row;

use self::agenda::{Agenda, AgendaMemory, AgendaNotes, AgendaReason};
use self::contract::{Contract, ContractNotes, ContractReason};
use self::cycle::{Cycle, CycleReason};
pub(super) use self::hooks::{BeginTurn, Hooks, PolicyHooks, PolicyReading, StoreTurn, no_intent};
use self::instructions::{
    Instructions, InstructionsMemory, InstructionsNotes, InstructionsReason, InstructionsSettings,
};
use self::sales::{SalesConfig, SalesMemory, SalesNotes, SalesReason, SalesSettings};
use super::Machine;
use super::blackboard::{Reason, ReasonKind, ReasonNames};
use super::io::Consent;
use crate::machine::ConsentKind;
use fsmsim_syntax::diagnostic::Diagnostics;
use fsmsim_syntax::document::{Map, Node};

pub use self::assemble::assemble;
pub use self::deciding_texts::DecidingTexts;
pub use self::facts::{PolicyFacts, TurnInputs};
pub use self::foreign_turn::{ForeignTurn, PolicyBreach};
pub use self::guidance::{Guidance, Guide, Move};
pub use self::hooks::RecordPart;
pub use self::inquiry::{Inquiry, Point, PointState};
pub use self::policies::Policies;
pub use self::policy_item::{ItemMark, PolicyItem};
pub use self::policy_lead::PolicyLead;
pub use self::policy_way::PolicyWay;
pub use self::source_kind::SourceKind;
pub use self::state_worker::StateWorker;
pub use self::turn_row::{OfferedClass, RowPart, TurnRow};

/// The schemas of what policies exchange with others.
pub const SCHEMAS: &[cycle::CycleSchema] = cycle::CycleSchema::ALL;

/// Defines what there is one of for each policy. A machine without a policy has its settings, memory and notes too, which
/// nobody looks at.
macro_rules! policies {
    (
        $d:tt;
        $($(#[$doc:meta])*
        $room:ident: $name:ident($definition:ident, $settings:ty, $memory:ty, $notes:ty, $reason:ident);)*
    ) => {
        /// What leads the dialogues of a machine. The hooks run in this order.
        #[derive(Clone, Debug, Default)]
        pub struct PolicyList { $($(#[$doc])* pub $room: Option<Box<$definition>>,)* }

        impl PolicyList {
            fn facts(&self) -> impl Iterator<Item = &dyn PolicyFacts> {
                [$(self.$room.as_deref().map(|policy| policy as &dyn PolicyFacts)),*]
                    .into_iter()
                    .flatten()
            }
        }

        /// What one dialogue changes about policies.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct PolicySettings { $($(#[$doc])* pub $room: $settings,)* }

        /// What policies remember of a dialogue.
        #[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
        pub struct PolicyMemories { $($(#[$doc])* pub $room: $memory,)* }

        /// What policies note in a turn, for their later hooks and for the record.
        #[derive(Clone, Debug, Default)]
        pub struct PolicyNotes { $($(#[$doc])* pub $room: $notes,)* }

        /// Why a policy proposed something, or what it notes of a turn.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum PolicyReason { $($(#[$doc])* $name($reason),)* }

        impl PolicyReason {
            /// All reasons that turns by a machine may have, but for those that end in words of a model.
            pub(super) fn all(machine: &Machine) -> Vec<Self> {
                let mut all = Vec::new();
                $(all.extend(<$reason>::all(machine).into_iter().map(Self::$name));)*
                all
            }

            /// The reason code in two parts that are written one after the other.
            pub(super) fn code(self, names: ReasonNames<'_>) -> (&str, &str) {
                match self { $(Self::$name(reason) => reason.code(names),)* }
            }

            /// The reason as the end of "because".
            pub(super) fn words(self, names: ReasonNames<'_>) -> String {
                match self { $(Self::$name(reason) => reason.words(names),)* }
            }

            /// What the reason says of the turn.
            pub(super) fn kind(self) -> ReasonKind {
                match self { $(Self::$name(reason) => reason.kind(),)* }
            }
        }

        $(impl From<$reason> for Reason {
            fn from(reason: $reason) -> Self {
                Self::Policy(PolicyReason::$name(reason))
            }
        })*

        impl Machine {
            $($(#[$doc])*
            pub fn $room(&self) -> Option<&$definition> {
                self.policies.list().$room.as_deref()
            })*
        }

        /// Runs something for each policy of a list, in order, with what there is of it in the structs beside: its settings,
        /// its memory, its notes.
        macro_rules! each {
            ($d policy:ident in $d list:expr $d(, $d own:ident in $d kind:ident = $d all:expr)* => $d run:expr) => {
                $(if let Some($d policy) = $d list.$room.as_deref() {
                    $d(let $d kind { $room: $d own, .. } = $d all;)*
                    $d run;
                })*
            };
        }
    };
}

impl PolicyMemories {
    /// Takes on what the user said about the data of the digital twin.
    pub fn set_consent(&mut self, consent: Consent) {
        self.instructions.consent = consent;
    }

    /// What the user said about the data of the digital twin; nothing where nothing was said.
    pub fn consent(&self, kind: ConsentKind) -> Option<bool> {
        self.instructions.consent.word(kind)
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

policies! { $;
    /// The sources of a sales dialogue.
    sales: Sales(SalesConfig, SalesSettings, SalesMemory, SalesNotes, SalesReason);
    /// Instructions for an assistant that moves by its own word.
    instructions: Instructions(Instructions, InstructionsSettings, InstructionsMemory, InstructionsNotes, InstructionsReason);
    /// A registry of transition classes: what each turn may carry over, changes and answers.
    contract: Contract(Contract, (), (), ContractNotes, ContractReason);
    /// What an interview is to find out: the points that answers are held against.
    agenda: Agenda(Agenda, (), AgendaMemory, AgendaNotes, AgendaReason);
    /// Nodes whose work somebody outside does.
    cycle: Cycle(Cycle, (), (), (), CycleReason);
}
use each;
