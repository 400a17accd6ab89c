//! Time travel in the REPL: undo and redo, branches, and edits of the model during a dialogue. Typed lines are never lost.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use fsmsim::repl::{Repl, ReplReply};
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::Profile;
use fsmsim_dialects::dialect::Loader;
use fsmsim_harness::interactive::InteractiveDialogue;
use fsmsim_syntax::diagnostic::Diagnostics;
use proptest::prelude::*;

use crate::support::{Project, cases, home, text, tries_everything};

/// Flows, and valid lines for them.
const MODELS: [(&str, &[&str]); 5] = [
    (
        "flows/spin_selling",
        &[
            "price_question",
            "Сколько нас? / info_provided company_size=50",
            "info_provided pain_point=\"всё вручную\"",
            "objection_price",
            "agreement",
            "go_back",
            "unclear",
            "demo_request",
            "small_talk",
        ],
    ),
    (
        "flows/bant",
        &[
            "agreement",
            "budget_confirmed budget_range=5",
            "authority_confirmed",
            "objection_think",
            "unclear",
        ],
    ),
    (
        "flows/bant_parallel.yaml",
        &[
            "agreement",
            "no_budget budget=none",
            "need_confirmed need=crm",
            "authority_confirmed authority=confirmed",
            "timeline_confirmed",
        ],
    ),
    (
        "flows/support.yaml",
        &[
            "issue_described issue_type=technical",
            "system_ok",
            "issue_described urgent=true",
            "request_human",
        ],
    ),
    (
        "flows/flow_document/qualification.yaml",
        &[
            "agreement interest=true",
            "diagnose",
            "budget_confirmed",
            "system_checked",
            "need_confirmed",
        ],
    ),
];

/// A step of a session: the operation, and two numbers that choose its arguments.
type Step = (u8, u8, u8);

/// The model of a file or folder, with its findings. `None` if it is invalid.
fn load(path: &Path) -> (Option<Arc<Machine>>, Diagnostics) {
    let mut found = Diagnostics::default();
    let machine = Loader::default().load(path, Profile::default(), None, &mut found);
    (machine.map(Arc::new), found)
}

fn loaded(path: &Path) -> Arc<Machine> {
    load(path).0.unwrap()
}

fn begin(machine: &Arc<Machine>) -> Repl {
    Repl::new(machine, "", false).unwrap()
}

/// The same, with a reader that reloads the model.
fn begin_reading(
    machine: &Arc<Machine>,
    reader: impl FnMut() -> Result<Arc<Machine>, String> + Send + 'static,
) -> Repl {
    Repl::over(
        InteractiveDialogue::new(machine, "", false)
            .unwrap()
            .reading_again(Box::new(reader)),
    )
}

fn trace(repl: &mut Repl) -> String {
    match repl.take(":trace") {
        ReplReply::Show(text) => text,
        other => panic!("{other:?}"),
    }
}

/// A dialogue as lists of lines: the expected content of a tree of turns.
#[derive(Default)]
struct Lines {
    path: Vec<String>,
    ahead: Vec<String>,
    branch: String,
    others: BTreeMap<String, Vec<String>>,
    forks: usize,
}

impl Lines {
    fn leave(&mut self, branch: &str) {
        let all = [
            std::mem::take(&mut self.path),
            std::mem::take(&mut self.ahead),
        ]
        .concat();
        self.path.clone_from(&all);
        self.others
            .insert(std::mem::replace(&mut self.branch, branch.to_owned()), all);
    }

    /// Performs a step. Returns the lines to type for it.
    fn step(
        &mut self,
        (operation, one, other): Step,
        pool: &[&str],
        states: &[String],
    ) -> Vec<String> {
        let number = usize::from(one) % 4 + 1;
        match operation % 12 {
            0 if number <= self.path.len() => {
                let back = self.path.split_off(self.path.len() - number);
                self.ahead.splice(0..0, back);
                vec![format!(":undo {number}")]
            }
            1 if number <= self.ahead.len() => {
                self.path.extend(self.ahead.drain(..number));
                vec![format!(":redo {number}")]
            }
            2 => {
                let all = [
                    std::mem::take(&mut self.path),
                    std::mem::take(&mut self.ahead),
                ]
                .concat();
                let turn = usize::from(other) % (all.len() + 1);
                self.path = all[..turn].to_vec();
                self.ahead = all[turn..].to_vec();
                vec![format!(":turn {turn}")]
            }
            3 => {
                self.forks += 1;
                let name = format!("b{}", self.forks);
                let (path, ahead) = (self.path.clone(), std::mem::take(&mut self.ahead));
                self.others.insert(
                    std::mem::replace(&mut self.branch, name.clone()),
                    [path, ahead].concat(),
                );
                vec![format!(":fork {name}")]
            }
            4 if !self.others.is_empty() => {
                let names: Vec<String> = self
                    .others
                    .keys()
                    .filter(|name| **name != self.branch)
                    .cloned()
                    .collect();
                let Some(name) = names.get(usize::from(one) % names.len().max(1)).cloned() else {
                    return Vec::new();
                };
                self.leave(&name);
                self.path.clone_from(&self.others[&name]);
                vec![format!(":switch {name}")]
            }
            5 => vec![":reload".to_owned()],
            operation => {
                let mut line = pool[usize::from(one) % pool.len()].to_owned();
                if operation == 6 {
                    line = format!(
                        ":goto {}\n{line}",
                        states[usize::from(other) % states.len()]
                    );
                }
                self.ahead.clear();
                self.path.push(line.clone());
                line.lines().map(str::to_owned).collect()
            }
        }
    }
}

