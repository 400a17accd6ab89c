//! Checks the README and the pages: writes their files, runs their commands and compares the output.

use crate::support::{Project, text};

/// A fenced code block: the info string of the fence, and the text.
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
            blocks.push(Block {
                info,
                text: inside.map(|line| format!("{line}\n")).collect(),
            });
        }
    }
    blocks
}

/// The words of a command line. Single quotes group words.
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

/// Runs a transcript: `$ fsmsim …`, then notes on standard error, then the output, then `? CODE` if the exit code is not 0.
/// Input at a prompt is read from the transcript itself, or from `$ printf '…' | fsmsim …`.
fn check(project: &Project, transcript: &str) {
    let (command, shown) = transcript.split_once('\n').unwrap();
    let (input, command) = match command
        .strip_prefix("$ printf '")
        .and_then(|rest| rest.split_once("' | "))
    {
        Some((input, command)) => (Some(input.replace("\\n", "\n")), command),
        None => (None, command.trim_start_matches("$ ")),
    };
    let words = words(
        command
            .strip_prefix("fsmsim ")
            .expect("a transcript starts with `$ fsmsim`"),
    );
    let arguments: Vec<&str> = words.iter().map(String::as_str).collect();
    let at_prompts = shown
        .lines()
        .filter(|line| !line.starts_with(' '))
        .filter_map(|line| Some(format!("{}\n", line.split_once(" > ")?.1)));
    let typed = input.unwrap_or_else(|| at_prompts.collect());
    let (shown, code) = match shown.trim_end().rsplit_once("\n? ") {
        Some((shown, code)) => (format!("{shown}\n"), code.parse().unwrap()),
        None => (shown.to_owned(), 0),
    };
    let run = project
        .fsmsim(&arguments)
        .stdin(&typed)
        .about(command)
        .ends(code, "", "");
    let is_note = |line: &&str| line.starts_with("note: ");
    let (notes, shown): (Vec<&str>, Vec<&str>) = shown.split_inclusive('\n').partition(is_note);
    assert_eq!(run.stdout, shown.concat(), "{command}");
    assert_eq!(run.stderr, notes.concat(), "{command}");
}

/// Applies a change to a file: the lines with `-` become those with `+`.
fn edit(project: &Project, path: &str, change: &str) {
    let lines_with = |sign| {
        change
            .lines()
            .filter_map(|line| line.strip_prefix(sign))
            .map(|line| format!("{line}\n"))
            .collect()
    };
    let (before, after): (String, String) = (lines_with('-'), lines_with('+'));
    let file = project.read(path);
    assert_eq!(
        file.matches(&before).count(),
        1,
        "not found exactly once in {path}:\n{before}"
    );
    project.write(path, file.replace(&before, &after));
}

/// Writes the files of a page and runs its commands. Returns the project and the number of commands.
fn check_page(page: &str) -> (Project, usize) {
    check_page_in(Project::new().with_flows(), page)
}

fn check_page_in(project: Project, page: &str) -> (Project, usize) {
    let text = text(page);
    let mut transcripts = 0;
    for block in blocks(&text) {
        if let Some(path) = block.info.strip_prefix("diff file=") {
            edit(&project, path, &block.text);
        } else if let Some(path) = block.info.split_once("file=").map(|(_, path)| path) {
            project.write(path, &block.text);
        } else if block.info == "console" {
            check(&project, &block.text);
            transcripts += 1;
        }
    }
    (project, transcripts)
}

#[test]
fn readme_matches_the_program() {
    // The first screen of the README shows the flow of the tutorial.
    let tutorial = text("docs/tutorial.md");
    let flow = blocks(&tutorial)
        .into_iter()
        .find(|block| block.info == "yaml file=flows/lesson.yaml")
        .unwrap()
        .text;
    let project = Project::new().file("flows/lesson.yaml", flow);
    let (_, transcripts) = check_page_in(project, "README.md");
    assert!(
        transcripts >= 3,
        "only {transcripts} transcripts were found"
    );
}

