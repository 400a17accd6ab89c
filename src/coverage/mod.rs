//! Coverage: to which parts of their models scenarios came.

#[expect(clippy::module_inception, reason = "the file is named after its one type")]
mod coverage;

pub use coverage::{Coverage, CoverageKind, ModelCoverage, Share};
