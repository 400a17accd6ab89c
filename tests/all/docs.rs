//! What the README shows is true: its files are written, its commands run, and their output is what it prints.

use crate::support::{Project, text};

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
            blocks.push(Block {
                info,
                text: inside.map(|line| format!("{line}\n")).collect(),
            });
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

/// Runs a transcript: `$ fsmsim …`, then notes on standard error, then what it prints, then `? CODE` where that is not 0.
/// What a person types at a prompt is read from the transcript itself, or from `$ printf '…' | fsmsim …`.
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
            .expect("a transcript begins with `$ fsmsim`"),
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

/// Changes a file as a person would: the lines with `-` become those with `+`.
fn edit(project: &Project, path: &str, change: &str) {
    let of = |sign| {
        change
            .lines()
            .filter_map(|line| line.strip_prefix(sign))
            .map(|line| format!("{line}\n"))
            .collect()
    };
    let (before, after): (String, String) = (of('-'), of('+'));
    let file = project.read(path);
    assert_eq!(
        file.matches(&before).count(),
        1,
        "{path} has not once:\n{before}"
    );
    project.write(path, file.replace(&before, &after));
}

/// Writes the files of a page, runs its commands, and tells how many there were.
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
fn the_readme_is_true() {
    // Its first screen shows the flow of the tutorial.
    let tutorial = text("docs/tutorial.md");
    let flow = blocks(&tutorial)
        .into_iter()
        .find(|block| block.info == "yaml file=flows/lesson.yaml")
        .unwrap()
        .text;
    let project = Project::new().with_flows().file("flows/lesson.yaml", flow);
    let (_, transcripts) = check_page_in(project, "README.md");
    assert!(
        transcripts >= 3,
        "only {transcripts} transcripts were found"
    );
}

#[test]
fn the_page_about_playing_by_hand_is_true() {
    assert_eq!(check_page("docs/repl.md").1, 4);
}

#[test]
fn the_tutorial_is_true_from_an_empty_folder() {
    let (project, transcripts) = check_page_in(Project::new(), "docs/tutorial.md");
    assert_eq!(transcripts, 8);
    let drawn = project
        .fsmsim(["graph", "flows/lesson.yaml", "--format", "svg"])
        .succeeds("<svg");
    assert!(
        drawn == text("docs/lesson.svg"),
        "draw it anew: fsmsim graph flows/lesson.yaml > docs/lesson.svg"
    );
}

#[test]
fn pages_in_russian_have_the_same_files_and_commands() {
    let of = |page: &str| -> Vec<(String, String)> {
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
        assert_eq!(of(page), of(russian), "{russian}");
    }
}

