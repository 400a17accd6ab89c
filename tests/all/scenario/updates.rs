//! `fsmsim test --update-expectations`: replaces failing expectations with the actual values.

use super::expectations::{FLOW, GOOD, project};
use super::shared;
use crate::support::{Project, git};

/// The updated scenario file and the output.
fn updated(project: &Project, file: &str) -> String {
    let shown = project
        .fsmsim(["test", "--update-expectations", file])
        .run()
        .shown();
    format!("{}\n{shown}", project.read(file))
}

#[test]
fn only_failing_values_change() {
    let wrong = "\
# Hand-written.
scenario: In and out # the usual way
model: flow.yaml
turns:
  - say: Hello
    intent: greeting
    expect: {state: hall, action: greet_back, class: hold} # stays
  - intent: agreement
    expect:
      state: \"street\" # was the street
      class: {in: [finish, hold]}
      missing:
        - name
        - phone # gone
      # The end.
  - intent: info_provided
    data: {name: Ann}
    expect: {state: {from: hall, to: hall}, carryover: {added: []}}
end: {final: false, data: {name: Bob, phone: 7}}
---
scenario: Fine
model: flow.yaml
turns: [{intent: rejection, expect: {state: street}}]
";
    insta::assert_snapshot!(updated(&project(wrong), "scenarios/door.yaml"));
}

#[test]
fn notes_of_a_transcript_are_updated() {
    let transcript = "\
---
model: flow.yaml
---
# Morning
**User:** Hello
<!-- intent: greeting, expect: {state: hall} -->

Some words about it.

**User:** Come in
<!-- intent: agreement, expect: {state: hall, class: hold} -->
";
    let project = Project::new()
        .file("flow.yaml", FLOW)
        .file("scenarios/morning.md", transcript);
    insta::assert_snapshot!(updated(&project, "scenarios/morning.md"));
}

#[test]
fn parameter_is_updated_where_it_is_set() {
    let project = shared::sharing(
        "  - {use: ./enter.yaml, with: {who: Ann, state: street}} # in\nalways: {state: hall}\n",
    );
    let output = project
        .fsmsim(["test", "--update-expectations"])
        .run()
        .shown();
    assert!(
        output.contains(
            "cannot update the expectation at scenarios/door.yaml:5:17: it applies to every turn"
        ),
        "{output}"
    );
    assert_eq!(project.read("scenarios/enter.yaml"), shared::ENTER);
    assert_eq!(
        project.read("scenarios/door.yaml"),
        "scenario: In\nmodel: flow.yaml\nturns:\n  - {use: ./enter.yaml, with: {who: Ann, state: hall}} # in\nalways: {state: hall}\n"
    );
}

/// Runs an update that is refused for this reason. The file stays the same.
fn refuses(project: &Project, file: &str, why: &str) {
    let before = project.read(file);
    let run = project
        .fsmsim(["test", "--update-expectations", "scenarios/door.yaml"])
        .fails(1, "", "cannot update the expectation at ");
    assert!(run.stderr.contains(&format!(": {why}\n")), "{run}");
    assert_eq!(project.read(file), before);
}

fn refuses_shared(project: &Project, file: &str) {
    let why = "another turn, case or scenario requires a different value";
    refuses(project, file, why);
}

#[test]
fn two_cases_do_not_become_equal() {
    let cases = GOOD.replace("{state: hall,", "{state: \"{{to}}\",")
        + "cases: [{to: hall}, {to: street}]\n";
    let why = "the scenario would be invalid, for example because two cases would be equal";
    refuses(&project(&cases), "scenarios/door.yaml", why);
}

#[test]
fn value_that_another_scenario_requires_is_not_updated() {
    let scenario = "scenario: From the hall\nmodel: flow.yaml\nstart: {state: hall}\nturns: [{use: ./out.yaml}]\n";
    let other = "scenario: From outside\nmodel: flow.yaml\nturns: [{use: ./out.yaml}]\n";
    let project = project(scenario)
        .file(
            "scenarios/out.yaml",
            "turns: [{intent: rejection, expect: {state: street}}]\n",
        )
        .file("scenarios/other.yaml", other);
    refuses_shared(&project, "scenarios/out.yaml");
}

