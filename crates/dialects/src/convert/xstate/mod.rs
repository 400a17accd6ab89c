//! The JSON of XState machines, version 4 and 5, into a chart.

mod read;
mod target;

pub(super) use read::read;
