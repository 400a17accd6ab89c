//! The models at an earlier revision, for finding the causes of failures.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::diff::{
    Candidate, DiffOptions, DifferenceKind, FailedScenario, KnownCause, ModelDiff, Sides,
    StateRenames,
};
use crate::scenario::{DEFAULTS, Runner, holds_scenarios};
use fsmsim_core::machine::Variant;
use fsmsim_runtime::project::{GitBaseline, GitChanges, GitPath, ModelName, Project};
use fsmsim_syntax::diagnostic::{Checked, Diagnostic};
use fsmsim_syntax::files::real_path;
use fsmsim_syntax::threads::Threads;

/// The kinds of differences that matter most. A decision by a different rule with the same result matters only if
/// nothing else differs.
const SIGNIFICANT: [DifferenceKind; 8] = [
    DifferenceKind::Turns,
    DifferenceKind::State,
    DifferenceKind::Phase,
    DifferenceKind::Class,
    DifferenceKind::Carryover,
    DifferenceKind::Action,
    DifferenceKind::Effect,
    DifferenceKind::Data,
];

/// The models at a revision in the repository of the working directory.
#[derive(Clone, Debug)]
pub struct FormerModels {
    /// The project, and its scenarios.
    folders: [PathBuf; 2],
    /// Determined when it is needed, because git takes longer than a small run.
    baseline: OnceLock<GitBaseline>,
}

impl FormerModels {
    /// The models at a revision that the user named, otherwise at the baseline of the checkout, if there is a
    /// repository.
    ///
    /// # Errors
    /// Returns an error if git is not available, or if the revision is unknown in a complete clone.
    pub fn since(revision: Option<&str>, project: &Project) -> Checked<Self> {
        let baseline = revision.map(GitBaseline::named).transpose()?;
        Ok(Self {
            folders: [project.folder(), project.scenarios.as_path()].map(real_path),
            baseline: baseline.map(OnceLock::from).unwrap_or_default(),
        })
    }

    fn baseline(&self) -> &GitBaseline {
        self.baseline.get_or_init(|| {
            let [folder, scenarios] = &self.folders;
            GitBaseline::find(folder, &|path| {
                let is_deleted = path.starts_with(scenarios) && !path.is_file();
                is_deleted || path.ends_with(DEFAULTS) || holds_scenarios(path)
            })
        })
    }

    /// A note if the clone does not contain the revision.
    pub fn note(&self) -> Option<Diagnostic> {
        self.baseline().note()
    }

    /// The revision, as the user or the environment names it.
    pub fn revision(&self) -> &str {
        &self.baseline().revision
    }

    /// The prefix for locations in the earlier models.
    pub fn prefix(&self) -> String {
        format!("git:{}:", self.revision())
    }

    /// The cause of each failed scenario: the edit to its model since the revision. `None` if the cause is unknown:
    /// there is no repository, the model is new, or the model did not cause the failure.
    pub fn causes(
        &self,
        failed_scenarios: &[FailedScenario],
        runner: &Runner<'_>,
        threads: &Threads,
    ) -> Vec<Option<KnownCause>> {
        let mut causes = vec![None; failed_scenarios.len()];
        if failed_scenarios.is_empty() {
            return causes;
        }
        // If the changes since the revision cannot be determined, no causes are known.
        let Ok(changes) = GitChanges::since(self.revision()) else {
            return causes;
        };
        let mut models: BTreeMap<&PathBuf, Vec<usize>> = BTreeMap::new();
        for (number, scenario) in failed_scenarios.iter().enumerate() {
            models.entry(&scenario.model.path).or_default().push(number);
        }
        for (path, mut numbers) in models {
            let variants = numbers
                .iter()
                .filter_map(|number| Some(failed_scenarios.get(*number)?.model.variant));
            if !is_edited(path, variants, &changes, runner) {
                continue;
            }
            let former = GitPath::find(self.revision(), path).and_then(|path| path.take_model());
            let Ok(former) = former else { continue };
            let name = ModelName {
                path: path.clone(),
                profile: None,
            };
            let candidates = Sides {
                a: Candidate::new(&name, Some(&former)),
                b: Candidate::new(&name, None),
            };
            let renames = StateRenames::default();
            for only in [&SIGNIFICANT[..], &[]] {
                let diff = ModelDiff {
                    runner,
                    candidates: candidates.clone(),
                    options: DiffOptions {
                        only,
                        context: 0,
                        renames: &renames,
                        only_common: false,
                    },
                };
                let wanted: Vec<FailedScenario> = numbers
                    .iter()
                    .filter_map(|number| failed_scenarios.get(*number).cloned())
                    .collect();
                let found = diff.causes_of(&wanted, threads);
                for (number, cause) in numbers.iter().zip(found) {
                    if let Some(slot) = causes.get_mut(*number) {
                        *slot = cause;
                    }
                }
                numbers.retain(|number| causes.get(*number).is_some_and(Option::is_none));
            }
        }
        causes
    }
}

/// Whether any file of a model might have changed.
fn is_edited(
    path: &Path,
    mut variants: impl Iterator<Item = Variant>,
    changes: &GitChanges,
    runner: &Runner<'_>,
) -> bool {
    if changes.is_empty() {
        return false;
    }
    let mut models = runner.models.lock();
    variants.any(|variant| {
        models
            .load(path, variant)
            .is_none_or(|machine| changes.may_touch(&machine.files))
    })
}
