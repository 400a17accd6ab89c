//! Two models over the same scenarios.

use std::path::{Path, PathBuf};

use super::rule_changes::RuleChanges;
use super::trace_scenario::TracedScenario;
use crate::diagnostic::{Diagnostics, SourceMap};
use crate::diff::{CauseKey, DifferenceKind, Divergence, TraceComparison};
use crate::machine::{Profile, SwitchSet, Variant};
use crate::scenario::{ModelKey, Prepared, Runner, ScenarioSource, ScenarioText};
use crate::trace::TracedTurn;

/// A model that is held against another one.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Its path.
    pub path: PathBuf,
    /// The profile it is played with; nothing is that of the scenario.
    pub profile: Option<Profile>,
    /// The paths by which scenarios name it.
    pub named: PathBuf,
    /// The beginnings of paths of its files, and what people should see for them.
    pub names: Vec<(String, String)>,
}

/// What is compared, and how.
pub struct ModelDiff<'r> {
    /// What plays scenarios.
    pub runner: &'r Runner<'r>,
    /// The models.
    pub candidates: [Candidate; 2],
    /// The kinds of differences that count; all, if none is named.
    pub only: &'r [DifferenceKind],
    /// Turns that are shown around a difference.
    pub context: usize,
}

/// What became of one scenario.
#[derive(Debug, Default)]
pub struct ModelDiffOutcome {
    /// The keys of models that could not be used, for what was found while loading them.
    pub models: Vec<ModelKey>,
    /// Where nobody read what was said, for the first time: the turn, and why.
    pub unread: Option<(u32, String)>,
}

impl ModelDiff<'_> {
    /// Plays the scenario of a document with both models and adds what differs, as a dialogue of the name that `name` makes
    /// of its title, at this place. `None` where it could not be played; findings tell why.
    pub fn run(
        &self,
        source: &ScenarioSource,
        name: &mut dyn FnMut(&str) -> String,
        place: usize,
        comparison: &mut TraceComparison,
        (sources, found): (&mut SourceMap, &mut Diagnostics),
    ) -> ModelDiffOutcome {
        let mut outcome = ModelDiffOutcome::default();
        let node = source.node(sources, found);
        let scenario = node.as_ref().and_then(|node| ScenarioText::read(node, found));
        let key = scenario.as_ref().and_then(|scenario| self.runner.model_of(scenario, &source.path, found));
        let (Some(scenario), Some((path, profile))) = (scenario, key) else {
            comparison.counts.unplayable += 1;
            return outcome;
        };
        if !self.candidates.iter().any(|candidate| is_same(&candidate.named, &path)) {
            comparison.counts.left_out += 1;
            return outcome;
        }
        let title = name(scenario.title);
        let variants = self
            .candidates
            .each_ref()
            .map(|candidate| Variant::from(self.runner.profile.or(candidate.profile).unwrap_or(profile)));
        let file = &*source.path;
        let mut prepare = |candidate: &Candidate, variant| {
            let prepared = self.runner.prepare_with(&scenario, file, (&candidate.path, variant), found);
            prepared.map_err(|key| outcome.models.extend(key)).ok()
        };
        let [a, b] = &self.candidates;
        let (Some(one), Some(other)) = (prepare(a, variants[0]), prepare(b, variants[1])) else {
            comparison.counts.unplayable += 1;
            return outcome;
        };
        let played = [&one, &other].map(|prepared| TracedScenario::of(prepared, &title, None, found));
        let [played_a, played_b] = &played;
        outcome.unread = played_a.unread.clone().or_else(|| played_b.unread.clone());
        if played_a.dialogue.is_written_like(&played_b.dialogue) {
            comparison.counts.same += 1;
            return outcome;
        }
        let mut part = |played: &[TracedScenario; 2]| {
            let [a, b] = played.each_ref().map(|played| played.dialogue.turns(&title, found, sources));
            let (a, b) = (a?, b?);
            Some((Divergence::find(&a, &b, self.only, self.context)?, a))
        };
        if part(&played).is_none() {
            comparison.counts.same += 1;
            return outcome;
        }
        // Only now it is worth knowing which rules were edited.
        let (of_a, of_b) = (&*one.machine, &*other.machine);
        let mut edits = [RuleChanges::new(of_a, of_b, &a.names), RuleChanges::new(of_b, of_a, &b.names)];
        let [edits_a, edits_b] = &mut edits;
        let mut scratch = Diagnostics::default();
        let again = [
            TracedScenario::of(&one, &title, Some(edits_a), &mut scratch),
            TracedScenario::of(&other, &title, Some(edits_b), &mut scratch),
        ];
        let Some((divergence, turns_a)) = part(&again) else { return outcome };
        let same_files = is_same(&a.path, &b.path);
        let mut cause = None;
        if same_files && variants[0] != variants[1] {
            let search =
                Search { versus: self, scenario: &scenario, file, turns: &turns_a, from: variants[0] };
            let (key, besides) = search.switches(variants[1], &divergence);
            for (key, divergence) in besides {
                comparison.push_besides(place, key, divergence);
            }
            cause = Some(key);
        }
        comparison.push(place, title, divergence, cause);
        outcome
    }
}

