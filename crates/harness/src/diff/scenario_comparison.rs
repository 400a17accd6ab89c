//! Compares the runs of scenarios with two models.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::candidate::Candidate;
use super::diff_options::DiffOptions;
use super::diff_outcome::{DiffOutcome, NamedFiles};
use super::divergence::Divergence;
use super::edit_causes::EditCauses;
use super::model_edits::EditCache;
use super::named_model::NamedModel;
use super::rename_offers::RenameOffer;
use super::scenario_documents::ScenarioDocuments;
use super::sides::Sides;
use super::switch_search::by_switches;
use super::titles::Titles;
use super::trace_comparison::{JudgedDivergence, ModelOfDialogue, TraceComparison};
use super::trace_scenario::TracedScenario;
use crate::scenario::{
    ModelKey, PreparedScenario, Runner, ScenarioDocument, ScenarioSource, ScenarioText,
    scenario_files,
};
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::{Profile, Variant};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap};
use fsmsim_syntax::threads::Threads;

/// Two models, compared by running the same scenarios.
pub struct ModelDiff<'r> {
    /// Runs scenarios.
    pub runner: &'r Runner<'r>,
    pub candidates: Sides<Candidate>,
    pub options: DiffOptions<'r>,
}

/// The results of the scenarios that were compared so far.
#[derive(Default)]
struct DiffProgress {
    comparison: TraceComparison,
    titles: Titles,
    named: NamedFiles,
    unread: bool,
    /// The number of scenarios that were compared so far.
    count: usize,
}

/// The result of comparing a scenario.
#[derive(Default)]
pub(super) struct ComparedScenario {
    found: Diagnostics,
    named: NamedFiles,
    unread: bool,
    /// The title of a scenario that names one of the models.
    title: Option<String>,
    /// The second model, if the results differ.
    model: Option<ModelOfDialogue>,
    pub verdict: ScenarioComparison,
}

/// The result of comparing a scenario.
#[derive(Default)]
pub(super) enum ScenarioComparison {
    /// The scenario cannot be read, or cannot be run with both models.
    #[default]
    Unplayable,
    /// The scenario belongs to another model.
    Omission,
    /// The scenario is marked to be skipped.
    Skipped,
    /// The scenario has the same result with both models.
    Same,
    /// The scenario has different results.
    Different(Box<JudgedDivergence>),
}

impl DiffProgress {
    /// Adds the result for a scenario from this file.
    fn push(&mut self, compared: ComparedScenario, file: &Path, found: &mut Diagnostics) {
        let ComparedScenario {
            found: diagnostics,
            named,
            unread,
            title,
            model,
            verdict,
        } = compared;
        let place = self.count;
        self.count += 1;
        found.extend(diagnostics);
        self.named.extend(named);
        self.unread |= unread;
        let name = title.map(|title| self.titles.name(&title, file));
        let comparison = &mut self.comparison;
        match verdict {
            ScenarioComparison::Unplayable => comparison.counts.unplayable += 1,
            ScenarioComparison::Skipped => {}
            ScenarioComparison::Omission => comparison.counts.left_out += 1,
            ScenarioComparison::Same => comparison.counts.same += 1,
            ScenarioComparison::Different(judged) => {
                comparison.push(place, name.unwrap_or_default(), model, *judged);
            }
        }
    }
}

