//! Plays the mutants of models against their scenarios.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use xxhash_rust::xxh3::xxh3_128;

use super::killing_scenario::KillingDialogue;
use super::machine_identity::{identity, unsearched};
use super::mutation_cache::{CachedResult, MutantProof, MutantTrial, MutationCache};
use super::mutation_result::{MutantResult, MutantStatus, MutatedModel};
use super::mutation_suite::{MutationScenario, MutationSuite};
use super::operators::mutants;
use super::probed_dialogues::ProbedDialogues;
use crate::limits::{MAX_HELD_MUTANTS, MAX_MUTANT_TURNS};
use crate::scenario::ModelKey;
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::Variant;
use fsmsim_runtime::project::ModelCache;
use fsmsim_search::search::{Bounds, SearchBound, SearchVerdict, compare};
use fsmsim_syntax::diagnostic::plural;
use fsmsim_syntax::threads::{Shard, Threads};

/// The lines of a model's files that differ from a revision, by path.
pub type ChangedLines = BTreeMap<String, BTreeSet<u32>>;

/// The mutants to play, and how they are judged.
pub struct MutationRun<'r> {
    pub suite: &'r MutationSuite<'r>,
    pub cache: &'r MutationCache,
    /// The configuration root to use instead of searching for one.
    pub config: Option<PathBuf>,
    /// The maximum number of pairs of states of a search.
    pub states: usize,
    /// Whether snapshots kill mutants.
    pub with_snapshots: bool,
    /// The part of the mutants that is played.
    pub shard: Option<Shard>,
    pub threads: &'r Threads,
    /// One thread, for the searches: several mutants are searched at the same time.
    pub alone: &'r Threads,
    /// Set in order to cancel the run: no further mutants are judged.
    pub canceled: Option<&'r AtomicBool>,
    /// Is called after each mutant.
    pub each: &'r (dyn Fn() + Sync),
}

/// A model to mutate.
pub struct MutationInput {
    /// The model as the user named it.
    pub name: String,
    /// The path of the model in scenarios.
    pub place: String,
    pub key: ModelKey,
    pub machine: Arc<Machine>,
    /// The lines that are mutated; `None` for all.
    pub lines: Option<ChangedLines>,
}

/// A model in all variants that its scenarios use.
struct Variants {
    machines: BTreeMap<Variant, (Arc<Machine>, u128)>,
    /// A hash of all variants.
    identity: u128,
}

/// A model with its scenarios.
struct Original<'r> {
    input: &'r MutationInput,
    scenarios: Vec<&'r MutationScenario>,
    variants: Variants,
    /// A hash of the parts that a search does not compare.
    unsearched: u128,
}

impl Variants {
    fn new(machines: BTreeMap<Variant, Arc<Machine>>) -> Self {
        let hashed = machines.into_iter().map(|(variant, machine)| {
            let identity = identity(&machine);
            (variant, (machine, identity))
        });
        let machines: BTreeMap<_, _> = hashed.collect();
        let identities = machines.values().map(|(_, identity)| *identity);
        Self {
            identity: key_of(&identities.collect::<Vec<_>>(), ""),
            machines,
        }
    }

    fn of(&self, variant: Variant) -> Option<&(Arc<Machine>, u128)> {
        self.machines.get(&variant)
    }
}

/// The key of a result: a hash of these hashes, of a text, and of the version of the program.
fn key_of(hashes: &[u128], text: &str) -> u128 {
    let version = env!("CARGO_PKG_VERSION");
    xxh3_128(format!("{version} {hashes:x?} {text}").as_bytes())
}

