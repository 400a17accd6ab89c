//! Bundled contracts of other domains, which serve as templates: they are complete, their scenarios notice edits, and
//! utterances in any order get a class.

use super::rules::section;
use crate::support::{Project, text, turns};

/// The contracts. The scenarios, the backend and the personas of each have the same name.
const TEMPLATES: [&str; 3] = ["clinic", "it_support", "logistics"];

fn project(name: &str) -> Project {
    Project::new()
        .with(&format!("flows/{name}.yaml"))
        .with(&format!("fixtures/backends/{name}.yaml"))
        .with(&format!("fixtures/personas/{name}"))
        .with(&format!("scenarios/{name}"))
}

/// The scenario files of a template.
fn scenarios(name: &str) -> Vec<String> {
    Project::new()
        .with(&format!("scenarios/{name}"))
        .scenario_files()
}

/// Verifies a trace against its contract in both modes. Structure mode must find exactly the violations that the trace
/// records.
fn assert_conforms(project: &Project, name: &str, trace: &str) {
    project.write("t.jsonl", trace);
    let model = format!("flows/{name}.yaml");
    let verify = |mode: &str| {
        project
            .fsmsim(["verify", "t.jsonl", "--model", &model, "--mode", mode])
            .about(name)
    };
    verify("replay").succeeds("conform to");
    let violations: usize = turns(trace)
        .iter()
        .map(|turn| turn["violations"].as_array().unwrap().len())
        .sum();
    if violations == 0 {
        verify("structure").succeeds("conform to");
    } else {
        verify("structure").fails(1, &format!("unknown_outcome  {violations}\n\n"), "");
    }
}

#[test]
fn templates_are_complete() {
    for name in TEMPLATES {
        let project = project(name);
        let model = format!("flows/{name}.yaml");
        assert!(
            text(&model).matches("\n    title: ").count() >= 10,
            "{name} has few classes"
        );
        project
            .fsmsim(["lint", "--deny-warnings", &model])
            .succeeds("1 model: no errors, no warnings\n");
        let all = [
            "--coverage",
            "--require",
            "classes=100%",
            "--require",
            "states=100%",
        ];
        let tested = project
            .fsmsim(["test", "scenarios"])
            .args(all)
            .about(name)
            .succeeds("");
        let count = tested.lines().filter_map(|line| {
            line.strip_prefix("scenarios/")?
                .split_once(": ")?
                .1
                .split_once(' ')
        });
        assert!(
            count
                .map(|(count, _)| count.parse::<u32>().unwrap())
                .sum::<u32>()
                >= 10,
            "{tested}"
        );
        for path in scenarios(name) {
            let trace = project.fsmsim(["trace", &path]).succeeds("");
            assert_conforms(&project, name, &trace);
        }
    }
}

/// An edit of a template, and the expected output of its scenarios.
struct Edit {
    model: &'static str,
    /// The class or outcome that is edited.
    at: &'static str,
    old: &'static str,
    new: &'static str,
    expected: &'static str,
}

