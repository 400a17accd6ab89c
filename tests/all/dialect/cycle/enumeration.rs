//! Enumerates every state that a task of the bundled agent cycle can reach within small bounds. In each state the
//! properties hold and a final state is reachable, for any input and any answer.

use std::collections::{BTreeSet, HashMap, HashSet};

use fsmsim_core::engine::{
    Answer, Fault, Input, Machine, Need, Position, Scratch, Session, Symbol, TurnData, TurnRecord,
    advance,
};
use fsmsim_core::machine::{Condition, PhaseId, Profile, SlotId, StateId, Subject, Test, Value};
use fsmsim_dialects::dialect::Loader;
use fsmsim_syntax::diagnostic::Diagnostics;
use rayon::prelude::*;
use serde_json::{Value as Json, json};

use crate::support::{Project, text, tries_everything};

/// Data that decides how a task continues, kept unchanged.
const KEPT: [&str; 11] = [
    "status",
    "failed_by",
    "is_validated",
    "plan_done",
    "memory_scope",
    "task_id",
    "is_adaptation",
    "plan",
    "tests_passed",
    "tests_failed",
    "code_artifacts",
];
/// Data of which only the presence matters. A list keeps its first item, and a text becomes a marker.
const FILLED: [&str; 5] = ["refused", "to_undo", "lasting", "approvals", "results"];
/// Counters that matter only as zero or nonzero.
const COUNTED: [&str; 1] = ["shared_writes"];
/// Data that does not matter when the task has ended.
const UNUSED_AT_END: [&str; 9] = [
    "plan",
    "to_undo",
    "lasting",
    "approvals",
    "results",
    "subtask",
    "tests_passed",
    "tests_failed",
    "shared_writes",
];

/// Limits of the enumeration.
#[derive(Clone, Copy)]
struct Bounds {
    replans: i64,
    /// Adds adaptation tasks, tasks without an ID, rarer actions, and writes together with actions.
    all: bool,
}

struct Event {
    input: Input,
    about: String,
    /// Whether the event ends the task from outside, which is always possible.
    ends: bool,
}

/// All data that decides how a task continues.
type Key = (StateId, Option<PhaseId>, Vec<Value>, Vec<i64>);

/// A distinct step from a state: the input and the answers to its needs.
struct Step<'e> {
    to: Key,
    after: Session,
    event: &'e Event,
    given: Vec<Answer>,
    broken: Vec<String>,
}

struct Reached {
    session: Session,
    /// The number of the previous state, and a description of the step from it.
    by: Option<(usize, String)>,
    /// The next states, and whether the step ends the task from outside.
    next: BTreeSet<(usize, bool)>,
}

struct Enumeration {
    machine: Machine,
    bounds: Bounds,
    events: Vec<Event>,
    kept: Vec<SlotId>,
    filled: Vec<SlotId>,
    reached: Vec<Reached>,
    steps: usize,
    /// Violations, each with the path to it.
    broken: Vec<String>,
}

fn load(bounds: Bounds, gates: &str) -> Machine {
    let flow = text("flows/agent_cycle.yaml")
        .replace("replans: 3", &format!("replans: {}", bounds.replans));
    let project = Project::new().file("cycle.yaml", flow + gates);
    let mut found = Diagnostics::default();
    let path = project.path().join("cycle.yaml");
    let machine = Loader::default().load(&path, Profile::default(), None, &mut found);
    assert!(!found.has_errors());
    machine.unwrap()
}

/// The possible answers to a need.
fn answers(need: &Need, machine: &Machine, bounds: Bounds) -> Vec<Option<Value>> {
    let Need::Effect {
        effect, payload, ..
    } = need
    else {
        let words =
            ["some words", "Fine. DECISION: APPROVED"].map(|words| Some(Value::text(words)));
        return [None].into_iter().chain(words).collect();
    };
    let capability = payload.get("capability").and_then(Value::as_text);
    let declared = match capability {
        Some("write_file") => "file written",
        Some("deploy") => "deployed",
        Some("run_tests") => "tests passed",
        _ => "",
    };
    let (usual, rare): (Json, Json) = match machine.names.effects.name(*effect) {
        "recall" => (
            json!([{"status": "done", "found": []}, "down", "error"]),
            json!([null, {"status": "done", "found": [{"id": 1}]}, {"status": "done", "found": [{"id": "a", "content": "x", "source_agent": "y", "task_id": "t0", "type": "semantic", "scope": "shared", "is_validated": true}]}]),
        ),
        "act" => (
            json!([{"status": "done", "success": true, "measurable_effect": declared}, {"status": "done", "success": false},
                {"status": "done", "success": true, "measurable_effect": "disk full"}, {"status": "done", "success": "yes"}, "down"]),
            json!([{"status": "done", "success": true}, "failed", "error", "done", null]),
        ),
        "roll_back" => (json!(["done", "failed", "down"]), json!(["error", null])),
        "remember" => (
            json!(["done", "down"]),
            json!([{"status": "breaks_schema"}]),
        ),
        "share" => (
            json!(["done", "down"]),
            json!([{"status": "breaks_schema"}, null]),
        ),
        _ => (json!(["done"]), json!([])),
    };
    let rare = rare.as_array().unwrap().iter().filter(|_| bounds.all);
    let all = usual.as_array().unwrap().iter().chain(rare);
    all.map(|answer| (!answer.is_null()).then(|| Value::from(answer.clone())))
        .collect()
}

