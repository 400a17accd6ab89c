//! Two models over the same scenarios.

use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use super::candidate::Candidate;
use super::cause::CauseKey;
use super::contract_edits::{ContractEdits, only_edit};
use super::decided::Decided;
use super::diff_outcome::{DiffOutcome, NamedFiles};
use super::difference_kind::DifferenceKind;
use super::divergence::Divergence;
use super::rule_changes::RuleChanges;
use super::scenario_documents::ScenarioDocuments;
use super::sides::Sides;
use super::switch_search::SwitchSearch;
use super::titles::Titles;
use super::trace_comparison::TraceComparison;
use super::trace_scenario::{TracedScenario, trace_scenario};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap};
use crate::engine::Machine;
use crate::machine::Variant;
use crate::scenario::{ModelKey, Runner, ScenarioSource, ScenarioText, scenario_files};
use crate::threads::Threads;
use crate::trace::TracedTurn;

/// Two models over the same scenarios, and how they are compared.
pub struct ModelDiff<'r> {
    /// What plays scenarios.
    pub runner: &'r Runner<'r>,
    /// The models.
    pub candidates: Sides<Candidate>,
    /// The kinds of differences that count; all, if none is named.
    pub only: &'r [DifferenceKind],
    /// Turns that are shown around a difference.
    pub context: usize,
}

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
struct ComparedScenario {
    found: Diagnostics,
    named: NamedFiles,
    unread: bool,
    verdict: ScenarioComparison,
}

/// What is said of a scenario.
#[derive(Default)]
enum ScenarioComparison {
    /// It cannot be read.
    #[default]
    Unreadable,
    /// It is for another model.
    LeftOut,
    /// The scenario of this title cannot be played on both sides.
    Unplayable(String),
    /// The scenario of this title is the same on both sides.
    Same(String),
    /// It is not.
    Different(Box<DifferentScenario>),
}

/// A scenario that is not the same on both sides.
struct DifferentScenario {
    title: String,
    divergence: Divergence,
    cause: Option<CauseKey>,
    /// What else makes a difference.
    besides: Vec<(CauseKey, Divergence)>,
}

