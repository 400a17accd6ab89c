//! The scenario selection of a command.

use std::path::PathBuf;

use clap::Args;

use super::{CommandResult, Context};
use fsmsim_harness::selection::{
    FilterExpression, NamePattern, Predicate, RunHistory, ScenarioFilter,
};
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};
use fsmsim_syntax::terminal::tell;
use fsmsim_syntax::threads::Shard;

/// Arguments by which scenarios are selected.
#[derive(Clone, Debug, Args)]
pub(super) struct SelectionArgs {
    /// Scenario files and folders, and scenarios as `FILE::TITLE` or `FILE::TITLE[CASE]`; without any, the folder of the
    /// project's scenarios
    pub(super) paths: Vec<PathBuf>,
    /// Only scenarios for which this holds: `tag(smoke) & !model(bant*)`. There are tag, title, path, model, covers, class,
    /// asks and changed
    #[arg(short = 'E', long = "expression", value_name = "FILTER")]
    pub(super) expressions: Vec<String>,
    /// Only scenarios with one of these tags, as `-E 'tag(=TAG)'`
    #[arg(long, value_name = "TAG")]
    pub(super) tag: Vec<String>,
    /// Only scenarios that an edit since this revision touches, as `-E 'changed(REV)'`
    #[arg(long, value_name = "REV")]
    pub(super) changed: Option<String>,
    /// Only scenarios that fell short when they were run last, or were not run
    #[arg(long)]
    pub(super) failed: bool,
    /// Only this share of the scenarios, such as 1/3: by the hash of the address
    #[arg(long, value_name = "NUMBER/OF")]
    pub(super) shard: Option<Shard>,
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

    /// The filter for these scenarios.
    pub(super) fn filter(&self, context: &mut Context) -> CommandResult<ScenarioFilter> {
        let (mut sources, mut found) = (SourceMap::default(), Diagnostics::default());
        let read = |text: &String| FilterExpression::parse(text, &mut sources, &mut found);
        let mut expressions: Vec<FilterExpression> =
            self.expressions.iter().filter_map(read).collect();
        let tags = self.tag.iter().map(|tag| NamePattern::exact(tag));
        let tags: Vec<_> = tags
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
            tell("no run is remembered: all scenarios count as not run\n");
        }
        context.usable(Some(()), &found, &sources)?;
        let filter = ScenarioFilter::new(&context.project, expressions).since()?;
        Ok(filter.open_in(history).in_shard(self.shard))
    }
}

/// Prints the number of scenarios that were skipped because their result is unknown.
pub(super) fn tell_untold(filter: &ScenarioFilter) {
    let unknown = filter.untold();
    if unknown > 0 {
        let scenarios = if unknown == 1 {
            "scenario is"
        } else {
            "scenarios are"
        };
        tell(&format!(
            "{unknown} {scenarios} left out: what is said there has to be read, or nothing can be played\n"
        ));
    }
}