const EDITS: [Edit; 18] = [
    Edit {
        model: "clinic",
        at: "IDENTIFY",
        old: "clears: [clarification, consent]",
        new: "clears: [clarification]",
        expected: "consent.route: expected null, got \"results\"",
    },
    Edit {
        model: "clinic",
        at: "IDENTIFY",
        old: "consent.status: unknown",
        new: "consent.status: given",
        expected: "property: \"take_the_consent_of_another\"",
    },
    Edit {
        model: "clinic",
        at: "UNKNOWN_PATIENT",
        old: "carryover: none",
        new: "carryover: full",
        expected: "property: \"keep_the_patient_before\"",
    },
    Edit {
        model: "clinic",
        at: "TAKE_TIME",
        old: "when: {said: time, within: offer.times}",
        new: "when: {said: time, filled: true}",
        expected: "contract_class: expected \"OTHER_TIME\", got \"TAKE_TIME\"",
    },
    Edit {
        model: "clinic",
        at: "TAKE_TIME",
        old: "counts: {moved_visits: {to: 0}}",
        new: "counts: {moved_visits: 0}",
        expected: "counters.moved_visits: expected 0, got 2",
    },
    Edit {
        model: "clinic",
        at: "partial",
        old: "gate.carries: root_only",
        new: "gate.carries: full",
        expected: "frames.gate.carries: expected \"root_only\", got \"full\"",
    },
    Edit {
        model: "it_support",
        at: "REPORT",
        old: "forbids: [ticket, tickets]",
        new: "forbids: [ticket, tickets]\n    preserves: [problem.tried]",
        expected: "preserves a field that it does not carry over",
    },
    Edit {
        model: "it_support",
        at: "NEXT_STEP",
        old: "counts: {steps_tried: 1}",
        new: "counts: {}",
        expected: "counters.steps_tried: expected 1, got 0",
    },
    Edit {
        model: "it_support",
        at: "NEXT_STEP",
        old: "{was: problem.step}",
        new: "{outcome: step}",
        expected: "frames.problem.tried: expected [\"restart it\"]",
    },
    Edit {
        model: "it_support",
        at: "PRIORITY",
        old: "when: {not: needs_approval}",
        new: "when: {said: priority, filled: true}",
        expected: "contract_class: expected \"ASK_APPROVAL\", got \"PRIORITY\"",
    },
    Edit {
        model: "it_support",
        at: "APPROVED",
        old: "same_as: approval.ticket",
        new: "filled: true",
        expected: "contract_class: expected \"NOT_YET\", got \"APPROVED\"",
    },
    Edit {
        model: "it_support",
        at: "TICKETS_ELSEWHERE",
        old: "tickets.site: {said: site}",
        new: "tickets.site: the north office",
        expected: "frames.tickets.site: expected \"the old harbour\", got \"the north office\"",
    },
    Edit {
        model: "it_support",
        at: "BOUNDARY",
        old: "gate.coverage: blocked",
        new: "gate.coverage: full",
        expected: "frames.gate.coverage: expected \"blocked\"",
    },
    Edit {
        model: "logistics",
        at: "CHOOSE",
        old: "when: is_candidate",
        new: "when: {said: trip, filled: true}",
        expected: "contract_class: expected \"WRONG_CHOICE\", got \"CHOOSE\"",
    },
    Edit {
        model: "logistics",
        at: "PROPOSE_CHANGE",
        old: "change.address: {said: address}",
        new: "change.address: {said: address}\n      trip.number: {said: address}",
        expected: "sets a field that it preserves",
    },
    Edit {
        model: "logistics",
        at: "CONFIRM",
        old: "trip.address: {was: change.address}",
        new: "trip.address: {was: change.trip}",
        expected: "property: \"change_what_was_said\"",
    },
    Edit {
        model: "logistics",
        at: "RECAP",
        old: "{among: cites, of: answers.all}",
        new: "{said: cites}",
        expected: "property: \"invent_memory\"",
    },
    Edit {
        model: "logistics",
        at: "blocked",
        old: "answer: unsupported",
        new: "answer: confirmed",
        expected: "is blocked, but its answer is `confirmed`",
    },
];

#[test]
fn scenarios_of_templates_notice_each_edit() {
    for Edit {
        model,
        at,
        old,
        new,
        expected,
    } in EDITS
    {
        let path = format!("flows/{model}.yaml");
        let mut contract = text(&path);
        let (begin, part) = section(&contract, at);
        assert_eq!(
            part.matches(old).count(),
            1,
            "`{old}` does not occur exactly once in `{at}` of {model}"
        );
        let (end, edited) = (begin + part.len(), part.replace(old, new));
        contract.replace_range(begin..end, &edited);
        let project = project(model);
        project.write(&path, contract);
        let run = project.fsmsim(["test", "scenarios", "--check"]).run();
        assert!(
            run.code != 0 && run.shown().contains(expected),
            "{model} {at} `{new}`: {}",
            run.shown()
        );
    }
}

