//! What the README shows is true: its files are written, its commands run, and their output is what it prints.

use std::path::Path;

use crate::support::Project;

/// A fenced block: what stands behind the fence, and the text.
struct Block<'a> {
    info: &'a str,
    text: String,
}

fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(info) = line.strip_prefix("```") {
            let inside = lines.by_ref().take_while(|line| *line != "```");
            blocks.push(Block { info, text: inside.map(|line| format!("{line}\n")).collect() });
        }
    }
    blocks
}

/// The words of a command line; quotation marks hold words together.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            c => words.last_mut().unwrap().push(c),
        }
    }
    words
}

/// Runs a transcript: `$ fsmsim …`, then what it prints, then `? CODE` where that is not 0. What a person types at a
/// prompt is read from the transcript itself.
fn check(project: &Project, transcript: &str) {
    let (command, shown) = transcript.split_once('\n').unwrap();
    let words = words(command.strip_prefix("$ fsmsim ").expect("a transcript begins with `$ fsmsim`"));
    let arguments: Vec<&str> = words.iter().map(String::as_str).collect();
    let typed: String =
        shown.lines().filter_map(|line| Some(format!("{}\n", line.split_once("] > ")?.1))).collect();
    let run = project.run_with(&arguments, &typed, &[]);
    let (shown, code) = match shown.trim_end().rsplit_once("\n? ") {
        Some((shown, code)) => (format!("{shown}\n"), code.parse().unwrap()),
        None => (shown.to_owned(), 0),
    };
    assert_eq!(run.stdout, shown, "{command}");
    assert_eq!((run.code, run.stderr.as_str()), (code, ""), "{command}");
}

/// Writes the files of a page, runs its commands, and tells how many there were.
fn check_page(page: &str) -> (Project, usize) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join(page)).unwrap();
    let project = Project::new().with_flows();
    let mut transcripts = 0;
    for block in blocks(&text) {
        if let Some(path) = block.info.split_once("file=").map(|(_, path)| path) {
            project.write(path, &block.text);
        } else if block.info == "console" {
            check(&project, &block.text);
            transcripts += 1;
        }
    }
    (project, transcripts)
}

#[test]
fn the_readme_is_true() {
    let (_, transcripts) = check_page("README.md");
    assert!(transcripts >= 3, "only {transcripts} transcripts were found");
}

#[test]
fn the_page_about_simulation_is_true() {
    assert_eq!(check_page("docs/simulation.md").1, 1);
}

#[test]
fn the_page_about_markdown_states_is_true() {
    let (project, transcripts) = check_page("docs/markdown.md");
    assert_eq!(transcripts, 2);
    for model in ["states/tea", "lift.md"] {
        let run = project.run(&["trace", model, "--turns", "-"]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.shown());
    }
}

#[test]
fn the_page_about_contracts_is_true() {
    let (project, transcripts) = check_page("docs/contracts.md");
    assert_eq!(transcripts, 2);
    let run = project.run(&["lint", "flows/library.yaml"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "1 model: no errors, no warnings\n"), "{}", run.shown());
}

#[test]
fn the_conditions_of_the_documentation_are_read() {
    let text =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/conditions.md")).unwrap();
    let conditions = blocks(&text).into_iter().find(|block| block.info == "yaml").unwrap().text;
    let flow = format!(
        "flow: {{name: f}}\nstates:\n  greeting: {{rules: {{a: [{{when: big_and_in_a_hurry, then: b}}]}}}}\n{conditions}"
    );
    let project = Project::new().file("flow.yaml", flow);
    let run = project.run_with(&["run", "flow.yaml"], ":conds big\n", &[]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.shown());
    assert!(run.stdout.contains("big_client  Fifty people or more"), "{}", run.stdout);
}

#[test]
fn the_nodes_of_the_documentation_are_read() {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/flows.md")).unwrap();
    let nodes = blocks(&text).into_iter().find(|block| block.info == "yaml").unwrap().text;
    let nodes: String = nodes.lines().map(|line| format!("  {line}\n")).collect();
    let places =
        "  greeting: {optional_data: [issue, closed]}\n  billing: {}\n  general: {}\n  parting: {}\n";
    let asks: String = ["ask_budget", "ask_need", "ask_rating", "ask_feedback"]
        .map(|name| format!("  {name}: {{transitions: {{done: _branch_complete}}}}\n"))
        .concat();
    let conditions = "conditions: {is_billing_issue: {slot: issue}, ticket_is_closed: {slot: closed}}\n";
    let flow = format!("flow: {{name: f}}\n{conditions}states:\n{places}{asks}{nodes}");
    let run = Project::new().file("flow.yaml", flow).run_with(&["run", "flow.yaml"], ":state\n", &[]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.shown());
}

#[test]
fn the_intents_and_thresholds_of_the_documentation_are_read() {
    let of = |page: &str, start: &str| {
        let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(page)).unwrap();
        blocks(&text).into_iter().find(|block| block.text.starts_with(start)).unwrap().text
    };
    let flow = format!(
        "flow: {{name: f}}\nstates: {{greeting: {{}}}}\n{}{}",
        of("docs/flows.md", "intents:"),
        of("docs/models.md", "constants:")
    );
    let mut reading = of("docs/models.md", "{intent:");
    reading.truncate(reading.trim_end().len());
    let scenario = "scenario: A\nmodel: flow.yaml\nllm: m.yaml\nturns: [{say: x, expect: {action: ask_clarification}}]\n";
    let run = Project::new()
        .file("flow.yaml", flow)
        .file("m.yaml", format!("rules: [{{answer: {reading}}}]\n"))
        .file("a.yaml", scenario)
        .run(&["test", "a.yaml"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.shown());
}