/// Looks for the switches that make a difference.
struct Search<'s> {
    versus: &'s ModelDiff<'s>,
    scenario: &'s ScenarioText<'s>,
    file: &'s Path,
    /// The dialogue as the first side plays it.
    turns: &'s [TracedTurn],
    /// How the first side plays it.
    from: Variant,
}

impl Search<'_> {
    /// The smallest reason for a divergence between two profiles: the switches each of which makes it alone; else the
    /// fewest that make it together. Then the other switches that make a difference of their own.
    fn switches(&self, to: Variant, divergence: &Divergence) -> (CauseKey, Vec<(CauseKey, Divergence)>) {
        let all = self.from.switches().differing(to.switches());
        let found: Vec<(SwitchSet, Divergence)> =
            all.singles().filter_map(|single| Some((single, self.divergence(single)?))).collect();
        let alone = |alike: &dyn Fn(&Divergence) -> bool| -> Vec<&'static str> {
            let good = found.iter().filter(|(_, found)| alike(found));
            good.flat_map(|(single, _)| single.names()).collect()
        };
        // Another switch may change more of the same turn, as the name of its action.
        let exactly = alone(&|found| divergence.is_like(found));
        let names = if exactly.is_empty() { alone(&|found| divergence.is_led_by(found)) } else { exactly };
        let together = names.is_empty();
        let names = if together { self.fewest(all, divergence) } else { names };
        let others =
            found.into_iter().filter(|(single, _)| single.names().all(|name| !names.contains(&name)));
        let besides = others.map(|(single, divergence)| {
            (
                CauseKey::Switches { names: single.names().collect(), together: false, besides: true },
                divergence,
            )
        });
        let besides = besides.collect();
        (CauseKey::Switches { names, together, besides: false }, besides)
    }

    /// The fewest of these switches that together make a divergence.
    fn fewest(&self, all: SwitchSet, divergence: &Divergence) -> Vec<&'static str> {
        let mut needed = all;
        for single in all.singles() {
            let fewer = needed.without(single);
            if self.divergence(fewer).is_some_and(|found| divergence.is_like(&found)) {
                needed = fewer;
            }
        }
        needed.names().collect()
    }

    /// Where the dialogue parts from itself when these switches are turned over.
    fn divergence(&self, turned: SwitchSet) -> Option<Divergence> {
        let variant = Variant { turned, ..self.from };
        let path = &self.versus.candidates[0].path;
        let (mut found, mut sources) = (Diagnostics::default(), SourceMap::default());
        let prepared: Prepared<'_> =
            self.versus.runner.prepare_with(self.scenario, self.file, (path, variant), &mut found).ok()?;
        let played = TracedScenario::of(&prepared, "", None, &mut found).dialogue;
        let turns = played.turns("", &mut found, &mut sources)?;
        Divergence::find(self.turns, &turns, self.versus.only, 0)
    }
}

/// Whether two paths are the same place, whether or not it exists.
fn is_same(one: &Path, other: &Path) -> bool {
    let full = |path: &Path| {
        let path = Path::new(".").join(path);
        std::fs::canonicalize(&path).or_else(|_| std::path::absolute(&path)).unwrap_or(path)
    };
    one == other || full(one) == full(other)
}
