//! The generated scenarios of a model.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::covering_turns::CoveringTurns;
use super::goal::{CoverageGoal, goals, missing};
use super::route::RoutePlanner;
use crate::coverage::{
    CoverageEvent, CoverageKind, CoverageMap, CoverageProof, CoverageSet, CoverageVerdict, ItemKey,
    ModelCoverage, ModelReport, Share,
};
use crate::interactive::{InteractiveDialogue, SavedFormat, say_trigger};
use crate::limits::{MAX_GENERATION_TURNS, MAX_NAMED_GOALS, MAX_SLUG};
use crate::scenario::TurnCollector;
use fsmsim_core::engine::{
    Answer, Machine, RecordView, Scratch, ScriptedTurn, Session, Symbol, TurnRecord, advance,
};
use fsmsim_core::machine::{IntentId, State};
use fsmsim_core::trace::turn_line;
use fsmsim_search::search::{Bounds, SearchBound, SearchProgress, SearchedModel, Space};
use fsmsim_syntax::threads::Threads;

/// Which items scenarios have to cover, and how many scenarios of which length.
#[derive(Clone, Debug)]
pub struct GenerateOptions {
    pub kinds: BTreeSet<CoverageKind>,
    /// The maximum number of scenarios.
    pub scenarios: usize,
    /// The maximum number of turns of a scenario.
    pub turns: usize,
    /// The maximum number of states of the search.
    pub states: usize,
}

/// A generated scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratedScenario {
    /// The first items that no scenario before this one covers.
    pub title: String,
    /// A name for its file, without an extension.
    pub name: String,
    /// The scenario as YAML.
    pub text: String,
}

/// The generated scenarios, and the coverage that they add.
#[derive(Debug, Default)]
pub struct Generation {
    pub scenarios: Vec<GeneratedScenario>,
    /// The coverage of each kind before and after.
    pub shares: Vec<(CoverageKind, Share, Share)>,
    /// A lower bound of the number of scenarios.
    pub least: usize,
    /// The items that no dialogue covers.
    pub unattainable: Vec<ItemKey>,
    /// The items that are still not covered.
    pub open: Vec<ItemKey>,
    /// The reason why open items can be attainable.
    pub reason: Option<String>,
    /// The number of visited states.
    pub states: usize,
    /// The bound that ended the search.
    pub bound: Option<SearchBound>,
    /// The number of dialogues that the engine plays differently with their words.
    pub lost: usize,
}

/// A scenario before its text is written.
struct Planned {
    turns: Vec<ScriptedTurn>,
    seen: CoverageSet,
    met: BTreeSet<usize>,
}

/// Generates scenarios of `model` for what `coverage` lacks, and adds their coverage to it.
pub fn generate(
    machine: &Arc<Machine>,
    model: &str,
    coverage: &mut ModelCoverage,
    options: &GenerateOptions,
    threads: &Threads,
    watch: &mut dyn FnMut(&SearchProgress) -> Option<SearchBound>,
) -> Result<Generation, String> {
    let before = coverage.report(str::to_owned);
    let wanted = missing(&before, &options.kinds);
    if wanted.is_empty() {
        return Ok(Generation {
            shares: shares(&before, &before, &options.kinds),
            ..Generation::default()
        });
    }
    let mut searched = SearchedModel::new(machine, machine.settings());
    let bounds = Bounds {
        states: Some(options.states),
        ..Bounds::default()
    };
    let space = Space::search(&mut searched, &bounds, threads, &mut |progress| {
        let is_long = progress.played > MAX_GENERATION_TURNS;
        watch(progress).or(is_long.then_some(SearchBound::Turns))
    });
    let map = CoverageMap::of(machine);
    let is_wanted = |item: &ItemKey| wanted.contains(item);
    let found = CoveringTurns::find(
        &space,
        &searched,
        &|event| map.shown_by(event).any(is_wanted) || map.vector_of(event).is_some(),
        threads,
    );
    let all = CoverageGoals::new(&before, &wanted, &found, &map);
    let (mut planned, lost) = plan(machine, &space, &searched, (&all, &found, &map), options);
    prune(&mut planned);
    let least = found.separate(|event| !all.met_by(event, &map).is_empty());
    let mut scenarios = Vec::new();
    let mut covered: BTreeSet<usize> = BTreeSet::new();
    for Planned { turns, seen, met } in &planned {
        let new: Vec<usize> = met.difference(&covered).copied().collect();
        let names = new.iter().filter_map(|number| all.wanted.get(*number));
        let title = title(&names.map(|goal| goal.name(&before)).collect::<Vec<_>>());
        let text = scenario_text(machine, model, &title, turns)?;
        scenarios.push(GeneratedScenario {
            name: slug(&title),
            title,
            text,
        });
        coverage.add(machine, seen);
        covered.extend(met);
    }
    let mut after = coverage.report(str::to_owned);
    let mut reason = None;
    if !missing(&after, &options.kinds).is_empty() {
        coverage.prove(options.states, threads);
        after = coverage.report(str::to_owned);
        reason = match &after.proof {
            Some(CoverageProof::Open(reason)) => Some(reason.clone()),
            _ => None,
        };
    }
    let unattainable = after.items.iter().filter(|(key, count)| {
        let verdict = count.verdict();
        options.kinds.contains(&key.kind) && matches!(verdict, CoverageVerdict::Unattainable(_))
    });
    let unattainable = unattainable.map(|(key, _)| key.clone()).collect();
    Ok(Generation {
        scenarios,
        shares: shares(&before, &after, &options.kinds),
        least: least.max(usize::from(!covered.is_empty())),
        unattainable,
        open: missing(&after, &options.kinds).into_iter().collect(),
        reason,
        states: space.len(),
        bound: space.bound,
        lost,
    })
}

