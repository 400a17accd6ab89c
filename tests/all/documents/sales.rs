//! The examples of the sales bot's document: its YAML snippets, tables and dialogues, played as they are written.

use serde_json::{Value, json};

use super::document;
use crate::support::{Project, turns};

/// The text of the document, if it is there.
fn sales_document() -> Option<String> {
    document("# State Machine - Полная Документация")
}

/// The YAML snippet of the document that has these lines.
fn snippet(text: &str, lines: &str) -> String {
    let blocks = text.split("```yaml\n").skip(1);
    let mut blocks = blocks.filter_map(|block| Some(block.split_once("```")?.0));
    let found = blocks.find(|block| block.contains(lines));
    found
        .unwrap_or_else(|| panic!("no snippet contains `{lines}`"))
        .to_owned()
}

/// The part of the document after a line, up to the next heading.
fn section<'t>(text: &'t str, line: &str) -> &'t str {
    let (_, rest) = text
        .split_once(&format!("\n{line}\n"))
        .unwrap_or_else(|| panic!("no line `{line}`"));
    rest.split("\n#").next().unwrap()
}

/// A snippet as the content of a key.
fn below(snippet: &str, indent: usize) -> String {
    let lines = snippet.lines();
    lines
        .map(|line| format!("{:indent$}{line}\n", ""))
        .collect()
}

/// The head of a flow that starts in a state.
fn head(initial: &str) -> String {
    format!("flow: {{name: snippet, policy: sales, entry_points: {{default: {initial}}}}}\n")
}

/// The turns of a dialogue. A string is an intent.
fn play(project: &Project, model: &str, start: &Value, inputs: &Value) -> Vec<Value> {
    let inputs = inputs.as_array().unwrap().iter();
    let inputs: Vec<Value> = inputs
        .map(|input| match input {
            Value::String(intent) => json!({"intent": intent}),
            input => input.clone(),
        })
        .collect();
    let line = json!({"id": "d", "signals": "given", "start": start, "turns": inputs});
    project.write("turns.jsonl", line.to_string());
    let run = project.fsmsim(["trace", model, "--turns", "turns.jsonl"]);
    turns(&run.about(line).ends(0, "", "").stdout)
}

/// The turns of a dialogue with a flow in one file.
fn play_flow(flow: &str, inputs: &Value) -> Vec<Value> {
    let project = Project::new().file("flow.yaml", flow);
    play(&project, "flow.yaml", &json!({}), inputs)
}

/// The states after the turns.
fn states(turns: &[Value]) -> Vec<&str> {
    turns
        .iter()
        .map(|turn| turn["state"]["to"].as_str().unwrap())
        .collect()
}

/// The actions of the turns.
fn actions(turns: &[Value]) -> Vec<&str> {
    turns
        .iter()
        .filter_map(|turn| turn["action"].as_str())
        .collect()
}

#[test]
fn rules_of_the_document_play_verbatim() {
    let Some(text) = sales_document() else { return };
    let inputs = json!([
        "greeting",
        "unclear",
        "price_question",
        {"intent": "price_question", "signals": {"frustration_level": 4}},
        {"intent": "price_question", "data": {"company_size": 5}},
    ]);
    let stays = "continue_current_goal";
    let pricing = "answer_with_pricing";
    let chain = [
        stays,
        stays,
        "deflect_and_continue",
        "answer_with_facts",
        "answer_with_facts",
    ];
    let cases = [
        (
            "rules:\n  greeting: greet_back\n",
            ["greet_back", "ask_how_to_help", pricing, pricing, pricing],
        ),
        (
            "  price_question:\n    when: can_answer_price\n",
            [stays, stays, pricing, pricing, "answer_with_facts"],
        ),
        ("should_answer_directly\n", chain),
        ("- has_pricing_data\n", chain),
        ("# Простое условие\n", chain),
    ];
    for (lines, expected) in cases {
        let rules = below(&snippet(&text, lines), 4);
        let flow = format!(
            "{}states:\n  greeting:\n    phase: situation\n{rules}slots: {{company_size: {{}}, users_count: {{}}}}\n",
            head("greeting")
        );
        assert_eq!(actions(&play_flow(&flow, &inputs)), expected, "{lines}");
    }
}

