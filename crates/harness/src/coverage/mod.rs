//! Coverage: the parts of models that scenarios cover, with their lines.
//!
//! While a scenario runs, a [`CoverageSet`] collects the events of its turns. A [`CoverageMap`] has the counted items
//! of a machine, their locations, and whether they are reachable ([`reach`]). Together they produce the
//! [`CoverageReport`] for all models. [`all_dialogues`] collects the events of every dialogue, so that items without one
//! are unattainable.

mod all_dialogues;
mod counted_models;
mod coverage_difference;
mod coverage_item;
mod coverage_kind;
mod coverage_map;
mod coverage_report;
mod coverage_requirement;
mod coverage_set;
mod decision;
mod lines;
mod model_coverage;
mod named_items;
mod reach;
mod required_share;
mod written_conditions;
mod written_items;

pub(crate) use all_dialogues::{AllDialogues, reached_bound, untried};
pub use counted_models::CountedModels;
pub use coverage_difference::CoverageDifference;
pub use coverage_item::{CoverageVerdict, ItemCount, ItemKey};
pub use coverage_kind::{CoverageKind, Share};
pub use coverage_map::{CoverageMap, Touched};
pub use coverage_report::{CoverageProof, CoverageReport, ModelReport};
pub use coverage_requirement::CoverageRequirement;
pub use coverage_set::{CoverageEvent, CoverageSet};
pub use decision::DecisionCount;
pub(crate) use decision::are_pair;
pub use lines::{CoveredLine, LineCoverage, LineTint};
pub use model_coverage::ModelCoverage;
pub use reach::Reach;
pub(crate) use required_share::named_value;
pub use required_share::{RequiredShare, parse_percent};