/// The goals, with numbers.
struct CoverageGoals {
    wanted: Vec<CoverageGoal>,
}

impl CoverageGoals {
    fn new(
        before: &ModelReport,
        missing: &BTreeSet<ItemKey>,
        found: &CoveringTurns,
        map: &CoverageMap,
    ) -> Self {
        let events = found.turns.iter().flat_map(|turn| &turn.events);
        let events: BTreeSet<_> = events.collect();
        let possible: BTreeSet<CoverageGoal> = events
            .into_iter()
            .flat_map(|event| CoverageGoal::met_by(event, map))
            .collect();
        let mut wanted = goals(before, missing, &possible);
        wanted.retain(|one| possible.contains(one));
        Self {
            wanted: wanted.into_iter().collect(),
        }
    }

    /// The numbers of the goals that an event meets.
    fn met_by(&self, event: &CoverageEvent, map: &CoverageMap) -> Vec<usize> {
        let met = CoverageGoal::met_by(event, map);
        met.iter()
            .filter_map(|one| self.wanted.binary_search(one).ok())
            .collect()
    }
}

/// Chooses dialogues until all goals are met, and counts those that the engine plays differently.
fn plan(
    machine: &Machine,
    space: &Space,
    searched: &SearchedModel<'_>,
    (all, found, map): (&CoverageGoals, &CoveringTurns, &CoverageMap),
    options: &GenerateOptions,
) -> (Vec<Planned>, usize) {
    let met: Vec<BTreeSet<usize>> = found
        .turns
        .iter()
        .map(|turn| {
            let events = turn.events.iter();
            events.flat_map(|event| all.met_by(event, map)).collect()
        })
        .collect();
    let covering = found.turns.iter().zip(&met);
    let routes = RoutePlanner::new(space, searched, covering, options.turns);
    let mut needed: BTreeSet<usize> = (0..all.wanted.len()).collect();
    let mut words = ExampleWords::new(machine);
    let (mut planned, mut lost) = (Vec::new(), 0);
    while planned.len() < options.scenarios {
        let (turns, expected) = routes.walk(&needed);
        if turns.is_empty() {
            break;
        }
        // The walk assumes that these are met. Each is tried once, so that the search ends.
        needed.retain(|one| !expected.contains(one));
        let spoken = words.said(&turns);
        let played = |turns: Vec<ScriptedTurn>| {
            let seen = played(machine, &turns)?;
            let events = seen.each().map(|(event, _)| event);
            let met: BTreeSet<usize> = events.flat_map(|event| all.met_by(&event, map)).collect();
            let is_met = expected.iter().all(|one| met.contains(one));
            is_met.then_some(Planned { turns, seen, met })
        };
        // Words can change what the dialogue does, for example because signals count them.
        let Some(plan) = played(spoken).or_else(|| played(turns)) else {
            lost += 1;
            continue;
        };
        needed.retain(|one| !plan.met.contains(one));
        planned.push(plan);
    }
    (planned, lost)
}

/// Removes scenarios whose goals are met by the others, the first ones first: later ones were chosen for what is
/// hard to reach.
fn prune(planned: &mut Vec<Planned>) {
    let mut at = 0;
    while at < planned.len() {
        let others = planned.iter().enumerate().filter(|(other, _)| *other != at);
        let met: BTreeSet<usize> = others
            .flat_map(|(_, one)| one.met.iter().copied())
            .collect();
        let is_needed = planned.get(at).is_some_and(|one| !one.met.is_subset(&met));
        if is_needed {
            at += 1;
        } else {
            planned.remove(at);
        }
    }
}

