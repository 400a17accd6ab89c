//! Compares what scenarios do on two models.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::candidate::Candidate;
use super::cause::CauseKey;
use super::diff_outcome::{DiffOutcome, NamedFiles};
use super::divergence::Divergence;
use super::edit_causes::EditCauses;
use super::edit_search::{EditCache, EditSearch};
use super::known_edit::KnownEdit;
use super::model_diff::ModelDiff;
use super::rename_offers::RenameOffer;
use super::rule_changes::RuleChanges;
use super::scenario_documents::ScenarioDocuments;
use super::sides::{DiffSide, Sides};
use super::state_renames::StateRenames;
use super::switch_search::SwitchSearch;
use super::titles::Titles;
use super::trace_comparison::TraceComparison;
use super::trace_scenario::{TracedScenario, trace_scenario};
use crate::scenario::{ModelKey, ScenarioDocument, ScenarioSource, ScenarioText, scenario_files};
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::Variant;
use fsmsim_core::trace::TurnReport;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap};
use fsmsim_syntax::threads::Threads;

/// What the scenarios so far came to.
#[derive(Default)]
struct DiffProgress {
    comparison: TraceComparison,
    titles: Titles,
    named: NamedFiles,
    unread: bool,
    /// How many there were.
    count: usize,
}

/// What a scenario came to.
#[derive(Default)]
pub(super) struct ComparedScenario {
    found: Diagnostics,
    named: NamedFiles,
    unread: bool,
    pub(super) verdict: ScenarioComparison,
}

/// What is said of a scenario.
#[derive(Default)]
pub(super) enum ScenarioComparison {
    /// It cannot be read.
    #[default]
    Unreadable,
    /// It is for another model.
    LeftOut,
    /// It is not to be played.
    Skipped,
    /// The scenario of this title cannot be played on both sides.
    Unplayable(String),
    /// The scenario of this title is the same on both sides.
    Same(String),
    /// It is not.
    Different(Box<DifferentScenario>),
}

/// A scenario that is not the same on both sides.
pub(super) struct DifferentScenario {
    title: String,
    pub(super) divergence: Divergence,
    pub(super) cause: Option<CauseKey>,
    /// The edit that is the cause.
    pub(super) edit: Option<KnownEdit>,
    /// What else makes a difference.
    pub(super) besides: Vec<(CauseKey, Divergence)>,
}

impl DiffProgress {
    /// Adds a scenario of this file.
    fn push(&mut self, compared: ComparedScenario, file: &Path, found: &mut Diagnostics) {
        let ComparedScenario {
            found: told,
            named,
            unread,
            verdict,
        } = compared;
        let place = self.count;
        self.count += 1;
        found.extend(told);
        self.named.extend(named);
        self.unread |= unread;
        let (comparison, titles) = (&mut self.comparison, &mut self.titles);
        match verdict {
            ScenarioComparison::Unreadable => comparison.counts.unplayable += 1,
            ScenarioComparison::Skipped => {}
            ScenarioComparison::LeftOut => comparison.counts.left_out += 1,
            ScenarioComparison::Unplayable(title) => {
                titles.name(&title, file);
                comparison.counts.unplayable += 1;
            }
            ScenarioComparison::Same(title) => {
                titles.name(&title, file);
                comparison.counts.same += 1;
            }
            ScenarioComparison::Different(different) => {
                let DifferentScenario {
                    title,
                    divergence,
                    cause,
                    besides,
                    ..
                } = *different;
                for (key, divergence) in besides {
                    comparison.push_besides(place, key, divergence);
                }
                comparison.push(place, titles.name(&title, file), divergence, cause);
            }
        }
    }
}

