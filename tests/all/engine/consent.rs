//! Assistants with instructions: permitted moves, and the handling of user data.

use std::sync::{Arc, LazyLock};

use fsmsim_adapters::stores::MemoryTwin;
use fsmsim_core::engine::{
    Consent, Input, Machine, Operation, ScriptedTurn, Session, Symbol, Verdict,
};
use fsmsim_core::machine::{EffectKind, Profile};
use fsmsim_dialects::dialect::Loader;
use fsmsim_runtime::runtime::DialogueSetup;
use fsmsim_syntax::diagnostic::Diagnostics;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{Invocation, Project};

const SYSTEM: &str = "---\nconsent: ask\nno_data_state: bare\n---\n# Base\nBe kind.\n";
const INIT: &str = "# State: init\n\n## Goal\nGreet.\n\n## Transitions\n- plan -> `plan`\n- review -> `review`\n- `save`\n- `talk`\n";
const PLAN: &str = "---\nreads: [goals, week]\n---\n# State: plan\n\n## Goal\nPlan.\n\n## Transitions\n- `init`\n- `save`\n\n## Degradation\nAsk instead.\n";
const REVIEW: &str =
    "---\nreads: [week]\n---\n# State: review\n\n## Goal\nReview.\n\n## Transitions\n- `init`\n";
const SAVE: &str = "---\nwrites: note\n---\n# State: save\n\n## Goal\nKeep.\n\n## Transitions\n- `init`\n\n## Degradation\nTell.\n";
const TALK: &str = "# State: talk\n\n## Goal\nTalk.\n\n## Transitions\n- `init`\n";
const ASK: &str = "# State: ask\n\n## Goal\nAsk for consent.\n\n## Transitions\n- `init`\n";
const BARE: &str = "# State: bare\n\n## Goal\nGo on without.\n\n## Transitions\n- `init`\n";
const SCHEMA: &str =
    r#"{"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}"#;

fn project() -> Project {
    let states = [
        ("init", INIT),
        ("plan", PLAN),
        ("review", REVIEW),
        ("save", SAVE),
        ("talk", TALK),
        ("ask", ASK),
        ("bare", BARE),
    ];
    let project = Project::new()
        .file("coach/instructions/system.md", SYSTEM)
        .file("coach/schemas/note.json", SCHEMA)
        .file(
            "twins/present.json",
            r#"{"goals": ["read"], "week": {"done": 7}, "secret": "never asked for"}"#,
        )
        .file(
            "twins/partial.json",
            r#"{"week": {"done": 7}, "goals": null}"#,
        )
        .file("twins/absent.json", "{}")
        .file("twins/invalid.json", "[1]");
    states.into_iter().fold(project, |project, (name, text)| {
        project.file(&format!("coach/states/{name}.md"), text)
    })
}

/// The turn records of a scenario's trace.
fn play(project: &Project, start: &str, turns: &str) -> Vec<Value> {
    project.write(
        "a.yaml",
        format!("scenario: A\nmodel: coach\nstart: {start}\nturns: {turns}\n"),
    );
    let stdout = project.fsmsim(["trace", "a.yaml"]).succeeds("");
    crate::support::turns(&stdout)
}

fn to(turn: &Value) -> &str {
    turn["state"]["to"].as_str().unwrap()
}