impl ModelDiff<'_> {
    /// Compares the models by running the scenarios under these paths that name one of them. Returns no comparison if
    /// there is no such scenario.
    pub fn run(
        &self,
        paths: &[PathBuf],
        threads: &Threads,
        found: &mut Diagnostics,
        sources: &mut SourceMap,
    ) -> DiffOutcome {
        let mut progress = DiffProgress::default();
        let offers = self.offers(found);
        if found.has_errors() {
            return DiffOutcome::default();
        }
        let edits = EditCache::default();
        let mut documents =
            ScenarioDocuments::of(scenario_files(paths, found), self.runner.project);
        loop {
            let batch = documents.next(sources);
            if batch.is_empty() {
                break;
            }
            let compared = threads.map(&batch, |document| {
                Some(self.compare(document.as_ref().ok()?, sources, &edits))
            });
            for (document, compared) in batch.into_iter().zip(compared) {
                match (document, compared) {
                    (Ok(source), Some(compared)) => {
                        progress.push(compared, relative_path(&source.path, paths), found);
                    }
                    (Err(unread), _) => found.extend(unread),
                    (Ok(_), None) => {}
                }
            }
        }
        let DiffProgress {
            mut comparison,
            named,
            unread,
            ..
        } = progress;
        let counts = comparison.counts;
        let nothing =
            counts.same + counts.different + counts.unplayable == 0 && !found.has_errors();
        if counts.different + counts.unplayable > 0 {
            comparison.renames = offers;
        }
        if nothing {
            found.push(self.no_scenario(paths));
        }
        DiffOutcome {
            comparison: (!nothing).then(|| comparison.finish()),
            named: vec![named],
            unread,
        }
    }

    fn no_scenario(&self, paths: &[PathBuf]) -> Diagnostic {
        let shown: Vec<String> = paths
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        let names = self
            .candidates
            .as_ref()
            .map(|candidate| candidate.named.display().to_string());
        let mut names = vec![names.a, names.b];
        names.dedup();
        Diagnostic::error(
            Code::NoScenario,
            format!("no scenario uses the model `{}`", names.join("` or `")),
        )
        .about(shown.join(", "))
        .help("set `model:` in a scenario, or select scenarios with `--scenarios PATH…`")
    }

    /// Runs the scenario in a document with both models and compares the results.
    pub(super) fn compare(
        &self,
        source: &ScenarioSource,
        sources: &SourceMap,
        edits: &EditCache,
    ) -> ComparedScenario {
        let mut compared = ComparedScenario::default();
        let document = source.document(sources, &mut compared.found);
        let scenario = document
            .as_ref()
            .and_then(|document| ScenarioText::read(document, &mut compared.found));
        if scenario
            .as_ref()
            .is_some_and(|scenario| scenario.skip.is_some())
        {
            compared.verdict = ScenarioComparison::Skipped;
            return compared;
        }
        if let Some((scenario, document)) =
            scenario.zip(document.as_ref().filter(|document| !document.is_broken))
            && let Some(model) = self.runner.model_of(&scenario, &mut compared.found)
        {
            compared.verdict = self.judge((&scenario, document), &model, edits, &mut compared);
        }
        compared.found = source.name_case(compared.found);
        compared
    }

    fn judge(
        &self,
        (scenario, document): (&ScenarioText<'_>, &ScenarioDocument<'_>),
        model: &ModelKey,
        edits: &EditCache,
        ComparedScenario {
            found,
            named,
            unread,
            title,
            model: second_model,
            ..
        }: &mut ComparedScenario,
    ) -> ScenarioComparison {
        let (Sides { a, b }, renames) = (&self.candidates, self.options.renames);
        if !a.is_named(&model.path) && !b.is_named(&model.path) {
            return ScenarioComparison::Omission;
        }
        *title = Some(scenario.name());
        let variants = self
            .candidates
            .as_ref()
            .map(|candidate| self.variant(candidate, model.variant.profile));
        // A name is valid if either model defines it.
        let other_machines = Sides::each(|side| {
            let other = side.other();
            self.machine(self.candidates.of(other), *variants.of(other))
        });
        let others = Sides::each(|side| {
            let other = other_machines
                .of(side.other())
                .as_deref()
                .filter(|_| !renames.is_empty())?;
            let node = renames.translated(&document.node, side, other)?;
            Some(document.with(node))
        });
        let translated = others
            .as_ref()
            .map(|document| ScenarioText::read(document.as_ref()?, found));
        let scenarios = translated
            .as_ref()
            .map(|translated| translated.as_ref().unwrap_or(scenario));
        let prepared = Sides::each(|side| {
            let model = ModelKey {
                path: self.candidates.of(side).path.clone(),
                variant: *variants.of(side),
            };
            let other_machine = other_machines.of(side).as_deref();
            let prepared =
                self.runner
                    .prepare_with(scenarios.of(side), model, other_machine, found);
            prepared.map_err(|model| named.models.extend(model)).ok()
        });
        let Some(prepared) = prepared.both() else {
            return ScenarioComparison::Unplayable;
        };
        let traced = prepared
            .as_ref()
            .map(|prepared| TracedScenario::of(prepared, found));
        *unread |= traced.a.unread || traced.b.unread;
        if renames.is_empty() && traced.a.dialogue.is_written_like(&traced.b.dialogue) {
            return ScenarioComparison::Same;
        }
        let Some(mut turns) = traced.as_ref().map(TracedScenario::turns).both() else {
            return ScenarioComparison::Same;
        };
        renames.rename(&mut turns.a);
        let models = Sides::each(|side| NamedModel {
            machine: &prepared.of(side).machine,
            names: &self.candidates.of(side).names,
        });
        models.a.name_rules(&mut turns.a);
        models.b.name_rules(&mut turns.b);
        let Some(divergence) = self.options.divergence(&turns) else {
            return ScenarioComparison::Same;
        };
        *second_model = Some((models.b.name(), Arc::clone(&prepared.b.machine)));
        // Findings are reported only for the runs being compared, not for the runs that look for causes.
        let play = |prepared: Result<PreparedScenario<'_>, Option<ModelKey>>| {
            let prepared = prepared.ok()?;
            let mut turns = TracedScenario::of(&prepared, &mut Diagnostics::default()).turns()?;
            renames.rename(&mut turns);
            Some(turns)
        };
        let only = self.options.only;
        let judged = if a.shares_files(b) && variants.a != variants.b {
            let all = variants.a.switches().differing(variants.b.switches());
            let turned = |turned| {
                let mut model = prepared.a.model.clone();
                model.variant.turned = turned;
                let found = &mut Diagnostics::default();
                let prepared = self.runner.prepare_with(scenarios.a, model, None, found);
                Divergence::find(&turns.a, &play(prepared)?, only, 0)
            };
            by_switches(divergence, all, &turned)
        } else if variants.a == variants.b {
            let edits = edits.edits(models, |_| ());
            let by = &traced.b.by;
            let build = |texts: &[(String, String)]| by.rebuilt(self.runner, texts);
            let play = |machine: &Arc<Machine>| {
                let model = by.model.clone();
                // A scenario run without an edit may still use all names of the second model.
                let names = Some(models.b.machine);
                let found = &mut Diagnostics::default();
                play(
                    self.runner
                        .prepare_on(scenarios.b, model, machine, names, found),
                )
            };
            EditCauses::new(&edits, only, &build, &play, turns).find(divergence)
        } else {
            // If the profiles differ too, an edit is not necessarily the cause.
            divergence.into()
        };
        ScenarioComparison::Different(Box::new(judged))
    }

    /// The variant of a model. Its profile is that of the command, or else of the candidate, or else `otherwise`.
    fn variant(&self, candidate: &Candidate, otherwise: Profile) -> Variant {
        let profile = self.runner.profile.or(candidate.profile);
        profile.unwrap_or(otherwise).into()
    }

    fn machine(&self, candidate: &Candidate, variant: Variant) -> Option<Arc<Machine>> {
        self.runner.models.lock().load(&candidate.path, variant)
    }

    /// Reports `--rename` options with unknown states. Returns the states that were probably renamed.
    fn offers(&self, found: &mut Diagnostics) -> Vec<RenameOffer> {
        let machine =
            |candidate| self.machine(candidate, self.variant(candidate, Profile::default()));
        let machines = self.candidates.as_ref().map(machine);
        let Some(machines) = machines.as_ref().map(Option::as_deref).both() else {
            return Vec::new();
        };
        let renames = self.options.renames;
        renames.check_models(machines, found);
        RenameOffer::of(machines, renames)
    }
}

/// The path of a file relative to the path that contains it.
fn relative_path<'p>(file: &'p Path, paths: &[PathBuf]) -> &'p Path {
    let inner = paths.iter().find_map(|path| file.strip_prefix(path).ok());
    inner
        .filter(|inner| !inner.as_os_str().is_empty())
        .unwrap_or(file)
}
