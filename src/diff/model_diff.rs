//! Two models over the same scenarios.

use std::path::{Path, PathBuf};

use super::candidate::Candidate;
use super::cause::CauseKey;
use super::diff_outcome::{DiffOutcome, NamedFiles};
use super::difference_kind::DifferenceKind;
use super::divergence::Divergence;
use super::rule_changes::RuleChanges;
use super::sides::Sides;
use super::switch_search::SwitchSearch;
use super::titles::Titles;
use super::trace_comparison::TraceComparison;
use super::trace_scenario::{TracedScenario, trace_scenario};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap};
use crate::document::read_file;
use crate::machine::Variant;
use crate::scenario::{FILE_LIMIT, Runner, ScenarioSource, ScenarioText, scenario_files};
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
}

impl ModelDiff<'_> {
    /// Compares the models over the scenarios under these paths that name one of them. There is no comparison where none
    /// does.
    pub fn run(&self, paths: &[PathBuf], found: &mut Diagnostics, sources: &mut SourceMap) -> DiffOutcome {
        let mut progress = DiffProgress::default();
        let mut place = 0;
        for path in scenario_files(paths, found) {
            let Some(file) = read_file(&path, FILE_LIMIT, sources, found) else { continue };
            let shown = beside(&path, paths);
            for source in ScenarioSource::all(file, &path, sources) {
                self.compare(&source, shown, place, &mut progress, found, sources);
                place += 1;
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

    /// Plays the scenario of a document with both models and adds what differs at this place.
    fn compare(
        &self,
        source: &ScenarioSource,
        shown: &Path,
        place: usize,
        progress: &mut DiffProgress,
        found: &mut Diagnostics,
        sources: &mut SourceMap,
    ) {
        let comparison = &mut progress.comparison;
        let node = source.node(sources, found);
        let scenario = node.as_ref().and_then(|node| ScenarioText::read(node, found));
        let model = scenario.as_ref().and_then(|scenario| self.runner.model_of(scenario, &source.path, found));
        let (Some(scenario), Some(model)) = (scenario, model) else {
            comparison.counts.unplayable += 1;
            return;
        };
        let Sides { a, b } = &self.candidates;
        if !a.is_named(&model.path) && !b.is_named(&model.path) {
            comparison.counts.left_out += 1;
            return;
        }
        let title = progress.titles.name(scenario.title, shown);
        let variant =
            |candidate: &Candidate| Variant::from(self.runner.profile.or(candidate.profile).unwrap_or(model.profile));
        let variants = self.candidates.as_ref().map(variant);
        let mut prepare = |candidate: &Candidate, variant| {
            let path = &*candidate.path;
            let prepared = self.runner.prepare_with(&scenario, &source.path, (path, variant), found);
            prepared.map_err(|model| progress.named.models.extend(model)).ok()
        };
        let (Some(prepared_a), Some(prepared_b)) = (prepare(a, variants.a), prepare(b, variants.b)) else {
            comparison.counts.unplayable += 1;
            return;
        };
        let traced_a = trace_scenario(&prepared_a, &title, None, found);
        let traced_b = trace_scenario(&prepared_b, &title, None, found);
        progress.unread |= traced_a.unread || traced_b.unread;
        let is_written_alike = traced_a.dialogue.is_written_like(&traced_b.dialogue);
        let mut diverge = |a: &TracedScenario, b: &TracedScenario| -> Option<(Divergence, Vec<TracedTurn>)> {
            let a = a.dialogue.turns(&title, found, sources);
            let b = b.dialogue.turns(&title, found, sources);
            let (a, b) = (a?, b?);
            Some((Divergence::find(&a, &b, self.only, self.context)?, a))
        };
        if is_written_alike || diverge(&traced_a, &traced_b).is_none() {
            comparison.counts.same += 1;
            return;
        }
        // Only now it is worth knowing which rules were edited.
        let (machine_a, machine_b) = (&*prepared_a.machine, &*prepared_b.machine);
        let mut changes_a = RuleChanges::new(machine_a, machine_b, &a.names);
        let mut changes_b = RuleChanges::new(machine_b, machine_a, &b.names);
        let mut scratch = Diagnostics::default();
        let traced_a = trace_scenario(&prepared_a, &title, Some(&mut changes_a), &mut scratch);
        let traced_b = trace_scenario(&prepared_b, &title, Some(&mut changes_b), &mut scratch);
        let Some((divergence, turns)) = diverge(&traced_a, &traced_b) else { return };
        let mut cause: Option<CauseKey> = None;
        if a.shares_files(b) && variants.a != variants.b {
            let file = &*source.path;
            let search = SwitchSearch { diff: self, scenario: &scenario, file, turns: &turns, from: variants.a };
            let (key, besides) = search.cause(variants.b, &divergence);
            for (key, divergence) in besides {
                comparison.push_besides(place, key, divergence);
            }
            cause = Some(key);
        }
        comparison.push(place, title, divergence, cause);
    }
}

/// A file, seen from the path under which it was found.
fn beside<'p>(file: &'p Path, paths: &[PathBuf]) -> &'p Path {
    let inner = paths.iter().find_map(|path| file.strip_prefix(path).ok());
    inner.filter(|inner| !inner.as_os_str().is_empty()).unwrap_or(file)
}
