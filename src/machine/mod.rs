//! The machine: the one form to which every dialect is compiled and on which every tool works.
//!
//! All tables are dense and indexed by ids ([`IdVec`]); only the [`MachineBuilder`] mints ids.

mod builder;
mod contract;
mod disambiguation;
mod guard;
mod guide;
mod id;
mod intent;
mod interest;
#[expect(clippy::module_inception, reason = "the file is named after its one type")]
mod machine;
mod meaning;
mod names;
mod node;
mod outline;
mod priority;
mod profile;
mod rule;
mod schema;
mod settings;
mod signal;
mod source;
mod state;
mod value;
mod vocabulary;

pub use builder::MachineBuilder;
pub use contract::{
    Contract, Depth, FieldKind, Frame, FrameField, FramePart, Mutation, OutcomeRule, PhraseReading,
    Preserved, Property, TransitionClass, ValueSource,
};
pub use disambiguation::Disambiguation;
pub use guard::{
    Bound, Comparison, Condition, Contact, Counted, Counter, Limit, Moment, NamedCondition, Subject, Test,
    Words,
};
pub use guide::{Instructions, Move, ReplyLimit, StateInstructions};
pub use id::{
    ActionId, BranchId, CategoryId, ChainId, ClassId, ConditionId, FlagId, FrameId, Id, IdVec, IntentId,
    NamedConditionId, OriginId, PhaseId, PriorityId, RuleId, SlotId, StateId,
};
pub use intent::{Intent, Roles};
pub use machine::{Machine, MachineHeader, NameTables, Phase};
pub use meaning::IntentDescription;
pub use names::Names;
pub use node::{BranchPlan, ControlNode, Fork, History, Join, JoinCondition, Quorum, Routing, Way};
pub use outline::{DataRequest, StateOutline};
pub use priority::{
    Handler, Level, PriorityCandidate, PriorityEntry, PrioritySource, PriorityTable, ProposalClass, Trigger,
    UNRANKED,
};
pub use profile::{Profile, SwitchSet, Switches, Variant};
pub use rule::{Chain, Clause, Consequent, Origin, Rule};
pub use schema::{Schema, SchemaError};
pub use settings::{GuardLimits, Limits, PersonaLimits, Personas, Settings, SignalMode};
pub use signal::{Signal, SignalKind};
pub use source::{SourceKind, SourceMask};
pub use state::{ChainTable, State, Target};
pub use value::{Float, Value};
pub use vocabulary::{
    Actions, Categories, Flags, Pattern, Thresholds, Vocabulary, WellKnownSlots, WellKnownStates,
};
