//! The arguments of `fsmsim merge`.

use std::path::PathBuf;

use clap::Args;

use super::test_args::KINDS;
use fsmsim_harness::coverage::CoverageRequirement;
use fsmsim_reports::report::{ReportKind, ReportTarget};

/// Arguments of `merge`.
#[derive(Debug, Args)]
pub(super) struct MergeArgs {
    /// The reports of all shards, as `fsmsim test`, `simulate` or `verify` wrote them with `--shard NUMBER/OF --report
    /// json=FILE`
    #[arg(required = true, value_name = "REPORT")]
    pub(super) reports: Vec<PathBuf>,
    /// Write a report of the whole, to a file or in place of the text; `github` without a file stands below the text
    #[arg(long, value_name = "KIND[=FILE]", value_parser = |text: &str| ReportTarget::parse(text, &MERGED))]
    pub(super) report: Vec<ReportTarget>,
    /// What share has to be covered by all shards together: `classes=100%`, `bant:states=80%`
    #[arg(long, value_name = "[NAME:]KIND=PERCENT")]
    pub(super) require: Vec<CoverageRequirement>,
}

/// The reports that there are of all that is put together.
pub(super) const MERGED: [ReportKind; KINDS.len() + 1] = {
    let mut kinds = [ReportKind::Html; KINDS.len() + 1];
    let (some, _) = kinds.split_at_mut(KINDS.len());
    some.copy_from_slice(&KINDS);
    kinds
};
