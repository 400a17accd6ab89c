//! Evaluates every condition in recorded situations.
//!
//! Recorded situations are synthetic: the turn number and the current intent might not match the history. So each
//! condition is evaluated in up to three sessions. A result counts only if every value that the condition used is as
//! recorded.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use fsmsim_core::engine::{
    ConditionError, ConditionExplainer, EvaluationStep, Input, Machine, Session, Settings,
    SignalMode, Symbol,
};
use fsmsim_core::machine::{Profile, Signal};
use fsmsim_dialects::dialect::Loader;
use rayon::prelude::*;
use serde_json::{Value, json};

use super::{config, load, report, texts, value, vectors};
use crate::support::Project;

/// An intent without a category.
const FILLER: &str = "nobody_knows_it";

/// A session, and which of its values are as recorded.
struct Situation {
    session: Session,
    turn: bool,
    intent: bool,
    counts: bool,
}

impl Situation {
    /// The session after these intents.
    fn new(machine: &Machine, vector: &Value, intents: &[&str]) -> Self {
        let context = &vector["ctx"];
        let mut session = Session::new(machine);
        let state = machine
            .state_id(context["state"].as_str().unwrap())
            .unwrap();
        session.move_to(state, None, machine);
        for (name, data) in context["collected_data"].as_object().unwrap() {
            session
                .slots
                .set_name(&Symbol::of(name, &machine.names.slots), value(data));
        }
        for intent in intents {
            let id = session.intent_id(&Symbol::of(intent, &machine.names.intents), machine);
            session.tracker.record(id, machine);
        }
        Self {
            session,
            turn: json!(intents.len()) == context["turn_number"],
            intent: json!(intents.last()) == context["current_intent"],
            counts: json!(intents) == vector["history"],
        }
    }

    /// Sessions with the recorded history, with the recorded number of turns, and with only the current intent.
    fn all(machine: &Machine, vector: &Value) -> [Self; 3] {
        let history = texts(&vector["history"]);
        let current = vector["ctx"]["current_intent"].as_str().unwrap();
        let turns = usize::try_from(vector["ctx"]["turn_number"].as_u64().unwrap()).unwrap();
        let mut long = vec![FILLER; turns];
        if let Some(last) = long.last_mut() {
            *last = current;
        }
        [&history[..], &long, &[current]].map(|intents| Self::new(machine, vector, intents))
    }

    /// Whether every value that the evaluation used is as recorded.
    fn matches_recording(&self, steps: &[EvaluationStep]) -> bool {
        steps.iter().all(|step| {
            let asked = &step.asked;
            let counts = [" in a row ", " in total "]
                .iter()
                .any(|words| asked.contains(words));
            let current =
                asked.starts_with("the intent ") || asked.starts_with("the current intent ");
            (!asked.starts_with("the turn ") || self.turn)
                && (!current || self.intent)
                && (!counts || self.counts)
        })
    }
}

/// The machines for all combinations of state, phase and missing data. Each is a flow with only that state.
struct Machines {
    project: Project,
    loader: Loader,
    by_key: BTreeMap<String, Machine>,
}

impl Machines {
    fn key(vector: &Value) -> String {
        let context = &vector["ctx"];
        let missing = !texts(&context["missing_required_data"]).is_empty();
        json!([context["state"], vector["phase_seen"], missing]).to_string()
    }

    fn add(&mut self, vector: &Value, config: &Path) {
        let key = Self::key(vector);
        if self.by_key.contains_key(&key) {
            return;
        }
        let context = &vector["ctx"];
        // The missing data was recorded separately from the data, so it needs a name that no data has.
        let missing: Vec<&str> = texts(&context["missing_required_data"])
            .iter()
            .map(|_| "never_collected")
            .collect();
        let state = json!({"phase": vector["phase_seen"], "required_data": missing});
        let flow = json!({"flow": {"name": "vector"}, "states": {context["state"].as_str().unwrap(): state}});
        let name = format!("{}.yaml", self.by_key.len());
        self.project.write(&name, flow.to_string());
        let path = self.project.path().join(name);
        let machine = load(&mut self.loader, &path, Profile::Reference, Some(config)).unwrap();
        self.by_key.insert(key, machine);
    }
}