#[test]
fn each_intent_of_a_step_back_leads_back_and_counts() {
    let flow = format!(
        "{}feature_flags: {{circular_flow: true}}\n\
         states:\n  a: {{transitions: {{agreement: b}}}}\n  b: {{transitions: {{agreement: c, go_back: a}}}}\n  c: {{transitions: {{go_back: a, correct_info: b}}}}\n",
        head("a")
    );
    let inputs = json!([
        "agreement",
        "correct_info",
        "agreement",
        "agreement",
        "correct_info",
        "correct_info",
    ]);
    let turns = play_flow(&flow, &inputs);
    assert_eq!(states(&turns), ["b", "a", "b", "c", "b", "b"]);
    assert_eq!(turns[1]["action"], "acknowledge_go_back");
    assert_eq!(turns[4]["counters"]["go_backs"], 2);
    assert_eq!(turns[5]["action"], "go_back_limit_reached");
}

#[test]
fn states_of_the_document_play_verbatim() {
    let Some(text) = sales_document() else { return };
    let phase = |flow: &str| play_flow(flow, &json!(["unclear"]))[0]["phase"]["to"].clone();
    let explicit = snippet(&text, "    phase: problem  # Explicit field\n");
    let order = "phases: {order: [problem]}\n";
    assert_eq!(
        phase(&format!("{}{order}{explicit}", head("spin_problem"))),
        "problem"
    );
    let mapping = snippet(&text, "    budget: assess_budget\n");
    let states_of_bant = "states: {assess_budget: {}, identify_decision_maker: {}, qualify_need: {}, determine_timeline: {}}\n";
    assert_eq!(
        phase(&format!(
            "{}{mapping}{states_of_bant}",
            head("assess_budget")
        )),
        "budget"
    );

    let own = below(
        &snippet(
            &text,
            "    situation_provided: spin_problem   # Прогресс-интент\n",
        ),
        2,
    );
    let flow = format!(
        "{}states:\n{own}    required_data: [company_size]\n  spin_problem: {{}}\n  close: {{}}\n  soft_close: {{}}\n",
        head("spin_situation")
    );
    for (input, state) in [
        (
            json!({"intent": "unclear", "data": {"company_size": 3}}),
            "spin_problem",
        ),
        (json!("situation_provided"), "spin_problem"),
        (json!("demo_request"), "close"),
        (json!("rejection"), "soft_close"),
    ] {
        assert_eq!(states(&play_flow(&flow, &json!([input]))), [state]);
    }

    let table = snippet(&text, "  description: \"SPIN Selling state machine\"\n");
    let targets = "  spin_problem: {}\n  close: {}\n  soft_close: {}\n";
    let played = play_flow(
        &format!("{table}{targets}{}", head("greeting")),
        &json!([
            "greeting", "unclear", "price_question", "unclear", "price_question",
            {"intent": "info_provided", "data": {"company_size": 5}},
        ]),
    );
    assert_eq!(
        actions(&played),
        [
            "greet_back",
            "ask_how_to_help",
            "answer_with_pricing",
            "probe_situation",
            "deflect_and_continue",
            "transition_to_spin_problem"
        ]
    );
    let before_last = &played[4];
    assert_eq!(
        (&before_last["goal"], &before_last["optional_data"]),
        (
            &json!("Понять текущую ситуацию клиента"),
            &json!(["current_tools", "business_type"])
        )
    );

    let new = snippet(&text, "  my_new_state:\n");
    let flow = format!(
        "{}{new}  next_state: {{}}\n  another_state: {{}}\n",
        head("my_new_state")
    );
    let complete = json!({"intent": "unclear", "data": {"some_field": 1}});
    assert_eq!(
        actions(&play_flow(&flow, &json!(["some_intent"]))),
        ["some_action"]
    );
    assert_eq!(
        states(&play_flow(&flow, &json!([complete]))),
        ["another_state"]
    );
}