/// Plays turns with the engine, and collects what they cover. `None` if a turn lacks an answer.
fn played(machine: &Machine, turns: &[ScriptedTurn]) -> Option<CoverageSet> {
    let mut session = Session::new(machine);
    let (mut scratch, mut record) = (Scratch::default(), TurnRecord::default());
    scratch.start_watching();
    let mut seen = CoverageSet::default();
    let settings = machine.settings();
    for turn in turns {
        let answers = turn.answers.iter();
        let answers: Vec<Answer> = answers
            .map(|(key, value)| Answer::given(*key, value.clone()))
            .collect();
        let need = advance(
            machine,
            settings,
            &mut session,
            &turn.input,
            &answers,
            &mut scratch,
            &mut record,
        );
        if need.is_some() {
            return None;
        }
        seen.turn(&RecordView {
            machine,
            settings,
            session: &session,
            scripted: turn,
            record: &record,
            watch: scratch.watch(),
        });
    }
    Some(seen)
}

/// The words of a user: examples of intents, used in turn.
struct ExampleWords<'m> {
    machine: &'m Machine,
    /// The intent for turns that only give data: one with examples that no state reacts to.
    informing: Option<IntentId>,
    used: BTreeMap<IntentId, usize>,
}

impl<'m> ExampleWords<'m> {
    fn new(machine: &'m Machine) -> Self {
        let is_informing = |id: &IntentId| {
            let reacts = |state: &State| {
                let tables = [&state.rules, &state.transitions].into_iter();
                tables.into_iter().any(|table| table.get(*id).is_some())
            };
            let is_declared = !machine.description(*id).examples.is_empty();
            is_declared && !machine.states.iter().any(reacts)
        };
        let known = machine.known_intents().iter().copied();
        Self {
            machine,
            informing: known.clone().find(is_informing),
            used: BTreeMap::new(),
        }
    }

    /// Adds examples to turns without data. Examples do not contain the values of turns with data.
    fn said(&mut self, turns: &[ScriptedTurn]) -> Vec<ScriptedTurn> {
        let machine = self.machine;
        let mut turns = turns.to_vec();
        for turn in &mut turns {
            let input = &mut turn.input;
            let Some(intent) = input.known_intent() else {
                continue;
            };
            if !input.data.values().is_empty() {
                input.intent = self.informing.map(Symbol::Known).or(input.intent.take());
                continue;
            }
            let examples = &machine.description(intent).examples;
            if !examples.is_empty() {
                let used = self.used.entry(intent).or_default();
                let words = examples.get(*used % examples.len());
                input.say = words.map(|words| (**words).into());
                *used += 1;
            }
        }
        turns
    }
}

/// A scenario as YAML, with the results of its turns.
fn scenario_text(
    machine: &Arc<Machine>,
    model: &str,
    title: &str,
    turns: &[ScriptedTurn],
) -> Result<String, String> {
    let mut dialogue = InteractiveDialogue::new(machine, "", false)?.of_model(model);
    for turn in turns {
        let mut turn = turn.clone();
        say_trigger(&mut turn, machine);
        let line = turn_line(&turn, machine);
        dialogue
            .play(&line, turn)
            .map_err(|error| error.title.clone())?;
    }
    let text = dialogue.to_scenario(title, SavedFormat::Yaml)?;
    Ok(text.lines().map(commented).collect())
}

/// A line of a scenario. A turn without words gets a comment, because only its intent and its data are tested.
fn commented(line: &str) -> String {
    let has_no_words = line.starts_with("  - intent:") || line.starts_with("  - data:");
    let comment = if has_no_words {
        "  # add `say` with the words of the user"
    } else {
        ""
    };
    let origin = if line.starts_with("model:") {
        "\nmeta: {generated: true}"
    } else {
        ""
    };
    format!("{line}{comment}{origin}\n")
}

/// A title that names the first of these goals.
fn title(names: &[String]) -> String {
    let (first, rest) = names.split_at(names.len().min(MAX_NAMED_GOALS));
    let first = first.join(", ");
    match rest.len() {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

/// The words of a title as a file name.
fn slug(title: &str) -> String {
    let words = title.split(|letter: char| !letter.is_alphanumeric());
    let mut slug = String::new();
    for word in words.filter(|word| !word.is_empty()) {
        if slug.chars().count() + word.chars().count() >= MAX_SLUG {
            break;
        }
        if !slug.is_empty() {
            slug.push('_');
        }
        slug.extend(word.chars().flat_map(char::to_lowercase));
    }
    slug
}

/// The coverage of each kind before and after. Items that do not count after, such as unattainable ones, do not count
/// before.
fn shares(
    before: &ModelReport,
    after: &ModelReport,
    kinds: &BTreeSet<CoverageKind>,
) -> Vec<(CoverageKind, Share, Share)> {
    let share = |report: &ModelReport, kind| {
        let mut share = Share::default();
        for (key, _) in after.of(kind).filter(|(_, count)| count.verdict().counts()) {
            share.count(report.items.get(key).is_some_and(|count| count.hits > 0));
        }
        share
    };
    let both = |kind: &CoverageKind| (*kind, share(before, *kind), share(after, *kind));
    kinds.iter().map(both).collect()
}
