//! Which scenarios of a run are wanted: by expression, by what became of them last, by share.

use std::path::Path;

use super::filter_expression::FilterExpression;
use super::predicate::Predicate;
use super::run_history::RunHistory;
use crate::diagnostic::{Diagnostics, SourceMap};
use crate::project::{ArtifactLayout, Project};
use crate::scenario::{Runner, ScenarioSelection, ScenarioText, scenario_address};
use crate::threads::Shard;

/// Which scenarios of a run are wanted; all, where nothing is said.
#[derive(Debug)]
pub struct ScenarioFilter {
    layout: ArtifactLayout,
    /// All of these hold.
    expressions: Vec<FilterExpression>,
    /// Those that fell short when they were run last, or were not run.
    history: Option<RunHistory>,
    shard: Option<Shard>,
}

impl ScenarioFilter {
    /// The scenarios of a project for which all of these hold.
    pub fn new(project: &Project, expressions: Vec<FilterExpression>) -> Self {
        let layout = project.artifacts_in(&project.snapshots);
        Self { layout, expressions, history: None, shard: None }
    }

    /// Of these, only those that fell short when they were run last, or were not run.
    pub fn open_in(mut self, history: Option<RunHistory>) -> Self {
        self.history = history;
        self
    }

    /// Of these, only this share.
    pub fn in_shard(mut self, shard: Option<Shard>) -> Self {
        self.shard = shard;
        self
    }

    /// Whether all scenarios are wanted.
    pub fn takes_all(&self) -> bool {
        self.expressions.is_empty() && self.history.is_none() && self.shard.is_none()
    }

    /// Whether there may be nothing for it to take: that is no mistake.
    pub fn may_be_empty(&self) -> bool {
        let changed = self.expressions.iter().any(|expression| !expression.revisions().is_empty());
        self.history.is_some() || self.shard.is_some() || changed
    }

    /// The address of a scenario of this file.
    pub fn address(&self, file: &Path, scenario: &ScenarioText<'_>) -> String {
        scenario_address(&self.from_root(file), scenario.title, None)
    }

    /// A path from the project.
    pub fn from_root(&self, file: &Path) -> String {
        self.layout.from_root(file)
    }

    /// What is known without playing.
    fn known(
        &self,
        predicate: &Predicate,
        scenario: &ScenarioText<'_>,
        file: &Path,
        runner: &Runner<'_>,
    ) -> Option<bool> {
        match predicate {
            Predicate::Tag(pattern) => Some(scenario.tags.iter().any(|tag| pattern.matches(tag))),
            Predicate::Title(pattern) => Some(pattern.matches(scenario.title)),
            Predicate::Path(pattern) => Some(pattern.matches(&self.layout.from_root(file))),
            Predicate::Model(pattern) => {
                let model = runner.model_of(scenario, file, &mut Diagnostics::default());
                Some(model.is_some_and(|model| {
                    let name = |part: Option<&std::ffi::OsStr>| {
                        part.is_some_and(|name| pattern.matches(&name.to_string_lossy()))
                    };
                    let path = &model.path;
                    pattern.matches(&self.layout.from_root(path)) || name(path.file_name()) || name(path.file_stem())
                }))
            }
            Predicate::Asks => Some(scenario.may_ask()),
            Predicate::Covers(_) | Predicate::Class(_) | Predicate::Changed(_) => None,
        }
    }
}

impl ScenarioSelection for ScenarioFilter {
    fn wants(&self, scenario: &ScenarioText<'_>, file: &Path, runner: &Runner<'_>, _: &SourceMap) -> bool {
        if self.takes_all() {
            return true;
        }
        let known = |expression: &FilterExpression| {
            expression.holds(&mut |predicate| self.known(predicate, scenario, file, runner)).unwrap_or(false)
        };
        (self.history.is_none() && self.shard.is_none() || {
            let address = self.address(file, scenario);
            self.shard.is_none_or(|shard| shard.has_name(&address))
                && self.history.as_ref().is_none_or(|history| history.is_open(&address))
        }) && self.expressions.iter().all(known)
    }
}