#[test]
fn mixins_of_the_document_play_verbatim() {
    let Some(text) = sales_document() else { return };
    // The mixins that the snippet includes and does not show.
    let others = "  product_questions: {}\n  objection_handling: {}\n  dialogue_repair: {}\n";
    let common = snippet(&text, "  spin_common:\n    description")
        .replace("\ndefaults:\n", &format!("\n{others}\ndefaults:\n"));
    let state = snippet(&text, "    parameters:\n      default_price_action");
    let flow = format!("{}{common}{state}", head("spin_situation"));
    let sized = json!({"intent": "price_question", "data": {"company_size": 5}});
    assert_eq!(
        actions(&play_flow(&flow, &json!(["price_question", sized]))),
        ["deflect_and_continue", "answer_with_facts"]
    );

    for name in ["unified_progress", "phase_progress"] {
        let mixin = below(&snippet(&text, &format!("{name}:\n")), 2);
        let flow = format!(
            "{}mixins:\n{mixin}states:\n  spin_situation: {{mixins: [{name}], parameters: {{next_phase_state: spin_problem}}}}\n  spin_problem: {{}}\n",
            head("spin_situation")
        );
        let played = play_flow(&flow, &json!(["situation_provided"]));
        assert_eq!(states(&played), ["spin_problem"], "{name}");
    }

    let handlers = below(&snippet(&text, "objection_complexity: handle"), 2);
    let flow = format!(
        "{}mixins:\n{handlers}states:\n  presentation: {{mixins: [objection_handling]}}\n",
        head("presentation")
    );
    assert_eq!(
        actions(&play_flow(&flow, &json!(["objection_trust"]))),
        ["handle_objection_trust"]
    );

    // The snippet shows the mixin before and after a change.
    let both = snippet(&text, "# mixins.yaml (после)\n");
    let (_, after) = both.split_once("# mixins.yaml (после)\n").unwrap();
    let flow = format!(
        "{}mixins:\n{}states:\n  presentation: {{mixins: [objection_handling]}}\n  handle_objection: {{mixins: [objection_handling]}}\n  soft_close: {{}}\n",
        head("presentation"),
        below(after, 2)
    );
    let objections = json!(["objection_no_time", "objection_think", "objection_no_time"]);
    assert_eq!(
        states(&play_flow(&flow, &objections)),
        ["handle_objection", "handle_objection", "soft_close"]
    );
}

#[test]
fn constants_of_the_document_play_verbatim() {
    let Some(text) = sales_document() else { return };
    let objects = "states:\n  presentation: {transitions: {objection_price: handle_objection}}\n  handle_objection: {transitions: {objection_price: handle_objection}}\n  soft_close: {}\n";
    for (lines, most) in [("  max_total_objections: 5\n", 3), ("# Было 3\n", 4)] {
        let limits = below(&snippet(&text, lines), 2);
        let flow = format!("{}constants:\n{limits}{objects}", head("presentation"));
        let played = play_flow(&flow, &json!(vec!["objection_price"; most]));
        let (last, before) = played.split_last().unwrap();
        assert_eq!(last["action"], "objection_limit_reached", "{lines}");
        assert!(
            states(before)
                .iter()
                .all(|state| *state == "handle_objection")
        );
    }

    let goes_back = below(&snippet(&text, "  allowed_gobacks:\n    spin_problem"), 2);
    let all = [
        "greeting",
        "spin_situation",
        "spin_problem",
        "spin_implication",
        "spin_need_payoff",
        "presentation",
        "close",
        "handle_objection",
        "soft_close",
    ]
    .map(|state| format!("  {state}: {{}}\n"))
    .concat();
    let flow = format!(
        "{}constants:\n{goes_back}feature_flags: {{circular_flow: true}}\nstates:\n{all}",
        head("spin_problem")
    );
    let played = play_flow(&flow, &json!(["go_back"]));
    assert_eq!(states(&played), ["spin_situation"]);
    assert_eq!(
        played[0]["go_back_history"],
        json!([{"from": "spin_problem", "to": "spin_situation"}])
    );
}

