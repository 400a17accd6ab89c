//! What the worker is given to do.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::operation::StudioOperation;
use super::reply::Reply;

/// What the worker is given to do, one after another.
pub(super) enum WorkItem {
    /// A tab asks for something.
    Call {
        /// For what.
        operation: &'static StudioOperation,
        /// With what.
        body: Vec<u8>,
        /// Where the answer goes.
        reply: Reply,
    },
    /// Files were saved, or are gone: by real paths.
    Files(BTreeSet<PathBuf>),
    /// The studio closes.
    Stop,
}