impl MutationRun<'_> {
    /// Plays these mutants of a model. The result does not depend on the number of threads.
    pub fn mutate(&self, input: &MutationInput, mut results: Vec<MutantResult>) -> MutatedModel {
        let machine = &input.machine;
        let scenarios = self.suite.of_model(&input.key.path);
        let variants = scenarios.iter().map(|scenario| scenario.key.variant);
        let variants: BTreeSet<Variant> = variants.chain([input.key.variant]).collect();
        let machines = variants.into_iter().filter_map(|variant| {
            let mut models = self.suite.runner.models.lock();
            Some((variant, models.load(&input.key.path, variant)?))
        });
        let original = Original {
            input,
            scenarios,
            variants: Variants::new(machines.collect()),
            unsearched: unsearched(machine),
        };
        let mut seen = BTreeMap::from([(original.variants.identity, None)]);
        let mut probes = None;
        for part in results.chunks_mut(MAX_HELD_MUTANTS) {
            let loaded = self
                .threads
                .map(part, |result| self.load(&original, result));
            let mut open = Vec::new();
            for (result, variants) in part.iter_mut().zip(&loaded) {
                let Some(variants) = variants else { continue };
                result.reason = None;
                match seen.get(&variants.identity) {
                    None => {
                        seen.insert(variants.identity, Some(result.number));
                        open.push((result, variants));
                        continue;
                    }
                    Some(None) => result.reason = Some("the model is unchanged".to_owned()),
                    Some(Some(other)) => {
                        result.reason = Some(format!("the model equals that of mutant {other}"));
                    }
                }
                result.status = MutantStatus::Ignored;
            }
            let judged = self.threads.map(&open, |(result, variants)| {
                let judged = self.judged(&original, result, variants);
                if !judged.status.is_open() {
                    (self.each)();
                }
                judged
            });
            for ((result, _), judged) in open.iter_mut().zip(judged) {
                **result = judged;
            }
            open.retain(|(result, _)| result.status.is_open());
            self.prove_all(&original, &mut probes, &mut open);
        }
        let mut files: Vec<_> = machine
            .files
            .used_files()
            .map(|file| (file.path().to_owned(), Arc::clone(file.text())))
            .collect();
        files.retain(|(path, _)| results.iter().any(|result| result.file() == *path));
        MutatedModel {
            model: input.name.clone(),
            files,
            mutants: results,
            scenarios: original.scenarios.len(),
            left_out: self.suite.left_out(&input.key.path),
        }
    }

    /// The mutants of the wanted lines and of this shard. Their numbers do not depend on either.
    pub fn wanted(&self, input: &MutationInput) -> Vec<MutantResult> {
        let files = &input.machine.files;
        let all = mutants(&input.machine).into_iter().zip(1..);
        let results = all.filter_map(|(mutant, number)| {
            let file = files.named(mutant.path.to_str()?)?;
            Some(MutantResult::new(number, mutant, file))
        });
        let is_changed = |result: &MutantResult| {
            input.lines.as_ref().is_none_or(|changed| {
                let changed = changed.get(&result.file());
                changed.is_some_and(|changed| changed.range(lines_of(result)).next().is_some())
            })
        };
        // New mutants do not move others to another shard.
        let is_here = |result: &MutantResult| {
            let name = format!("{} {}", result.file(), result.change());
            self.shard.is_none_or(|shard| shard.has_name(&name))
        };
        results
            .filter(|result| is_changed(result) && is_here(result))
            .collect()
    }

    /// The changed model in all variants; `None` if one of them does not load.
    fn load(&self, original: &Original<'_>, result: &MutantResult) -> Option<Variants> {
        let input = original.input;
        let mutant = &result.mutant;
        let file = result.file();
        let text = mutant.applied(input.machine.files.named(&file)?.text())?;
        let texts = [(file, text)];
        let models = ModelCache::new(self.suite.runner.project, self.config.clone());
        let machines = original.variants.machines.keys().map(|variant| {
            let machine = models.load_instead(&input.key.path, *variant, &texts)?;
            Some((*variant, machine))
        });
        Some(Variants::new(machines.collect::<Option<_>>()?))
    }

    /// Plays the scenarios on a mutant, first those that cover its lines.
    fn judged(
        &self,
        original: &Original<'_>,
        result: &MutantResult,
        variants: &Variants,
    ) -> MutantResult {
        let mut result = result.clone();
        if self.is_canceled() {
            return result;
        }
        let (file, lines) = (result.file(), lines_of(&result));
        let input = original.input;
        // No scenario covers lines without counted items, but any can depend on them.
        let map = self.suite.map(&input.key, &input.machine);
        let is_counted = map.has_lines(&file, &lines);
        let (covering, others): (Vec<&MutationScenario>, Vec<&MutationScenario>) = original
            .scenarios
            .iter()
            .copied()
            .partition(|scenario| !is_counted || scenario.covers(&file, &lines));
        let addresses = covering.iter().map(|scenario| scenario.address.clone());
        result.covered_by = addresses.collect();
        for scenario in covering.iter().chain(&others) {
            let trial = self.trial(scenario, variants);
            let is_first = result.killed_by.is_none();
            if trial == MutantTrial::ByExpectation || trial == MutantTrial::BySnapshot && is_first {
                result.killed_by = Some(scenario.address.clone());
            }
            if trial == MutantTrial::ByExpectation {
                result.by_expectation = true;
                break;
            }
        }
        result.status = match (&result.killed_by, covering.is_empty()) {
            (Some(_), _) => MutantStatus::Killed,
            (None, false) => MutantStatus::Survived,
            (None, true) => MutantStatus::NoCoverage,
        };
        result
    }

    fn is_canceled(&self) -> bool {
        self.canceled
            .is_some_and(|canceled| canceled.load(Ordering::Relaxed))
    }

    fn trial(&self, scenario: &MutationScenario, variants: &Variants) -> MutantTrial {
        let Some((machine, identity)) = variants.of(scenario.key.variant) else {
            return MutantTrial::Unnoticed;
        };
        let key = key_of(&[*identity, scenario.hash.into()], "");
        let played = self.cache.get(key, || {
            CachedResult::Trial(self.suite.trial(scenario, machine))
        });
        match played {
            CachedResult::Trial(MutantTrial::BySnapshot) if !self.with_snapshots => {
                MutantTrial::Unnoticed
            }
            CachedResult::Trial(trial) => trial,
            CachedResult::Proof(_) => MutantTrial::Unnoticed,
        }
    }

    /// Compares mutants that no scenario notices with their original. `probes` are searched when the first mutant needs
    /// them.
    fn prove_all(
        &self,
        original: &Original<'_>,
        probes: &mut Option<ProbedDialogues>,
        open: &mut [(&mut MutantResult, &Variants)],
    ) {
        let MutationInput { key, machine, .. } = original.input;
        let is_unknown = |(_, variants): &(&mut MutantResult, &Variants)| {
            let proof = self.proof_key(original, variants);
            proof.is_some_and(|proof| !self.cache.has(proof))
        };
        if probes.is_none() && !self.is_canceled() && open.iter().any(is_unknown) {
            let place = &*original.input.place;
            *probes = Some(ProbedDialogues::of(
                self.suite,
                (key, place),
                machine,
                self.states,
                self.threads,
            ));
        }
        let proofs = self.threads.map(open, |(result, variants)| {
            let proof = self.proof_key(original, variants);
            let proof = proof.filter(|_| !self.is_canceled()).map(|proof| {
                self.cache.get(proof, || {
                    CachedResult::Proof(self.proof(original, probes.as_ref(), result, variants))
                })
            });
            (self.each)();
            proof
        });
        for ((result, variants), proof) in open.iter_mut().zip(proofs) {
            if let Some(CachedResult::Proof(proof)) = proof {
                // A search does not compare all data of these kinds, and no words.
                let is_compared = || {
                    let variant = variants.of(key.variant);
                    result.mutant.kind.is_searched()
                        && variant
                            .is_some_and(|(machine, _)| unsearched(machine) == original.unsearched)
                };
                let is_compared = matches!(proof, MutantProof::Equal(_)) && is_compared();
                result.conclude(proof, is_compared);
            }
        }
    }

    /// The key of the result of a comparison.
    fn proof_key(&self, original: &Original<'_>, variants: &Variants) -> Option<u128> {
        let MutationInput { key, place, .. } = original.input;
        let (_, before) = original.variants.of(key.variant)?;
        let (_, after) = variants.of(key.variant)?;
        Some(key_of(
            &[*before, *after],
            &format!("{place} {}", self.states),
        ))
    }

    /// Plays dialogues on a mutant, first those that show its lines. If none differs, and the original has not too many
    /// dialogues, a search compares all of them.
    fn proof(
        &self,
        original: &Original<'_>,
        probes: Option<&ProbedDialogues>,
        result: &MutantResult,
        variants: &Variants,
    ) -> MutantProof {
        let MutationInput {
            key,
            place,
            machine,
            ..
        } = original.input;
        let (Some(probes), Some((mutant, _))) = (probes, variants.of(key.variant)) else {
            return MutantProof::Open("not compared".to_owned());
        };
        let dialogue = KillingDialogue {
            suite: self.suite,
            key,
            model: place,
            original: machine,
            mutant,
        };
        let (file, lines) = (result.file(), lines_of(result));
        for shows in [true, false] {
            let turns = probes.differing(self.suite, (key, mutant), (&file, &lines), shows);
            let scenario = turns.and_then(|turns| dialogue.scenario(turns));
            if scenario.is_some() {
                return MutantProof::Differs(scenario);
            }
        }
        // A search of a model with too many dialogues takes seconds, and rarely leaves the first turns.
        match &probes.bound {
            Some(bound) => {
                let dialogues = plural(probes.len(), "dialogue");
                MutantProof::Open(format!("no difference in {dialogues}: {bound}"))
            }
            None => self.compared(&dialogue),
        }
    }

    /// Compares all dialogues of a mutant with those of the original.
    fn compared(&self, dialogue: &KillingDialogue<'_>) -> MutantProof {
        let bounds = Bounds {
            states: Some(self.states),
            ..Bounds::default()
        };
        let found = compare(
            [&**dialogue.original, &**dialogue.mutant],
            &[],
            &bounds,
            self.alone,
            &mut |progress| (progress.transitions > MAX_MUTANT_TURNS).then_some(SearchBound::Turns),
        );
        match found.verdict {
            SearchVerdict::Proved => MutantProof::Equal(found.states),
            SearchVerdict::WithinBound(bound) => MutantProof::Open(format!(
                "no difference was found within the bound `{}`",
                bound.name()
            )),
            SearchVerdict::WithinValues(reason) => MutantProof::Open(format!(
                "no difference was found with the tried values: {reason}"
            )),
            SearchVerdict::Found => MutantProof::Differs(dialogue.scenario_of_steps(&found.steps)),
        }
    }
}

/// The lines of the replaced text.
fn lines_of(result: &MutantResult) -> RangeInclusive<u32> {
    let number = |line: usize| u32::try_from(line).unwrap_or(u32::MAX);
    let ((first, _), (last, column)) = result.place;
    // A text with its line break ends before the first column of the next line.
    let last = if column == 1 { last - 1 } else { last };
    number(first)..=number(last.max(first))
}