#[test]
fn undeclared_move_is_refused_with_a_suggestion() {
    let project = project();
    let turns = play(
        &project,
        "{foreign: [tolk]}",
        "[{goto: bare}, {goto: tolk}, {goto: talk}, {goto: plan}]",
    );
    for (turn, target, similar) in [(0, "bare", Value::Null), (1, "tolk", json!("talk"))] {
        let turn = &turns[turn];
        assert_eq!((to(turn), &turn["class"]), ("init", &json!("blocked")));
        assert_eq!(turn["why"], json!(["undeclared_transition"]));
        assert_eq!(
            turn["events"],
            json!([{"event": "move_refused", "to": target, "nearest": similar}])
        );
    }
    assert_eq!((to(&turns[2]), to(&turns[3])), ("talk", "talk"));
    assert_eq!(turns[3]["rejected"][0]["value"], "plan");
    // With `permissive`, the move is allowed and marked. A move to an unknown state is still refused.
    let turns = play(
        &project,
        "{permissive: true, foreign: [nowhere]}",
        "[{goto: talk}, {goto: bare}, {goto: nowhere}]",
    );
    assert_eq!(turns[1]["why"], json!(["undeclared_transition_permitted"]));
    assert_eq!(
        (to(&turns[1]), to(&turns[2]), &turns[2]["class"]),
        ("bare", "bare", &json!("blocked"))
    );
}

#[test]
fn missing_consent_is_requested_and_the_dialogue_resumes() {
    let turns = play(
        &project(),
        "{twin: twins/present.json}",
        "[{goto: plan}, {say: hm, reply: May I?}, {say: yes, consent: {read: true}}, {goto: init}, {goto: review}]",
    );
    let classes: Vec<&str> = turns
        .iter()
        .map(|turn| turn["class"].as_str().unwrap())
        .collect();
    assert_eq!(classes, ["digress", "hold", "resume", "restart", "move"]);
    assert_eq!(
        (to(&turns[0]), &turns[0]["return_state"]),
        ("ask", &json!("plan"))
    );
    assert_eq!(
        turns[0]["effects"],
        json!([{"effect": "read", "state": "plan", "keys": ["goals", "week"], "verdict": "denied", "why": "consent was not asked for"}])
    );
    assert_eq!(
        (to(&turns[2]), &turns[2]["return_state"]),
        ("plan", &Value::Null)
    );
    assert_eq!(turns[2]["carryover"]["added"], json!(["goals", "week"]));
    // Only the keys that the states name were read.
    assert_eq!(
        turns[4]["data"],
        json!({"goals": ["read"], "week": {"done": 7}})
    );
    assert_eq!(turns[4]["effects"][0]["keys"], json!(["week"]));
}

#[test]
fn withdrawn_consent_drops_the_data_that_was_read() {
    let turns = play(
        &project(),
        "{twin: twins/present.json, consent: {read: true}}",
        "[{goto: plan}, {goto: init, consent: {read: false}}, {goto: plan}]",
    );
    assert_eq!(turns[1]["carryover"]["dropped"], json!(["goals", "week"]));
    assert_eq!(
        (to(&turns[2]), &turns[2]["class"]),
        ("plan", &json!("degrade"))
    );
    assert_eq!(turns[2]["why"], json!(["navigated", "consent_refused"]));
    assert_eq!(turns[2]["data"], json!({}));
}

#[test]
fn dialogue_continues_for_each_combination_of_consent_and_data() {
    let project = project();
    let words = ["{}", "{read: true}", "{read: false}"];
    let twins = [
        "twins/present.json",
        "twins/partial.json",
        "twins/absent.json",
        "twins/invalid.json",
        "down",
    ];
    for state in ["plan", "review"] {
        for consent in words {
            for twin in twins {
                let what = format!("{state} {consent} {twin}");
                let start = format!("{{twin: {twin}, consent: {consent}}}");
                let asks = consent == "{}";
                let answer = if asks {
                    "{say: yes, consent: {read: true}}"
                } else {
                    "{say: hm, reply: hm}"
                };
                let turns = play(
                    &project,
                    &start,
                    &format!("[{{goto: {state}}}, {answer}, {{goto: init}}]"),
                );
                let agreed = consent != "{read: false}";
                let entered = &turns[usize::from(asks)];
                let effect = entered["effects"][0].clone();
                assert_eq!(
                    effect["verdict"],
                    if agreed { "allowed" } else { "denied" },
                    "{what}"
                );
                let there = match (agreed, twin) {
                    (true, "twins/present.json") => true,
                    (true, "twins/partial.json") => state == "review",
                    _ => false,
                };
                // `plan` describes its own degradation. `review` leaves it to the state for dialogues without data.
                let expected = if there || state == "plan" {
                    state
                } else {
                    "bare"
                };
                assert_eq!(to(entered), expected, "{what}");
                let class = if !there {
                    "degrade"
                } else if asks {
                    "resume"
                } else {
                    "move"
                };
                assert_eq!(entered["class"], class, "{what}");
                if !agreed {
                    assert_eq!(entered["data"], json!({}), "{what}");
                }
                // The dialogue continues in every case.
                assert_eq!(
                    (to(&turns[2]), &turns[2]["return_state"]),
                    ("init", &Value::Null),
                    "{what}"
                );
            }
        }
    }
}

