//! Models as they were in a revision, to tell what made scenarios fall short.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::diff::{
    Candidate, DiffOptions, DifferenceKind, FallenScenario, KnownCause, ModelDiff, Sides,
    StateRenames,
};
use crate::scenario::Runner;
use fsmsim_core::machine::Variant;
use fsmsim_runtime::project::{GitChanges, GitPath, ModelName};
use fsmsim_syntax::diagnostic::Checked;
use fsmsim_syntax::threads::Threads;

/// What makes a dialogue another one. That it was decided otherwise and came to the same matters only where nothing else
/// differs.
const TELLING: [DifferenceKind; 8] = [
    DifferenceKind::Turns,
    DifferenceKind::State,
    DifferenceKind::Phase,
    DifferenceKind::Class,
    DifferenceKind::Carryover,
    DifferenceKind::Action,
    DifferenceKind::Effect,
    DifferenceKind::Data,
];

/// Models as they were in a revision of the repository of the working directory.
#[derive(Clone, Debug)]
pub struct FormerModels {
    revision: String,
}

impl FormerModels {
    /// The models in a revision that somebody named.
    ///
    /// # Errors
    /// The finding about a git that is not there, or a revision that is not known.
    pub fn since(revision: &str) -> Checked<Self> {
        GitPath::find(revision, Path::new(".")).map(|_| Self {
            revision: revision.to_owned(),
        })
    }

    /// The models as they were committed last, where there is a repository.
    pub fn committed() -> Self {
        Self {
            revision: "HEAD".to_owned(),
        }
    }

    /// How places in the former models begin.
    pub fn prefix(&self) -> String {
        format!("git:{}:", self.revision)
    }

    /// What made these scenarios fall short, one by one: what was edited in their models since then. Nothing where that is
    /// not known: there is no repository, the model is new, or it has no part in it.
    pub fn causes(
        &self,
        fallen: &[FallenScenario],
        runner: &Runner<'_>,
        threads: &Threads,
    ) -> Vec<Option<KnownCause>> {
        let mut causes = vec![None; fallen.len()];
        if fallen.is_empty() {
            return causes;
        }
        // Whatever keeps the former models from being known: the causes are told by what changed.
        let Ok(changes) = GitChanges::since(&self.revision) else {
            return causes;
        };
        let mut models: BTreeMap<&PathBuf, Vec<usize>> = BTreeMap::new();
        for (number, scenario) in fallen.iter().enumerate() {
            models.entry(&scenario.model.path).or_default().push(number);
        }
        for (path, mut numbers) in models {
            let variants = numbers
                .iter()
                .filter_map(|number| Some(fallen.get(*number)?.model.variant));
            if !is_edited(path, variants, &changes, runner) {
                continue;
            }
            let former = GitPath::find(&self.revision, path).and_then(|path| path.take_model());
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
            for only in [&TELLING[..], &[]] {
                let diff = ModelDiff {
                    runner,
                    candidates: candidates.clone(),
                    options: DiffOptions {
                        only,
                        context: 0,
                        renames: &renames,
                    },
                };
                let wanted: Vec<FallenScenario> = numbers
                    .iter()
                    .filter_map(|number| fallen.get(*number).cloned())
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

/// Whether one of the files of a model may not be as it was.
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
