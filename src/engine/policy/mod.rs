//! The policies, and the one place that lists them.
//!
//! A policy is a folder: its definition, its memory in the session, its sources, its gates, its part of the record, what it
//! saves. The verbs of the turn call its hooks ([`hooks`]) in the order of this list; dispatch is a `match`. Outside of its
//! folder and its dialect nobody needs to know which policies there are: [`Policies`] answers for all of them.

mod assemble;
pub mod contract;
mod hooks;
pub mod instructions;
mod policies;
pub mod sales;
mod source_filter;
mod source_kind;

use self::contract::{Contract, ContractNotes, ContractReason};
pub(super) use self::hooks::{BeginTurn, Hooks, PolicyHooks, PolicyReading, StoreTurn, no_intent};
use self::instructions::{
    Instructions, InstructionsMemory, InstructionsNotes, InstructionsReason, InstructionsSettings,
};
use self::sales::{SalesConfig, SalesMemory, SalesNotes, SalesReason, SalesSettings};
use super::blackboard::{Reason, ReasonKind, ReasonNames};
use super::session::{Session, Settings};
use super::{Machine, TurnRecord};

pub use self::assemble::assemble;
pub use self::hooks::{RecordPart, TurnInputs};
pub use self::policies::{AllNotes, Policies, PolicyMemories};
pub use self::source_kind::SourceKind;

/// Defines what there is one of for each policy, and runs their hooks. Values of different policies never meet: a machine
/// makes them all from its one list.
macro_rules! policies {
    (
        $d:tt;
        $($(#[$doc:meta])*
        $name:ident: $definition:ident, $settings:ty, $memory:ty, $notes:ty, $reason:ident
            in $room:ident, $room_mut:ident;)*
    ) => {
        /// What a way of leading dialogues adds to a machine.
        #[derive(Clone, Debug)]
        pub enum Policy { $($(#[$doc])* $name(Box<$definition>),)* }

        /// What one dialogue changes about a policy.
        #[derive(Clone, Debug, PartialEq)]
        pub enum PolicySettings { $($(#[$doc])* $name($settings),)* }

        /// What a policy remembers of a dialogue.
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub enum PolicyMemory { $($(#[$doc])* $name($memory),)* }

        /// Why a policy proposed something, or what it notes of a turn.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum PolicyReason { $($(#[$doc])* $name($reason),)* }

        impl PolicyReason {
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

        /// What a policy notes in a turn, for its later hooks and for the record.
        #[derive(Clone, Debug)]
        pub enum PolicyNotes { $($(#[$doc])* $name($notes),)* }

        impl Policy {
            fn name(&self) -> &'static str {
                match self { $(Self::$name(_) => <$definition as PolicyHooks>::NAME,)* }
            }

            fn hooks(&self) -> Hooks {
                match self { $(Self::$name(_) => <$definition as PolicyHooks>::HOOKS,)* }
            }

            fn settings(&self) -> PolicySettings {
                match self { $(Self::$name(policy) => PolicySettings::$name(policy.settings()),)* }
            }

            fn memory(&self) -> PolicyMemory {
                match self { $(Self::$name(_) => PolicyMemory::$name(Default::default()),)* }
            }

            #[inline]
            fn notes(&self) -> PolicyNotes {
                match self { $(Self::$name(_) => PolicyNotes::$name(Default::default()),)* }
            }

            fn restore(
                &self,
                saved: serde_json::Value,
                session: &mut Session,
                machine: &Machine,
            ) -> Result<PolicyMemory, serde_json::Error> {
                match self {
                    $(Self::$name(policy) => {
                        policy.restore(saved, session, machine).map(PolicyMemory::$name)
                    })*
                }
            }
        }

        /// Looks at what belongs to one policy: its definition, and what else there is of it in a dialogue. `else` is never
        /// needed, since a machine makes all of that from its one list.
        macro_rules! own {
            ($d value:ident as $d kind:ident::$d name:ident) => {
                match $d value {
                    $d kind::$d name(own) => Some(own),
                    _ => None,
                }
            };
            ($d($d value:ident: $d kind:ident),+ => $d hook:expr, else $d other:expr) => {
                match ($d($d value,)+) {
                    $(($d($d kind::$name($d value),)+) => $d hook,)*
                    #[allow(unreachable_patterns)]
                    _ => $d other,
                }
            };
        }

        impl Machine {
            $($(#[$doc])*
            pub fn $room(&self) -> Option<&$definition> {
                self.policies.list().iter().find_map(|own| own!(own as Policy::$name).map(|own| &**own))
            })*
        }

        impl Settings {
            $($(#[$doc])*
            pub fn $room(&self) -> Option<&$settings> {
                self.policies.iter().find_map(|own| own!(own as PolicySettings::$name))
            }

            $(#[$doc])*
            pub fn $room_mut(&mut self) -> Option<&mut $settings> {
                self.policies.iter_mut().find_map(|own| own!(own as PolicySettings::$name))
            })*
        }

        impl Session {
            $($(#[$doc])*
            pub fn $room(&self) -> Option<&$memory> {
                self.policies.iter().find_map(|own| own!(own as PolicyMemory::$name))
            }

            $(#[$doc])*
            pub fn $room_mut(&mut self) -> Option<&mut $memory> {
                self.policies.iter_mut().find_map(|own| own!(own as PolicyMemory::$name))
            })*
        }

        impl TurnRecord {
            $($(#[$doc])*
            pub fn $room(&self) -> Option<&$notes> {
                self.policies.iter().find_map(|own| own!(own as PolicyNotes::$name))
            })*
        }
    };
}

policies! { $;
    /// The sources of a sales dialogue.
    Sales: SalesConfig, SalesSettings, SalesMemory, SalesNotes, SalesReason in sales, sales_mut;
    /// Instructions for an assistant that moves by its own word.
    Instructions: Instructions, InstructionsSettings, InstructionsMemory, InstructionsNotes, InstructionsReason in instructions, instructions_mut;
    /// A registry of transition classes: what each turn may carry over, changes and answers.
    Contract: Contract, (), (), ContractNotes, ContractReason in contract, contract_mut;
}
use own;
