//! The session: the complete mutable state of one dialogue, and its settings.

mod active_branches;
mod clarification;
mod counters;
mod operation;
mod recent_turns;
mod return_stack;
mod saved;
mod session;
mod settings;
mod signals;
mod slots;
mod symbol;
mod tracker;

pub(super) use active_branches::fork_at;
pub use active_branches::{ActiveBranches, Branch, OpenFork, Status};
pub use clarification::{Clarification, OpenQuestion};
pub(super) use clarification::{NEVER, OTHER};
pub use counters::Counters;
pub use operation::{Operation, OutsideMove};
pub use recent_turns::{RecentTurn, RecentTurns, TurnKind};
pub(super) use recent_turns::{TurnSummary, no_state};
pub use return_stack::ReturnStack;
pub(super) use saved::SavedNames;
pub use saved::SavedSession;
pub use session::{Position, Session};
pub use settings::{Settings, SignalMode};
pub use signals::Signals;
pub(super) use signals::{ABSENT, NOTHING_KNOWN, Scope, Secondary};
pub use slots::{SlotKey, Slots};
pub use symbol::{Symbol, UnknownNames, UnknownSymbols};
pub use tracker::Tracker;