/// States for the flow of the document, which has a configuration root.
const SPIN: &str = "states:
  greeting: {transitions: {agreement: spin_situation}, rules: {greeting: greet_back}}
  spin_situation: {required_data: [company_size], transitions: {rejection: soft_close, data_complete: spin_problem}, rules: {question_features: describe}}
  spin_problem: {transitions: {agreement: spin_implication}}
  spin_implication: {transitions: {agreement: spin_need_payoff}}
  spin_need_payoff: {transitions: {agreement: presentation}}
  presentation: {transitions: {objection_price: handle_objection}}
  handle_objection: {transitions: {objection_price: handle_objection}}
  soft_close: {}
";

#[test]
fn modular_flow_of_the_document_plays_verbatim() {
    let Some(text) = sales_document() else { return };
    let project = Project::new()
        .file(
            "flows/constants.yaml",
            snippet(&text, "  max_total_objections: 5\n"),
        )
        .file(
            "flows/settings.yaml",
            snippet(&text, "flow:\n  active: \"spin_selling\"  #"),
        )
        .file(
            "flows/_base/priorities.yaml",
            snippet(&text, "default_priorities:\n"),
        )
        .file(
            "flows/spin_selling/flow.yaml",
            snippet(&text, "  post_phases_state: presentation\n"),
        )
        .file("flows/spin_selling/states.yaml", SPIN);
    let play = |start: Value, inputs: Value| play(&project, "flows", &start, &inputs);
    let data = json!({"company_size": 4, "high_interest": true});
    let played = play(
        json!({}),
        json!(["greeting", "agreement", {"intent": "question_features", "data": data}, "agreement"]),
    );
    assert_eq!(
        states(&played),
        [
            "greeting",
            "spin_situation",
            "spin_problem",
            "spin_need_payoff"
        ]
    );
    assert_eq!(
        (&played[2]["action"], &played[3]["class"]),
        (&json!("describe"), &json!("skip"))
    );
    let objections = play(
        json!({"state": "presentation"}),
        json!(vec!["objection_price"; 3]),
    );
    assert_eq!(objections[2]["action"], "objection_limit_reached");
    let refused = play(
        json!({"state": "spin_situation", "data": {"company_size": 1}}),
        json!(["rejection"]),
    );
    assert_eq!(states(&refused), ["soft_close"]);
}

#[test]
fn choices_and_forks_of_the_document_play_verbatim() {
    let Some(text) = sales_document() else { return };
    let topics = "conditions: {is_technical_issue: {slot: topic, is: technical}, is_billing_issue: {slot: topic, is: billing}, is_account_issue: {slot: topic, is: account}}\nslots: {topic: {}}\n";
    let ends = ["technical_flow", "billing_flow", "account_flow"]
        .map(|state| format!("  {state}: {{}}\n"))
        .concat();
    let choice = snippet(&text, "is_account_issue");
    let flow = format!(
        "{}{choice}  greeting: {{transitions: {{issue: issue_classifier}}}}\n{ends}  general_inquiry: {{}}\n{topics}",
        head("greeting")
    );
    for (topic, state) in [
        ("technical", "technical_flow"),
        ("billing", "billing_flow"),
        ("account", "account_flow"),
        ("other", "general_inquiry"),
    ] {
        let input = json!([{"intent": "issue", "data": {"topic": topic}}]);
        assert_eq!(states(&play_flow(&flow, &input)), [state]);
    }

    let support = snippet(&text, "  name: customer_support\n");
    let flow = format!(
        "{support}  greeting: {{transitions: {{issue: issue_classifier}}}}
  billing_flow: {{}}
  general_inquiry: {{}}
  check_system_status: {{transitions: {{checked: technical_resolution}}}}
  collect_error_details: {{transitions: {{described: technical_resolution}}}}
  technical_resolution: {{type: join}}
conditions: {{is_technical_issue: {{slot: topic, is: technical}}, is_billing_issue: {{slot: topic, is: billing}}}}
slots: {{topic: {{}}}}
"
    );
    let input =
        json!([{"intent": "issue", "data": {"topic": "technical"}}, "checked", "described"]);
    assert_eq!(
        states(&play_flow(&flow, &input)),
        [
            "check_system_status",
            "collect_error_details",
            "technical_resolution"
        ]
    );

    let history = snippet(&text, "    history: shallow  #");
    let flow = format!(
        "{}{history}  greeting: {{transitions: {{billing: billing_flow}}}}
  process_refund: {{region: billing_flow, transitions: {{question: elsewhere}}}}
  troubleshoot_payment: {{region: billing_flow}}
  elsewhere: {{transitions: {{back: billing_flow}}}}
",
        head("greeting")
    );
    let inputs = json!(["billing", "refund_request", "question", "back"]);
    assert_eq!(
        states(&play_flow(&flow, &inputs)),
        [
            "billing_flow",
            "process_refund",
            "elsewhere",
            "process_refund"
        ]
    );
}

