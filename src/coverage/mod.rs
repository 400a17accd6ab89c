//! Coverage: to which parts of their models scenarios came.

mod coverage_kind;
mod coverage_set;
mod model_coverage;

pub use coverage_kind::{CoverageKind, CoverageRequirement, Share};
pub use coverage_set::CoverageSet;
pub use model_coverage::{ClassCoverage, ModelCoverage};
