//! Each requirement of the transition classes T1 to T10 has a rule in the bundled contract. The rule is necessary:
//! without it, a scenario of the class fails (003, "Transition Model").

use crate::support::{Project, text};

/// A requirement of a class, and the rule that implements it.
struct Line {
    class: &'static str,
    /// The requirement.
    says: &'static str,
    /// The declaration in the class.
    declared: &'static str,
    /// Edits that remove the rule: the section, the old text and the new text.
    out: &'static [(&'static str, &'static str, &'static str)],
    /// The expected report without the rule.
    expected: Expected,
}

/// The expected report on a contract without the rule.
#[derive(Clone, Copy, PartialEq)]
enum Expected {
    /// A scenario of the family fails and violates the property with this name.
    Broken(&'static str),
    /// A scenario of the family fails because this field differs.
    Fails(&'static str),
    /// The contract is rejected with this message, so no dialogue can violate the rule. The rule is only for external
    /// traces.
    Refused(&'static str),
}

const PRESERVES_T2: &str = "    preserves:\n      - root.domain_id\n      - {field: root.organization_scope, unless: organization}\n";
const PRESERVES_T6: &str = "    preserves:\n      - {field: root.organization_scope, unless: organization}\n      - {field: root.date_scope, unless: date}\n";
const PRESERVES_OBJECT: &str =
    "    preserves: [root.domain_id, selected_object.focus_object_ref]\n";
const NOT_CARRIED: &str = "preserves a field that it does not carry over";

const LINES: [Line; 27] = [
    Line {
        class: "T1",
        says: "must not inherit a stale focus object",
        declared: "forbids: [selected_object]",
        out: &[("T1", "forbids: [selected_object]", "forbids: []")],
        expected: Expected::Broken("inherit_stale_object"),
    },
    Line {
        class: "T2",
        says: "must preserve the root domain",
        declared: "- root.domain_id\n",
        out: &[
            ("T2", "carryover: root_only", "carryover: none"),
            ("T2", PRESERVES_T2, ""),
        ],
        expected: Expected::Fails("frames.root.domain_id"),
    },
    Line {
        class: "T2",
        says: "must preserve the root domain",
        declared: "- root.domain_id\n",
        out: &[("T2", "carryover: root_only", "carryover: none")],
        expected: Expected::Refused(NOT_CARRIED),
    },
    Line {
        class: "T2",
        says: "must preserve the organization, unless it is changed",
        declared: "- {field: root.organization_scope, unless: organization}",
        out: &[
            ("T2", "carryover: root_only", "carryover: none"),
            ("T2", PRESERVES_T2, ""),
        ],
        expected: Expected::Fails("frames.root.organization_scope"),
    },
    Line {
        class: "T2",
        says: "must preserve the organization, unless it is changed",
        declared: "- {field: root.organization_scope, unless: organization}",
        out: &[("T2", "unless: organization}", "unless: domain}")],
        expected: Expected::Fails("frames.root.organization_scope"),
    },
    Line {
        class: "T2",
        says: "must not downgrade into unknown, if the root route exists",
        declared: "downgrade_into_unknown:",
        out: &[("unsupported", "    becomes: T10\n", "")],
        expected: Expected::Broken("downgrade_into_unknown"),
    },
    Line {
        class: "T3",
        says: "must preserve the source result set",
        declared: "keep_source_result_set:",
        out: &[(
            "T3",
            "      selected_object.source_result_set_id: {was: root.root_result_set_id}\n",
            "",
        )],
        expected: Expected::Broken("keep_source_result_set"),
    },
    Line {
        class: "T3",
        says: "must preserve the compatible temporal ceiling",
        declared: "keep_temporal_ceiling:",
        out: &[(
            "T3",
            "      selected_object.temporal_ceiling: {was: root.date_scope}\n",
            "",
        )],
        expected: Expected::Broken("keep_temporal_ceiling"),
    },
    Line {
        class: "T4",
        says: "must not fall into generic chat",
        declared: "fall_into_chat:",
        out: &[("T4", "    mode: address_data", "    mode: chat")],
        expected: Expected::Broken("fall_into_chat"),
    },
    Line {
        class: "T4",
        says: "must not fall into the selection of a data scope",
        declared: "fall_into_data_scope:",
        out: &[(
            "T4",
            "    mode: address_data",
            "    mode: assistant_data_scope",
        )],
        expected: Expected::Broken("fall_into_data_scope"),
    },
    Line {
        class: "T4",
        says: "must not lose the selected object because the wording is short",
        declared: "lose_the_object:",
        out: &[
            ("T4", "carryover: full", "carryover: root_only"),
            ("T4", PRESERVES_OBJECT, ""),
        ],
        expected: Expected::Broken("lose_the_object"),
    },
    Line {
        class: "T5",
        says: "must not degrade the full anchor of the object into vague noise",
        declared: "blur_the_anchor:",
        out: &[
            ("T5", "carryover: full", "carryover: root_only"),
            ("T5", PRESERVES_OBJECT, ""),
        ],
        expected: Expected::Broken("blur_the_anchor"),
    },
    Line {
        class: "T6",
        says: "must preserve the root scope of organization and date",
        declared: "- {field: root.organization_scope, unless: organization}",
        out: &[
            ("T6", "carryover: root_only", "carryover: none"),
            ("T6", PRESERVES_T6, ""),
        ],
        expected: Expected::Fails("frames.root.organization_scope"),
    },
    Line {
        class: "T6",
        says: "must preserve the root scope of organization and date",
        declared: "- {field: root.date_scope, unless: date}",
        out: &[("T6", "carryover: root_only", "carryover: object_only")],
        expected: Expected::Refused(NOT_CARRIED),
    },
    Line {
        class: "T6",
        says: "must drop the context of the object",
        declared: "forbids: [selected_object]",
        out: &[
            ("T6", "forbids: [selected_object]", "forbids: []"),
            ("T6", "carryover: root_only", "carryover: full"),
        ],
        expected: Expected::Fails("frames.selected_object"),
    },
    Line {
        class: "T6",
        says: "must not replay the route of the object in another domain",
        declared: "replay_object_route:",
        out: &[(
            "T6",
            "clears: [address_navigation, clarification]",
            "clears: [clarification]",
        )],
        expected: Expected::Broken("replay_object_route"),
    },
    Line {
        class: "T7",
        says: "must not forget the suspended target route",
        declared: "resume_the_target:",
        out: &[(
            "T7",
            "route: {was: clarification.resume_target_route}",
            "route: {was: root.root_route_id}",
        )],
        expected: Expected::Broken("resume_the_target"),
    },
    Line {
        class: "T7",
        says: "leaves the root its result and answer where the target is a route of the object",
        declared: "{value: {was: root.root_result_set_id}, when: is_the_same_slice}",
        out: &[(
            "T7",
            "          - {value: {was: root.root_result_set_id}, when: is_the_same_slice}\n",
            "",
        )],
        expected: Expected::Fails("frames.root.root_result_set_id"),
    },
    Line {
        class: "T7",
        says: "takes one of the candidates of an ambiguity",
        declared: "answers_what_was_asked]}",
        out: &[("T7", "answers_what_was_asked]}", "the_date_is_understood]}")],
        expected: Expected::Fails("contract_class"),
    },
    Line {
        class: "T8",
        says: "takes the gate of the answer that it is about",
        declared: "- {was: answer_gate.coverage_status}",
        out: &[(
            "T8",
            "{was: answer_gate.coverage_status}",
            "{was: coverage_gate.coverage_status}",
        )],
        expected: Expected::Fails("frames.meta.source_gate_status"),
    },
    Line {
        class: "T8",
        says: "changes the mode, and the turn of its entry with it",
        declared: "<<: *by_the_user",
        out: &[("T8", "      <<: *by_the_user\n", "")],
        expected: Expected::Fails("carryover.changed"),
    },
    Line {
        class: "T4",
        says: "asks what is compatible with the route family of the object",
        declared: "when: {not: asks_of_another_family}",
        out: &[("T4", "    when: {not: asks_of_another_family}\n", "")],
        expected: Expected::Fails("contract_class"),
    },
    Line {
        class: "T9",
        says: "recalls no object that was not looked at",
        declared: "invent_an_object:",
        out: &[(
            "T9",
            "{among: objects, of: investigation.visited_objects}",
            "{said: objects}",
        )],
        expected: Expected::Broken("invent_an_object"),
    },
    Line {
        class: "T8",
        says: "must not blindly replay the exact route",
        declared: "replay_the_route:",
        out: &[(
            "T8",
            "    answers: [meta]\n",
            "    answers: [meta]\n    executes: address_navigation.route\n",
        )],
        expected: Expected::Broken("replay_the_route"),
    },
    Line {
        class: "T9",
        says: "must not invent conversation memory",
        declared: "invent_memory:",
        out: &[(
            "T9",
            "{among: cites, of: answer_context.answer_refs}",
            "{said: cites}",
        )],
        expected: Expected::Broken("invent_memory"),
    },
    Line {
        class: "T10",
        says: "must not masquerade a blocked execution as a confirmed answer",
        declared: "pose_as_a_fact:",
        out: &[("blocked", "    becomes: T10\n", "")],
        expected: Expected::Fails("contract_class"),
    },
    Line {
        class: "T10",
        says: "must not masquerade a blocked execution as a confirmed answer",
        declared: "pose_as_a_fact:",
        out: &[("blocked", "answer: unsupported", "answer: confirmed")],
        expected: Expected::Refused("is blocked, but its answer is `confirmed`"),
    },
];

/// The text of a class or an outcome, and its offset in the contract.
pub(super) fn section<'t>(contract: &'t str, name: &str) -> (usize, &'t str) {
    let begin = contract.find(&format!("\n  {name}:\n")).unwrap() + 1;
    let rest = &contract[begin..];
    let lines = rest.match_indices('\n').map(|(at, _)| at + 1);
    let ends = |at: &usize| {
        let line = &rest[*at..];
        !line.starts_with("   ") && !line.starts_with('\n') && !line.starts_with("  #")
    };
    (
        begin,
        &rest[..lines.into_iter().find(ends).unwrap_or(rest.len())],
    )
}

/// The problem with a line, or nothing if its rule is necessary.
fn problem(line: &Line, contract: &str) -> Option<String> {
    if !section(contract, line.class).1.contains(line.declared) {
        return Some("is not declared".to_owned());
    }
    let mut edited = contract.to_owned();
    for (name, old, new) in line.out {
        let (begin, text) = section(&edited, name);
        if text.matches(old).count() != 1 {
            return Some(format!("`{old}` does not occur exactly once in `{name}`"));
        }
        let text = text.replace(old, new);
        let end = begin + section(&edited, name).1.len();
        edited.replace_range(begin..end, &text);
    }
    let path = format!("scenarios/contract/{}.yaml", line.class.to_lowercase());
    let project = Project::accounting()
        .with(&path)
        .with("scenarios/contract/_defaults.yaml")
        .with("scenarios/contract/shared");
    let run = project.fsmsim(["test", &path, "--check"]).run();
    if run.code != 0 {
        return Some(format!(
            "the family does not pass with the rule:\n{}",
            run.shown()
        ));
    }
    project.write("flows/accounting.yaml", edited);
    let run = project.fsmsim(["test", &path, "--check"]).run();
    let (code, text, words) = match line.expected {
        Expected::Broken(property) => (1, &run.stdout, format!("property: \"{property}\"")),
        Expected::Fails(field) => (1, &run.stdout, format!("      {field}")),
        Expected::Refused(words) => (2, &run.stderr, words.to_owned()),
    };
    (run.code != code || !text.contains(&words)).then(|| {
        format!(
            "without the rule, `{words}` and exit code {code} are not reported:\n{}",
            run.shown()
        )
    })
}

#[test]
fn each_requirement_has_a_necessary_rule() {
    let contract = text("flows/accounting.yaml");
    let list: String = LINES
        .iter()
        .map(|line| {
            let by_trace = if matches!(line.expected, Expected::Refused(_)) {
                "   [verified by trace]"
            } else {
                ""
            };
            format!(
                "{} {}: {}{by_trace}\n",
                line.class,
                line.says,
                line.declared.trim()
            )
        })
        .collect();
    let complaints: Vec<String> = LINES
        .iter()
        .filter_map(|line| {
            Some(format!(
                "{} {}: {}",
                line.class,
                line.says,
                problem(line, &contract)?
            ))
        })
        .collect();
    assert!(
        complaints.is_empty(),
        "{}\n\nThe rules are\n{list}",
        complaints.join("\n")
    );
}

#[test]
fn each_class_has_an_owner_and_scenarios() {
    for number in 1..=10 {
        let path = format!("scenarios/contract/t{number}.yaml");
        let family = text(&path);
        let tagged = family.matches(&format!("tags: [T{number}")).count();
        assert!(tagged >= 3, "{path} has {tagged} scenarios of the class");
        assert!(
            family.contains(&format!("contract_class: T{number}")),
            "{path} never covers its class"
        );
        let contract = text("flows/accounting.yaml");
        assert!(
            section(&contract, &format!("T{number}"))
                .1
                .contains("    owner: ")
        );
    }
}

/// A flow whose class proposes nothing: a rule answers, and a transition targets `place`.
fn hotel(place: &str) -> String {
    format!(
        "flow: {{name: hotel}}
entry_points: {{default: door}}
frames:
  request: {{about: root, fields: {{room: text}}}}
classes:
  A: {{title: Asks for a room, owner: request, intent: [book], requires: nothing, carryover: root_only, sets: {{}}, forbids: [], answers: []}}
states:
  door: {{rules: {{book: greet}}, transitions: {{book: {place}}}}}
  hall: {{is_final: true}}
  cellar: {{is_final: true}}
"
    )
}

#[test]
fn class_without_proposals_is_not_part_of_the_explanation() {
    let project = Project::new()
        .file("a.yaml", hotel("hall"))
        .file("b.yaml", hotel("cellar"));
    let shown = project
        .fsmsim(["run", "a.yaml"])
        .stdin("a room / book\n:quit\n")
        .succeeds("");
    let why = shown.split_once("  why ").unwrap().1;
    let why: Vec<&str> = why.lines().take(3).map(str::trim).collect();
    let sentence = "Moved to hall: the state has a transition for book. Answered greet: the state has a rule for book.";
    assert_eq!(
        why,
        [
            sentence,
            "TransitionResolver, a.yaml:8",
            "IntentProcessor, a.yaml:8"
        ]
    );
    for model in ["a", "b"] {
        let turns = r#"{"id": "one", "turns": [{"intent": "book"}]}"#;
        let trace = project
            .fsmsim(["trace", &format!("{model}.yaml"), "--turns", "-"])
            .stdin(turns)
            .succeeds("");
        project.write(&format!("{model}.jsonl"), trace);
    }
    let diff = project
        .fsmsim(["diff", "a.jsonl", "b.jsonl"])
        .fails(1, "", "")
        .stdout;
    assert!(
        diff.contains("\n   why: intent_transition_book\n"),
        "{diff}"
    );
}