#[test]
fn value_that_another_case_or_turn_requires_is_not_updated() {
    let cases = "\
scenario: In
model: flow.yaml
cases: [{intent: agreement}, {intent: rejection}]
turns: [{intent: \"{{intent}}\", expect: {state: hall}}]
";
    refuses_shared(&project(cases), "scenarios/door.yaml");
    let anchored = "\
scenario: In
model: flow.yaml
turns:
  - {intent: greeting, expect: {state: &s greeting}}
  - {intent: agreement, expect: {state: *s}}
";
    refuses_shared(&project(anchored), "scenarios/door.yaml");
}

/// `agreement` leads to the hall; after the edit, to the attic.
const HOUSE: &str = "\
flow: {name: door, policy: sales}
states:
  greeting:
    goal: A visitor is at the door
    transitions: {agreement: hall, question: attic, rejection: street}
  hall: {required_data: [name], transitions: {data_complete: street}}
  attic: {required_data: [phone, mail], transitions: {data_complete: street}}
  street: {is_final: true}
";

/// Turns of scenarios. `⟦old→new⟧` marks a value before and after the review.
const SHAPES: [&str; 36] = [
    "turns: [{intent: agreement, expect: {state: ⟦hall→attic⟧}}]",
    "turns:\n  - intent: agreement\n    expect:\n      state: ⟦hall→attic⟧",
    "turns:\n  - intent: agreement\n    expect:\n      state:    ⟦hall→attic⟧    # aligned",
    "# Прихожая.\nturns: # 1\n  # 2\n  - intent: agreement # 3\n    # 4\n    expect: # 5\n      # 6\n      state: ⟦hall→attic⟧ # 7\n      # 8",
    "turns: [{intent: agreement, say: \"да: #нет\", expect: {state: ⟦\"hall\"→\"attic\"⟧}}]",
    "turns: [{intent: agreement, expect: {state: ⟦'hall'→'attic'⟧}}]",
    "turns: [{\"intent\": \"agreement\", \"expect\": {\"state\": ⟦\"hall\"→\"attic\"⟧}}]",
    "turns: [{\"intent\": \"agreement\", \"expect\": {\"missing\": ⟦[\"name\"]→[\"phone\", \"mail\"]⟧}}]",
    "turns: [{\"intent\": \"agreement\", \"expect\": {\"state\": ⟦{\"in\": [\"hall\"]}→\"attic\"⟧}}]",
    "turns:\n  - intent: agreement\n    expect:\n      state: |-\n        ⟦hall→attic⟧\n      missing: {not: []}",
    "turns:\n  - intent: agreement\n    expect:\n      state: |- # text\n        ⟦hall→attic⟧\n\n# The end.",
    "turns:\n  - intent: agreement\n    expect:\n      state: ⟦>-\n        hall→attic⟧\n      missing: {not: []}",
    "turns: [{intent: agreement, expect: {state: {from: greeting, to: ⟦hall→attic⟧}}}]",
    "turns:\n  - intent: agreement\n    expect:\n      state:\n        to: ⟦hall→attic⟧ # on\n        from: greeting",
    "turns: [{intent: agreement, expect: {state: ⟦{in: [hall, street]}→attic⟧}}]",
    "turns: [{intent: agreement, expect: {state: ⟦{not: attic}→attic⟧}}]",
    "turns: [{intent: agreement, expect: {state: {from: {matches: \"^gr\"}, to: ⟦{in: [hall]}→attic⟧}}}]",
    "turns:\n  - intent: agreement\n    expect:\n      state:\n        to:\n          ⟦in: [hall]\n          not: street→attic⟧\n        from: {not: hall}",
    "turns: [{intent: agreement, expect: {missing: ⟦[name]→[phone, mail]⟧}}]",
    "turns:\n  - intent: agreement\n    expect:\n      missing:\n        - ⟦name→phone\n        - mail⟧ # last\n      class: {not: blocked}",
    "turns:\n  - intent: agreement\n    expect:\n      missing:\n      - ⟦name→phone\n      - mail⟧",
    "turns: [{intent: agreement, expect: {missing: ⟦{contains: [name]}→[phone, mail]⟧}}]",
    "turns: [{intent: agreement, expect: {missing: ⟦{in_order: [name]}→[phone, mail]⟧, state: ⟦hall→attic⟧}}]",
    "cases: [{text: a}, {text: b}]\nturns: [{intent: agreement, say: \"{{text}}\", expect: {state: ⟦hall→attic⟧}}]",
    "cases: [{intent: agreement, to: ⟦hall→attic⟧}, {intent: rejection, to: street}]\nturns: [{intent: \"{{intent}}\", expect: {state: \"{{to}}\"}}]",
    "cases:\n  - intent: agreement # yes\n    to: ⟦hall→attic⟧ # in\n  - intent: rejection\n    to: street\nturns: [{intent: \"{{intent}}\", expect: {state: {from: greeting, to: \"{{to}}\"}}}]",
    "turns: [{use: ./enter.yaml}]",
    "turns: [{use: ./enter.yaml}, {intent: agreement, expect: {state: ⟦hall→attic⟧}}]",
    "turns: [{use: ./set.yaml, with: {state: ⟦hall→attic⟧}}]",
    "turns:\n  - use: ./set.yaml\n    with: # for this scenario\n      state: ⟦hall→attic⟧ # in",
    "turns: [{intent: agreement, expect: &e {state: ⟦hall→attic⟧}}]",
    "turns: [{intent: agreement, expect: &e {state: ⟦hall→attic⟧}}, {intent: agreement, expect: *e}]",
    "turns: [{intent: agreement, expect: {state: &s ⟦hall→attic⟧}}, {intent: agreement, expect: {state: *s}}]",
    "turns:\n  - intent: agreement\n    expect: &e\n      state: ⟦hall→attic⟧\n  - intent: agreement\n    expect:\n      <<: *e\n      missing: {not: []}",
    "turns: [{intent: agreement}]\nend: {state: ⟦hall→attic⟧, final: false}",
    "turns: [{intent: agreement, expect: {state: ⟦hall→attic⟧, class: {not: blocked}, missing: ⟦[name]→[phone, mail]⟧}}]",
];

/// The text with the old or the new values.
fn marked(text: &str, is_new: bool) -> String {
    let mut parts = text.split('⟦');
    let mut whole = parts.next().unwrap().to_owned();
    for part in parts {
        let (values, rest) = part.split_once('⟧').unwrap();
        let (old, new) = values.split_once('→').unwrap();
        whole.push_str(if is_new { new } else { old });
        whole.push_str(rest);
    }
    whole
}

#[test]
fn review_rewrites_expectations_of_all_shapes() {
    let scenario = |(number, turns): (usize, &&str)| {
        format!("scenario: Shape {number}\nmodel: flow.yaml\n{turns}\n")
    };
    let scenarios: Vec<String> = SHAPES.iter().enumerate().map(scenario).collect();
    let files = [
        ("shapes.yaml", scenarios.join("---\n")),
        ("lines.yaml", scenarios.join("---\n").replace('\n', "\r\n")),
        (
            "note.md",
            "---\nmodel: flow.yaml\n---\n# In\n**User:** Yes\n<!-- intent: agreement, expect: {state: ⟦hall→attic⟧} -->\n"
                .to_owned(),
        ),
        (
            "enter.yaml",
            "turns: [{intent: agreement, expect: {state: ⟦hall→attic⟧}}]\n".to_owned(),
        ),
        (
            "set.yaml",
            "parameters: {state: ~}\nturns: [{intent: agreement, expect: {state: \"{{state}}\"}}]\n"
                .to_owned(),
        ),
    ];
    let mut project = Project::new().file("flow.yaml", HOUSE);
    for (file, text) in &files {
        project = project.file(&format!("scenarios/{file}"), marked(text, false));
    }
    project.fsmsim(["test"]).succeeds("passed");
    let is_there = git(&project, &["init", "-q"]) && git(&project, &["add", "-A"]);
    if !is_there || !git(&project, &["commit", "-q", "-m", "x"]) {
        eprintln!("skipped: git is not available");
        return;
    }
    let edited = HOUSE.replace(
        "agreement: hall, question: attic",
        "agreement: attic, question: hall",
    );
    project.write("flow.yaml", edited);
    project.fsmsim(["test"]).fails(1, " failed in ", "");
    project.fsmsim(["review"]).fails(1, "to accept all ", "");
    for (file, text) in &files {
        let text = marked(text, false);
        assert_eq!(project.read(&format!("scenarios/{file}")), text, "{file}");
    }
    project
        .fsmsim(["review", "--accept", "all"])
        .succeeds("accepted ");
    for (file, text) in &files {
        let text = marked(text, true);
        assert_eq!(project.read(&format!("scenarios/{file}")), text, "{file}");
    }
    project.fsmsim(["test", "--check"]).succeeds("passed");
    project.fsmsim(["review"]).succeeds("no pending snapshots");
}

#[test]
fn accept_option_also_updates_expectations_if_requested() {
    let wrong = GOOD.replace("state: hall", "state: street");
    let project = project(&wrong);
    project
        .fsmsim(["test", "--accept"])
        .fails(1, "1 failed", "");
    assert_eq!(project.read("scenarios/door.yaml"), wrong);
    project
        .fsmsim(["test", "--accept", "--update-expectations"])
        .ends(0, "1 passed", "updated 1 expectation in ");
    assert_eq!(project.read("scenarios/door.yaml"), GOOD);
    assert!(
        project
            .path()
            .join("snapshots/door/in-and-out.snap")
            .is_file()
    );
}

#[test]
fn expectations_are_not_updated_in_ci() {
    let wrong = GOOD.replace("state: hall", "state: street");
    let project = project(&wrong);
    project
        .fsmsim(["test", "--update-expectations"])
        .env("CI", "1")
        .refuses("cannot update expectations if `CI` is set");
    project
        .fsmsim(["test", "--update-expectations", "--ci"])
        .refuses("");
    assert_eq!(project.read("scenarios/door.yaml"), wrong);
}

#[cfg(unix)]
#[test]
fn linked_scenario_stays_a_link() {
    let project = project("").file(
        "shared/door.yaml",
        GOOD.replace("state: hall", "state: street"),
    );
    let link = project.path().join("scenarios/door.yaml");
    std::fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink("../shared/door.yaml", &link).unwrap();
    project
        .fsmsim(["test", "--update-expectations", "scenarios/door.yaml"])
        .ends(0, "1 passed", "updated 1 expectation");
    assert!(link.is_symlink());
    assert_eq!(project.read("shared/door.yaml"), GOOD);
}

/// The transition `go` sets a text of two lines without a final line break, and a list.
const MEMO: &str = "\
flow: {name: f, policy: plain, entry_points: {default: l}}
slots: {memo: {}, tags: {}}
states:
  l: {transitions: {go: {then: e, sets: {memo: \"x\\ny\", tags: [p, r, s]}}}}
  e: {is_final: true}
";

/// A scenario that expects these data.
fn expecting(data: &str) -> String {
    format!(
        "scenario: S\nmodel: flow.yaml\nturns:\n  - intent: go\n    expect:\n      data:\n{data}"
    )
}

fn memo(file: &str, text: impl AsRef<[u8]>) -> Project {
    Project::new().file("flow.yaml", MEMO).file(file, text)
}

#[test]
fn text_at_the_end_of_a_note_is_updated() {
    let note = |memo: &str| {
        format!(
            "---\nmodel: flow.yaml\n---\n# Go\n**User:** Go\n<!--\nintent: go\nexpect:\n  data:\n    memo: {memo}-->\n"
        )
    };
    for (old, new) in [
        ("|\n      x\n      z\n", "|-\n      x\n      y\n"),
        ("|-\n      x\n      z ", "|-\n      x\n      y "),
        ("|\n      z # z\n\n", "|-\n      x\n      y\n\n"),
    ] {
        let project = memo("scenarios/go.md", note(old));
        project.fsmsim(["test", "--update-expectations"]).ends(
            0,
            "1 passed",
            "updated 1 expectation in ",
        );
        assert_eq!(project.read("scenarios/go.md"), note(new));
    }
}

#[test]
fn text_in_block_style_keeps_its_style_and_comment() {
    for (old, new) in [
        (
            "| # why\n          z\n",
            "|- # why\n          x\n          y\n",
        ),
        ("|2-\n          z\n", "|2-\n          x\n          y\n"),
        (
            "|+\n          z\n\n\n",
            "|-\n          x\n          y\n\n\n",
        ),
        ("> # why\n          z\n", "\"x\\ny\" # why\n"),
        (
            "|\r\n          z\r\n",
            "|-\r\n          x\r\n          y\r\n",
        ),
    ] {
        let text = |memo: &str| {
            let text = expecting("        memo: ");
            let line_ends = if memo.contains('\r') { "\r\n" } else { "\n" };
            text.replace('\n', line_ends) + memo
        };
        let project = memo("scenarios/s.yaml", text(old));
        project.fsmsim(["test", "--update-expectations"]).ends(
            0,
            "1 passed",
            "updated 1 expectation in ",
        );
        assert_eq!(project.read("scenarios/s.yaml"), text(new));
    }
}

#[test]
fn comments_of_equal_items_stay() {
    for (old, new) in [
        ("- p # 1\n- q", "- p # 1\n- r\n- s"),
        (
            "- p # 1\n# 2\n- r # 3\n# 4",
            "- p # 1\n# 2\n- r # 3\n- s\n# 4",
        ),
        ("- z # 1", "- p\n- r\n- s # 1"),
        ("- p\n- r\n- s\n- t # 1", "- p\n- r\n- s # 1"),
    ] {
        let text = |list: &str| {
            let list = list.replace('\n', "\n          ");
            expecting(&format!("        tags:\n          {list}\n"))
        };
        let project = memo("scenarios/s.yaml", text(old));
        project.fsmsim(["test", "--update-expectations"]).ends(
            0,
            "1 passed",
            "updated 1 expectation in ",
        );
        assert_eq!(project.read("scenarios/s.yaml"), text(new));
    }
}

#[test]
fn comment_is_never_removed_by_an_update() {
    for tags in [
        "\n          - p\n          # next\n          - q\n",
        "\n          - z # z\n          - q\n",
        " [p, # first\n          q]\n",
        "\n          in: # why\n            - [q]\n",
    ] {
        let project = memo(
            "scenarios/door.yaml",
            expecting(&format!("        tags:{tags}")),
        );
        let why = "a comment in the replaced lines would be lost";
        refuses(&project, "scenarios/door.yaml", why);
    }
}

#[test]
fn refused_update_does_not_stop_the_others() {
    // Without its anchor, the alias would be invalid.
    let anchored = "\
scenario: A
model: flow.yaml
turns: [{intent: go, expect: {data: {tags: [&one p]}}}]
end: {data: {tags: {contains: [*one]}}}
";
    let wrong = expecting("        tags:\n          - p\n        memo: z\n");
    let project = memo("scenarios/a.yaml", anchored)
        .file("scenarios/b.yaml", &wrong)
        .file("scenarios/c.yaml", wrong.clone() + "always: {state: l}\n");
    let run = project.fsmsim(["test", "--update-expectations"]).fails(
        1,
        "1 passed, 2 failed",
        "updated 2 expectations in scenarios/b.yaml\n",
    );
    for line in [
        "updated 2 expectations in scenarios/c.yaml\n",
        "cannot update the expectation at scenarios/a.yaml:3:37: the new value cannot be written at this location\n",
        "cannot update the expectation at scenarios/c.yaml:10:17: it applies to every turn\n",
    ] {
        assert!(run.stderr.contains(line), "{line}{run}");
    }
    assert_eq!(project.read("scenarios/a.yaml"), anchored);
    // A command that was just refused is not the next step.
    assert!(
        run.stdout.contains("next: ") && !run.stdout.contains("--update-expectations"),
        "{run}"
    );
}

#[test]
fn reason_names_the_source_of_a_parameter() {
    let used = |cases: &str, state: &str| {
        format!(
            "scenario: In\nmodel: flow.yaml\ncases: {cases}\nturns: [{{intent: agreement, expect: {{state: \"{state}\"}}}}]\n"
        )
    };
    for (cases, state, why) in [
        (
            "[{to: reet}]",
            "st{{to}}",
            "a parameter is only a part of the value",
        ),
        (
            "{to: [street]}",
            "{{to}}",
            "the parameter comes from a table, a combination, a default or nested shared turns",
        ),
    ] {
        refuses(&project(&used(cases, state)), "scenarios/door.yaml", why);
    }
    let titled =
        used("[{to: street}]", "{{to}}").replace("scenario: In", "scenario: \"To {{to}}\"");
    let why = "the parameter is also used elsewhere";
    refuses(&project(&titled), "scenarios/door.yaml", why);
}

#[cfg(unix)]
#[test]
fn updated_file_keeps_its_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let project = project(&GOOD.replace("state: hall", "state: street"));
    let file = project.path().join("scenarios/door.yaml");
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o751)).unwrap();
    let link = project.path().join("scenarios/link.yaml");
    std::os::unix::fs::symlink("door.yaml", &link).unwrap();
    project
        .fsmsim(["test", "--update-expectations", "scenarios/link.yaml"])
        .ends(0, "1 passed", "updated 1 expectation");
    assert!(link.is_symlink());
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o751);
}

#[test]
fn value_that_is_also_an_input_is_not_updated() {
    let turn =
        |state: &str| format!("turns: [{{intent: agreement, expect: {{state: {state}}}}}]\n");
    let used = "the value is also used elsewhere, for example as an input";
    for (text, why) in [
        (
            format!("start: {{state: &s greeting}}\n{}", turn("*s")),
            used,
        ),
        (
            format!("meta: {{door: [&s greeting]}}\n{}", turn("*s")),
            used,
        ),
        (format!("{}meta: {{door: *s}}\n", turn("&s greeting")), used),
        (format!("{}never: {{state: *s}}\n", turn("&s street")), used),
        (
            format!(
                "meta: &m {{state: greeting}}\n{}",
                turn("greeting").replace("{state: greeting}", "*m")
            ),
            used,
        ),
        (
            format!("meta: {{&s greeting: 1}}\n{}", turn("*s")),
            "the new value cannot be written at this location",
        ),
    ] {
        let text = format!("scenario: In\nmodel: flow.yaml\n{text}");
        refuses(&project(&text), "scenarios/door.yaml", why);
    }
}

#[test]
fn text_for_replies_is_updated() {
    let flow = "flow: {name: f, policy: plain, entry_points: {default: a}}\nstates:\n  a: {transitions: {go: b}}\n  b: {is_final: true, on_enter: {says: [\"1.10\"]}}\n";
    let text = |replies: &str| {
        format!(
            "scenario: S\nmodel: flow.yaml\nturns:\n  - intent: go\n    expect:\n      replies: {replies}\n      final: true\n"
        )
    };
    for (old, new) in [
        ("\"007\"", "\"1.10\""),
        ("'007'", "'1.10'"),
        ("|-\n        007", "|-\n        1.10"),
    ] {
        let project = Project::new()
            .file("flow.yaml", flow)
            .file("scenarios/s.yaml", text(old));
        project.fsmsim(["test", "--update-expectations"]).ends(
            0,
            "1 passed",
            "updated 1 expectation in ",
        );
        assert_eq!(project.read("scenarios/s.yaml"), text(new));
    }
}

#[test]
fn identical_updates_at_the_same_time_all_succeed() {
    let project = project(&GOOD.replace("state: hall", "state: street"));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            let update = project.fsmsim(["test", "--update-expectations"]);
            scope.spawn(move || update.ends(0, "1 passed", ""));
        }
    });
    assert_eq!(project.read("scenarios/door.yaml"), GOOD);
}

