//! The engine: one turn of a dialogue, as a pure step.
//!
//! No I/O, no clock, no chance, no iteration over an unordered map. What the turn needs from outside it asks for as a
//! [`Need`]; what happened in it is in the [`TurnRecord`]. The verbs, in their order, are the modules `read`,
//! `contribute`, `resolve`, `gate`, `commit`, `classify` and `record`; `turn` strings them together.

mod board;
mod classify;
mod commit;
mod consent;
pub mod contact;
mod contract;
mod contribute;
mod dag;
mod doubt;
mod effect;
mod evaluate;
mod gate;
mod gates;
mod guard_memory;
mod input;
mod instruction;
mod name;
mod need;
mod operate;
mod probe;
mod rank;
mod read;
mod reason;
mod record;
mod reply;
mod resolve;
mod saved;
mod session;
mod signals;
mod slots;
mod sources;
mod tracker;
mod turn;
mod view;
mod window;

pub use board::{Blackboard, PendingGoBack, Proposal, Proposed};
pub use classify::{Class, Geometry};
pub use consent::Consent;
pub use contract::{Breach, Choice, ForeignTurn, Offence, Settled, classes_of, read_phrase};
pub use dag::{ActiveBranches, Branch, EventKind, NodeEvent, OpenFork, Status};
pub use doubt::ReadingDecision;
pub use effect::{DenyReason, Effect, EffectKind, EffectOutcome, Verdict};
pub use guard_memory::GuardMemory;
pub use input::{Input, ScriptedTurn, TurnData};
pub use instruction::instruction;
pub use name::{Symbol, Unknown};
pub use need::{Answer, NEED_KINDS, Need, told};
pub use operate::Operation;
pub use probe::{ConditionExplainer, EvaluationStep};
pub use reason::{Escalation, GuardTier, Reason, ReasonNames};
pub use record::{Carryover, Observer, PlayedTurn, TurnOutcome, TurnRecord};
pub use reply::{LimitCounts, LimitViolation};
pub use resolve::{Decision, Merge, Returns};
pub use saved::SavedSession;
pub use session::{Clarification, OpenQuestion, Position, Session, UnknownSymbols};
pub use signals::Signals;
pub use slots::{SlotKey, Slots};
pub use tracker::Tracker;
pub use turn::{TurnStep, advance, turn};
pub use view::{ConditionError, is_missing};
pub use window::RecentTurns;
