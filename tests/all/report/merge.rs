//! `fsmsim merge`: the merged report of all shards equals the report of one run.

use crate::support::Project;

/// Runs all shards of a project and returns the files of their reports.
fn shards(project: &Project, of: u32, more: &[&str]) -> Vec<String> {
    let run = |number| {
        let (file, shard) = (format!("{number}-of-{of}.json"), format!("{number}/{of}"));
        let report = format!("--report=json={file}");
        project
            .fsmsim(
                ["test", "-q", "--shard", &shard, &report]
                    .iter()
                    .chain(more),
            )
            .run();
        file
    };
    (1..=of).map(run).collect()
}

const KINDS: [&str; 8] = [
    "json",
    "junit",
    "tap",
    "github",
    "markdown",
    "lcov",
    "cobertura",
    "coverage",
];

#[test]
fn merged_shards_equal_the_unsharded_report_byte_for_byte() {
    let project = Project::library().with("snapshots");
    let targets = |which: &str| KINDS.map(|kind| format!("--report={kind}={which}.{kind}"));
    let whole = targets("whole");
    project
        .fsmsim(
            ["test", "-q"]
                .into_iter()
                .chain(whole.iter().map(String::as_str)),
        )
        .ends(0, "", "");
    for of in [2, 3, 7] {
        let files = shards(&project, of, &["--coverage"]);
        let merged = targets("merged");
        let arguments = files.iter().chain(&merged).map(String::as_str);
        project.fsmsim(["merge"].into_iter().chain(arguments)).ends(
            0,
            " passed, 2 expected failures",
            "",
        );
        for kind in KINDS {
            let (whole, merged) = (
                project.read(&format!("whole.{kind}")),
                project.read(&format!("merged.{kind}")),
            );
            assert!(whole == merged, "{of} shards: {kind} differs");
        }
    }
}

const FLOW: &str = "flow: {name: f, policy: sales}\nstates:\n  greeting: {transitions: {agreement: hall, rejection: street}}\n  hall: {transitions: {agreement: street}}\n  street: {is_final: true}\n";

/// Twelve scenarios, of which every third fails, and a model that no scenario uses.
fn project() -> Project {
    let scenario = |number: usize| {
        let leads = if number.is_multiple_of(3) {
            "street"
        } else {
            "hall"
        };
        format!(
            "scenario: Number {number}\nmodel: models/f.yaml\nturns: [{{intent: agreement, expect: {{state: {leads}}}}}]\n"
        )
    };
    let scenarios: Vec<String> = (0..12).map(scenario).collect();
    Project::new()
        .file("models/f.yaml", FLOW)
        .file("models/g.yaml", FLOW)
        .file("scenarios/a.yaml", scenarios.join("---\n"))
        .file("scenarios/broken.yaml", "scenario: [\n")
        .file(
            "scenarios/untitled.yaml",
            "model: models/f.yaml\nturns: []\n---\nmodel: models/f.yaml\nturns: []\n",
        )
}

#[test]
fn failed_and_invalid_scenarios_are_merged_too() {
    let project = project();
    for more in [&[][..], &["--check"], &["--coverage"]] {
        let unsharded = ["test", "-q", "--report=json=whole.json"];
        let code = project.fsmsim(unsharded.iter().chain(more)).run().code;
        assert_eq!(code, 2);
        for of in [1, 4, 40] {
            let files = shards(&project, of, more);
            let run = project.fsmsim(
                ["merge", "--report", "json"]
                    .into_iter()
                    .chain(files.iter().map(String::as_str)),
            );
            assert_eq!(
                run.ends(code, "", "").stdout,
                project.read("whole.json"),
                "{of} {more:?}"
            );
        }
    }
    let files = shards(&project, 2, &[]);
    let run = project.fsmsim(
        ["merge"]
            .into_iter()
            .chain(files.iter().map(String::as_str)),
    );
    insta::assert_snapshot!(run.shown());
}

#[test]
fn invalid_scenarios_of_shards_with_durations_count_once() {
    let project = project();
    let files = shards(&project, 2, &["--durations=1"]);
    let run = project
        .fsmsim(
            ["merge"]
                .into_iter()
                .chain(files.iter().map(String::as_str)),
        )
        .run();
    assert!(
        run.stdout.contains("8 passed, 4 failed, 3 invalid"),
        "{}",
        run.stdout
    );
}

