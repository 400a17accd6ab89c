//! The project: its configuration, its models, the locations of files of scenarios, and revisions in its git
//! repository.

mod artifact_layout;
mod artifact_name;
mod explore_settings;
mod git_baseline;
mod git_changes;
mod git_checkout;
mod key_places;
mod lint_levels;
mod model_cache;
mod models_below;
mod neighboring_models;
mod project;
mod project_boundary;
mod project_template;
mod test_settings;
mod trust_request;
mod trust_store;

pub use artifact_layout::{ArtifactArea, ArtifactClaims, ArtifactLayout};
pub use explore_settings::{AcceptedFinding, ExploreSettings};
pub use fsmsim_dialects::dialect::condition::{
    built_in as built_in_conditions, is_built_in_condition,
};
pub use fsmsim_dialects::dialect::flow::built_in_constants;
pub use fsmsim_dialects::dialect::{
    KNOWN_HEADINGS, companions, is_after_arrow, is_definition, is_definition_root,
    is_in_transitions, is_surely_definition, model_file, model_parts, root_markers,
    said_by_beginning, target_column, unsupported_file,
};
pub use git_baseline::GitBaseline;
pub use git_changes::{GitChanges, tracked_files};
pub use git_checkout::{GitCheckout, GitPath, commit_of, temporary_folder};
pub use lint_levels::{LintLevel, LintLevels};
pub use model_cache::{ModelCache, ModelName};
pub use models_below::{default_models, models_below, project_models};
pub use neighboring_models::neighboring_models;
pub use project::{AgreedSubjects, Project, path_in_repository, unknown_profile};
pub use project_template::ProjectTemplate;
pub use test_settings::{ReportSetting, TestSettings};
pub use trust_request::TrustRequest;
pub use trust_store::TrustStore;