/// The possible outputs of a node.
fn outputs(bounds: Bounds) -> Vec<Json> {
    let mut actions = vec![
        json!({"capability": "write_file", "inputs": {"path": "a", "text": "b"}}),
        json!({"capability": "write_file", "inputs": {"path": "a"}}),
        json!({"capability": "run_tests"}),
        json!({"capability": "deploy", "inputs": {"target": "x"}}),
        json!({"capability": "telepathy"}),
    ];
    let mut writes = vec![
        json!({"type": "episodic", "scope": "private", "content": "mine"}),
        json!({"type": "semantic", "scope": "shared", "content": "known"}),
        json!({"type": "semantic", "scope": "private", "content": "known to me"}),
    ];
    let reports = [
        "All is there. DECISION: APPROVED",
        "DECISION: NEEDS_REPLAN",
        "DECISION: FAILED",
        "Looks good to me",
        "DECISION: APPROVED, or rather DECISION: FAILED",
    ];
    let mut outputs = vec![
        json!({"analysis": "this"}),
        json!({"plan": ["one"]}),
        json!({"plan": ["one", "two"]}),
        json!({"plan": []}),
        json!({"result": "done it"}),
        json!({"done": false}),
        json!({"lesson": "write tests first"}),
        json!({"note": "nothing of that"}),
    ];
    if bounds.all {
        actions.push(json!({"capability": "shell", "inputs": {"command": "ls"}}));
        actions.push(json!({"capability": "http_get", "inputs": {"url": "x"}}));
        actions.push(json!({"capability": "write_shared_memory", "inputs": {"content": "x"}}));
        writes.push(json!({"type": "procedural", "scope": "shared", "content": "how"}));
        writes.push(json!({"type": "episodic", "scope": "shared", "content": "everybody's"}));
        writes.push(json!({"type": "gossip", "scope": "private", "content": "hear"}));
    }
    let with = |mut output: Json, key: &str, value: &Json| {
        output[key] = value.clone();
        output
    };
    outputs.extend(reports.map(|report| json!({"report": report})));
    for action in &actions {
        outputs.push(json!({"action": action}));
        outputs.push(json!({"done": false, "action": action}));
        outputs.push(json!({"result": "done it", "action": action}));
        // An action next to a report is requested before the report.
        outputs.push(json!({"report": reports[0], "action": action}));
    }
    for write in &writes {
        for output in [
            json!({"analysis": "this"}),
            json!({"plan": ["one"]}),
            json!({"result": "done it"}),
            json!({"report": reports[0]}),
            json!({"report": reports[1]}),
            json!({"lesson": "x"}),
        ] {
            outputs.push(with(output, "write", write));
        }
        if bounds.all {
            outputs.push(with(
                json!({"result": "done it", "action": actions[0]}),
                "write",
                write,
            ));
        }
    }
    outputs
}

fn events(machine: &Machine, bounds: Bounds) -> Vec<Event> {
    let event = |name: &str, data: &Json| {
        let values = data.as_object().unwrap().iter().map(|(key, value)| {
            (
                Symbol::of(key, &machine.names.slots),
                Value::from(value.clone()),
            )
        });
        let data_of = TurnData::Given(values.collect());
        let intent = Some(Symbol::of(name, &machine.names.intents));
        let input = Input {
            intent,
            data: data_of,
            ..Input::default()
        };
        Event {
            input,
            about: format!("{name} {data}"),
            ends: ["timeout", "cancel"].contains(&name),
        }
    };
    let mut events = vec![
        event(
            "submit",
            &json!({"task_id": "t1", "description": "Add a page"}),
        ),
        event("approve", &json!({"capability": "deploy", "by": "Ann"})),
        event("approve", &json!({"capability": "deploy"})),
        event(
            "observe",
            &json!({"source": "ci", "category": "environment", "signal": "red", "confidence": 1, "starts": true}),
        ),
        event(
            "observe",
            &json!({"source": "ci", "category": "dreams", "signal": "red", "confidence": 7, "starts": true}),
        ),
        event("timeout", &json!({})),
        event("cancel", &json!({})),
        event("tick", &json!({})),
        event("hello", &json!({})),
    ];
    if bounds.all {
        events.push(event(
            "submit",
            &json!({"task_id": "t1", "description": "Add a page", "is_adaptation": true}),
        ));
        events.push(event(
            "submit",
            &json!({"description": "Nobody knows what"}),
        ));
    }
    events.extend(outputs(bounds).iter().map(|output| event("tick", output)));
    events
}