#[test]
fn repl_page_matches_the_program() {
    assert_eq!(check_page("docs/repl.md").1, 4);
}

#[test]
fn tutorial_works_from_an_empty_folder() {
    let (project, transcripts) = check_page_in(Project::new(), "docs/tutorial.md");
    assert_eq!(transcripts, 8);
    let drawn = project
        .fsmsim(["graph", "flows/lesson.yaml", "--format", "svg"])
        .succeeds("<svg");
    assert!(
        drawn == text("docs/lesson.svg"),
        "regenerate it: fsmsim graph flows/lesson.yaml > docs/lesson.svg"
    );
}

#[test]
fn russian_pages_have_the_same_files_and_commands() {
    let blocks_of = |page: &str| -> Vec<(String, String)> {
        let text = text(page);
        blocks(&text)
            .into_iter()
            .map(|block| (block.info.to_owned(), block.text))
            .collect()
    };
    for (page, russian) in [
        ("README.md", "README.ru.md"),
        ("docs/tutorial.md", "docs/ru/tutorial.md"),
    ] {
        assert_eq!(blocks_of(page), blocks_of(russian), "{russian}");
    }
}

#[test]
fn glossaries_list_every_transition_class() {
    for page in ["docs/glossary.md", "docs/ru/glossary.md"] {
        let page_text = text(page);
        for class in fsmsim_core::engine::Class::ALL {
            let row = format!("| `{}` |", class.name());
            assert!(
                page_text.contains(&row),
                "{page} has no row for {}",
                class.name()
            );
        }
    }
}

#[test]
fn install_page_matches_the_program() {
    assert_eq!(check_page("docs/install.md").1, 1);
}

#[test]
fn scenarios_page_matches_the_program() {
    assert_eq!(check_page("docs/scenarios.md").1, 7);
}

#[test]
fn selection_page_matches_the_program() {
    assert_eq!(check_page("docs/selection.md").1, 1);
}

#[test]
fn reports_page_matches_the_program() {
    assert_eq!(check_page("docs/reports.md").1, 9);
}

#[test]
fn simulation_page_matches_the_program() {
    assert_eq!(check_page("docs/simulation.md").1, 3);
}

#[test]
fn eval_page_matches_the_program() {
    assert_eq!(check_page("docs/eval.md").1, 1);
}

#[test]
fn schemas_page_matches_the_program() {
    assert_eq!(check_page("docs/schemas.md").1, 1);
}

#[test]
fn scale_page_matches_the_program() {
    assert_eq!(check_page("docs/scale.md").1, 3);
}

#[test]
fn markdown_page_matches_the_program() {
    let (project, transcripts) = check_page("docs/markdown.md");
    assert_eq!(transcripts, 5);
    for model in ["states/tea", "lift.md"] {
        project
            .fsmsim(["trace", model, "--turns", "-"])
            .succeeds("");
    }
}

#[test]
fn coverage_page_matches_the_program() {
    assert_eq!(check_page("docs/coverage.md").1, 1);
}

#[test]
fn traces_page_matches_the_program() {
    assert_eq!(check_page("docs/traces.md").1, 5);
}

#[test]
fn flows_page_matches_the_program() {
    let (project, transcripts) = check_page_in(Project::new(), "docs/flows.md");
    assert_eq!(transcripts, 4);
    let hotline = project.read("flows/bank_hotline.yaml");
    assert_eq!(hotline, text("flows/bank_hotline.yaml"));
    assert!(hotline.lines().count() <= 60);
    let limit = project.read("flows/code.yaml");
    assert_eq!(limit.lines().count(), 10);
}

#[test]
fn models_page_matches_the_program() {
    assert_eq!(check_page("docs/models.md").1, 1);
}

#[test]
fn effects_page_matches_the_program() {
    let (project, transcripts) = check_page("docs/effects.md");
    assert_eq!(transcripts, 1);
    let output = project.fsmsim(["lint", "flows/table.yaml"]).succeeds("");
    assert_eq!(output, "1 model: no errors, no warnings\n");
}

