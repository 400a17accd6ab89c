//! Imports XState machines in JSON, version 4 and 5.

mod read;
mod target;

pub(super) use read::read;
