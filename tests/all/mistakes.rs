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
    let arguments = arguments
        .into_iter()
        .map(|word| if word == "FILE" { path } else { word });
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

/// The chapter of the page for a mistake.
fn chapter(path: &str, command: &str) -> &'static str {
    let name = path.rsplit('/').next().unwrap();
    match command.split_whitespace().next().unwrap() {
        "simulate" => "Personas",
        "test" => "Scenarios",
        _ if name.starts_with("mock_") => "Mocks",
        _ if path.contains("/turns_") => "Turns files",
        _ if name.starts_with("contract_") => "Contracts",
        _ if is_settings(path) || name.starts_with("constants_") || path.contains("/settings_") => {
            "Configuration"
        }
        _ if name.starts_with("interview_") => "Interviews",
        _ if path.rsplit('.').next() == Some("md") => "Sets of states in markdown",
        _ => "Flows",
    }
}

/// The page `docs/mistakes.md`.
fn page() -> String {
    let library = library();
    let mut chapters: BTreeMap<&str, String> = BTreeMap::new();
    for (mistake, files) in mistakes() {
        let shown = |file: &Path| {
            file.strip_prefix(home(""))
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned()
        };
        let texts: Vec<(String, String)> =
            files.iter().map(|file| (shown(file), text(file))).collect();
        let (path, content) = texts
            .iter()
            .find(|(_, content)| command(content).is_some())
            .unwrap();
        let mistake = shown(&mistake);
        let title = mistake
            .rsplit('/')
            .next()
            .unwrap()
            .split('.')
            .next()
            .unwrap()
            .replace('_', " ");
        let chapter = chapters
            .entry(chapter(path, command(content).unwrap()))
            .or_default();
        writeln!(
            chapter,
            "\n### {}{}",
            title[..1].to_uppercase(),
            &title[1..]
        )
        .unwrap();
        for (path, content) in &texts {
            if texts.len() > 1 {
                writeln!(
                    chapter,
                    "\n`{}`:",
                    path.strip_prefix(&format!("{mistake}/")).unwrap()
                )
                .unwrap();
            }
            let text = if command(content).is_some() {
                content.split_once('\n').unwrap().1
            } else {
                content
            };
            let kind = path.rsplit('.').next().unwrap();
            writeln!(chapter, "\n```{kind}\n{}\n```", text.trim_end()).unwrap();
        }
        writeln!(
            chapter,
            "\n```text\n{}\n```",
            run_mistake(&library, path, content).stderr.trim_end()
        )
        .unwrap();
    }
    let mut page = "# Mistakes\n\nWhat people get wrong, and what `fsmsim` says of it: each mistake in the smallest file that has it. \
                    Lines of findings count\nwith a first line that is not shown. This page is generated from `fixtures/mistakes` by the tests.\n"
        .to_owned();
    for title in [
        "Flows",
        "Sets of states in markdown",
        "Contracts",
        "Interviews",
        "Scenarios",
        "Turns files",
        "Configuration",
        "Personas",
        "Mocks",
    ] {
        write!(
            page,
            "\n## {title}\n{}",
            chapters.remove(title).expect(title)
        )
        .unwrap();
    }
    assert!(
        chapters.is_empty(),
        "a chapter is not in the page: {:?}",
        chapters.keys()
    );
    page
}

#[test]
fn the_page_of_mistakes_is_up_to_date() {
    assert!(
        mistakes().len() >= 100,
        "there are only {} mistakes",
        mistakes().len()
    );
    let page = page();
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        std::fs::write(home("docs/mistakes.md"), &page).unwrap();
    }
    assert!(
        page == text("docs/mistakes.md"),
        "regenerate it: INSTA_UPDATE=always cargo test the_page_of_mistakes"
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
