//! Contracts: the class of a turn, and what it carries over, changes and answers (docs/contracts.md).
//!
//! First the coverage gate takes back what must not be carried over (`carry`), then a class is chosen (`choose`), and, once
//! it is known what the backend came to, everything is settled for the commit (`settle`) and held against the properties of
//! the class (`breach`).

mod breach;
mod carry;
mod choose;
mod facts;
mod judge;
mod reading;
mod settle;

pub use breach::Breach;
pub(super) use carry::{give_back, withdraw};
pub(super) use choose::choose;
pub use choose::{Choice, classes_of};
pub(super) use facts::{Facts, is_active};
pub use judge::{ForeignTurn, Offence};
pub use reading::read_phrase;
pub use settle::Settled;
pub(super) use settle::settle;
