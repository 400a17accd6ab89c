//! The policies, and the one place that lists them.
//!
//! A policy is a folder: its definition, its memory in the session, its sources, its gates, its part of the record, what it
//! saves. The verbs of the turn call its hooks ([`hooks`]) in the order of this list. Outside of its
//! folder and its dialect nobody needs to know which policies there are: [`Policies`] answers for all of them.

pub mod agenda;
mod assemble;
pub mod contract;
pub mod cycle;
mod hooks;
pub mod instructions;
mod no_reason;
mod policies;
mod policy_way;
pub mod sales;
mod source_filter;

pub use self::assemble::assemble;
pub use self::hooks::TurnInputs;
pub(super) use self::hooks::{BeginTurn, Hooks, PolicyHooks, PolicyReading, StoreTurn};
pub use self::policies::Policies;
pub use self::policy_way::PolicyWay;
pub use crate::engine::record_view::RecordPart;
