//! Generates scenarios that cover what the scenarios of a project miss.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::dialogue_graph::DialogueGraph;
use super::draft::{DialogueDraft, ExampleWords};
use super::goals::Goals;
use super::lower_bound::LowerBound;
use super::recorded::{recorded, without_personal_data};
use super::rehearsal::{GeneratedScenario, Rehearsal, SeenDialogue};
use super::set_cover::fewest;
use crate::coverage::{
    AllDialogues, CountedModels, CoverageKind, CoverageMap, ModelCoverage, ModelReport,
    named_value, reached_bound,
};
use crate::scenario::{ModelKey, Runner, ScenarioFiles, ScenarioSelection, ScenarioText, Suite};
use crate::snapshot::{SnapshotChecker, SnapshotMode};
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::Value;
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};
use fsmsim_syntax::files::real_path;
use fsmsim_syntax::threads::Threads;

/// A model to generate scenarios for.
pub struct GenerationInput {
    /// The model as the user named it.
    pub name: String,
    /// The path of the model in scenarios.
    pub place: String,
    pub key: ModelKey,
}

/// The options of a generation.
pub struct GenerationRun<'r> {
    pub runner: Runner<'r>,
    /// The kinds of items to cover.
    pub kinds: Vec<CoverageKind>,
    /// The number of turns after which a dialogue ends.
    pub turns: usize,
    /// The maximum number of scenarios of each model.
    pub most: Option<usize>,
    /// The maximum number of states of the search.
    pub states: usize,
    /// The trace from which dialogues are taken, in place of those of the search.
    pub trace: Option<PathBuf>,
    /// The folder for the scenarios.
    pub folder: PathBuf,
    /// The revision that the scenarios are generated from.
    pub revision: Option<String>,
    pub threads: &'r Threads,
}

/// The generated scenarios of a model.
#[derive(Debug)]
pub struct Generation {
    pub model: String,
    pub scenarios: Vec<GeneratedScenario>,
    /// The coverage of the scenarios of the project.
    pub before: ModelReport,
    /// The coverage after the generated scenarios are added.
    pub after: ModelReport,
    /// The smallest possible number of scenarios; `None` if it is unknown.
    pub lower_bound: Option<LowerBound>,
    /// The number of dialogues with another result when they are played as scenarios.
    pub unreproduced: usize,
    /// The bound that ended the search.
    pub bound: Option<String>,
}

/// A dialogue that was played, and the goals that it covers.
#[derive(Default)]
struct PlayedDraft {
    draft: DialogueDraft,
    seen: SeenDialogue,
    goals: BTreeSet<u32>,
    /// Whether it covers all goals that it was planned for.
    is_reproduced: bool,
}

/// Selects the scenarios of these models that call no external system.
struct OfModels(BTreeSet<PathBuf>);

impl ScenarioSelection for OfModels {
    fn wants(&self, scenario: &ScenarioText<'_>, runner: &Runner<'_>, _: &SourceMap) -> bool {
        let model = runner.model_of(scenario, &mut Diagnostics::default());
        let is_of_model = model.is_some_and(|model| self.0.contains(&real_path(&model.path)));
        is_of_model && scenario.subject.is_none()
    }
}

/// The coverage of the scenarios under `paths`, or of the project if `paths` is empty, for these models.
pub fn suite_coverage(
    runner: Runner<'_>,
    paths: &[PathBuf],
    models: &[GenerationInput],
    threads: &Threads,
    found: &mut Diagnostics,
) -> CountedModels {
    let project = runner.project;
    // A new project has no scenarios.
    let files = if paths.is_empty() && !project.scenarios.exists() {
        ScenarioFiles::default()
    } else {
        ScenarioFiles::of(project, paths, found)
    };
    let models = models.iter().map(|model| real_path(&model.key.path));
    let selection = OfModels(models.collect());
    let snapshots = SnapshotChecker::new(project, SnapshotMode::Check);
    let suite = Suite {
        selection: &selection,
        counts_coverage: true,
        ..Suite::new(runner, files, snapshots)
    };
    suite.run(threads, &mut []).coverage
}