#[test]
fn joins_of_the_document_play_verbatim() {
    let Some(text) = sales_document() else { return };
    let fork = snippet(&text, "has_initial_interest");
    let flow = format!(
        "{}{fork}  greeting: {{transitions: {{agreement: qualification_fork}}}}
  collect_budget: {{transitions: {{budget_done: _branch_complete}}}}
  identify_decision_maker: {{transitions: {{authority_done: _branch_complete}}}}
  assess_needs: {{transitions: {{need_done: _branch_complete}}}}
  presentation: {{}}
  nurture_flow: {{}}
slots: {{interest: {{}}}}
conditions: {{has_initial_interest: {{slot: interest}}}}
",
        head("greeting")
    );
    let at = "2026-02-01T10:00:00Z";
    let begin = json!({"intent": "agreement", "data": {"interest": true}, "at": at});
    let inputs = json!([
        begin,
        "budget_done",
        "authority_done",
        "need_done",
        "qualified"
    ]);
    let played = play_flow(&flow, &inputs);
    assert_eq!(
        states(&played),
        [
            "collect_budget",
            "identify_decision_maker",
            "assess_needs",
            "qualification_complete",
            "presentation"
        ]
    );
    assert_eq!(played[3]["action"], "analyze_qualification");
    let events = &played[0]["events"];
    assert_eq!(
        events[0],
        json!({"event": "fork_started", "node": "qualification_fork", "branch": null, "from": "greeting",
            "to": "qualification_complete", "at": at})
    );
    assert_eq!(
        events[1],
        json!({"event": "branch_activated", "node": "qualification_fork", "branch": "budget_branch",
            "from": "qualification_fork", "to": "collect_budget", "at": at})
    );
    let completed = &played[1]["events"][0];
    assert_eq!(
        (&completed["from"], &completed["at"]),
        (&json!("collect_budget"), &Value::Null)
    );

    let join = snippet(&text, "    join_condition: majority\n");
    let flow = format!(
        "{}{join}  greeting: {{transitions: {{agreement: split}}}}
  split:
    type: fork
    branches: [{{id: system_check, start_at: one}}, {{id: user_diagnostics, start_at: two}}, {{id: known_issues, start_at: three}}]
    join_at: parallel_diagnostics
  one: {{transitions: {{one_done: parallel_diagnostics}}}}
  two: {{transitions: {{two_done: parallel_diagnostics}}}}
  three: {{transitions: {{three_done: parallel_diagnostics}}}}
",
        head("greeting")
    );
    assert_eq!(
        states(&play_flow(
            &flow,
            &json!(["agreement", "one_done", "two_done"])
        )),
        ["one", "two", "parallel_diagnostics"]
    );

    let bant = snippet(&text, "  name: bant_qualification\n");
    let flow = format!(
        "{bant}  greeting: {{transitions: {{agreement: bant_fork}}}}
  collect_budget: {{transitions: {{budget_done: _branch_complete}}}}
  identify_dm: {{transitions: {{authority_done: _branch_complete}}}}
  assess_need: {{transitions: {{need_done: _branch_complete}}}}
  determine_timeline: {{transitions: {{timeline_done: _branch_complete}}}}
  presentation: {{}}
  nurture: {{}}
  disqualify: {{}}
"
    );
    for (verdict, state) in [
        ("all_positive", "presentation"),
        ("mixed", "nurture"),
        ("all_negative", "disqualify"),
    ] {
        let inputs = json!([
            "agreement",
            "budget_done",
            "authority_done",
            "need_done",
            "timeline_done",
            verdict
        ]);
        let played = play_flow(&flow, &inputs);
        assert_eq!(states(&played)[4..], ["bant_complete", state], "{verdict}");
    }
}