fn type_all(repl: &mut Repl, lines: &[String]) {
    for line in lines {
        let reply = repl.take(line);
        assert!(
            matches!(reply, ReplReply::Show(_) | ReplReply::Played { .. }),
            "{line}: {reply:?}"
        );
    }
}

proptest! {
    #![proptest_config(cases(500))]

    #[test]
    fn time_travel_gives_the_trace_of_a_straight_dialogue(
        model in 0..MODELS.len(),
        steps in proptest::collection::vec(any::<Step>(), 1..40),
    ) {
        let (path, pool) = MODELS[model];
        let project = Project::new().with_flows();
        let file = project.path().join(path);
        let machine = loaded(&file);
        let comment = if file.is_dir() { file.join("flow.yaml") } else { file.clone() };
        let states: Vec<String> = machine
            .declared_states()
            .filter(|(_, state)| !state.is_branch_end() && state.node.is_none())
            .map(|(id, _)| machine.names.states.name(id).to_owned())
            .collect();
        let reader = { let file = file.clone(); move || Ok(loaded(&file)) };
        let mut repl = begin_reading(&machine, reader);
        let mut lines = Lines { branch: "main".to_owned(), ..Lines::default() };
        for step in steps {
            let typed = lines.step(step, pool, &states);
            if typed.first().is_some_and(|line| line == ":reload") {
                // The edit adds only a comment, but the dialogue is replayed.
                let edited = std::fs::read_to_string(&comment).unwrap() + "# edited\n";
                std::fs::write(&comment, edited).unwrap();
            }
            type_all(&mut repl, &typed);
        }
        let mut straight = begin(&machine);
        for line in &lines.path {
            type_all(&mut straight, &line.lines().map(str::to_owned).collect::<Vec<_>>());
        }
        prop_assert_eq!(trace(&mut repl), trace(&mut straight));
    }
}

/// The current state and the last action.
fn position(repl: &Repl) -> (String, Option<String>) {
    let (session, machine) = (repl.dialogue().session(), repl.dialogue().machine());
    let action = session
        .position
        .action
        .map(|action| machine.names.actions.name(action).to_owned());
    (repl.state().to_owned(), action)
}

#[test]
fn why_not_suggestions_reach_their_goal() {
    let each = if tries_everything() { 40 } else { 1 };
    let mut seed: u64 = 19;
    let mut below = |bound: usize| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap() % bound
    };
    let (mut found, mut none) = (0, 0);
    for (path, pool) in MODELS {
        let machine = loaded(&home(path));
        let states: Vec<String> = machine
            .declared_states()
            .map(|(id, _)| machine.names.states.name(id).to_owned())
            .collect();
        let actions: Vec<String> = machine.names.actions.iter().map(str::to_owned).collect();
        for _ in 0..each {
            let mut repl = begin(&machine);
            for _ in 0..below(5) {
                type_all(&mut repl, &[pool[below(pool.len())].to_owned()]);
            }
            let is_state = below(2) == 0;
            let goals = if is_state { &states } else { &actions };
            let goal = &goals[below(goals.len())];
            let ReplReply::Show(shown) = repl.take(&format!(":why-not {goal}")) else {
                panic!("{path}: {goal}")
            };
            let Some((_, lines)) = shown.split_once(" the following input leads ") else {
                let is_explained = shown.contains("the last turn led")
                    || shown.contains("the search stopped at its limit")
                    || shown.contains("no dialogue ");
                assert!(is_explained, "{path} {goal}: {shown}");
                none += 1;
                continue;
            };
            found += 1;
            let lines: Vec<String> = lines
                .lines()
                .skip(1)
                .map(|line| line.trim().to_owned())
                .collect();
            type_all(&mut repl, &lines);
            let (state, action) = position(&repl);
            let reached = if is_state {
                &state == goal
            } else {
                action.as_ref() == Some(goal)
            };
            assert!(
                reached,
                "{path}: {goal} is not reached by {lines:?}: {state}, {action:?}"
            );
        }
    }
    // Some states are unreachable, and many actions belong to one distant state.
    assert!(found * 3 > none, "{found} found, {none} not");
}