/// The kind of items with this name, if a search decides which of its items dialogues cover.
///
/// # Errors
/// Returns an error that suggests a name.
pub fn generated_kind(name: &str) -> Result<CoverageKind, String> {
    let kind: CoverageKind = named_value("coverage kind", name, name)?;
    let unsearched = || {
        format!(
            "a search cannot decide which `{name}` are attainable: choose another kind, such as `transitions`"
        )
    };
    kind.is_searched().then_some(kind).ok_or_else(unsearched)
}

impl GenerationRun<'_> {
    /// Generates the scenarios of a model. The result does not depend on the number of threads.
    ///
    /// # Errors
    /// Returns findings, with their sources, if the model or the trace cannot be read.
    pub fn generate(
        &self,
        input: &GenerationInput,
        counted: &mut CountedModels,
        shown: &dyn Fn(&str) -> String,
    ) -> Result<Generation, (Diagnostics, Arc<SourceMap>)> {
        let ModelKey { path, variant } = &input.key;
        let machine = self.runner.models.lock().load(path, *variant);
        let Some(machine) = machine else {
            return Err((Diagnostics::default(), Arc::default()));
        };
        let coverage = counted.take(path);
        let mut coverage = coverage.unwrap_or_else(|| ModelCoverage::new(&machine));
        let map = CoverageMap::of(&machine);
        let open = coverage.report(str::to_owned);
        let mut goals = Goals::new(&map, &open, &self.kinds);
        let (graph, all) =
            DialogueGraph::new(&machine, &mut goals, &open, self.states, self.threads);
        self.prove(&mut coverage, &machine, all);
        let before = self.report(&coverage, shown);
        let (revision, place) = (self.revision.as_deref(), &*input.place);
        let stage = Rehearsal {
            runner: &self.runner,
            key: &input.key,
            machine: &machine,
            place,
            path: &self.folder.join("generated.yaml"),
            revision: &revision.map_or(Value::Bool(true), Value::text),
        };
        let played = match &self.trace {
            Some(trace) => self.recorded(trace, &stage, &goals)?,
            None => self.planned(&graph, &stage, &goals),
        };
        let mut unreproduced = played.iter().filter(|played| !played.is_reproduced).count();
        let sets: Vec<BTreeSet<u32>> = played.iter().map(|played| played.goals.clone()).collect();
        let mut covered = BTreeSet::new();
        let mut scenarios = Vec::new();
        for index in fewest(&sets, self.most) {
            let Some(PlayedDraft {
                draft,
                seen,
                goals: own,
                is_reproduced,
            }) = played.get(index)
            else {
                continue;
            };
            let new: BTreeSet<u32> = own.difference(&covered).copied().collect();
            match stage.scenario(draft, seen, &goals, &new) {
                Some(scenario) => {
                    coverage.add(&machine, &scenario.coverage);
                    covered.extend(new);
                    scenarios.push(scenario);
                }
                None => unreproduced += usize::from(*is_reproduced),
            }
        }
        let is_planned = self.trace.is_none() && !scenarios.is_empty();
        Ok(Generation {
            model: input.name.clone(),
            before,
            after: self.report(&coverage, shown),
            lower_bound: is_planned
                .then(|| LowerBound::of(&graph, self.turns))
                .flatten(),
            scenarios,
            unreproduced,
            bound: reached_bound(&graph.space),
        })
    }

    /// Marks the items that no dialogue covers. `known` is the search of this machine.
    fn prove(
        &self,
        coverage: &mut ModelCoverage,
        machine: &Arc<Machine>,
        known: Result<AllDialogues, String>,
    ) {
        let mut known = Some(known);
        coverage.prove_by(|other| {
            let is_known = std::ptr::eq(other, Arc::as_ptr(machine));
            let known = if is_known { known.take() } else { None };
            known.unwrap_or_else(|| AllDialogues::of(other, self.states, self.threads))
        });
    }

    /// The coverage of the chosen kinds.
    fn report(&self, coverage: &ModelCoverage, shown: &dyn Fn(&str) -> String) -> ModelReport {
        let mut report = coverage.report(shown);
        report.items.retain(|key, _| self.kinds.contains(&key.kind));
        report
    }

    /// The dialogues that a search finds, played with their words, or without those that change the dialogue.
    fn planned(
        &self,
        graph: &DialogueGraph<'_>,
        stage: &Rehearsal<'_>,
        goals: &Goals<'_>,
    ) -> Vec<PlayedDraft> {
        let mut words = ExampleWords::default();
        let mut drafts = Vec::new();
        for plan in graph.plans(goals.len(), self.turns, 1) {
            let draft = DialogueDraft::planned(&plan.turns, stage.machine, &mut words);
            drafts.push((draft, plan.goals));
        }
        let played = self.threads.map(&drafts, |(draft, planned)| {
            let draft = draft.as_ref()?;
            let with_words = played(draft.clone(), planned, stage, goals);
            let is_good = |played: &PlayedDraft| played.is_reproduced;
            if with_words.as_ref().is_some_and(is_good) {
                return with_words;
            }
            let without = played(draft.without_words(), planned, stage, goals);
            without.filter(is_good).or(with_words)
        });
        played.into_iter().map(Option::unwrap_or_default).collect()
    }

    /// The dialogues of a trace without personal data, if they have the same result.
    fn recorded(
        &self,
        trace: &Path,
        stage: &Rehearsal<'_>,
        goals: &Goals<'_>,
    ) -> Result<Vec<PlayedDraft>, (Diagnostics, Arc<SourceMap>)> {
        let drafts = recorded(trace, stage)?;
        let seen = self.threads.map(&drafts, |draft| stage.seen(draft));
        let mut words = ExampleWords::default();
        let mut all = Vec::new();
        for (draft, seen) in drafts.iter().zip(seen) {
            // A dialogue of another model is invalid.
            let Some(seen) = seen else {
                all.push(PlayedDraft::default());
                continue;
            };
            let wanted = goals.of_set(&seen.coverage);
            if !wanted.is_empty() {
                let intents = seen.turns.iter().map(|turn| turn.intent);
                let draft = without_personal_data(draft, intents, stage.machine, &mut words);
                all.push(played(draft, &wanted, stage, goals).unwrap_or_default());
            }
        }
        Ok(all)
    }
}

