//! Scenarios and entire projects at a Git revision.

use crate::support::{Project, git};

const FLOW: &str = "flow: {name: f}\nstates:\n  greeting: {transitions: {agreement: hall, rejection: street}}\n  hall: {}\n  street: {}\n";

fn scenario(title: &str, intent: &str) -> String {
    format!("scenario: {title}\nmodel: flows/f.yaml\nturns: [{{intent: {intent}}}]\n")
}

/// A project with a commit, or nothing if Git is not installed.
fn committed(folder: &str) -> Option<Project> {
    let of = |path: &str| format!("{folder}{path}");
    let project = Project::new()
        .file(&of("flows/f.yaml"), FLOW)
        .file(&of("scenarios/a.yaml"), scenario("Yes", "agreement"))
        .file(
            &of("scenarios/b.yaml"),
            scenario("No", "rejection") + "---\n" + &scenario("Old", "rejection"),
        );
    if !git(&project, &["init", "-q"]) {
        eprintln!("skipped: git is not installed");
        return None;
    }
    assert!(
        git(&project, &["add", "-A"])
            && git(&project, &["commit", "-q", "-m", "x"])
            && git(&project, &["tag", "v1"])
    );
    Some(project)
}

#[test]
fn project_is_compared_with_a_revision() {
    let Some(project) = committed("") else { return };
    project
        .fsmsim(["diff", "git:HEAD", "."])
        .succeeds("git:HEAD -> .\n3 dialogues without differences\n");
    project.write(
        "flows/f.yaml",
        FLOW.replace("agreement: hall", "agreement: street"),
    );
    project.write(
        "scenarios/b.yaml",
        scenario("No", "rejection") + "---\n" + &scenario("New", "rejection"),
    );
    insta::assert_snapshot!(project.fsmsim(["diff", "git:HEAD", "."]).shown());
    // Swapped sides, a tag as the revision, and a revision on both sides.
    project.fsmsim(["diff", ".", "git:v1", "--causes"]).fails(
        1,
        "1 of 2 dialogues differ; 1 only in the first; 1 only in the second\n",
        "",
    );
    assert!(git(&project, &["commit", "-q", "-a", "-m", "y"]));
    project
        .fsmsim(["diff", "git:HEAD", "."])
        .succeeds("3 dialogues without differences\n");
    let run = project
        .fsmsim(["diff", "git:v1", "git:HEAD", "--causes"])
        .fails(1, "edited rule git:v1:flows/f.yaml:3\n", "");
    assert!(
        run.stdout
            .contains("   rule: git:v1:flows/f.yaml:3 -> git:HEAD:flows/f.yaml:3\n"),
        "{run}"
    );
    // A revision without a path uses the path of the other side.
    project
        .fsmsim(["diff", "git:v1", "scenarios", "--causes"])
        .fails(1, "edited rule git:v1:flows/f.yaml:3\n", "");
    project
        .fsmsim(["diff", "git:v1", "flows/f.yaml", "--causes"])
        .fails(1, "edited rule git:v1:flows/f.yaml:3\n", "");
    project
        .fsmsim(["diff", "git:v1", "scenarios/a.yaml", "--causes"])
        .fails(1, "1 of 1 dialogue differs\n", "");
    // A rename since the revision is suggested.
    project.write("flows/f.yaml", FLOW.replace("hall", "room"));
    let output = project
        .fsmsim(["diff", "git:v1:flows/f.yaml", "flows/f.yaml", "--causes"])
        .run()
        .stdout;
    assert!(
        output.ends_with("\nstate hall might have been renamed to room: use --rename hall=room\n"),
        "{output}"
    );
    let output = project
        .fsmsim([
            "diff",
            "git:v1:scenarios/a.yaml",
            "scenarios/a.yaml",
            "--causes",
        ])
        .run()
        .stdout;
    assert!(
        output.ends_with("\nstate hall might have been renamed to room: use --rename hall=room\n"),
        "{output}"
    );
    let same = project.fsmsim([
        "diff",
        "git:v1:scenarios/a.yaml",
        "scenarios/a.yaml",
        "--rename",
        "hall=room",
    ]);
    same.succeeds("1 dialogue without differences\n");
}

#[test]
fn project_can_be_a_subdirectory_of_the_repository() {
    let Some(project) = committed("bots/shop/") else {
        return;
    };
    project
        .fsmsim(["diff", "git:HEAD", "bots/shop"])
        .succeeds("git:HEAD -> bots/shop\n3 dialogues without differences\n");
    project
        .fsmsim(["diff", "git:HEAD", "."])
        .below("bots/shop")
        .succeeds("3 dialogues without differences\n");
    project
        .fsmsim(["diff", "git:HEAD:.", "."])
        .below("bots/shop")
        .succeeds("3 dialogues without differences\n");
    project
        .fsmsim(["diff", "git:HEAD:scenarios", "scenarios"])
        .below("bots/shop")
        .succeeds("3 dialogues without differences\n");
    // `fsmsim.toml` can set another scenario directory.
    project.write("bots/shop/fsmsim.toml", "[paths]\nscenarios = \"plays\"\n");
    project.write("bots/shop/plays/a.yaml", scenario("Yes", "agreement"));
    assert!(git(&project, &["add", "-A"]) && git(&project, &["commit", "-q", "-m", "y"]));
    project.write(
        "bots/shop/flows/f.yaml",
        FLOW.replace("agreement: hall", "agreement: street"),
    );
    for folder in ["bots/shop", "bots/shop/plays"] {
        let run = project
            .fsmsim(["diff", "git:HEAD", folder, "--causes"])
            .fails(1, "1 of 1 dialogue differs\n", "");
        assert!(
            run.stdout
                .contains("edited rule git:HEAD:bots/shop/flows/f.yaml:3\n"),
            "{run}"
        );
    }
}

#[test]
fn invalid_revisions_and_paths_are_reported() {
    let Some(project) = committed("") else { return };
    project.write("later/s.yaml", scenario("Yes", "agreement"));
    project.write("more/fsmsim.toml", "");
    project.write("more/scenarios/s.yaml", scenario("Yes", "agreement"));
    project.write("flows/f.yaml", "flow: {name: [}\n");
    assert!(git(&project, &["add", "flows"]) && git(&project, &["commit", "-q", "-m", "broken"]));
    project.write("flows/f.yaml", FLOW);
    let output = [
        &["git:nothing", "."][..],
        &["git:", "."],
        &["git:HEAD:", "."],
        &["git:HEAD:later", "later"],
        &["git:HEAD", "more"],
        &["git:HEAD", "/etc"],
        &["git:HEAD:../x", "."],
        &["git:HEAD", "git:nothing"],
        &["git:HEAD", "flows/f.yaml@real"],
        &["git:HEAD:scenarios", "flows/f.yaml"],
        &["git:HEAD", "."],
    ]
    .map(|sides| {
        let run = project
            .fsmsim(["diff", "--causes"])
            .args(sides)
            .fails(2, "", "");
        format!("$ {}\n{}{}", sides.join(" "), run.stdout, run.stderr)
    });
    insta::assert_snapshot!(output.join("\n"));
    let alone = Project::new()
        .file("flows/f.yaml", FLOW)
        .file("scenarios/a.yaml", scenario("Yes", "agreement"));
    alone
        .fsmsim(["diff", "git:HEAD", "."])
        .env("GIT_CEILING_DIRECTORIES", "/tmp")
        .refuses("cannot find a git repository");
    project
        .fsmsim(["diff", "git:HEAD", "."])
        .env("PATH", "")
        .refuses("cannot start `git`");
}