/// The calls of `process` in a section, each with the comment below it. An assignment to `sm.state` is an operation
/// before the next call.
fn calls(section: &str) -> Vec<(Value, &str)> {
    let mut calls = Vec::new();
    let mut before = Vec::new();
    let mut lines = section.lines();
    while let Some(line) = lines.next() {
        if let Some(state) = line.strip_prefix("sm.state = ") {
            let state: Value = serde_json::from_str(state).unwrap();
            before.push(json!({"op": "set_state", "state": state}));
        }
        let Some(call) = line.strip_prefix("result = sm.process(") else {
            continue;
        };
        let (intent, data) = call.trim_end_matches(')').split_once(", ").unwrap();
        let [intent, data] =
            [intent, data].map(|part| serde_json::from_str::<Value>(part).unwrap());
        let input = json!({"before": before, "intent": intent, "data": data});
        before.clear();
        calls.push((input, lines.next().unwrap()));
    }
    calls
}

#[test]
fn dialogues_of_the_document_play_verbatim() {
    let Some(text) = sales_document() else { return };
    let project = Project::new().with_flows();
    let headings = [
        "### 10.8 Полный жизненный цикл диалога",
        "### 10.9 Обработка возражений",
        "### 10.10 Возврат назад (Go Back) - Legacy Example",
    ];
    let mut compared = 0;
    for heading in headings {
        let section = text.split_once(&format!("\n{heading}\n")).unwrap().1;
        let calls = calls(
            section
                .split("\n## ")
                .next()
                .unwrap()
                .split("\n### ")
                .next()
                .unwrap(),
        );
        let inputs: Vec<&Value> = calls.iter().map(|(input, _)| input).collect();
        let start = json!({"flags": {"circular_flow": true}});
        let played = play(&project, "flows/spin_selling", &start, &json!(inputs));
        for (turn, (input, comment)) in played.iter().zip(&calls) {
            // The other form is a state that stays: `# state остаётся spin_need_payoff, …`.
            let Some(rest) = comment.strip_prefix("# state: ") else {
                assert_eq!(turn["state"]["from"], turn["state"]["to"], "{input}");
                continue;
            };
            let (change, action) = match rest.split_once(", action: ") {
                Some((change, action)) => (change, Some(action)),
                None => (rest, None),
            };
            let (from, to) = change.split_once(" → ").unwrap();
            assert_eq!(turn["state"], json!({"from": from, "to": to}), "{input}");
            if let Some(action) = action {
                assert_eq!(turn["action"], action, "{input}");
            }
            compared += 1;
        }
    }
    assert_eq!(compared, 13);
}

#[test]
fn stall_ends_even_after_many_turns() {
    let flow = "\
flow: {name: long, policy: sales, entry_points: {default: a}}
states:
  a: {max_turns_in_state: 9, max_turns_fallback: b, required_data: [company_size], transitions: {data_complete: b}}
  b: {}
";
    let inputs = ["gratitude", "greeting"].iter().cycle().take(10);
    let inputs: Vec<Value> = inputs.map(|intent| json!({"intent": intent})).collect();
    let line = json!({"id": "d", "signals": "derived", "turns": inputs});
    let project = Project::new()
        .file("flow.yaml", flow)
        .file("turns.jsonl", line.to_string());
    let run = project.fsmsim(["trace", "flow.yaml", "--turns", "turns.jsonl"]);
    let turns = turns(&run.succeeds(""));
    let visited = states(&turns);
    let stayed = visited.iter().take_while(|state| **state == "a").count();
    assert_eq!(stayed, 7, "{visited:?}");
}