/// The steps to a state, followed by the last step.
fn path_to(reached: &[Reached], mut state: usize, last: &str) -> String {
    let mut lines = vec![last];
    while let Some((before, about)) = &reached[state].by {
        lines.push(about);
        state = *before;
    }
    lines.reverse();
    lines.join("\n")
}

/// The event and the answers to its needs.
fn about(event: &Event, given: &[Answer]) -> String {
    let answers = given.iter().map(|answer| {
        answer
            .value
            .as_ref()
            .map_or("no answer".to_owned(), Value::to_string)
    });
    format!(
        "{} -> [{}]",
        event.about,
        answers.collect::<Vec<_>>().join(", ")
    )
}

impl Enumeration {
    fn new(bounds: Bounds, gates: &str) -> Self {
        let machine = load(bounds, gates);
        let events = events(&machine, bounds);
        let slots = |names: &[&str]| {
            names
                .iter()
                .map(|name| machine.names.slots.id(name).unwrap())
                .collect()
        };
        let (kept, filled) = (slots(&KEPT), slots(&FILLED));
        Self {
            machine,
            bounds,
            events,
            kept,
            filled,
            reached: Vec::new(),
            steps: 0,
            broken: Vec::new(),
        }
    }

    /// The parts of a session that decide how its task continues.
    fn key(&self, session: &Session) -> Key {
        let is_over = session.is_final(&self.machine);
        let decides = |name: &str| !is_over || !UNUSED_AT_END.contains(&name);
        let value = |slot: &SlotId| match session.slots.get(*slot) {
            value if decides(self.machine.names.slots.name(*slot)) => value.clone(),
            _ => Value::Null,
        };
        // Only the presence of these values matters. The approved capability is always the same.
        let filled = self.filled.iter().map(|slot| match value(slot) {
            Value::List(items) => Value::List(items.iter().take(1).cloned().collect()),
            value if value.filled() => Value::text("something"),
            value => value,
        });
        let kept = self.kept.iter().map(value);
        let counters = session
            .counters
            .declared(&self.machine)
            .map(|(name, count)| match count {
                _ if !decides(name) => 0,
                count if COUNTED.contains(&name) => count.min(1),
                count => count,
            });
        (
            session.position.state,
            session.position.phase,
            kept.chain(filled).collect(),
            counters.collect(),
        )
    }

    /// A session without data that only grows and decides nothing.
    fn reduced(&self, session: &Session, (_, _, values, counts): &Key) -> Session {
        let mut reduced = Session::new(&self.machine);
        reduced.position = Position {
            action: None,
            ..session.position
        };
        reduced.phase_entered = session.phase_entered;
        for (slot, value) in self.kept.iter().chain(&self.filled).zip(values) {
            reduced.slots.set(*slot, value.clone());
        }
        for ((name, _), count) in session.counters.declared(&self.machine).zip(counts) {
            reduced.counters.set_declared(&self.machine, name, *count);
        }
        reduced
    }

    /// The distinct steps from a state, and the number of turns. One step stands for all that lead to the same state.
    fn steps_from(&self, session: &Session) -> (usize, Vec<Step<'_>>) {
        let (mut turns, mut seen, mut steps) = (0, HashSet::new(), Vec::new());
        let (mut scratch, mut record) = (Scratch::default(), TurnRecord::default());
        for event in &self.events {
            let mut open: Vec<Vec<Answer>> = vec![Vec::new()];
            while let Some(given) = open.pop() {
                let mut after = session.clone();
                if let Some(need) =
                    self.advance(&mut after, event, &given, &mut scratch, &mut record)
                {
                    for value in answers(&need, &self.machine, self.bounds) {
                        let answer = Answer {
                            key: need.key(),
                            value,
                            by: None,
                            failed: Vec::new(),
                        };
                        open.push(given.iter().cloned().chain([answer]).collect());
                    }
                    continue;
                }
                turns += 1;
                let (to, broken) = (self.key(&after), self.broken(session, &after, &record));
                if seen.insert((to.clone(), event.ends)) || !broken.is_empty() {
                    steps.push(Step {
                        to,
                        after,
                        event,
                        given,
                        broken,
                    });
                }
            }
        }
        (turns, steps)
    }