#[test]
fn branches_and_lines_survive_a_restart() {
    let project = Project::new().with_flows();
    let run = |lines: &str| {
        project
            .fsmsim(["run", "flows/spin_selling", "--session", "ann"])
            .stdin(lines)
            .run()
            .shown()
    };
    let runs = [
        run(
            "price_question\ninfo_provided company_size=50\n:undo\nobjection_price\n:fork other\nagreement\n:undo\n",
        ),
        run(":branches\n:redo\n:diff main-1\n:switch main\n:goto close\n"),
        run(":branches\n:turn 9\n:switch nobody\n:history 4\n"),
    ];
    insta::assert_snapshot!(runs.join("\n"));
    let list = project.fsmsim(["sessions", "list"]).shown();
    assert!(
        list.contains("ann  flows/spin_selling  handle_objection  2 turns and 1 unfinished\n"),
        "{list}"
    );
    project
        .fsmsim(["sessions", "delete", "ann"])
        .ends(0, "", "");
}

/// The next input replays the dialogue with the edited model. A broken model is reported, and the last valid model is used.
#[test]
fn edited_model_is_replayed_and_broken_model_is_reported() {
    let project = Project::new().with_flows();
    let states = text("flows/spin_selling/states.yaml");
    let file = project.path().join("flows/spin_selling/states.yaml");
    let machine = loaded(&project.path().join("flows/spin_selling"));
    let model = project.path().join("flows/spin_selling");
    let reader = move || {
        let (machine, found) = load(&model);
        machine
            .filter(|_| !found.has_errors())
            .ok_or_else(|| "it is broken".to_owned())
    };
    let mut repl = begin_reading(&machine, reader);
    type_all(
        &mut repl,
        &[
            "price_question".to_owned(),
            "info_provided company_size=50".to_owned(),
        ],
    );
    assert_eq!(repl.state(), "spin_problem");
    std::fs::write(
        &file,
        states.replacen(
            "data_complete: spin_problem",
            "data_complete: spin_need_payoff",
            1,
        ),
    )
    .unwrap();
    let ReplReply::Show(shown) = repl.take(":branches") else {
        panic!()
    };
    assert!(
        shown.contains("- state: spin_problem") && shown.contains("+ state: spin_need_payoff"),
        "{shown}"
    );
    assert!(shown.contains("saved as the branch `main-1`"), "{shown}");
    assert_eq!(repl.state(), "spin_need_payoff");
    std::fs::write(&file, "states: [").unwrap();
    let ReplReply::Show(shown) = repl.take(":branches") else {
        panic!()
    };
    assert!(
        shown.contains("it is broken") && !shown.contains("+ state"),
        "{shown}"
    );
    let ReplReply::Show(shown) = repl.take(":branches") else {
        panic!()
    };
    assert!(!shown.contains("it is broken"), "reported once: {shown}");
    std::fs::write(
        &file,
        states.replacen(
            "data_complete: spin_problem",
            "data_complete:   spin_problem",
            1,
        ),
    )
    .unwrap();
    let ReplReply::Played { notes, .. } = repl.take("agreement") else {
        panic!()
    };
    assert!(notes.contains("+ state: spin_problem"), "{notes}");
}

#[test]
fn undo_works_after_the_initial_state_is_renamed() {
    let flow = "flow: {name: door}\nstates:\n  hall: {transitions: {agreement: end}}\n  end: {is_final: true}\nentry_points: {default: hall}\n";
    let project = Project::new().file("door.yaml", flow);
    let path = project.path().join("door.yaml");
    let model = path.clone();
    let reader = move || load(&model).0.ok_or_else(String::new);
    let mut repl = begin_reading(&loaded(&path), reader);
    project.write("door.yaml", flow.replace("hall", "porch"));
    type_all(&mut repl, &["agreement".to_owned()]);
    assert_eq!(repl.state(), "end");
    repl.take(":undo");
    assert_eq!(repl.state(), "porch");
}

