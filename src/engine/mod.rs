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

pub use board::{Board, PendingGoBack, Proposal, Proposed};
pub use classify::{Class, Geometry};
pub use consent::Consent;
pub use contract::{Breach, Choice, ForeignTurn, Offence, Settled, classes_of, read_phrase};
pub use dag::{Branch, Dag, EventKind, NodeEvent, OpenFork, Status};
pub use doubt::Taken;
pub use effect::{Deed, Delivery, Denial, Effect, Verdict};
pub use guard_memory::GuardMemory;
pub use input::{Input, ScriptedTurn, TurnData};
pub use instruction::instruction;
pub use name::{Foreign, Name};
pub use need::{Answer, NEED_KINDS, Need, told};
pub use operate::Operation;
pub use probe::{Probe, Step as ProbeStep};
pub use reason::{Escalation, GuardTier, Reason, ReasonNames};
pub use record::{Carryover, Observer, Outcome, Played, TurnRecord};
pub use reply::{Excess, Met};
pub use resolve::{Decision, Merge, Returns};
pub use saved::SavedSession;
pub use session::{Asked, Clarification, ForeignNames, Position, Session};
pub use signals::Signals;
pub use slots::{SlotKey, Slots};
pub use tracker::Tracker;
pub use turn::{Step, advance, turn};
pub use view::{Fault, is_missing};
pub use window::Window;
