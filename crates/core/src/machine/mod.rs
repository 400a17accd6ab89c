//! The machine: the one form to which every dialect is compiled and on which every tool works.
//!
//! All tables are dense and indexed by ids ([`IdVec`]); only the [`MachineBuilder`] mints ids. Nothing here belongs to one
//! dialect: what a way of leading dialogues adds are the engine's policies, which a machine carries and never looks at.

mod builder;
mod compared_values;
mod condition;
mod control_node;
mod counter;
mod depth;
mod edge_mark;
mod effect;
mod frame;
mod id;
mod intent;
mod intent_description;
mod list;
mod list_index;
mod machine;
mod names;
mod need;
mod op;
mod phrase_reading;
mod priority;
mod profile;
mod property;
mod rule;
mod schema;
mod schema_cost;
mod schema_patterns;
mod signal;
mod slot_declaration;
mod source_mask;
mod speech;
mod state;
mod stems;
mod text_template;
mod value;
mod value_source;
mod variant;
mod well_known;
mod written_conditions;

pub use builder::MachineBuilder;
pub use compared_values::{SOMETHING, compared_values};
pub use condition::{
    Bound, Comparison, Condition, ConsentKind, Contact, Counted, Moment, NamedCondition, Subject,
    Test, Words,
};
pub use control_node::{
    BranchPlan, ControlNode, Fork, History, Join, JoinCondition, Quorum, Routing, Way,
};
pub use counter::Counter;
pub use depth::Depth;
pub use edge_mark::EdgeMark;
pub use effect::{
    EffectDefinition, EffectKind, EffectUse, Gate, Lead, Outcome, OutcomeMark, Payload,
};
pub use frame::{FieldKind, Frame, FrameField, FramePart, Frames};
pub use id::{
    ActionId, BranchId, CategoryId, ChainId, ClassId, ConditionId, CounterId, EffectId, FlagId,
    FrameId, Id, IdVec, IntentId, LimitId, NamedConditionId, OriginId, OutcomeId, PhaseId,
    PriorityId, RuleId, SchemaId, SlotId, StateId,
};
pub use intent::{EVENT_CATEGORY, EVENTS, Intent, Traits};
pub use intent_description::IntentDescription;
pub use machine::{Machine, MachineHeader, NameTables, Phase};
pub use names::Names;
pub use need::{NeedKey, NeedKind};
pub use op::{Op, OpKind};
pub use phrase_reading::{FoundPhrase, PhraseReading};
pub use priority::{
    Handler, Level, PriorityCandidate, PriorityEntry, PrioritySource, PriorityTable, ProposalClass,
    Trigger, UNRANKED,
};
pub use profile::{Profile, SwitchSet, Switches};
pub use property::{MachineProperty, PropertyKind};
pub use rule::{Chain, Clause, Consequent, Origin, Rule};
pub use schema::{Schema, SchemaError};
pub use signal::{Signal, SignalKind};
pub use slot_declaration::{SlotDeclaration, SlotFormat, SlotKind};
pub use source_mask::SourceMask;
pub use speech::Speech;
pub use state::{ChainTable, State, Target};
pub use stems::Stems;
pub use text_template::{TemplatePiece, TextTemplate};
pub use value::{Float, Value};
pub use value_source::ValueSource;
pub use variant::Variant;
pub use well_known::WellKnown;

/// A list of values.
pub type List = list::List<Value>;