    fn advance(
        &self,
        session: &mut Session,
        event: &Event,
        given: &[Answer],
        scratch: &mut Scratch,
        record: &mut TurnRecord,
    ) -> Option<Need> {
        advance(
            &self.machine,
            self.machine.settings(),
            session,
            &event.input,
            given,
            scratch,
            record,
        )
    }

    /// The violations in a turn and in the state after it.
    fn broken(&self, before: &Session, after: &Session, record: &TurnRecord) -> Vec<String> {
        let mut broken: Vec<String> = record
            .violations
            .iter()
            .map(|fault| match fault {
                Fault::Property(number) => self.machine.properties[*number].name.to_string(),
                fault => format!("{fault:?}"),
            })
            .collect();
        if before.is_final(&self.machine) && before.position.state != after.position.state {
            broken.push("a final state is left".to_owned());
        }
        broken
    }

    /// Explores all states breadth-first, so each state is first reached on a shortest path. Stops after the first
    /// violation.
    fn run(&mut self) {
        let session = Session::new(&self.machine);
        let key = self.key(&session);
        let start = Reached {
            session: self.reduced(&session, &key),
            by: None,
            next: BTreeSet::new(),
        };
        let (mut numbers, mut reached, mut broken) =
            (HashMap::from([(key, 0)]), vec![start], Vec::new());
        let (mut done, mut all_turns) = (0, 0);
        while done < reached.len() && broken.is_empty() {
            let front: Vec<_> = reached[done..]
                .par_iter()
                .take(64)
                .map(|state| self.steps_from(&state.session))
                .collect();
            for (turns, steps) in front {
                all_turns += turns;
                for step in steps {
                    let step_text = || about(step.event, &step.given);
                    broken.extend(
                        step.broken.iter().map(|what| {
                            format!("{what}\n{}", path_to(&reached, done, &step_text()))
                        }),
                    );
                    if !numbers.contains_key(&step.to) {
                        let machine = &self.machine;
                        let mut policies = machine.policies.facts();
                        let state = policies.find_map(|it| it.hand_over(machine, &step.after));
                        let state = state.unwrap();
                        broken.extend(state.err().map(|error| {
                            format!("{error:?}\n{}", path_to(&reached, done, &step_text()))
                        }));
                    }
                    let number = *numbers.entry(step.to).or_insert_with_key(|to| {
                        let session = self.reduced(&step.after, to);
                        reached.push(Reached {
                            session,
                            by: Some((done, step_text())),
                            next: BTreeSet::new(),
                        });
                        reached.len() - 1
                    });
                    reached[done].next.insert((number, step.event.ends));
                }
                done += 1;
            }
        }
        (self.reached, self.broken, self.steps) = (reached, broken, all_turns);
    }

    /// The states that cannot reach a final state unless the task is ended from outside.
    fn without_an_end(&self) -> Vec<usize> {
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); self.reached.len()];
        for (number, state) in self.reached.iter().enumerate() {
            for (next, _) in state.next.iter().filter(|(_, ends)| !ends) {
                before[*next].push(number);
            }
        }
        let is_end = |number: &usize| self.reached[*number].session.is_final(&self.machine);
        let mut open: Vec<usize> = (0..self.reached.len()).filter(is_end).collect();
        let mut ends: BTreeSet<usize> = open.iter().copied().collect();
        while let Some(number) = open.pop() {
            open.extend(before[number].iter().filter(|before| ends.insert(**before)));
        }
        (0..self.reached.len())
            .filter(|number| !ends.contains(number))
            .collect()
    }

    /// The number of reached states in each state of the machine.
    fn count_by_state(&self) -> Vec<(&str, usize)> {
        let states = self
            .machine
            .states
            .pairs()
            .filter(|(_, state)| state.declared);
        let count = |id| {
            self.reached
                .iter()
                .filter(|reached| reached.session.position.state == id)
                .count()
        };
        states
            .map(|(id, _)| (self.machine.names.states.name(id), count(id)))
            .collect()
    }
}

#[test]
fn bundled_cycle_satisfies_its_properties_in_all_states() {
    assert_properties(Bounds {
        replans: 1,
        all: false,
    });
    if tries_everything() {
        assert_properties(Bounds {
            replans: 3,
            all: false,
        });
        assert_properties(Bounds {
            replans: 0,
            all: true,
        });
    }
}