impl ModelDiff<'_> {
    /// Compares the models over the scenarios under these paths that name one of them. There is no comparison where none
    /// does.
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
                        progress.push(compared, beside(&source.path, paths), found);
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
            format!("no scenario names `{}`", names.join("` or `")),
        )
        .about(shown.join(", "))
        .help("`model:` of a scenario names the model; `--scenarios PATH…` names the scenarios")
    }

    /// Plays the scenario of a document with both models, and says what differs.
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
            && let Some(model) = self
                .runner
                .model_of(&scenario, &source.path, &mut compared.found)
        {
            compared.verdict = self.judge(
                (&scenario, document),
                &model,
                &source.path,
                edits,
                &mut compared,
            );
        }
        compared.found = source.name_case(compared.found);
        compared
    }

    fn judge(
        &self,
        (scenario, document): (&ScenarioText<'_>, &ScenarioDocument<'_>),
        model: &ModelKey,
        file: &Path,
        edits: &EditCache,
        ComparedScenario {
            found,
            named,
            unread,
            ..
        }: &mut ComparedScenario,
    ) -> ScenarioComparison {
        let Sides { a, b } = &self.candidates;
        if !a.is_named(&model.path) && !b.is_named(&model.path) {
            return ScenarioComparison::LeftOut;
        }
        let title = scenario.name();
        let variant = |candidate: &Candidate| {
            Variant::from(
                self.runner
                    .profile
                    .or(candidate.profile)
                    .unwrap_or(model.profile),
            )
        };
        let variants = self.candidates.as_ref().map(variant);
        // A name is legal that either side knows.
        let beside = Sides {
            a: self.machine(b, variants.b),
            b: self.machine(a, variants.a),
        };
        let translated = |side, machine: Option<&Arc<Machine>>| {
            let machine = machine.filter(|_| !self.renames.is_empty())?;
            let node = self.renames.translated(&document.node, side, machine)?;
            Some(document.with(node))
        };
        let others = Sides {
            a: translated(DiffSide::A, beside.b.as_ref()),
            b: translated(DiffSide::B, beside.a.as_ref()),
        };
        let other_a = others
            .a
            .as_ref()
            .and_then(|document| ScenarioText::read(document, found));
        let other_b = others
            .b
            .as_ref()
            .and_then(|document| ScenarioText::read(document, found));
        let scenarios = Sides {
            a: other_a.as_ref().unwrap_or(scenario),
            b: other_b.as_ref().unwrap_or(scenario),
        };
        let mut prepare = |scenario, candidate: &Candidate, variant, beside: Option<&Machine>| {
            let prepared =
                self.runner
                    .prepare_with(scenario, file, (&candidate.path, variant), beside, found);
            prepared.map_err(|model| named.models.extend(model)).ok()
        };
        let (Some(prepared_a), Some(prepared_b)) = (
            prepare(scenarios.a, a, variants.a, beside.a.as_deref()),
            prepare(scenarios.b, b, variants.b, beside.b.as_deref()),
        ) else {
            return ScenarioComparison::Unplayable(title);
        };
        let traced_a = trace_scenario(&prepared_a, &title, None, found);
        let traced_b = trace_scenario(&prepared_b, &title, None, found);
        *unread |= traced_a.unread || traced_b.unread;
        let is_written_alike =
            self.renames.is_empty() && traced_a.dialogue.is_written_like(&traced_b.dialogue);
        if is_written_alike || self.diverge(&traced_a, &traced_b).is_none() {
            return ScenarioComparison::Same(title);
        }
        // Only now it is worth knowing which rules were edited.
        let machines = Sides {
            a: &*prepared_a.machine,
            b: &*prepared_b.machine,
        };
        let mut changes_a = RuleChanges::new(machines.a, machines.b, &a.names);
        let mut changes_b = RuleChanges::new(machines.b, machines.a, &b.names);
        let mut scratch = Diagnostics::default();
        let traced_a = trace_scenario(&prepared_a, &title, Some(&mut changes_a), &mut scratch);
        let traced_b = trace_scenario(&prepared_b, &title, Some(&mut changes_b), &mut scratch);
        let Some((divergence, turns)) = self.diverge(&traced_a, &traced_b) else {
            return ScenarioComparison::Same(title);
        };
        let mut known = None;
        let (cause, besides) = if a.shares_files(b) && variants.a != variants.b {
            let search = SwitchSearch {
                diff: self,
                scenario: scenarios.a,
                file,
                turns: &turns.a,
                from: variants.a,
            };
            let (key, besides) = search.cause(variants.b, &divergence);
            (Some(key), besides)
        } else if variants.a == variants.b {
            let all = edits.edits(self, machines, variants.b);
            let (scenario, turns, edits) = (
                scenarios.b,
                turns.as_ref().map(Vec::as_slice),
                all.as_slice(),
            );
            let search = EditSearch {
                diff: self,
                scenario,
                file,
                turns: turns.b,
                variant: variants.b,
                machine: machines.b,
                edits,
            };
            let names = Sides {
                a: &*a.names,
                b: &*b.names,
            };
            let (cause, besides) = EditCauses {
                machines,
                names,
                edits,
                only: self.only,
            }
            .find(&divergence, turns, search.causes());
            let edit = cause
                .as_ref()
                .and_then(|cause| edits.iter().find(|edit| edit.is(cause)));
            known = edit.map(|edit| edit.known().clone());
            (cause, besides)
        } else {
            // Where the profiles differ too, an edit need not be what makes the difference.
            (None, Vec::new())
        };
        ScenarioComparison::Different(Box::new(DifferentScenario {
            title,
            divergence,
            cause,
            edit: known,
            besides,
        }))
    }

    fn machine(&self, candidate: &Candidate, variant: Variant) -> Option<Arc<Machine>> {
        self.runner.models.lock().load(&candidate.path, variant)
    }

    /// Tells of states to be renamed that there are not, and the states that seem to have another name.
    fn offers(&self, found: &mut Diagnostics) -> Vec<RenameOffer> {
        let variant = |candidate: &Candidate| {
            Variant::from(
                self.runner
                    .profile
                    .or(candidate.profile)
                    .unwrap_or_default(),
            )
        };
        let machines = self
            .candidates
            .as_ref()
            .map(|candidate| self.machine(candidate, variant(candidate)));
        let Some(machines) = machines.as_ref().map(Option::as_deref).both() else {
            return Vec::new();
        };
        self.renames
            .check(&machines.map(StateRenames::known), found);
        RenameOffer::of(machines, self.renames)
    }

    /// Where two dialogues that were played here diverge, and the turns of both, by the names of the second side.
    fn diverge(
        &self,
        a: &TracedScenario,
        b: &TracedScenario,
    ) -> Option<(Divergence, Sides<Vec<TurnReport>>)> {
        // What was written here can be read.
        let turns = |traced: &TracedScenario| {
            traced
                .dialogue
                .turns("", &mut Diagnostics::default(), &mut SourceMap::default())
        };
        let mut turns = Sides {
            a: turns(a)?,
            b: turns(b)?,
        };
        self.renames.rename(&mut turns.a);
        Some((
            Divergence::find(&turns.a, &turns.b, self.only, self.context)?,
            turns,
        ))
    }
}

/// A file, seen from the path under which it was found.
fn beside<'p>(file: &'p Path, paths: &[PathBuf]) -> &'p Path {
    let inner = paths.iter().find_map(|path| file.strip_prefix(path).ok());
    inner
        .filter(|inner| !inner.as_os_str().is_empty())
        .unwrap_or(file)
}