#[test]
fn coverage_requirement_applies_to_the_merged_report() {
    let project = project()
        .file("scenarios/broken.yaml", FILLER)
        .file("scenarios/untitled.yaml", FILLER.replace("One", "Two"));
    project.write("scenarios/a.yaml", "scenario: Way\nmodel: models/f.yaml\nturns: [{intent: agreement, expect: {state: hall}}, {intent: agreement, expect: {state: street}}]\n");
    let files = shards(&project, 3, &["--coverage"]);
    let merge = |require: &str| {
        project.fsmsim(
            ["merge", "--require", require]
                .into_iter()
                .chain(files.iter().map(String::as_str)),
        )
    };
    merge("f:states=100%").ends(0, "coverage of models/f.yaml", "");
    merge("f:transitions=100%").ends(0, "", "");
    merge("g:states=50%").fails(
        1,
        "TOO LOW models/g.yaml: states 0 of 3 (0%), 50% required\n",
        "",
    );
    merge("h:states=50%").fails(2, "", "coverage is required for `h`");
    // The requirement of the project applies to the merged report, not to a single shard.
    project.write("fsmsim.toml", "[coverage]\n\"f:states\" = 100\n");
    let run = project
        .fsmsim(["test", "--shard", "1/3", "--coverage"])
        .run();
    assert_eq!(run.code, 0, "{run}");
    merge("f:states=100%").ends(0, "", "");
    let files = shards(&project, 3, &[]);
    let arguments = ["merge", "--require", "states=1%"]
        .into_iter()
        .chain(files.iter().map(String::as_str));
    project
        .fsmsim(arguments)
        .refuses("the reports contain no coverage");
}

const FILLER: &str =
    "scenario: One\nmodel: models/f.yaml\nturns: [{intent: rejection, expect: {state: street}}]\n";

#[test]
fn model_with_another_profile_is_counted_like_in_one_run() {
    let project = Project::new()
        .file("models/f.yaml", FLOW)
        .file("models/g.yaml", FLOW)
        .file("scenarios/f.yaml", FILLER)
        .file(
            "scenarios/g.yaml",
            FILLER.replace("f.yaml", "g.yaml\nprofile: reference"),
        );
    project
        .fsmsim(["test", "--coverage", "--report=json=whole.json"])
        .ends(0, "", "");
    for of in [2, 3, 5] {
        let files = shards(&project, of, &["--coverage"]);
        let arguments = ["merge", "--report=json"]
            .into_iter()
            .chain(files.iter().map(String::as_str));
        assert_eq!(
            project.fsmsim(arguments).ends(0, "", "").stdout,
            project.read("whole.json")
        );
    }
}

#[test]
fn incompatible_reports_are_rejected_with_their_file() {
    let project = project();
    let [one, two, three] = <[String; 3]>::try_from(shards(&project, 3, &[])).unwrap();
    let [one, two, three] = [&*one, &two, &three];
    let [half, _] = <[String; 2]>::try_from(shards(&project, 2, &[])).unwrap();
    let merge = |files: &[&str]| project.fsmsim(["merge"].iter().chain(files));
    let mut errors = Vec::new();
    let mut refuse = |files: &[&str]| errors.push(merge(files).refuses("FS0"));
    refuse(&[one, three]);
    refuse(&[one, two, one]);
    refuse(&[one, &half]);
    refuse(&["missing.json"]);
    refuse(&["models/f.yaml"]);

    let edit = |name: &str, from: &str, to: &str| {
        let text = project.read(two);
        assert!(text.contains(from), "{text}");
        project.write(name, text.replacen(from, to, 1));
    };
    project
        .fsmsim(["test", "-q", "--report=json=whole.json"])
        .run();
    refuse(&["whole.json", two]);
    edit(
        "version.json",
        "\"fsmsim_report\": 2",
        "\"fsmsim_report\": 3",
    );
    refuse(&[one, "version.json", three]);
    // The version is checked before all other keys.
    project.write("version.json", "{\"fsmsim_report\": 9, \"kind\": \"walk\"}");
    refuse(&["version.json"]);
    edit("kind.json", "\"kind\": \"test\"", "\"kind\": \"lint\"");
    refuse(&[one, "kind.json", three]);
    let hash = project
        .read(two)
        .split("\"models/f.yaml\": \"")
        .nth(1)
        .unwrap()[..32]
        .to_owned();
    edit("model.json", &hash, &"0".repeat(32));
    refuse(&[one, "model.json", three]);
    project.write("renamed.json", project.read(one).replacen("1/3", "2/3", 1));
    refuse(&[one, "renamed.json", three]);
    project
        .fsmsim([
            "test",
            "-q",
            "--check",
            "--shard=2/3",
            "--report=json=checked.json",
        ])
        .run();
    refuse(&[one, "checked.json", three]);
    project
        .fsmsim([
            "test",
            "-q",
            "--coverage",
            "--shard=2/3",
            "--report=json=covered.json",
        ])
        .run();
    refuse(&[one, "covered.json", three]);
    project
        .fsmsim(["lint", "models/f.yaml", "--report=json=lint.json"])
        .run();
    refuse(&["lint.json"]);
    insta::assert_snapshot!(errors.concat());
    project.fsmsim(["merge"]).refuses("REPORT");
}