fn assert_properties(bounds: Bounds) {
    let mut all = Enumeration::new(bounds, "");
    let started = std::time::Instant::now();
    all.run();
    let (states, places) = (all.reached.len(), all.count_by_state());
    eprintln!(
        "{states} states, {} steps, {:?}: {places:?}",
        all.steps,
        started.elapsed()
    );
    assert!(all.broken.is_empty(), "{}", all.broken[0]);
    assert!(places.iter().all(|(_, count)| *count > 0), "{places:?}");
    let endless = all.without_an_end();
    assert!(
        endless.is_empty(),
        "{} states cannot reach a final state; steps to the first one:\n{}",
        endless.len(),
        path_to(&all.reached, endless[0], "")
    );
}

/// Omitted data does not matter: dialogues that run with complete sessions reach no other states.
#[test]
fn omitted_data_does_not_change_the_reachable_states() {
    let bounds = Bounds {
        replans: 0,
        all: false,
    };
    let mut all = Enumeration::new(bounds, "");
    for condition in &all.machine.conditions {
        assert!(tests_only_kept_data(condition, &all), "{condition:?}");
    }
    all.run();
    let known: HashSet<Key> = all
        .reached
        .iter()
        .map(|reached| all.key(&reached.session))
        .collect();
    let mut random = oorandom::Rand32::new(17);
    let mut pick = |count: usize| random.rand_range(0..u32::try_from(count).unwrap()) as usize;
    let (mut scratch, mut record, mut visited) =
        (Scratch::default(), TurnRecord::default(), HashSet::new());
    for _ in 0..200 {
        let mut session = Session::new(&all.machine);
        for _ in 0..40 {
            let event = &all.events[if session.position.phase.is_none() {
                0
            } else {
                pick(all.events.len())
            }];
            let mut given = Vec::new();
            while let Some(need) =
                all.advance(&mut session, event, &given, &mut scratch, &mut record)
            {
                let mut values = answers(&need, &all.machine, bounds);
                let value = values.swap_remove(pick(values.len()));
                given.push(Answer {
                    key: need.key(),
                    value,
                    by: None,
                    failed: Vec::new(),
                });
            }
            let key = all.key(&session);
            assert!(
                known.contains(&key),
                "{} leads to {key:?}",
                about(event, &given)
            );
            visited.insert(key);
        }
    }
    assert!(
        visited.len() > 100,
        "{} of {} states",
        visited.len(),
        known.len()
    );
}

/// Whether a condition tests only data that the states keep.
fn tests_only_kept_data(condition: &Condition, all: &Enumeration) -> bool {
    let named = |slot: SlotId| all.machine.names.slots.name(slot);
    let kept = |slot: SlotId| KEPT.contains(&named(slot));
    let Condition::Test(subject, test) = condition else {
        return !matches!(
            condition,
            Condition::Category(_) | Condition::Active(..) | Condition::Contact(_)
        );
    };
    let is_asked = match subject {
        Subject::Slot(slot) | Subject::Was(slot) => {
            kept(*slot) || (FILLED.contains(&named(*slot)) && matches!(test, Test::Filled(_)))
        }
        Subject::Length(slot) => kept(*slot),
        Subject::Counter(counter) => {
            let is_one = format!("{test:?}").ends_with("Number(1.0))");
            !COUNTED.contains(&all.machine.names.counters.name(*counter)) || is_one
        }
        // A comparison of the turn number with 0 is always true or always false.
        Subject::Turn => format!("{test:?}").ends_with("Number(0.0))"),
        Subject::Said(_)
        | Subject::Payload(_)
        | Subject::Returned(_)
        | Subject::Effect(_)
        | Subject::Done(_) => true,
        _ => false,
    };
    let bound = match test {
        Test::SameAs(slot) => kept(*slot),
        // No requested write has the content of a plan or of a result.
        Test::Within(slot) => kept(*slot) || ["approvals", "results"].contains(&named(*slot)),
        _ => true,
    };
    is_asked && bound
}

#[test]
fn violated_property_is_found() {
    let out = [
        (
            "from_commit: false, is_reviewed: false",
            "shared_memory_is_written_by_commit_alone",
        ),
        ("tested: false", "an_approval_rests_on_a_test"),
        (
            "nothing_refused: false",
            "a_refused_action_is_not_committed",
        ),
    ];
    for (gates, property) in out {
        let mut all = Enumeration::new(
            Bounds {
                replans: 0,
                all: false,
            },
            &format!("\ngates: {{{gates}}}\n"),
        );
        all.run();
        assert!(
            all.broken.iter().any(|broken| broken.starts_with(property)),
            "{gates}: {:?}",
            all.broken
        );
    }
}
