//! Common mistakes: each file of `fixtures/mistakes` has one mistake. Its first line is the command that reports it
//! (`# fsmsim lint FILE`; `FILE` is the file itself). A TOML file is the project file.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use crate::support::{Project, Run, home, text, walk};

const MISTAKES: &str = "fixtures/mistakes";

/// The command of a mistake: the first line of its first file.
fn command(content: &str) -> Option<&str> {
    content
        .lines()
        .next()?
        .trim_start_matches(['#', ' ', '<', '!', '-'])
        .trim_end_matches([' ', '-', '>'])
        .strip_prefix("fsmsim ")
}

/// A project with all mistakes and what they refer to.
fn library() -> Project {
    Project::new()
        .with("flows")
        .with("states")
        .with("fixtures/backends")
        .with(MISTAKES)
}

/// Runs the command of a mistake: in a separate project for a project file, otherwise in the library.
fn run_mistake(library: &Project, path: &str, content: &str) -> Run {
    let arguments: Vec<&str> = command(content).expect(path).split_whitespace().collect();
    let arguments = arguments.into_iter().map(|word| word.replace("FILE", path));
    let project = if is_settings(path) {
        self::library().file("fsmsim.toml", content)
    } else {
        library.clone()
    };
    let run = project.fsmsim(arguments).run();
    assert!(run.stderr.contains("FS0"), "{path} has no finding\n{run}");
    run
}

/// The output for the mistakes in `values`, which can consist of several files.
fn values() -> String {
    let library = library();
    let mut output = String::new();
    for (mistake, files) in mistakes()
        .iter()
        .filter(|(mistake, _)| mistake.starts_with(home(MISTAKES).join("values")))
    {
        let with_command = files
            .iter()
            .map(text)
            .find(|content| command(content).is_some());
        let mistake = mistake.strip_prefix(home("")).unwrap().to_str().unwrap();
        output += &format!(
            "===== {mistake}\n{}\n",
            run_mistake(&library, mistake, &with_command.expect(mistake)).shown()
        );
    }
    output
}

/// The output for a folder of mistakes, file by file.
fn findings(folder: &str) -> String {
    let library = library();
    let mut files = walk(&home(MISTAKES).join(folder));
    files.sort();
    let mut output = String::new();
    for file in files {
        let path = file.strip_prefix(home("")).unwrap().to_str().unwrap();
        output += &format!(
            "===== {path}\n{}\n",
            run_mistake(&library, path, &text(path)).shown()
        );
    }
    output
}

/// All mistakes: the file with the command of each, and the files that belong to it.
fn mistakes() -> BTreeMap<PathBuf, Vec<PathBuf>> {
    let mut files = walk(&home(MISTAKES));
    files.sort();
    let mut mistakes: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
    for file in files {
        // The folder of a topic contains files and folders. Each of them is one mistake.
        let depth = file
            .strip_prefix(home(MISTAKES))
            .unwrap()
            .components()
            .count();
        let mistake = file.ancestors().nth(depth - 2).unwrap().to_path_buf();
        mistakes.entry(mistake).or_default().push(file);
    }
    mistakes
}

fn is_settings(path: &str) -> bool {
    std::path::Path::new(path)
        .extension()
        .is_some_and(|extension| extension == "toml")
}

/// The code of the first finding in an output.
fn first_code(output: &str) -> &str {
    let (_, after) = output.split_once("[FS").unwrap();
    after.split(']').next().unwrap()
}

/// The files of a mistake and the output of its command, in Markdown.
fn example(files: &[(String, String)], mistake: &str, output: &str) -> String {
    let mut example = String::new();
    for (path, content) in files {
        let name = path.strip_prefix(&format!("{mistake}/"));
        if let Some(name) = name {
            write!(example, "`{name}`:\n\n").unwrap();
        }
        let language = match path.rsplit('.').next().unwrap() {
            "md" => "markdown",
            "jsonl" => "json",
            extension => extension,
        };
        write!(example, "```{language}\n{}\n```\n\n", content.trim_end()).unwrap();
    }
    example + &format!("```text\n{}\n```\n", output.trim_end())
}

/// The examples of the page of findings: for each code, the shortest mistake that it reports.
fn examples() -> String {
    let library = library();
    let shown = |file: &Path| file.strip_prefix(home("")).unwrap().display().to_string();
    let mut examples: BTreeMap<String, String> = BTreeMap::new();
    for (mistake, files) in mistakes() {
        let files: Vec<(String, String)> =
            files.iter().map(|file| (shown(file), text(file))).collect();
        let (path, content) = files
            .iter()
            .find(|(_, content)| command(content).is_some())
            .unwrap();
        let output = run_mistake(&library, path, content).stderr;
        let example = example(&files, &shown(&mistake), &output);
        let code = format!("FS{}", first_code(&output));
        let shortest = examples.entry(code).or_insert_with(|| example.clone());
        if example.len() < shortest.len() {
            *shortest = example;
        }
    }
    let sections = examples
        .iter()
        .map(|(code, example)| format!("\n## {code}\n\n{example}"));
    format!(
        "<!-- Written by the tests. -->\n{}",
        sections.collect::<String>()
    )
}

#[test]
fn examples_of_findings_are_up_to_date() {
    const EXAMPLES: &str = "crates/reports/src/report/reference/mistakes.md";
    assert!(
        mistakes().len() >= 100,
        "there are only {} mistakes",
        mistakes().len()
    );
    let examples = examples();
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        std::fs::write(home(EXAMPLES), &examples).unwrap();
    }
    assert!(
        examples == text(EXAMPLES),
        "regenerate it: INSTA_UPDATE=always cargo test examples_of_findings"
    );
}