#[test]
fn write_needs_consent_and_a_valid_payload() {
    let project = project();
    let note = |text: &str| format!("[{{goto: save, data: {{note: {{text: {text}}}}}}}]");
    let effect = |consent: &str, twin: &str, turns: &str| {
        let turns = play(
            &project,
            &format!("{{twin: {twin}, consent: {consent}}}"),
            turns,
        );
        (
            turns[0]["effects"][0].clone(),
            to(&turns[0]).to_owned(),
            turns[0]["class"].clone(),
        )
    };
    let kept = effect("{write: true}", "twins/present.json", &note("hello"));
    assert_eq!(kept.0["outcome"], "done");
    assert_eq!(
        (kept.0["payload"].clone(), kept.1.as_str(), kept.2),
        (json!({"text": "hello"}), "save", json!("move"))
    );
    let refused = effect("{write: false}", "twins/present.json", &note("hello"));
    assert_eq!(
        (refused.0["why"].as_str(), refused.1.as_str()),
        (Some("consent was refused"), "save")
    );
    let asked = effect("{read: true}", "twins/present.json", &note("hello"));
    assert_eq!(
        (asked.0["why"].as_str(), asked.1.as_str()),
        (Some("consent was not asked for"), "ask")
    );
    let broken = effect("{write: true}", "twins/present.json", &note("7.5"));
    assert!(
        broken.0["why"]
            .as_str()
            .unwrap()
            .starts_with("/text: 7.5 is not of type"),
        "{}",
        broken.0
    );
    assert_eq!(broken.2, "degrade");
    let down = effect("{write: true}", "down", &note("hello"));
    assert_eq!(
        (down.0["outcome"].as_str(), down.2),
        (Some("down"), json!("degrade"))
    );
    // The file that initialized the store stays unchanged.
    assert!(!project.read("twins/present.json").contains("hello"));
}

#[test]
fn mock_navigates_by_the_utterance() {
    let mock = "rules:\n  - {need: navigate, state: init, say: plan, answer: {reply: Let us plan., target: plan}}\n  - {need: navigate, state: ask, say: 'yes', answer: {reply: Thanks., consent: {read: true}}}\n  - {need: navigate, say: jump, answer: {reply: Off we go., target: nowhere}}\n  - {need: navigate, say: lost, fault: time_out}\n";
    let project = project();
    project.write("m.yaml", mock);
    let scenario = |turns: &str| {
        project.write(
            "scenarios/a.yaml",
            format!("scenario: Led\nmodel: coach\nllm: m.yaml\nstart: {{twin: twins/present.json}}\nturns:\n{turns}"),
        );
        project.fsmsim(["test", "--check"])
    };
    scenario(
        "- {say: I want to plan, expect: {state: ask, class: digress, replies: [Let us plan.]}}\n- {say: 'yes, sure', expect: {state: plan, class: resume, data: {week: {done: 7}}}}\n- {say: jump, expect: {class: blocked, why: {contains: [undeclared_transition]}}}\n- {goto: init, expect: {class: restart}}\n",
    ).succeeds("");
    scenario("- {say: I am lost}\n").unavailable("", "");
}