#[test]
fn the_glossaries_have_every_class_of_transitions() {
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
fn the_page_about_installing_is_true() {
    assert_eq!(check_page("docs/install.md").1, 1);
}

#[test]
fn the_page_about_scenarios_is_true() {
    assert_eq!(check_page("docs/scenarios.md").1, 7);
}

#[test]
fn the_page_about_selection_is_true() {
    assert_eq!(check_page("docs/selection.md").1, 1);
}

#[test]
fn the_page_about_reports_is_true() {
    assert_eq!(check_page("docs/reports.md").1, 9);
}

#[test]
fn the_page_about_simulation_is_true() {
    assert_eq!(check_page("docs/simulation.md").1, 3);
}

#[test]
fn the_page_about_reading_says_what_the_program_says() {
    assert_eq!(check_page("docs/eval.md").1, 1);
}

#[test]
fn the_page_about_schemas_is_true() {
    assert_eq!(check_page("docs/schemas.md").1, 1);
}

#[test]
fn the_page_about_scale_is_true() {
    assert_eq!(check_page("docs/scale.md").1, 3);
}

#[test]
fn the_page_about_markdown_states_is_true() {
    let (project, transcripts) = check_page("docs/markdown.md");
    assert_eq!(transcripts, 4);
    for model in ["states/tea", "lift.md"] {
        project
            .fsmsim(["trace", model, "--turns", "-"])
            .succeeds("");
    }
}

#[test]
fn the_page_about_coverage_is_true() {
    assert_eq!(check_page("docs/coverage.md").1, 1);
}

#[test]
fn the_page_about_traces_is_true() {
    assert_eq!(check_page("docs/traces.md").1, 5);
}

#[test]
fn the_page_about_flows_is_true() {
    assert_eq!(check_page("docs/flows.md").1, 2);
}

#[test]
fn the_page_about_models_is_true() {
    assert_eq!(check_page("docs/models.md").1, 1);
}

#[test]
fn the_page_about_effects_is_true() {
    let (project, transcripts) = check_page("docs/effects.md");
    assert_eq!(transcripts, 1);
    let told = project.fsmsim(["lint", "flows/table.yaml"]).succeeds("");
    assert_eq!(told, "1 model: no errors, no warnings\n");
}

#[test]
fn the_page_about_interviews_is_true() {
    let (project, transcripts) = check_page("docs/interviews.md");
    assert_eq!(transcripts, 2);
    let told = project.fsmsim(["lint", "flows/trip.yaml"]).succeeds("");
    assert_eq!(told, "1 model: no errors, no warnings\n");
}

#[test]
fn the_page_about_verify_is_true() {
    assert_eq!(check_page("docs/verify.md").1, 1);
}

#[test]
fn the_page_about_sessions_is_true() {
    assert_eq!(check_page("docs/sessions.md").1, 4);
}

#[test]
fn the_page_about_contracts_is_true() {
    let (project, transcripts) = check_page("docs/contracts.md");
    assert_eq!(transcripts, 2);
    let told = project.fsmsim(["lint", "flows/library.yaml"]).succeeds("");
    assert_eq!(told, "1 model: no errors, no warnings\n");
}

#[test]
fn the_page_about_flows_from_elsewhere_is_true() {
    assert_eq!(check_page("docs/convert.md").1, 3);
}

#[test]
fn the_conditions_of_the_documentation_are_read() {
    let text = text("docs/conditions.md");
    let conditions = blocks(&text)
        .into_iter()
        .find(|block| block.info == "yaml")
        .unwrap()
        .text;
    let flow = format!(
        "flow: {{name: f}}\nstates:\n  greeting: {{rules: {{a: [{{when: big_and_in_a_hurry, then: b}}]}}}}\n{conditions}"
    );
    let project = Project::new().file("flow.yaml", flow);
    project
        .fsmsim(["run", "flow.yaml"])
        .stdin(":conds big\n")
        .succeeds("big_client  Fifty people or more");
}

#[test]
fn the_nodes_of_the_documentation_are_read() {
    let text = text("docs/flows.md");
    let nodes = blocks(&text)
        .into_iter()
        .find(|block| block.info == "yaml")
        .unwrap()
        .text;
    let nodes: String = nodes.lines().map(|line| format!("  {line}\n")).collect();
    let places = "  greeting: {optional_data: [issue, closed]}\n  billing: {}\n  general: {}\n  parting: {}\n";
    let asks: String = ["ask_budget", "ask_need", "ask_rating", "ask_feedback"]
        .map(|name| format!("  {name}: {{transitions: {{done: _branch_complete}}}}\n"))
        .concat();
    let conditions =
        "conditions: {is_billing_issue: {slot: issue}, ticket_is_closed: {slot: closed}}\n";
    let flow = format!("flow: {{name: f}}\n{conditions}states:\n{places}{asks}{nodes}");
    Project::new()
        .file("flow.yaml", flow)
        .fsmsim(["run", "flow.yaml"])
        .stdin(":state\n")
        .succeeds("");
}

#[test]
fn the_intents_and_thresholds_of_the_documentation_are_read() {
    let of = |page: &str, start: &str| {
        let text = text(page);
        blocks(&text)
            .into_iter()
            .find(|block| block.text.starts_with(start))
            .unwrap()
            .text
    };
    let flow = format!(
        "flow: {{name: f}}\nstates: {{greeting: {{}}}}\n{}{}",
        of("docs/flows.md", "intents:"),
        of("docs/models.md", "constants:")
    );
    let mut reading = of("docs/models.md", "{intent:");
    reading.truncate(reading.trim_end().len());
    let scenario = "scenario: A\nmodel: flow.yaml\nllm: m.yaml\nturns: [{say: x, expect: {action: ask_clarification}}]\n";
    Project::new()
        .file("flow.yaml", flow)
        .file("m.yaml", format!("rules: [{{answer: {reading}}}]\n"))
        .file("a.yaml", scenario)
        .fsmsim(["test", "a.yaml"])
        .succeeds("");
}