#[test]
fn shards_with_another_filter_or_checkout_are_rejected() {
    let scenario = |title: &str| FILLER.replace("One", title);
    let project = Project::new()
        .file("models/f.yaml", FLOW)
        .file("scenarios/a.yaml", scenario("One"))
        .file("scenarios/b.yaml", scenario("Two"));
    let shard = |number: u32, more: &[&str]| {
        let report = format!("--report=json={number}.json");
        let shard = format!("--shard={number}/2");
        let run = project.fsmsim(["test", "-q", &shard, &report].iter().chain(more));
        run.ends(0, "", "");
    };
    let merge = || project.fsmsim(["merge", "1.json", "2.json"]);
    let refuse = |message: &str| {
        let error = merge().refuses(message);
        assert!(
            error.contains("2.json") && error.contains("1.json"),
            "{error}"
        );
    };
    shard(1, &[]);
    shard(2, &[]);
    merge().ends(0, "2 passed", "");
    for more in [
        &["-E", "title(One)"][..],
        &["-E", "!asks()"],
        &["--failed"],
        &["scenarios/a.yaml"],
        &["--profile", "reference"],
    ] {
        shard(2, more);
        refuse("the report is of `fsmsim test ");
    }
    project.write("scenarios/a.yaml", format!("# Edited\n{}", scenario("One")));
    shard(2, &[]);
    refuse("the file `scenarios/a.yaml` differs from the one in `1.json`");
    project.write("scenarios/a.yaml", scenario("One"));
    project.write("scenarios/c.yaml", scenario("Three"));
    shard(2, &[]);
    refuse("`fsmsim test` from 3 scenarios");
}

#[test]
fn merged_report_shows_no_file_from_outside_the_project() {
    let inner = "inner/";
    let project = Project::new()
        .file("secret.yaml", format!("{FLOW}# secret: 42\n"))
        .file("inner/fsmsim.toml", "")
        .file("inner/models/f.yaml", FLOW)
        .file("inner/scenarios/f.yaml", FILLER);
    let run = |arguments: &[&str]| project.fsmsim(arguments).below(inner).ends(0, "", "");
    run(&["test", "--coverage", "--report=json=whole.json"]);
    run(&["merge", "whole.json", "--report=coverage=page.html"]);
    let page = project.read("inner/page.html");
    assert!(page.contains("flow: {name: f, policy: sales}"), "{page}");
    let text = project.read("inner/whole.json");
    assert!(text.contains("\"models/f.yaml\""), "{text}");
    for outside in [
        "../secret.yaml",
        &project.path().join("secret.yaml").display().to_string(),
    ] {
        project.write(
            "inner/whole.json",
            text.replace("\"models/f.yaml\"", &format!("\"{outside}\"")),
        );
        run(&["merge", "whole.json", "--report=coverage=page.html"]);
        let page = project.read("inner/page.html");
        assert!(
            page.contains("secret.yaml")
                && !page.contains("secret: 42")
                && !page.contains("flow: {name: f, policy: sales}"),
            "{page}"
        );
    }
}