#[test]
fn interviews_page_matches_the_program() {
    let (project, transcripts) = check_page("docs/interviews.md");
    assert_eq!(transcripts, 3);
    let output = project.fsmsim(["lint", "flows/trip.yaml"]).succeeds("");
    assert_eq!(output, "1 model: no errors, no warnings\n");
}

#[test]
fn verify_page_matches_the_program() {
    assert_eq!(check_page("docs/verify.md").1, 1);
}

#[test]
fn sessions_page_matches_the_program() {
    assert_eq!(check_page("docs/sessions.md").1, 4);
}

#[test]
fn contracts_page_matches_the_program() {
    let (project, transcripts) = check_page("docs/contracts.md");
    assert_eq!(transcripts, 2);
    let output = project.fsmsim(["lint", "flows/library.yaml"]).succeeds("");
    assert_eq!(output, "1 model: no errors, no warnings\n");
}

#[test]
fn convert_page_matches_the_program() {
    assert_eq!(check_page_in(Project::new(), "docs/convert.md").1, 5);
}

#[test]
fn documented_conditions_are_valid() {
    let text = text("docs/conditions.md");
    let conditions = blocks(&text)
        .into_iter()
        .find(|block| block.info == "yaml")
        .unwrap()
        .text;
    let flow = format!(
        "flow: {{name: f}}\nstates:\n  greeting: {{optional_data: [company_size], rules: {{price_question: c, a: [{{when: big_and_in_a_hurry, then: b}}]}}}}\n{conditions}"
    );
    let project = Project::new().file("flow.yaml", flow);
    project
        .fsmsim(["run", "flow.yaml"])
        .stdin(":conditions big\n")
        .succeeds("big_client  Fifty people or more");
}

#[test]
fn documented_nodes_are_valid() {
    let text = text("docs/flows.md");
    let nodes = blocks(&text)
        .into_iter()
        .find(|block| block.info == "yaml")
        .unwrap()
        .text;
    let nodes: String = nodes.lines().map(|line| format!("  {line}\n")).collect();
    let targets = "  greeting: {optional_data: [issue, closed]}\n  billing: {}\n  general: {}\n  parting: {}\n";
    let asks: String = ["ask_budget", "ask_need", "ask_rating", "ask_feedback"]
        .map(|name| format!("  {name}: {{transitions: {{done: _branch_complete}}}}\n"))
        .concat();
    let conditions =
        "conditions: {is_billing_issue: {slot: issue}, ticket_is_closed: {slot: closed}}\n";
    let flow = format!("flow: {{name: f}}\n{conditions}states:\n{targets}{asks}{nodes}");
    Project::new()
        .file("flow.yaml", flow)
        .fsmsim(["run", "flow.yaml"])
        .stdin(":state\n")
        .succeeds("");
}

#[test]
fn documented_intents_and_thresholds_are_valid() {
    let block_of = |page: &str, start: &str| {
        let text = text(page);
        blocks(&text)
            .into_iter()
            .find(|block| block.text.starts_with(start))
            .unwrap()
            .text
    };
    let flow = format!(
        "flow: {{name: f}}\nstates: {{greeting: {{rules: {{price_question: a}}}}}}\n{}{}",
        block_of("docs/flows.md", "intents:"),
        block_of("docs/models.md", "constants:")
    );
    let mut interpretation = block_of("docs/models.md", "{intent:");
    interpretation.truncate(interpretation.trim_end().len());
    let scenario = "scenario: A\nmodel: flow.yaml\nllm: m.yaml\nturns: [{say: x, expect: {action: ask_clarification}}]\n";
    Project::new()
        .file("flow.yaml", flow)
        .file("m.yaml", format!("rules: [{{answer: {interpretation}}}]\n"))
        .file("a.yaml", scenario)
        .fsmsim(["test", "a.yaml"])
        .succeeds("");
}
