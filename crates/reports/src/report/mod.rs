//! Report writers.

#[cfg(feature = "sqlite")]
mod audit;
mod chat;
mod console;
mod conversation;
mod conversion;
mod count_words;
mod coverage;
mod difference;
mod equivalence;
mod evaluation;
#[cfg(feature = "sqlite")]
mod explanation;
mod exploration;
mod finding_line;
mod finding_log;
mod flakiness;
mod follow_line;
mod generation;
mod graph;
mod grid;
mod link_checks;
mod lint;
mod listed;
mod more;
mod mutation;
mod page;
mod profile_in_title;
mod prompt;
mod questionnaire;
mod reference;
mod report_kind;
mod report_target;
mod review;
mod run;
#[cfg(feature = "sqlite")]
mod session;
mod simulation;
mod snapshot_lines;
mod template;
mod trace;
mod usage;
mod verdict_line;
mod verification;

#[cfg(feature = "sqlite")]
pub use audit::{audit_json, write_audit};
pub use console::Console;
pub use conversation::ConversationReport;
pub use conversion::left_out_list;
pub use coverage::{
    write_cobertura, write_coverage, write_coverage_difference, write_coverage_html, write_lcov,
    write_unmet,
};
pub use difference::DifferenceReport;
pub use equivalence::EquivalenceReport;
pub use evaluation::{EvalReport, read_eval_report};
#[cfg(feature = "sqlite")]
pub use explanation::{explanation_json, write_explanation};
pub use exploration::{ExplorationReport, ExplorationRun};
pub use finding_line::FindingLine;
pub use finding_log::FindingLog;
pub use flakiness::FlakinessReport;
pub use follow_line::FollowLine;
pub use generation::write_generation;
pub use graph::{
    SvgUse, coverage_overlay, traffic_ways, write_dot, write_graph_text, write_mermaid, write_svg,
};
pub use link_checks::{link_checks_json, write_link_checks};
pub use lint::{lint_summary, write_findings, write_reading};
pub use listed::write_listed;
pub use mutation::MutationReport;
pub use page::{
    GraphPage, SampleDialogue, SimulationExtras, SourceExcerpt, StudioAsset, ending_text,
    most_frequent, studio_page,
};
pub use prompt::write_prompt;
pub use questionnaire::{questionnaire_json, write_points, write_questionnaire};
pub use reference::{MarkdownPage, reference_pages, write_builtin, write_explained};
pub use report_kind::ReportKind;
pub use report_target::ReportTarget;
pub use review::ReviewReport;
pub use run::{
    DecidingRule, FailedAgainst, HeadedReport, MergeError, Misfit, ReportHead, ReportedCause,
    ReportedCauseKind, ReportedFailure, ReportedFinding, ReportedPlace, ReportedRun,
    ReportedScenario, ReportedSelection, ReportedVerification, RunComparison, RunDialogues,
    RunPage, RunReport, RunWriter, SharedResult, write_addresses, write_cause,
};
#[cfg(feature = "sqlite")]
pub use session::{listed_session_json, session_json, write_session, write_sessions};
pub use simulation::SimulationReport;
pub use snapshot_lines::{write_conversation, write_review_entry};
pub use trace::{TraceForm, TraceWriter, TracedOutcome};
pub use usage::{completed_lines, failure_lines, usage_lines};
pub use verdict_line::VerdictLine;
pub use verification::VerificationReport;
