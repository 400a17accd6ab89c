//! The scenario selection of a command.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Args;

use super::command_line::CommandLine;
use super::report_text::ReportText;
use super::{CommandResult, Context, help};
use fsmsim_harness::selection::{
    FilterExpression, NamePattern, Predicate, RunHistory, ScenarioFilter,
};
use fsmsim_reports::report::{ReportedRun, RunReport};
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap, plural};
use fsmsim_syntax::terminal::{print_message, printable};
use fsmsim_syntax::threads::Shard;

/// Arguments that select scenarios.
#[derive(Clone, Debug, Args)]
pub(super) struct SelectionArgs {
    /// Files, directories, or scenarios as `FILE::TITLE` or `FILE::TITLE[CASE]` [default: the scenarios of the project]
    pub paths: Vec<PathBuf>,
    /// Select only scenarios that match, for example `tag(smoke) & !model(bant*)`
    ///
    /// The functions are tag, title, path, model, covers, class, asks and changed
    #[arg(short = 'E', long = "expression", value_name = "FILTER")]
    pub expressions: Vec<String>,
    /// Select only scenarios with this tag, as `-E 'tag(=TAG)'`; repeatable
    #[arg(long, value_name = "TAG")]
    pub tag: Vec<String>,
    /// Select only scenarios affected by edits since this revision, as `-E 'changed(REV)'`
    #[arg(long, value_name = "REV")]
    pub changed: Option<String>,
    /// Select only scenarios that failed in their last run, have not run, or were edited since
    #[arg(long)]
    pub failed: bool,
    /// Select only scenarios that failed in this report, written by `fsmsim test --report json=FILE`; repeatable
    #[arg(long, value_name = "REPORT")]
    pub failed_in: Vec<PathBuf>,
    #[arg(long, value_name = "NUMBER/OF", help = help::SHARD)]
    pub shard: Option<Shard>,
}

impl SelectionArgs {
    /// The named files and folders; by default the scenario folder of the project.
    pub(super) fn paths(&self, context: &Context) -> Vec<PathBuf> {
        if self.paths.is_empty() {
            vec![context.project.scenarios.clone()]
        } else {
            self.paths.clone()
        }
    }

    /// Whether an option selects some scenarios of the named files. Shards together are complete.
    pub(super) fn is_filtered(&self) -> bool {
        !self.expressions.is_empty()
            || !self.tag.is_empty()
            || self.changed.is_some()
            || self.failed
            || !self.failed_in.is_empty()
    }

    /// The command that selects these scenarios, without the shard.
    pub(super) fn command(&self, context: &Context) -> CommandLine {
        let paths: Vec<String> = self
            .paths
            .iter()
            .map(|path| context.path_from_root(path))
            .collect();
        let words: Vec<&str> = paths.iter().map(String::as_str).collect();
        let line = CommandLine::new("test", &words)
            .option("changed", self.changed.as_ref())
            .flag("failed", self.failed);
        let line = self.failed_in.iter().fold(line, |line, report| {
            line.option("failed-in", Some(report.display()))
        });
        let line = self
            .expressions
            .iter()
            .fold(line, |line, text| line.option("expression", Some(text)));
        self.tag
            .iter()
            .fold(line, |line, tag| line.option("tag", Some(tag)))
    }

    /// The filter for these scenarios.
    pub(super) fn filter(&self, context: &mut Context) -> CommandResult<ScenarioFilter> {
        let mut sources = SourceMap::default();
        let mut found = Diagnostics::default();
        let read = |text: &String| FilterExpression::parse(text, &mut sources, &mut found);
        let mut expressions: Vec<FilterExpression> =
            self.expressions.iter().filter_map(read).collect();
        let tags: Vec<_> = self
            .tag
            .iter()
            .map(|tag| NamePattern::exact(tag))
            .map(|tag| FilterExpression::Ask(Predicate::Tag(tag)))
            .collect();
        if !tags.is_empty() {
            expressions.push(FilterExpression::Any(tags));
        }
        let changed = self
            .changed
            .as_ref()
            .map(|revision| Predicate::Changed(revision.as_str().into()));
        expressions.extend(changed.map(FilterExpression::Ask));
        let history = self.failed.then(|| RunHistory::of(&context.project.root));
        if history.as_ref().is_some_and(RunHistory::is_empty) {
            print_message("no earlier run is recorded: all scenarios count as not run\n");
        }
        context.usable(Some(()), &found, &sources)?;
        let mut filter = ScenarioFilter::new(&context.project, expressions).since()?;
        filter.history = history;
        filter.failed = self.failed_in(context)?;
        filter.shard = self.shard;
        Ok(filter)
    }

    /// The IDs of the scenarios that failed in the named reports.
    fn failed_in(&self, context: &mut Context) -> CommandResult<Option<BTreeSet<String>>> {
        let mut failed = BTreeSet::new();
        for path in &self.failed_in {
            let text = ReportText::read(path, context)?;
            text.head_of(ReportedRun::Test)?;
            let report = text.parse(RunReport::from_json)?;
            let scenarios = report.scenarios.into_iter();
            let open = scenarios.filter(|scenario| !scenario.verdict.is_well());
            failed.extend(open.map(|scenario| scenario.id));
        }
        Ok((!self.failed_in.is_empty()).then_some(failed))
    }
}

/// Prints the number of scenarios of reports that do not exist.
pub(super) fn print_missing(filter: &ScenarioFilter) {
    let missing = filter.missing();
    if let Some(first) = missing.first() {
        print_message(&format!(
            "{} of the report not found, the first is `{}`\n",
            plural(missing.len(), "failed scenario"),
            printable(first)
        ));
    }
}

/// Prints the number of scenarios that were skipped because their result is unknown.
pub(super) fn print_unevaluated(filter: &ScenarioFilter) {
    let unknown = filter.unevaluated();
    if unknown > 0 {
        print_message(&format!(
            "{} skipped: the filter cannot be evaluated without external calls\n",
            plural(unknown, "scenario")
        ));
    }
}