#[test]
fn session_keeps_the_consent_of_the_user() {
    let turns = play(
        &project(),
        "{twin: twins/present.json}",
        "[{goto: plan}, {before: [{op: snapshot}], say: yes, consent: {read: true}}, {before: [{op: snapshot}], goto: init}, {goto: review}]",
    );
    assert_eq!(
        (to(&turns[1]), to(&turns[3]), &turns[3]["class"]),
        ("plan", "review", &json!("move"))
    );
}

fn interactive(lines: &str) -> Invocation {
    let project = project();
    project
        .fsmsim(["run", "coach", "--start", "{twin: twins/present.json}"])
        .stdin(lines)
}

#[test]
fn dialogue_with_instructions_runs_interactively() {
    insta::assert_snapshot!(
        interactive("plan\nyes / ask read:true\nplan\nsvae\nsave\ninit\nwhat now?\n").shown()
    );
}

#[test]
fn state_command_shows_moves_and_instruction() {
    insta::assert_snapshot!(
        interactive(":state\nplan\nyes / ask read:true\n:state\n:instruction\n").shown()
    );
    Project::new()
        .with_flows()
        .fsmsim(["run", "flows/bant"])
        .stdin(":instruction\n")
        .fails(2, "", "only state sets have instructions");
}

#[test]
fn invalid_turns_are_reported() {
    let output: Vec<String> = [
        "{intent: greeting}",
        "{}",
        "{call: delete_everything()}",
        "{goto: [a]}",
        "{consent: {red: true}}",
        "{tick: 1}",
    ]
    .into_iter()
    .map(|turn| {
        let project = project().file(
            "scenarios/a.yaml",
            format!("scenario: A\nmodel: coach\nturns: [{turn}]\n"),
        );
        let stderr = project.fsmsim(["test"]).about(turn).fails(2, "", "").stderr;
        stderr.lines().take(1).collect()
    })
    .collect();
    insta::assert_snapshot!(output.join("\n"));
}

/// A turn from random numbers: its target, its consent to reading and writing, and whether the session is saved before
/// it.
fn scripted(machine: &Machine, (state, read, write, saved): (usize, u8, u8, bool)) -> ScriptedTurn {
    let word = |number: u8| {
        [None, Some(true), Some(false)]
            .get(usize::from(number))
            .copied()
            .flatten()
    };
    let names = &machine.names.states;
    // A number that is too large selects an unknown state.
    let goto = match names.iter().nth(state) {
        Some(name) => Symbol::of(name, names),
        None => Symbol::of("nowhere", names),
    };
    ScriptedTurn {
        before: if saved {
            vec![Operation::Snapshot]
        } else {
            Vec::new()
        },
        input: Input {
            goto: Some(goto),
            consent: Consent {
                read: word(read),
                write: word(write),
            },
            reply: Some("".into()),
            ..Input::default()
        },
        answer: None,
        answers: Vec::new(),
    }
}

