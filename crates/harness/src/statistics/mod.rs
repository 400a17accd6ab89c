//! Statistics of counts, including their uncertainty.

mod bootstrap;
mod mcnemar;
mod paired_counts;
mod proportion;
mod rounding;

pub use bootstrap::{Bootstrap, Interval};
pub use mcnemar::mcnemar;
pub use paired_counts::PairedCounts;
pub use proportion::Proportion;
pub(crate) use rounding::{real, rounded};