/// The settings of a vector, and the input with its signals.
fn surroundings(machine: &Machine, context: &Value) -> (Settings, Input) {
    let mut settings = machine.settings().clone();
    settings.signals = SignalMode::Given;
    for name in machine.names.limits.iter() {
        if let (Some(number), Some(limit)) = (context[name].as_i64(), machine.names.limits.id(name))
        {
            *settings.limits.grow(limit) = number;
        }
    }
    let given = Signal::ALL
        .iter()
        .filter_map(|signal| Some((*signal, value(context.get(signal.name())?))));
    (
        settings,
        Input {
            signals: given.collect(),
            ..Input::default()
        },
    )
}

/// The recorded value of a condition, or nothing if it failed.
fn recorded(vector: &Value, name: &str, built_in: bool) -> Option<bool> {
    let has = |key: &str, name: &str| texts(&vector[key]).contains(&name);
    if built_in {
        return (!has("errors", name)).then(|| has("true", name));
    }
    (!has("custom_true", &format!("!{name}"))).then(|| has("custom_true", name))
}

/// A result: the condition, its recorded value, and its actual value if it can be evaluated.
struct Answer<'a> {
    name: &'a str,
    built_in: bool,
    recorded: Option<bool>,
    got: Option<Result<bool, ConditionError>>,
}

fn answers<'a>(vector: &Value, machine: &'a Machine, built_in: &BTreeSet<&str>) -> Vec<Answer<'a>> {
    let (settings, input) = surroundings(machine, &vector["ctx"]);
    let situations = Situation::all(machine, vector);
    let probes = situations
        .each_ref()
        .map(|one| ConditionExplainer::new(machine, &settings, &one.session, &input));
    let names = machine
        .named_conditions
        .ids()
        .map(|id| (id, machine.names.conditions.name(id)));
    names
        .map(|(id, name)| {
            let built_in = built_in.contains(name);
            let got = situations
                .iter()
                .zip(&probes)
                .find_map(|(situation, probe)| {
                    let steps = probe.explain(id);
                    situation.matches_recording(&steps).then(|| steps[0].value)
                });
            let own = name.strip_prefix("custom:").unwrap_or(name);
            Answer {
                name,
                built_in,
                recorded: recorded(vector, own, built_in),
                got,
            }
        })
        .collect()
}

#[test]
fn conditions_match_recorded_values() {
    let (Some(vectors), Some(config)) = (vectors("_vec_conditions.jsonl"), config()) else {
        return;
    };
    let mut machines = Machines {
        project: Project::new(),
        loader: Loader::default(),
        by_key: BTreeMap::new(),
    };
    for vector in &vectors {
        machines.add(vector, &config);
    }
    let built_in: BTreeSet<&str> = vectors
        .iter()
        .flat_map(|vector| texts(&vector["true"]))
        .collect();
    assert_eq!(built_in.len(), 96);
    let own: BTreeSet<&str> = vectors
        .iter()
        .flat_map(|vector| texts(&vector["custom_true"]))
        .collect();
    let own: BTreeSet<&str> = own
        .into_iter()
        .map(|name| name.trim_start_matches('!'))
        .collect();
    let all: Vec<(&Value, Vec<Answer<'_>>)> = vectors
        .par_iter()
        .map(|vector| {
            (
                vector,
                answers(vector, &machines.by_key[&Machines::key(vector)], &built_in),
            )
        })
        .collect();

    let (mut compared, mut skipped, mut wrong) = (0, BTreeMap::<&str, usize>::new(), Vec::new());
    let mut seen = BTreeSet::new();
    for (vector, answers) in &all {
        for answer in answers {
            match answer.got {
                None => *skipped.entry(answer.name).or_default() += 1,
                Some(got) => {
                    compared += 1;
                    seen.insert((answer.name, answer.built_in, answer.recorded));
                    if got.ok() != answer.recorded {
                        let expected = answer.recorded;
                        wrong.push(format!(
                            "{}: expected {expected:?}, got {got:?} in {vector}",
                            answer.name
                        ));
                    }
                }
            }
        }
    }
    report("conditions", compared, &wrong);
    eprintln!("skipped: {skipped:?}");
    for (names, built_in) in [(built_in, true), (own, false)] {
        for name in names {
            for answer in [true, false] {
                let ours = |name: &&str| seen.contains(&(*name, built_in, Some(answer)));
                let custom = format!("custom:{name}");
                assert!(
                    ours(&name) || ours(&&*custom),
                    "`{name}` was never compared with the value {answer}"
                );
            }
        }
    }
}
