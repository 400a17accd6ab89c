//! `fsmsim test --update-expectations`: replaces failing expectations with the actual values.

use super::expectations::{FLOW, GOOD, project};
use super::shared;
use crate::support::Project;

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
fn shared_turns_are_not_updated() {
    let project = shared::sharing(
        "  - {use: ./enter.yaml, with: {who: Ann, state: street}}\nalways: {state: hall}\n",
    );
    let output = project
        .fsmsim(["test", "--update-expectations"])
        .run()
        .shown();
    assert!(output.contains("cannot update "), "{output}");
    assert_eq!(project.read("scenarios/enter.yaml"), shared::ENTER);
    let cases = GOOD.replace("{state: hall,", "{state: \"{{to}}\",")
        + "cases: [{to: hall}, {to: street}]\n";
    project.write("scenarios/door.yaml", &cases);
    let output = project
        .fsmsim(["test", "--update-expectations"])
        .run()
        .shown();
    assert!(
        output.contains("cannot update 1 failure, the first at"),
        "{output}"
    );
    assert_eq!(project.read("scenarios/door.yaml"), cases);
}

#[test]
fn expectations_are_not_updated_in_ci() {
    let wrong = GOOD.replace("state: hall", "state: street");
    let project = project(&wrong);
    project
        .fsmsim(["test", "--update-expectations"])
        .env("CI", "1")
        .refuses("cannot update expectations if `CI` is set");
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