#[test]
fn each_unknown_key_is_reported() {
    insta::assert_snapshot!(findings("keys"));
}

#[test]
fn each_interview_mistake_is_reported() {
    insta::assert_snapshot!(findings("interviews"));
}

#[test]
fn each_unknown_name_is_reported() {
    insta::assert_snapshot!(findings("names"));
}

#[test]
fn each_invalid_value_is_reported() {
    insta::assert_snapshot!(values());
}

const OWN: &str = "\
flow: {name: tea, team: blue, policy: sales}
states:
  greeting: {owner: Ann, optional_data: [phone, share, count], transitions: {greeting: bye}}
  bye: {is_final: true, on_enter: {owner: Bob}}
";

#[test]
fn extra_keys_listed_in_the_project_file_are_ignored() {
    let project = Project::new().file("tea.yaml", OWN);
    let run = project
        .fsmsim(["lint", "tea.yaml"])
        .fails(1, "1 model: 3 errors, no warnings", "");
    for key in [
        "unknown key `team` in the flow",
        "unknown key `owner` in a state",
        "unknown key `owner` in `on_enter`",
    ] {
        assert!(run.stderr.contains(key), "{run}");
    }
    // With the profile `reference`, unknown keys give one note per file instead of errors.
    let note = "note[FS0008]: 3 ignored keys\n --> tea.yaml:1:19";
    project
        .fsmsim(["lint", "tea.yaml@reference"])
        .warns("1 model: no errors, no warnings", note);
    project.write(
        "fsmsim.toml",
        "[lint]\nextra_keys = [\"owner\", \"team\"]\n",
    );
    project
        .fsmsim(["lint", "tea.yaml"])
        .succeeds("1 model: no errors, no warnings");
    let constants = "limits: {max_gobacks: 1}\nshop: {}\ncrm: {}\nowner: {}\n";
    let project = project.file("constants.yaml", constants);
    let note = "note[FS0008]: 2 ignored keys\n --> constants.yaml:2:1";
    project
        .fsmsim(["lint", "tea.yaml"])
        .warns("1 model: no errors, no warnings", note);
}

#[test]
fn data_keeps_the_notation_of_its_source() {
    let turns = "turns: [{intent: greeting, confidence: 0.90, data: {phone: +79001112233, share: 1.10, count: 007}}]";
    let scenario = format!(
        "scenario: A\nmodel: tea.yaml\nstart: {{data: {{count: 7, share: 0.5}}}}\n{turns}\n"
    );
    let json = "{\"id\":\"j\",\"turns\":[{\"intent\":\"greeting\",\"data\":{\"share\":1.10,\"count\":1e3}}]}\n";
    let flow = OWN
        .replace(", team: blue", "")
        .replace("owner: Ann, ", "")
        .replace(", on_enter: {owner: Bob}", "");
    let project = Project::new()
        .file("tea.yaml", flow)
        .file("s.yaml", scenario)
        .file("t.jsonl", json);
    let typed = "\"data\":{\"phone\":\"+79001112233\",\"share\":\"1.10\",\"count\":\"007\"}";
    let trace = project.fsmsim(["trace", "s.yaml"]).succeeds(typed);
    assert!(
        trace.contains("\"confidence\":0.9,") && trace.contains("{\"count\":7,\"share\":0.5}"),
        "{trace}"
    );
    project
        .fsmsim(["trace", "tea.yaml", "--turns", "t.jsonl"])
        .succeeds("\"data\":{\"share\":1.1,\"count\":1000.0}");
    let line = "greeting phone=+79001112233 count=007 confidence:0.90\n:data\n";
    let shown = project.fsmsim(["run", "tea.yaml"]).stdin(line).succeeds("");
    assert!(
        shown.contains("+79001112233") && shown.contains("007"),
        "{shown}"
    );
}

#[test]
fn unknown_intent_is_accepted_if_it_is_marked() {
    let scenario =
        |start: &str| format!("scenario: A\nmodel: flows/bant\n{start}turns: [{{intent: sing}}]\n");
    let project = Project::new()
        .with_flows()
        .file("s.yaml", scenario("start: {foreign: [sing]}\n"));
    project
        .fsmsim(["trace", "s.yaml"])
        .succeeds("\"intent\":\"sing\"");
    project.write("s.yaml", scenario(""));
    let finding = "error[FS0234]: unknown intent `sing`\n --> s.yaml:3:18";
    assert!(
        project
            .fsmsim(["trace", "s.yaml"])
            .run()
            .stderr
            .contains(finding)
    );
    // Recordings can contain any intent. In the REPL, an exclamation mark marks an unknown intent.
    project.write(
        "t.jsonl",
        "{\"id\":\"j\",\"turns\":[{\"intent\":\"sing\"}]}\n",
    );
    project
        .fsmsim(["trace", "flows/bant", "--turns", "t.jsonl"])
        .succeeds("\"intent\":\"sing\"");
    project
        .fsmsim(["run", "flows/bant"])
        .stdin("/ !sing\n")
        .succeeds("");
    let run = project
        .fsmsim(["run", "flows/bant"])
        .stdin("/ greeting compony_size=5\n/ greeting tone:rusched\n")
        .run();
    assert!(
        run.stderr
            .contains("unknown slot `compony_size`. Similar: `company_size`."),
        "{run}"
    );
    assert!(run.stderr.contains("unknown tone `rusched`"), "{run}");
}