proptest! {
    #[test]
    fn effects_need_consent_and_moves_need_a_declaration(
        turns in proptest::collection::vec((0_usize..21, 0_u8..4, 0_u8..4, any::<bool>()), 1..40),
        twin in 0_usize..5,
    ) {
        static MACHINE: LazyLock<Arc<Machine>> = LazyLock::new(|| {
            let mut found = Diagnostics::default();
            Arc::new(Loader::default().load("states/student".as_ref(), Profile::Documented, None, &mut found).unwrap())
        });
        let machine = &*MACHINE;
        let instructions = machine.policies.guidance().unwrap();
        let files = ["full", "partial", "empty", "invalid"];
        let twin = files.get(twin).map(|name| {
            MemoryTwin::load(format!("fixtures/twins/{name}.json").as_ref()).unwrap()
        });
        let settings = machine.settings().clone();
        let setup = DialogueSetup { settings, session: Session::new(machine), twin, backend: None, start: fsmsim_core::machine::Value::default() };
        let mut runner = setup.runner(machine);
        for turn in turns {
            let before = runner.session().clone();
            runner.play(&scripted(machine, turn));
            let (record, after) = (runner.record(), runner.session());
            let consent = after.policies.instructions.consent;
            for effect in &record.effects {
                let agreed = match machine.effects[effect.kind].kind {
                    EffectKind::Read => consent.read,
                    EffectKind::Write => consent.write,
                    EffectKind::Invoke | EffectKind::Keep | EffectKind::Recall | EffectKind::Remember => None,
                };
                prop_assert!(agreed == Some(true) || matches!(effect.verdict, Verdict::Denied(_)));
            }
            if consent.read == Some(false) {
                let reads = instructions.all().flat_map(|(_, own)| &own.reads);
                prop_assert!(reads.into_iter().all(|slot| after.slots.get(*slot).is_null()));
            }
            let (from, to) = (before.position.state, after.position.state);
            let declared = instructions.of(from).unwrap().move_to(to).is_some();
            let aside = instructions.is_aside(to) || before.return_state() == Some(to);
            prop_assert!(from == to || declared || aside, "{:?}", record.outcome);
            // The return state is set only during a digression, and is cleared when it is reached.
            prop_assert!(after.return_state() != Some(to));
            prop_assert!(after.return_state().is_none() || instructions.is_aside(to));
        }
    }
}

#[test]
fn minimum_of_a_reply_limit_is_checked_on_leaving_a_state() {
    let system = "---\nlimits:\n  - {name: steps, pattern: '(?m)^- ', min: 2, max: 3, states: [plan]}\n  - {name: questions, pattern: '[?]', max: 1}\n---\nBe kind.\n";
    let turns = "\
scenario: A plan
model: ./coach
turns:
  - {say: Hi, goto: plan, reply: \"- one\", expect: {state: plan, violations: []}}
  - {say: Enough, goto: init, reply: Fine, expect: {state: init, violations: [{limit: steps, found: 1, min: 2}]}}
  - {say: Again, goto: plan, reply: \"- one\\n- two\", expect: {violations: []}}
  - {say: More, reply: \"- three\\n- four\", expect: {state: plan, violations: [{limit: steps, found: 4, max: 3}]}}
  - {say: Enough, goto: init, reply: \"- no step\", expect: {state: init, violations: []}}
";
    let project = Project::new()
        .file("coach/instructions/system.md", system)
        .file(
            "coach/states/init.md",
            "# State: init\n\n## Transitions\n\n- on → `plan`\n",
        )
        .file(
            "coach/states/plan.md",
            "# State: plan\n\n## Transitions\n\n- back → `init`\n",
        )
        .file("s.yaml", turns);
    project
        .fsmsim(["test", "s.yaml"])
        .succeeds("s.yaml: 1 passed\n\n1 passed in 5 turns\n");
    // Without a known reply in the state, nothing shows that it had too few steps.
    for (lines, reported) in [
        ("plan\n:reply - one\ninit\n", true),
        ("plan\ninit\n", false),
    ] {
        let shown = project.fsmsim(["run", "coach"]).stdin(lines).run().stdout;
        assert_eq!(
            shown.contains("steps: 1 in the previous state, at least 2"),
            reported,
            "{shown}"
        );
        assert_eq!(shown.contains("at least 2"), reported, "{shown}");
    }
    for (valid, invalid) in [
        ("min: 2, max: 3, states: [plan]", "min: 4, max: 3"),
        ("min: 2, max: 3, states: [plan]", "min: 2, states: [plam]"),
        ("min: 2, max: 3, states: [plan]", "states: [plan]"),
        ("min: 2, max: 3, states: [plan]", "min: many"),
    ] {
        project.write(
            "coach/instructions/system.md",
            system.replace(valid, invalid),
        );
        let lint = project.fsmsim(["lint", "coach"]).run();
        assert!(
            lint.code == 1 && lint.stderr.contains("system.md:3:"),
            "{invalid}: {}",
            lint.stderr
        );
    }
}
