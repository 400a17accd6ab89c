//! The parts of an external trace.

use super::borrowed_json::BorrowedJson;

/// A turn or an event in an external trace.
#[derive(Clone, Debug)]
pub(super) struct TracePart<'a> {
    pub value: BorrowedJson<'a>,
    pub line: usize,
    /// Whether unreadable lines or parts with an unknown order precede it.
    pub after_gap: bool,
}