#[test]
fn dialogue_is_saved_as_a_passing_scenario() {
    let project = Project::new().with_flows();
    let lines = ":set company_size=50\nСколько стоит? / price_question\nНе знаю / unclear\n:save scenarios/kept.yaml\n:save scenarios/talk.md\n:save scenarios/kept.yaml\n:save --replace scenarios/kept.yaml\n:save kept\n";
    let run = project
        .fsmsim(["run", "flows/spin_selling"])
        .stdin(lines)
        .run();
    assert!(
        run.stderr.contains("already exists") && run.stderr.contains("ends in `.yaml`"),
        "{run}"
    );
    insta::assert_snapshot!(
        [
            project.read("scenarios/kept.yaml"),
            project.read("scenarios/talk.md")
        ]
        .join("\n")
    );
    project.fsmsim(["test"]).succeeds("2 passed in 4 turns");
    let silent = project
        .fsmsim(["run", "flows/spin_selling"])
        .stdin("agreement\n:save scenarios/silent.md\n")
        .run();
    assert!(
        silent
            .stderr
            .contains("turn 1 has no single-line utterance"),
        "{silent}"
    );
}

#[test]
fn dialogue_past_a_limit_is_saved_as_a_passing_scenario() {
    let flow = "flow: {name: kiosk, entry_points: {default: counter}}\ncounters: {asked: {limit: 1}}\n\
                slots: {size: {type: integer}}\nstates:\n  \
                counter: {transitions: {ask: {then: counter, counts: {asked: 1}}, buy: paid}}\n  paid: {is_final: true}\n";
    let project = Project::new()
        .with_flows()
        .with("states/student")
        .file("kiosk.yaml", flow);
    let dialogues = [
        ("kiosk.yaml", "ask\nask\nask\nbuy\nask\n"),
        ("kiosk.yaml", "ask\nask\n:undo\nask\nbuy\n"),
        (
            "kiosk.yaml",
            "ask\n:reset {limits: {asked: 2}}\nask\nask\n:set size=3\n:goto counter\nask\n",
        ),
        (
            "kiosk.yaml",
            "ask\n:fork other\nask\n:switch main\n{\"intent\": \"ask\", \"data\": {\"size\": 3}}\n",
        ),
        ("states/student", ":reply a? b? c? d?\n:reply e?\n"),
        (
            "flows/spin_selling",
            "price_question\nobjection_price\nagreement\nobjection_price\nobjection_price\nobjection_price\n/ !own own=1\n",
        ),
    ];
    for (number, (model, lines)) in dialogues.iter().enumerate() {
        let lines = format!("{lines}:save scenarios/d{number}.yaml\n");
        project.fsmsim(["run", model]).stdin(lines).succeeds("");
    }
    project.fsmsim(["test"]).succeeds("6 passed in ");
    assert!(
        project
            .read("scenarios/d0.yaml")
            .contains("violations: {exactly: [{fault: past_limit, counter: asked, limit: 1}]}"),
        "{}",
        project.read("scenarios/d0.yaml")
    );
    // A scenario must not contain a value that its slot rejects.
    let run = project
        .fsmsim(["run", "kiosk.yaml"])
        .stdin("{\"intent\": \"ask\", \"data\": {\"size\": \"many\"}}\n:save scenarios/no.yaml\n")
        .run();
    assert!(
        run.stderr
            .contains("the saved scenario would be invalid: invalid value"),
        "{run}"
    );
    assert!(!project.path().join("scenarios/no.yaml").exists());
}

/// The output of the REPL for these lines in a new project.
fn in_template(lines: &str) -> String {
    let project = Project::new();
    project.fsmsim(["init", "."]).run();
    project.fsmsim(["run"]).stdin(lines).run().stdout
}

#[test]
fn why_not_finds_one_line_from_the_current_state() {
    let shown = in_template("book_table\n:why-not manager\n:why-not booked\n");
    assert!(
        shown.contains(
            "from `details` the following input leads to `manager`\n    info_provided day=today guests=9\n"
        ),
        "{shown}"
    );
    assert!(
        shown.contains("one turn from `details` is not enough; from `greeting` the following input leads to `booked`\n    :undo\n"),
        "{shown}"
    );
}

/// The lines that the REPL shows for the last `:why-not`.
fn why_not(project: &Project, model: &str, lines: &str) -> Vec<String> {
    let run = project.fsmsim(["run", model]).stdin(lines).run();
    let (_, shown) = run.stdout.rsplit_once(":why-not ").unwrap();
    shown
        .lines()
        .skip(1)
        .map(|line| line.trim().to_owned())
        .collect()
}