/// Plays a draft; `None` if it is invalid.
fn played(
    draft: DialogueDraft,
    planned: &BTreeSet<u32>,
    stage: &Rehearsal<'_>,
    goals: &Goals<'_>,
) -> Option<PlayedDraft> {
    let seen = stage.seen(&draft)?;
    let goals = goals.of_set(&seen.coverage);
    Some(PlayedDraft {
        draft,
        seen,
        is_reproduced: planned.is_subset(&goals),
        goals,
    })
}

impl Generation {
    /// Whether the model has items to cover.
    pub fn has_items(&self) -> bool {
        let mut items = self.after.items.values();
        items.any(|count| count.verdict().counts())
    }

    /// The result as JSON.
    pub fn to_json(&self) -> Json {
        let shares = |report: &ModelReport| {
            let lines = CoverageKind::Lines.name();
            let shares = report.shares().filter(|(kind, _)| *kind != lines);
            let shares = shares.map(|(kind, share)| {
                let share = json!({"covered": share.covered, "all": share.all});
                (kind.to_owned(), share)
            });
            shares.collect::<serde_json::Map<String, Json>>()
        };
        let scenarios = self.scenarios.iter().map(|scenario| {
            json!({
                "title": scenario.title,
                "covers": scenario.covers,
                "needs_words": scenario.is_rough,
                "text": scenario.text,
            })
        });
        json!({
            "model": self.model,
            "before": shares(&self.before),
            "after": shares(&self.after),
            "scenarios": scenarios.collect::<Vec<Json>>(),
            "lower_bound": self.lower_bound,
            "not_reproduced": self.unreproduced,
            "bound": self.bound,
        })
    }
}