#[test]
fn record_has_each_part_of_the_result_of_process() {
    let Some(text) = sales_document() else { return };
    let call = "result = sm.process(\"info_provided\", {\"company_size\": 50})\nprint(result)\n";
    let (_, printed) = text.split_once(call).unwrap();
    let printed = printed
        .lines()
        .map_while(|line| line.strip_prefix('#'))
        .filter_map(|line| {
            let (key, value) = line.trim().split_once(": ")?;
            let value = value.trim_end_matches(',').replace("False", "false");
            let value: Value = serde_json::from_str(&value).ok()?;
            Some((key.trim_matches('"'), value))
        });
    let turn = play(
        &Project::new().with_flows(),
        "flows/spin_selling",
        &json!({"state": "spin_situation"}),
        &json!([{"intent": "info_provided", "data": {"company_size": 50}}]),
    )
    .remove(0);
    let mut compared = 0;
    for (key, value) in printed {
        let actual = match key {
            "prev_state" => &turn["state"]["from"],
            "next_state" => &turn["state"]["to"],
            "collected_data" => &turn["data"],
            "missing_data" => &turn["missing"],
            "is_final" => &turn["final"],
            "spin_phase" => &turn["phase"]["to"],
            key => &turn[key],
        };
        assert_eq!(*actual, value, "{key}");
        compared += 1;
    }
    assert_eq!(compared, 9);
}

#[test]
fn names_of_the_document_are_known() {
    let Some(text) = sales_document() else { return };
    let (_, conditions) = text.split_once("### 13.2 Категории условий\n").unwrap();
    let (conditions, _) = conditions
        .split_once("### 12.3 Регистрация условий\n")
        .unwrap();
    let (_, intents) = text
        .split_once("## Приложение B: Полный список интентов\n")
        .unwrap();
    let (intents, _) = intents.split_once("\n---\n").unwrap();
    let first = |line: &'static str| {
        move |row: &str| Some(row.strip_prefix(line)?.split_once('`')?.0.to_owned())
    };
    let conditions = conditions.lines().filter_map(first("| `"));
    let intents = intents.lines().filter_map(first("- `"));
    let sources = section(&text, "### 15 Knowledge Sources").lines();
    let sources = sources.filter_map(|line| {
        let (_, name) = line.split_once(". **")?;
        Some(name.split_once("Source**")?.0.to_owned())
    });
    let names: Vec<String> = conditions.chain(intents).chain(sources).collect();
    assert_eq!(names.len(), 44 + 27 + 15, "{names:?}");
    let project = Project::new();
    for name in names {
        project.fsmsim(["explain", name.as_str()]).succeeds("");
    }
}

/// Two phases, and a state after them that goes back in each way. The data skips the second phase.
const STEPS: &str = "\
flow:
  name: steps
  policy: sales
  entry_points: {default: shown}
  phases:
    order: [first, second]
    mapping: {first: a, second: b}
    post_phases_state: shown
    skip_conditions: {second: [has_desired_outcome]}
constants: {circular_flow: {allowed_gobacks: {shown: b}}}
feature_flags: {circular_flow: true}
states:
  a: {transitions: {agreement: b}}
  b: {required_data: [desired_outcome], transitions: {agreement: shown}}
  shown: {transitions: {gratitude: b}}
";

#[test]
fn step_back_never_skips_a_phase() {
    let data = json!({"desired_outcome": "x"});
    // The state after the phases is later than each phase, so other intents skip nothing either.
    for (intent, counted) in [("go_back", 1), ("correct_info", 1), ("gratitude", 0)] {
        let turn = &play_flow(STEPS, &json!([{"intent": intent, "data": data}]))[0];
        assert_eq!(turn["state"]["to"], "b", "{intent}");
        assert_eq!(turn["counters"]["go_backs"], counted, "{intent}");
    }
    let project = Project::new().with_flows().file("flow.yaml", STEPS);
    let start = json!({"state": "a", "data": data});
    let forward = play(&project, "flow.yaml", &start, &json!(["agreement"]));
    assert_eq!(states(&forward), ["shown"]);
    let start = json!({"state": "close", "data": data, "flags": {"circular_flow": true}});
    let back = play(
        &project,
        "flows/spin_selling",
        &start,
        &json!(["go_back", "go_back"]),
    );
    assert_eq!(states(&back), ["presentation", "spin_need_payoff"]);
}