const CORRIDOR: &str = "flow: {name: corridor, policy: plain, entry_points: {default: first}}
intents: {on: {description: On}, back: {description: Back}, pay: {description: Pay}}
slots: {coins: {type: integer}}
states:
  first: {transitions: {on: second}}
  second: {transitions: {on: third, back: first}}
  third: {required_data: [coins], transitions: {data_complete: [{when: rich, then: fourth}, second]}}
  fourth: {transitions: {pay: last, back: third}}
  last: {is_final: true}
  ghost: {transitions: {on: last}}
conditions: {rich: {slot: coins, at_least: 4}}
";

#[test]
fn why_not_proves_that_no_dialogue_leads_to_a_state() {
    let project = Project::new().file("corridor.yaml", CORRIDOR);
    assert_eq!(
        why_not(&project, "corridor.yaml", ":why-not ghost\n"),
        ["no dialogue leads from `first` to `ghost`: no path of transitions exists"]
    );
    // A path exists, but its condition never holds.
    let poor = CORRIDOR.replace(
        "{slot: coins, at_least: 4}",
        "{and: [{slot: coins, at_least: 4}, {slot: coins, less_than: 2}]}",
    );
    project.write("corridor.yaml", poor);
    assert_eq!(
        why_not(&project, "corridor.yaml", ":why-not last\n"),
        ["no dialogue leads from `first` to `last`: every turn in every reachable state was tried"]
    );
}

#[test]
fn why_not_finds_a_state_four_turns_away() {
    let project = Project::new().file("corridor.yaml", CORRIDOR);
    let shown = why_not(&project, "corridor.yaml", ":why-not last\n");
    let [explanation, lines @ ..] = &*shown else {
        panic!("{shown:?}")
    };
    assert_eq!(
        explanation,
        "from `first` the following input leads to `last`"
    );
    assert_eq!(lines.len(), 4, "{lines:?}");
    let run = project
        .fsmsim(["run", "corridor.yaml"])
        .stdin(lines.join("\n"))
        .run();
    assert!(run.stdout.contains("fourth → last"), "{run}");
}

#[test]
fn why_not_finds_the_moves_of_a_state_set() {
    let project = Project::new().with("states/student");
    let shown = why_not(&project, "states/student", ":why-not plan_by_days\n");
    let [explanation, lines @ ..] = &*shown else {
        panic!("{shown:?}")
    };
    assert_eq!(
        explanation,
        "from `init` the following input leads to `plan_by_days`"
    );
    let run = project
        .fsmsim(["run", "states/student"])
        .stdin(lines.join("\n"))
        .run();
    assert!(run.stdout.contains("→ plan_by_days"), "{run}");
}

#[test]
fn why_names_missing_data_and_tested_conditions() {
    let shown =
        in_template("book_table\nopening_hours\ninfo_provided day=Friday, guests=12\n:why\n");
    assert!(
        shown.contains("no transition matches opening_hours; `day`, `guests` are still missing"),
        "{shown}"
    );
    assert!(
        shown.contains("slot guests is at least 9 = true"),
        "{shown}"
    );
}

#[test]
fn saved_recognized_turn_has_its_intent() {
    let project = Project::new();
    project.fsmsim(["init", "."]).run();
    let lines = "I would like a table\nWhen do you close?\n:save scenarios/read.yaml\n";
    let run = project
        .fsmsim(["run", "--llm", "examples"])
        .stdin(lines)
        .run();
    let saved = project.read("scenarios/read.yaml");
    assert!(
        saved.contains("    intent: opening_hours\n"),
        "{run}\n{saved}"
    );
    project
        .fsmsim(["test", "scenarios/read.yaml"])
        .succeeds("1 passed in 2 turns");
}

#[test]
fn scenario_as_a_model_argument_points_to_run() {
    let project = Project::library().file("talk.jsonl", "{}\n");
    for (file, kind) in [
        ("scenarios/bant/qualification.yaml", "a scenario"),
        ("talk.jsonl", "a trace"),
    ] {
        let error = project
            .fsmsim(["graph", file])
            .refuses(&format!("expected a model, found {kind}"));
        assert!(
            error.contains(&format!("`fsmsim run --from {file}`")),
            "{error}"
        );
    }
}

#[test]
fn undo_is_rejected_in_a_cycle() {
    let run = Project::library()
        .fsmsim(["run", "flows/agent_cycle.yaml"])
        .stdin(":undo\n:branches\n")
        .run();
    assert!(run.stderr.contains("no turn to undo"), "{run}");
}
