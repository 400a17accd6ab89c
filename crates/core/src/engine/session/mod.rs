//! The session: the whole mutable state of one dialogue, and what one dialogue changes about its machine.

mod clarification;
mod counters;
mod operation;
mod outside_move;
mod recent_turns;
mod saved;
mod session;
mod settings;
mod signal_mode;
mod slots;
mod symbol;
mod tracker;
mod unknown_symbols;

pub(super) use clarification::NEVER;
pub use clarification::{Clarification, OpenQuestion};
pub use counters::Counters;
pub use operation::Operation;
pub use outside_move::OutsideMove;
pub(super) use recent_turns::TurnSummary;
pub use recent_turns::{RecentTurn, RecentTurns, TurnKind};
pub(super) use saved::SavedNames;
pub use saved::SavedSession;
pub use session::{Position, Session};
pub use settings::Settings;
pub use signal_mode::SignalMode;
pub use slots::{SlotKey, Slots};
pub use symbol::Symbol;
pub use tracker::Tracker;
pub use unknown_symbols::{UnknownNames, UnknownSymbols};