/// The inputs in the scenarios of a template.
fn lines(project: &Project, name: &str) -> Vec<serde_json::Value> {
    let mut lines = Vec::new();
    for path in scenarios(name) {
        let trace = project.fsmsim(["trace", &path]).succeeds("");
        let records = trace
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let inputs = records
            .filter(|record| record["final"] == false)
            .map(|record| record["input"].clone());
        // Inputs with a scripted outcome or answer are not utterances.
        lines.extend(
            inputs.filter(|input| input.get("outcome").is_none() && input.get("answers").is_none()),
        );
    }
    lines
}

#[test]
fn utterances_in_random_order_always_get_a_class() {
    for name in TEMPLATES {
        let project = project(name);
        let lines = lines(&project, name);
        let mut state = 7_u32;
        let mut drawn = move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as usize
        };
        let dialogues: String = (0..40)
            .map(|id| {
                let turns: Vec<_> = (0..25).map(|_| &lines[drawn() % lines.len()]).collect();
                let start =
                    serde_json::json!({"backend": format!("fixtures/backends/{name}.yaml")});
                format!(
                    "{}\n",
                    serde_json::json!({"id": format!("{id}"), "start": start, "turns": turns})
                )
            })
            .collect();
        let model = format!("flows/{name}.yaml");
        let trace = project
            .fsmsim(["trace", &model, "--turns", "-"])
            .stdin(dialogues)
            .about(name)
            .succeeds("");
        let records: Vec<serde_json::Value> = trace
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let turns: Vec<_> = records
            .iter()
            .filter(|record| record.get("contract_class").is_some())
            .collect();
        assert_eq!(turns.len(), 1_000);
        for turn in &turns {
            assert_ne!(turn["contract_class"], "unclassified", "{name}: {turn}");
            assert_eq!(turn["violations"], serde_json::json!([]), "{name}: {turn}");
        }
        assert_conforms(&project, name, &trace);
    }
}

#[test]
fn simulated_users_of_templates_are_understood() {
    for name in TEMPLATES {
        let (model, personas) = (
            format!("flows/{name}.yaml"),
            format!("fixtures/personas/{name}"),
        );
        let start = format!("{{backend: fixtures/backends/{name}.yaml}}");
        let report = |dialogues: &str, jobs: &str| {
            let project = project(name);
            let run = project.fsmsim([
                "simulate",
                &model,
                "--personas",
                &personas,
                "--persona",
                "all",
                "--start",
                &start,
            ]);
            run.args([
                "--dialogues",
                dialogues,
                "--seed",
                "1",
                "--report",
                "json",
                "-j",
                jobs,
            ])
            .about(name)
            .succeeds("")
        };
        let result: serde_json::Value = serde_json::from_str(&report("300", "2")).unwrap();
        let persona = &result["personas"][0];
        let classes = persona["classes"].as_array().unwrap();
        let turns = |class: &serde_json::Value| class["turns"].as_u64().unwrap();
        assert_eq!(
            classes.iter().map(turns).sum::<u64>(),
            persona["turns"]["total"].as_u64().unwrap(),
            "{name}"
        );
        let of = |name: &str| turns(classes.iter().find(|class| class["name"] == name).unwrap());
        assert_eq!(of("unclassified"), 0, "{name}");
        // Most turns find something to refer to, and few classes are never used.
        assert!(
            of("NOT_YET") * 2 < persona["turns"]["total"].as_u64().unwrap(),
            "{name}: {classes:?}"
        );
        assert!(
            classes.iter().filter(|class| turns(class) == 0).count() <= 4,
            "{name}: {classes:?}"
        );
        assert_eq!(report("120", "1"), report("120", "3"), "{name}");
    }
}
