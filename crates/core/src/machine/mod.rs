//! The machine: the form that every dialect compiles to, and the input for every tool.
//!
//! All tables are dense and indexed by IDs ([`IdVec`]); only the [`MachineBuilder`] creates IDs. Nothing here depends
//! on a dialect: dialects add their behavior as policies of the engine, which a machine stores without inspecting
//! them.

mod builder;
mod condition;
mod control_node;
mod derived;
mod effect;
mod frame;
mod id;
mod intent;
mod list;
mod list_index;
mod machine;
mod names;
mod need;
mod op;
mod phrase;
mod priority;
mod profile;
mod property;
mod rule;
mod schema;
mod schema_cost;
mod signal;
mod slot_declaration;
mod source_mask;
mod state;
mod stems;
mod text_template;
mod value;
mod vocabulary;

pub use builder::MachineBuilder;
pub use condition::{
    Bound, Comparison, Condition, ConsentKind, Contact, Counted, Moment, NamedCondition, SOMETHING,
    Subject, Test, Words, compared_values,
};
pub use control_node::{
    BranchPlan, ChoiceBranch, ControlNode, Fork, History, Join, JoinCondition, Quorum, RESUME,
    Routing,
};
pub use derived::Derived;
pub use effect::{
    EffectDefinition, EffectKind, EffectUse, Gate, NextState, Outcome, OutcomeMark, Payload,
    ValueSource,
};
pub use frame::{Depth, FieldKind, Frame, FrameField, FramePart, Frames};
pub use id::{
    ActionId, BranchId, CategoryId, ChainId, ClassId, ConditionId, CounterId, EffectId, FlagId,
    FrameId, Id, IdVec, IntentId, LimitId, NamedConditionId, OriginId, OutcomeId, PhaseId,
    PriorityId, RuleId, SchemaId, SlotId, StateId,
};
pub use intent::{EVENT_CATEGORY, EVENTS, Intent, IntentDescription, Traits};
pub use machine::{
    Counter, FoundPhrase, IntentPhrases, Machine, MachineHeader, NameTables, Phase, WellKnown,
};
pub use names::Names;
pub use need::{NeedKey, NeedKind};
pub use op::{Op, OpKind, Speech};
pub use phrase::Phrase;
pub use priority::{
    Handler, Level, PriorityCandidate, PriorityEntry, PrioritySource, PriorityTable, ProposalClass,
    Trigger, UNRANKED,
};
pub use profile::{Profile, SwitchSet, Switches, Variant};
pub use property::{MachineProperty, PropertyKind};
pub use rule::{Alternative, Chain, Consequent, EdgeMark, Origin, Rule};
pub use schema::{Schema, SchemaError};
pub use signal::{Signal, SignalKind};
pub use slot_declaration::{SlotDeclaration, SlotFormat, SlotKind, whole};
pub use source_mask::SourceMask;
pub use state::{ChainTable, State, Target};
pub use stems::{Stems, is_russian};
pub use text_template::{TemplatePiece, TextTemplate};
pub use value::{Float, Value};

/// A list of values.
pub type List = list::List<Value>;