#[test]
fn saved_session_has_the_remaining_steps_back() {
    let start = "{state: spin_problem, flags: {circular_flow: true}, limits: {max_gobacks: 7}}";
    let project = Project::new().with_flows();
    project
        .fsmsim(["run", "flows/spin_selling", "--session", "s"])
        .args(["--start", start])
        .stdin("go_back\n")
        .warns("", "started the session");
    let saved = project
        .fsmsim(["sessions", "export", "s", "--as", "session"])
        .succeeds("");
    let saved: Value = serde_json::from_str(&saved).unwrap();
    assert_eq!(
        saved["circular_flow"],
        json!({"goback_count": 1, "remaining": 6, "goback_history": [["spin_problem", "spin_situation"]]})
    );
    project.write("saved.json", saved.to_string());
    let start = json!({"session": "./saved.json"});
    let turn = &play(&project, "flows/spin_selling", &start, &json!(["unclear"]))[0];
    assert_eq!(turn["counters"]["go_backs"], 1);
}

#[test]
fn priority_entry_with_a_used_name_is_reported() {
    let flow = "priorities:
  - {name: one, priority: 1, use_transitions: true}
  - {name: one, priority: 2, use_resolver: true}
states: {a: {transitions: {agreement: b}}, b: {is_final: true}}
";
    Project::new()
        .file("flow.yaml", format!("{}{flow}", head("a")))
        .fsmsim(["lint", "flow.yaml"])
        .fails(1, "", "priority entry `one` is defined twice");
}

#[test]
fn unknown_names_in_priority_entries_are_reported() {
    let flow = "priorities:
  - {name: one, priority: 1, condition: has_high_interst, use_transitions: true}
  - {name: two, priority: 2, handler: phase_progres_handler}
  - {name: three, priority: 3, trigger: data_complet, use_transitions: true}
  - {name: four, priority: 4, intent_category: questoin, use_transitions: true}
  - {name: five, priority: 5, feature_flag: circular_flwo, use_transitions: true}
  - {name: six, priority: 6, source: rulse}
states: {greeting: {transitions: {agreement: b}}, b: {is_final: true}}
";
    let project = Project::new().file("flow.yaml", format!("{}{flow}", head("greeting")));
    let titles = [
        "unknown condition `has_high_interst`",
        "unknown handler `phase_progres_handler`",
        "unknown trigger `data_complet`",
        "unknown intent category `questoin`",
        "unknown feature flag `circular_flwo`",
        "unknown source `rulse`",
    ];
    for title in titles {
        let error = format!("{title}\n");
        project.fsmsim(["lint", "flow.yaml"]).fails(1, "", &error);
        project
            .fsmsim(["lint", "flow.yaml@reference"])
            .warns("", title);
    }
    // A flag of the flow is a known name.
    let own = flow
        .replace("circular_flwo", "early")
        .replace("has_high_interst", "is_final");
    let own = own
        .replace("phase_progres", "phase_progress")
        .replace("data_complet,", "any,");
    let own = own
        .replace("questoin", "question")
        .replace("rulse", "rules");
    let own = format!("{}feature_flags: {{early: false}}\n{own}", head("greeting"));
    for model in ["own.yaml", "own.yaml@reference"] {
        let project = Project::new().file("own.yaml", &own);
        project
            .fsmsim(["lint", model])
            .succeeds("no errors, no warnings");
    }
}

#[test]
fn context_shows_the_phase_that_conditions_see() {
    let turn = json!({
        "before": [{"op": "transition_to", "next_state": "spin_problem", "phase": "own"}],
        "intent": "unclear",
    });
    Project::new()
        .with_flows()
        .fsmsim(["run", "flows/spin_selling", "--start", "{foreign: [own]}"])
        .stdin(format!("{turn}\n:context\n"))
        .succeeds("phase        problem");
}
