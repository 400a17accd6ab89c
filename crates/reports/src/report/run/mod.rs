//! The report of a run as one value: it is written and parsed as JSON, merged from shards, and the basis of all other
//! reports.

mod annotation;
mod cause_lines;
mod failure_words;
mod github;
mod gitlab;
mod headed_report;
mod junit;
mod markdown;
mod markdown_text;
mod merge_error;
mod merged_reports;
mod report_head;
mod reported_cause;
mod reported_failure;
mod reported_finding;
mod reported_place;
mod reported_scenario;
mod reported_verification;
mod run_comparison;
mod run_page;
mod run_report;
mod run_text;
mod run_writer;
mod sarif;
mod tap;

pub use cause_lines::{write_addresses, write_cause};
pub(super) use failure_words::accepted;
pub use headed_report::{HeadedReport, SharedResult};
pub(super) use markdown_text::{MarkdownText, block, code};
pub use merge_error::{MergeError, Misfit};
pub use report_head::{ReportHead, ReportedRun, ReportedSelection};
pub use reported_cause::{ReportedCause, ReportedCauseKind};
pub use reported_failure::{DecidingRule, FailedAgainst, ReportedFailure};
pub use reported_finding::ReportedFinding;
pub use reported_place::ReportedPlace;
pub use reported_scenario::ReportedScenario;
pub use reported_verification::ReportedVerification;
pub use run_comparison::{RunComparison, RunDialogues};
pub use run_page::RunPage;
pub use run_report::RunReport;
pub use run_writer::RunWriter;