#[test]
fn update_without_failures_shows_the_results() {
    project(GOOD)
        .fsmsim(["test", "--update-expectations"])
        .ends(0, "1 passed", "");
}

#[test]
fn recommended_update_names_only_the_failed_scenario() {
    let wrong = GOOD.replace("state: hall", "state: street");
    let project = project(&wrong).file("scenarios/other.yaml", wrong.replace("In and", "Other"));
    let command = "`fsmsim test --update-expectations 'scenarios/door.yaml::In and out' --profile reference`\n";
    project
        .fsmsim(["test", "--profile", "reference"])
        .fails(1, command, "");
    // An update that would be refused is not recommended.
    let refused = GOOD.replace("missing: [name]", "missing: [name, # why\n      phone]");
    project.write("scenarios/door.yaml", refused);
    project.fsmsim(["test", "scenarios/door.yaml"]).fails(
        1,
        "edit the expectation at scenarios/door.yaml:",
        "",
    );
}

#[cfg(unix)]
#[test]
fn file_without_write_permission_is_not_updated() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::os::unix::process::CommandExt;

    const OTHER_USER: u32 = 65534;
    let wrong = GOOD.replace("state: hall", "state: street");
    let project = project(&wrong);
    // The superuser can write to read-only files, so in that case the program runs as another user.
    let program = project.path().join("program");
    std::fs::copy(env!("CARGO_BIN_EXE_fsmsim"), &program).unwrap();
    for (path, mode) in [
        ("", 0o777),
        ("scenarios", 0o777),
        ("scenarios/door.yaml", 0o444),
    ] {
        let path = project.path().join(path);
        std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    }
    let mut command = std::process::Command::new(&program);
    if std::fs::metadata(project.path()).unwrap().uid() == 0 {
        command.uid(OTHER_USER).gid(OTHER_USER);
    }
    project
        .invoke(command)
        .args(["test", "--update-expectations"])
        .fails(1, "", "cannot write the file: ");
    assert_eq!(project.read("scenarios/door.yaml"), wrong);
}