impl DiffProgress {
    /// Adds a scenario of this file.
    fn push(&mut self, compared: ComparedScenario, file: &Path, found: &mut Diagnostics) {
        let ComparedScenario { found: told, named, unread, verdict } = compared;
        let place = self.count;
        self.count += 1;
        found.extend(told);
        self.named.extend(named);
        self.unread |= unread;
        let (comparison, titles) = (&mut self.comparison, &mut self.titles);
        match verdict {
            ScenarioComparison::Unreadable => comparison.counts.unplayable += 1,
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
                let DifferentScenario { title, divergence, cause, besides } = *different;
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
        let mut documents = ScenarioDocuments::of(scenario_files(paths, found));
        loop {
            let batch = documents.next(sources);
            if batch.is_empty() {
                break;
            }
            let compared = threads.map(&batch, |document| Some(self.compare(document.as_ref().ok()?, sources)));
            for (document, compared) in batch.into_iter().zip(compared) {
                match (document, compared) {
                    (Ok(source), Some(compared)) => progress.push(compared, beside(&source.path, paths), found),
                    (Err(unread), _) => found.extend(unread),
                    (Ok(_), None) => {}
                }
            }
        }
        let DiffProgress { comparison, named, unread, .. } = progress;
        let counts = comparison.counts;
        let nothing = counts.same + counts.different + counts.unplayable == 0 && !found.has_errors();
        if nothing {
            found.push(self.no_scenario(paths));
        }
        DiffOutcome { comparison: (!nothing).then(|| comparison.finish()), named: vec![named], unread }
    }

    fn no_scenario(&self, paths: &[PathBuf]) -> Diagnostic {
        let shown: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        let names = self.candidates.as_ref().map(|candidate| candidate.named.display().to_string());
        let mut names = vec![names.a, names.b];
        names.dedup();
        Diagnostic::error(Code::NoScenario, format!("no scenario names `{}`", names.join("` or `")))
            .about(shown.join(", "))
            .help("`model:` of a scenario names the model; `--scenarios PATH…` names the scenarios")
    }

    /// Plays the scenario of a document with both models, and says what differs.
    fn compare(&self, source: &ScenarioSource, sources: &SourceMap) -> ComparedScenario {
        let mut compared = ComparedScenario::default();
        let document = source.document(sources, &mut compared.found);
        let scenario = document.as_ref().and_then(|document| ScenarioText::read(document, &mut compared.found));
        if let Some(scenario) = scenario
            && let Some(model) = self.runner.model_of(&scenario, &source.path, &mut compared.found)
        {
            compared.verdict = self.judge(&scenario, &model, &source.path, &mut compared);
        }
        compared
    }

    fn judge(
        &self,
        scenario: &ScenarioText<'_>,
        model: &ModelKey,
        file: &Path,
        ComparedScenario { found, named, unread, .. }: &mut ComparedScenario,
    ) -> ScenarioComparison {
        let Sides { a, b } = &self.candidates;
        if !a.is_named(&model.path) && !b.is_named(&model.path) {
            return ScenarioComparison::LeftOut;
        }
        let title = scenario.title.to_owned();
        let variant =
            |candidate: &Candidate| Variant::from(self.runner.profile.or(candidate.profile).unwrap_or(model.profile));
        let variants = self.candidates.as_ref().map(variant);
        // A name is legal that either side knows.
        let machine = |candidate: &Candidate, variant| {
            self.runner.models.lock().unwrap_or_else(PoisonError::into_inner).load(&candidate.path, variant)
        };
        let beside = Sides { a: machine(b, variants.b), b: machine(a, variants.a) };
        let mut prepare = |candidate: &Candidate, variant, beside: Option<&Machine>| {
            let prepared = self.runner.prepare_with(scenario, file, (&candidate.path, variant), beside, found);
            prepared.map_err(|model| named.models.extend(model)).ok()
        };
        let (Some(prepared_a), Some(prepared_b)) =
            (prepare(a, variants.a, beside.a.as_deref()), prepare(b, variants.b, beside.b.as_deref()))
        else {
            return ScenarioComparison::Unplayable(title);
        };
        let traced_a = trace_scenario(&prepared_a, &title, None, found);
        let traced_b = trace_scenario(&prepared_b, &title, None, found);
        *unread |= traced_a.unread || traced_b.unread;
        let is_written_alike = traced_a.dialogue.is_written_like(&traced_b.dialogue);
        if is_written_alike || self.diverge(&traced_a, &traced_b).is_none() {
            return ScenarioComparison::Same(title);
        }
        // Only now it is worth knowing which rules were edited.
        let (machine_a, machine_b) = (&*prepared_a.machine, &*prepared_b.machine);
        let mut changes_a = RuleChanges::new(machine_a, machine_b, &a.names);
        let mut changes_b = RuleChanges::new(machine_b, machine_a, &b.names);
        let mut scratch = Diagnostics::default();
        let traced_a = trace_scenario(&prepared_a, &title, Some(&mut changes_a), &mut scratch);
        let traced_b = trace_scenario(&prepared_b, &title, Some(&mut changes_b), &mut scratch);
        let Some((divergence, turns)) = self.diverge(&traced_a, &traced_b) else {
            return ScenarioComparison::Same(title);
        };
        let (cause, besides) = if a.shares_files(b) && variants.a != variants.b {
            let search = SwitchSearch { diff: self, scenario, file, turns: &turns, from: variants.a };
            let (key, besides) = search.cause(variants.b, &divergence);
            (Some(key), besides)
        } else {
            let names = Sides { a: &*a.names, b: &*b.names };
            let machines = Sides { a: machine_a, b: machine_b };
            // Where the profiles differ too, an edit need not be what makes the difference.
            let is_by_edits = variants.a == variants.b;
            let edits = ContractEdits::new(machines, names).filter(|_| is_by_edits);
            let cause = edits.and_then(|edits| edits.cause(&divergence));
            let by_rules = || matches!(CauseKey::of(&divergence, &Decided::of(&divergence)), CauseKey::Rule { .. });
            let cause = match cause {
                None if is_by_edits && !by_rules() => only_edit(machines, &names),
                cause => cause,
            };
            (cause, Vec::new())
        };
        ScenarioComparison::Different(Box::new(DifferentScenario { title, divergence, cause, besides }))
    }

    /// Where two dialogues that were played here diverge, and the turns of the first.
    fn diverge(&self, a: &TracedScenario, b: &TracedScenario) -> Option<(Divergence, Vec<TracedTurn>)> {
        // What was written here can be read.
        let turns =
            |traced: &TracedScenario| traced.dialogue.turns("", &mut Diagnostics::default(), &mut SourceMap::default());
        let (a, b) = (turns(a)?, turns(b)?);
        Some((Divergence::find(&a, &b, self.only, self.context)?, a))
    }
}

/// A file, seen from the path under which it was found.
fn beside<'p>(file: &'p Path, paths: &[PathBuf]) -> &'p Path {
    let inner = paths.iter().find_map(|path| file.strip_prefix(path).ok());
    inner.filter(|inner| !inner.as_os_str().is_empty()).unwrap_or(file)
}
