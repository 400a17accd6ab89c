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
use super::blackboard::{Blackboard, Reason, ReasonKind, ReasonNames, SourceError};
use super::commit::CommitTurn;
use super::condition::TurnContext;
use super::decision::Decision;
use super::io::{Answer, Input, Need, ReadingDecision};
use super::session::{Clarification, SavedNames, Session, Settings, Tracker};
use super::{Machine, TurnRecord};
use crate::machine::{CounterId, Intent, IntentId, SourceMask, State, StateId, Value};

pub use self::assemble::assemble;
pub use self::hooks::TurnInputs;
pub use self::policies::{AllNotes, Policies, PolicyMemories};
pub use self::source_kind::SourceKind;

/// Defines what there is one of for each policy, and runs their hooks. Values of different policies never meet: a machine
/// makes them all from its one list.
macro_rules! policies {
    (
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

        /// What a policy notes in a turn: its part of the record.
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

            fn notes(&self) -> PolicyNotes {
                match self { $(Self::$name(_) => PolicyNotes::$name(Default::default()),)* }
            }

            fn inputs(&self) -> TurnInputs {
                match self { $(Self::$name(policy) => policy.inputs(),)* }
            }

            fn restrict_sources(
                &self,
                own: &PolicySettings,
                settings: &Settings,
                sources: SourceMask,
            ) -> SourceMask {
                match (self, own) {
                    $((Self::$name(policy), PolicySettings::$name(own)) => {
                        policy.restrict_sources(own, settings, sources)
                    })*
                    _ => sources,
                }
            }

            fn filter_by_state(&self, machine: &Machine, id: Option<StateId>, state: &State) -> SourceMask {
                match self { $(Self::$name(policy) => policy.filter_by_state(machine, id, state),)* }
            }

            fn filter_by_intent(
                &self,
                machine: &Machine,
                id: IntentId,
                intent: &Intent,
            ) -> (SourceMask, SourceMask) {
                match self { $(Self::$name(policy) => policy.filter_by_intent(machine, id, intent),)* }
            }

            fn leads_from(&self, machine: &Machine, id: StateId) -> Vec<StateId> {
                match self { $(Self::$name(policy) => policy.leads_from(machine, id),)* }
            }

            fn leads_anywhere(&self, machine: &Machine) -> Vec<StateId> {
                match self { $(Self::$name(policy) => policy.leads_anywhere(machine),)* }
            }

            fn read<'i>(
                &self,
                machine: &Machine,
                state: StateId,
                input: &'i Input,
                answers: &[Answer],
            ) -> PolicyReading<'i> {
                match self { $(Self::$name(policy) => policy.read(machine, state, input, answers),)* }
            }

            fn assess(
                &self,
                machine: &Machine,
                settings: &Settings,
                clarification: &Clarification,
                reading: &Value,
                input: &mut Input,
            ) -> Option<ReadingDecision> {
                match self {
                    $(Self::$name(policy) => policy.assess(machine, settings, clarification, reading, input),)*
                }
            }

            fn ask(
                &self,
                machine: &Machine,
                settings: &Settings,
                session: &Session,
                answers: &[Answer],
                state: StateId,
            ) -> Option<Need> {
                match self { $(Self::$name(policy) => policy.ask(machine, settings, session, answers, state),)* }
            }

            #[inline]
            fn begin(
                &self,
                own: &PolicySettings,
                memory: &mut PolicyMemory,
                notes: &mut PolicyNotes,
                turn: &BeginTurn<'_>,
                machine: &Machine,
            ) -> bool {
                match (self, own, memory, notes) {
                    $((
                        Self::$name(policy),
                        PolicySettings::$name(own),
                        PolicyMemory::$name(memory),
                        PolicyNotes::$name(notes),
                    ) => policy.begin(own, memory, notes, turn, machine),)*
                    _ => true,
                }
            }

            fn store(
                &self,
                memory: &mut PolicyMemory,
                notes: &mut PolicyNotes,
                turn: &mut StoreTurn<'_>,
                machine: &Machine,
            ) {
                match (self, memory, notes) {
                    $((
                        Self::$name(policy),
                        PolicyMemory::$name(memory),
                        PolicyNotes::$name(notes),
                    ) => policy.store(memory, notes, turn, machine),)*
                    _ => {}
                }
            }

            fn prepare<'a>(&'a self, notes: &mut PolicyNotes, turn: &TurnContext<'a>) -> Option<&'a str> {
                match (self, notes) {
                    $((Self::$name(policy), PolicyNotes::$name(notes)) => policy.prepare(notes, turn),)*
                    _ => None,
                }
            }

            #[inline]
            fn triggered_by_signals(&self, turn: &TurnContext<'_>) -> SourceMask {
                match self { $(Self::$name(policy) => policy.triggered_by_signals(turn),)* }
            }

            #[inline]
            fn contribute(
                &self,
                kind: SourceKind,
                (own, memory): (&PolicySettings, &PolicyMemory),
                notes: &mut PolicyNotes,
                turn: &TurnContext<'_>,
                board: &mut Blackboard,
            ) -> Result<(), SourceError> {
                match (self, own, memory, notes) {
                    $((
                        Self::$name(policy),
                        PolicySettings::$name(own),
                        PolicyMemory::$name(memory),
                        PolicyNotes::$name(notes),
                    ) => policy.contribute(kind, (own, memory), notes, turn, board),)*
                    _ => Ok(()),
                }
            }

            fn gate(
                &self,
                memory: &PolicyMemory,
                turn: &TurnContext<'_>,
                board: &mut Blackboard,
                decision: &mut Decision,
            ) -> Option<Need> {
                match (self, memory) {
                    $((Self::$name(policy), PolicyMemory::$name(memory)) => {
                        policy.gate(memory, turn, board, decision)
                    })*
                    _ => None,
                }
            }

            fn apply(
                &self,
                notes: &mut PolicyNotes,
                turn: &TurnContext<'_>,
                decision: &mut Decision,
            ) -> Option<Need> {
                match (self, notes) {
                    $((Self::$name(policy), PolicyNotes::$name(notes)) => {
                        policy.apply(notes, turn, decision)
                    })*
                    _ => None,
                }
            }

            #[inline]
            fn commit(
                &self,
                own: &PolicySettings,
                memory: &mut PolicyMemory,
                notes: &mut PolicyNotes,
                turn: &mut CommitTurn<'_>,
            ) {
                match (self, own, memory, notes) {
                    $((
                        Self::$name(policy),
                        PolicySettings::$name(own),
                        PolicyMemory::$name(memory),
                        PolicyNotes::$name(notes),
                    ) => policy.commit(own, memory, notes, turn),)*
                    _ => {}
                }
            }

            fn unread(&self, notes: &mut PolicyNotes) {
                match (self, notes) {
                    $((Self::$name(policy), PolicyNotes::$name(notes)) => policy.unread(notes),)*
                    _ => {}
                }
            }

            fn counter(
                &self,
                memory: &PolicyMemory,
                settings: &Settings,
                tracker: &Tracker,
                id: CounterId,
            ) -> Option<i64> {
                match (self, memory) {
                    $((Self::$name(policy), PolicyMemory::$name(memory)) => {
                        policy.counter(memory, settings, tracker, id)
                    })*
                    _ => None,
                }
            }

            fn save(&self, memory: &PolicyMemory, names: &SavedNames<'_>) -> Option<serde_json::Value> {
                match (self, memory) {
                    $((Self::$name(policy), PolicyMemory::$name(memory)) => policy.save(memory, names),)*
                    _ => None,
                }
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

        impl Machine {
            $($(#[$doc])*
            #[must_use]
            pub fn $room(&self) -> Option<&$definition> {
                self.policies.list().iter().find_map(|policy| match policy {
                    Policy::$name(policy) => Some(&**policy),
                    _ => None,
                })
            })*
        }

        impl Settings {
            $($(#[$doc])*
            #[must_use]
            pub fn $room(&self) -> Option<&$settings> {
                self.policies.iter().find_map(|policy| match policy {
                    PolicySettings::$name(settings) => Some(settings),
                    _ => None,
                })
            }

            $(#[$doc])*
            #[must_use]
            pub fn $room_mut(&mut self) -> Option<&mut $settings> {
                self.policies.iter_mut().find_map(|policy| match policy {
                    PolicySettings::$name(settings) => Some(settings),
                    _ => None,
                })
            })*
        }

        impl Session {
            $($(#[$doc])*
            #[must_use]
            pub fn $room(&self) -> Option<&$memory> {
                self.policies.iter().find_map(|policy| match policy {
                    PolicyMemory::$name(memory) => Some(memory),
                    _ => None,
                })
            }

            $(#[$doc])*
            #[must_use]
            pub fn $room_mut(&mut self) -> Option<&mut $memory> {
                self.policies.iter_mut().find_map(|policy| match policy {
                    PolicyMemory::$name(memory) => Some(memory),
                    _ => None,
                })
            })*
        }

        impl TurnRecord {
            $($(#[$doc])*
            #[must_use]
            pub fn $room(&self) -> Option<&$notes> {
                self.policies.iter().find_map(|policy| match policy {
                    PolicyNotes::$name(notes) => Some(notes),
                    _ => None,
                })
            })*
        }
    };
}

policies! {
    /// The sources of a sales dialogue.
    Sales: SalesConfig, SalesSettings, SalesMemory, SalesNotes, SalesReason in sales, sales_mut;
    /// Instructions for an assistant that moves by its own word.
    Instructions: Instructions, InstructionsSettings, InstructionsMemory, InstructionsNotes, InstructionsReason in instructions, instructions_mut;
    /// A registry of transition classes: what each turn may carry over, changes and answers.
    Contract: Contract, (), (), ContractNotes, ContractReason in contract, contract_mut;
}
