//! The engine: one turn of a dialogue, as a pure step.
//!
//! No I/O, no clock, no randomness, no iteration over an unordered map. A turn requests data from outside as a
//! [`Need`]; its outcome is in the [`TurnRecord`]. The stages are the modules `read`, `contribute`, `resolve`, `gate`,
//! `commit`, `classify` and `record`, in this order; `turn` runs them. The policies are in [`policy`].

mod blackboard;
mod classify;
mod commit;
mod condition;
mod condition_explainer;
mod contribute;
mod decision;
mod draft;
mod effects;
mod gate;
mod io;
mod known_turn;
mod nodes;
pub mod policy;
mod properties;
mod read;
mod readers;
mod reads;
mod record;
mod record_view;
mod resolve;
mod session;
mod sink;
mod source_kind;
mod speak;
mod state_graph;
mod turn;
mod turn_watch;

use crate::machine::ConsentKind;
use blackboard::SourceError;
pub use blackboard::{Blackboard, Proposal, Proposed, Reason, ReasonKind, ReasonNames};
pub use classify::{Class, Geometry};
use commit::CommitTurn;
pub use condition::{ConditionError, contact, is_missing};
use condition::{TurnContext, TurnFacts};
pub use condition_explainer::{ConditionExplainer, EvaluationStep};
pub use decision::{Decision, Merge, Returns, Won};
use draft::Draft;
pub use draft::Fault;
pub use effects::DOWN;
pub use io::{
    Answer, ConfidenceThresholds, Consent, DisambiguationRules, Effect, Input, Need,
    ReadingDecision, RecognitionConfidence, ScriptedTurn, TONES, TurnData, Verdict, answer_text,
};
use io::{answer_of, certainty, first_answer, no_intent};
pub use known_turn::{KnownData, KnownState, KnownTurn};
pub use nodes::{EventKind, NodeEvent};
use policy::PolicyFacts;
use policy::agenda::{Agenda, AgendaMemory, AgendaNotes, AgendaReason};
use policy::contract::{Contract, ContractNotes, ContractReason};
use policy::cycle::{Cycle, CycleReason};
use policy::instructions::{
    Instructions, InstructionsMemory, InstructionsNotes, InstructionsReason, InstructionsSettings,
};
use policy::plain::{PlainConfig, PlainMemory, PlainReason};
use policy::sales::{SalesConfig, SalesMemory, SalesNotes, SalesReason, SalesSettings};
pub use policy::{Policies, assemble};
pub use properties::{FinishedTurn, PropertyView};
pub use read::{read_by_answer, read_by_phrase, read_by_policy, read_fallback};
use readers::{Readers, at_least};
pub use reads::{Cap, Reads, SlotReads};
pub use record::{Carryover, Change, Observer, PlayedTurn, TurnOutcome, TurnRecord};
pub use record_view::{RecordPart, RecordView};
use session::Scope;
pub use session::{
    ActiveBranches, Branch, Clarification, Counters, OpenFork, OpenQuestion, Operation,
    OutsideMove, Position, RecentTurn, RecentTurns, ReturnStack, SavedSession, Session, Settings,
    SignalMode, Signals, SlotKey, Slots, Status, Symbol, Tracker, TurnKind, UnknownNames,
    UnknownSymbols,
};
use session::{SavedNames, no_state};
pub use sink::{JsonKey, Sink};
pub(crate) use sink::{key, pairs};
pub use source_kind::SourceKind;
pub use state_graph::StateGraph;
pub use turn::{Scratch, TurnStep, advance, turn};
pub use turn_watch::{ConditionVector, TurnWatch, WatchEvent};

/// A compiled dialogue definition with the policies that control its dialogues.
pub type Machine = crate::machine::Machine<Policies>;

/// Defines the structs and enums with one member per policy. A machine without a policy also has its settings, memory
/// and notes, but they are unused.
macro_rules! policies {
    (
        $d:tt;
        $($(#[$doc:meta])*
        $field:ident: $name:ident($definition:ident, $settings:ty, $memory:ty, $notes:ty, $reason:ident);)*
    ) => {
        /// The policies of a machine. Their hooks run in this order.
        #[derive(Clone, Debug, Default)]
        pub struct PolicyList { $($(#[$doc])* pub $field: Option<Box<$definition>>,)* }

        impl PolicyList {
            fn facts(&self) -> impl Iterator<Item = &dyn PolicyFacts> {
                [$(self.$field.as_deref().map(|policy| policy as &dyn PolicyFacts)),*]
                    .into_iter()
                    .flatten()
            }
        }

        /// The settings of policies for one dialogue.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct PolicySettings { $($(#[$doc])* pub $field: $settings,)* }

        /// The memories of policies in a dialogue.
        #[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
        pub struct PolicyMemories { $($(#[$doc])* pub $field: $memory,)* }

        /// The notes of policies in a turn, for their later hooks and for the record.
        #[derive(Clone, Debug, Default)]
        pub struct PolicyNotes { $($(#[$doc])* pub $field: $notes,)* }

        /// The reason for a proposal of a policy, or for a note on a turn.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum PolicyReason { $($(#[$doc])* $name($reason),)* }

        impl PolicyReason {
            /// All reasons that turns of a machine can have, except those that contain text from a model.
            fn all(machine: &Machine) -> Vec<Self> {
                let mut all = Vec::new();
                $(all.extend(<$reason>::all(machine).into_iter().map(Self::$name));)*
                all
            }

            /// The reason code in two parts that are written one after the other.
            fn code(self, names: ReasonNames<'_>) -> (&str, &str) {
                match self { $(Self::$name(reason) => reason.code(names),)* }
            }

            /// The reason as a clause that can follow "because".
            fn words(self, names: ReasonNames<'_>) -> String {
                match self { $(Self::$name(reason) => reason.words(names),)* }
            }

            /// The consequence of the reason for the class of the turn.
            fn kind(self) -> ReasonKind {
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
            pub fn $field(&self) -> Option<&$definition> {
                self.policies.list().$field.as_deref()
            })*
        }

        /// Runs code for each policy of a list, in order, with the policy's members of the given structs: its
        /// settings, memory and notes.
        macro_rules! each {
            ($d policy:ident in $d list:expr $d(, $d own:ident in $d kind:ident = $d all:expr)* => $d run:expr) => {
                $(if let Some($d policy) = $d list.$field.as_deref() {
                    $d(let $d kind { $field: $d own, .. } = $d all;)*
                    $d run;
                })*
            };
        }
    };
}

impl PolicyMemories {
    /// The user's consent to access data of the digital twin, if given or refused.
    pub fn consent(&self, kind: ConsentKind) -> Option<bool> {
        self.instructions.consent.word(kind)
    }
}

policies! { $;
    /// The sources of a sales dialogue.
    sales: Sales(SalesConfig, SalesSettings, SalesMemory, SalesNotes, SalesReason);
    /// Clarification, and the number of times that a dialogue goes back.
    plain: Plain(PlainConfig, (), PlainMemory, (), PlainReason);
    /// Instructions for an assistant that chooses its transitions.
    instructions: Instructions(Instructions, InstructionsSettings, InstructionsMemory, InstructionsNotes, InstructionsReason);
    /// A registry of transition classes, with the allowed carryover, changes and answers for each.
    contract: Contract(Contract, (), (), ContractNotes, ContractReason);
    /// The topics of an interview: the points that answers are assessed against.
    agenda: Agenda(Agenda, (), AgendaMemory, AgendaNotes, AgendaReason);
    /// Nodes whose work is done outside the engine.
    cycle: Cycle(Cycle, (), (), (), CycleReason);
}
use each;
