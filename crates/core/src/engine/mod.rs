//! The engine: one turn of a dialogue, as a pure step.
//!
//! No I/O, no clock, no chance, no iteration over an unordered map. What the turn needs from outside it asks for as a
//! [`Need`]; what happened in it is in the [`TurnRecord`]. The verbs, in their order, are the modules `read`,
//! `contribute`, `resolve`, `gate`, `commit`, `classify` and `record`; `turn` strings them together. What one way of leading
//! a dialogue adds stands in [`policy`].

mod blackboard;
mod classify;
mod commit;
mod condition;
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
mod record;
mod record_view;
mod resolve;
mod resolve_vectors;
mod session;
mod sink;
mod sources;
mod speak;
mod state_graph;
mod turn;
mod turn_watch;

pub use blackboard::{Blackboard, Proposal, Proposed, Reason, ReasonKind, ReasonNames};
pub use classify::{Class, Geometry};
pub use condition::{
    ConditionError, ConditionExplainer, EvaluationStep, Signals, contact, is_missing,
};
pub use decision::{Decision, Merge, Returns, Won};
pub use draft::Fault;
pub use effects::DOWN;
pub use io::{
    Answer, ConfidenceThresholds, Consent, DisambiguationRules, Effect, Input, Need,
    ReadingDecision, ReadingDoubt, ScriptedTurn, TONES, TurnData, Verdict, told,
};
pub use known_turn::{KnownData, KnownState, KnownTurn};
pub use nodes::{ActiveBranches, Branch, EventKind, NodeEvent, OpenFork, Status};
pub use policy::{Policies, RecordPart, SourceKind, assemble};
pub use properties::{FinishedTurn, PropertyView};
pub use read::{read_by_answer, read_by_phrase, read_by_policy, read_otherwise};
pub use record::{Carryover, Change, Observer, PlayedTurn, TurnOutcome, TurnRecord};
pub use record_view::RecordView;
pub use session::{
    Clarification, Counters, OpenQuestion, Operation, OutsideMove, Position, RecentTurn,
    RecentTurns, SavedSession, Session, Settings, SignalMode, SlotKey, Slots, Symbol, Tracker,
    TurnKind, UnknownNames, UnknownSymbols,
};
pub(crate) use sink::key;
pub use sink::{JsonKey, Sink};
pub use state_graph::StateGraph;
pub use turn::{Scratch, TurnStep, advance, turn};
pub use turn_watch::{ConditionVector, TurnWatch, WatchEvent};

/// A dialogue definition, compiled, with the policies that lead dialogues by it.
pub type Machine = crate::machine::Machine<Policies>;
