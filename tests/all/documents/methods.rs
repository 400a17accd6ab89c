//! The sales methods: each one that the document about the sales bot names has a flow, with scenarios that pass.

use std::fs::read_dir;

use crate::support::{Project, home, recordings, text};

/// Our flows of sales methods.
const METHODS: [&str; 6] = [
    "autonomous",
    "bant",
    "champ",
    "meddic",
    "meddpicc",
    "spin_selling",
];

/// How the document begins its list of methods; the list ends with `etc.`.
const LIST: &str = "# BANT, MEDDIC, ";

#[test]
fn each_sales_method_has_scenarios_that_pass() {
    let project = Project::library();
    for method in METHODS {
        let folder = format!("scenarios/{method}");
        project
            .fsmsim(["test", folder.as_str(), "--coverage"])
            .about(method)
            .ends(0, &format!("coverage of flows/{method}\n"), "");
    }
}

#[test]
fn progress_intents_lead_on_in_methods_without_spin() {
    let intents =
        "[situation_provided, problem_revealed, implication_acknowledged, need_expressed]";
    let scenario = |(method, state, next)| {
        format!(
            "scenario: {method}\nmodel: flows/{method}\ncases: {{intent: {intents}}}\nstart: {{state: {state}}}\n\
             turns: [{{intent: \"{{{{intent}}}}\", expect: {{state: {next}}}}}]\n"
        )
    };
    let steps = [
        ("bant", "assess_budget", "identify_decision_maker"),
        ("champ", "explore_challenges", "understand_authority"),
        ("meddic", "collect_criteria", "map_process"),
        ("meddpicc", "plan_paperwork", "measure_pain"),
    ];
    Project::new()
        .with_flows()
        .file("scenarios/progress.yaml", steps.map(scenario).join("---\n"))
        .fsmsim(["test"])
        .succeeds("16 passed in 16 turns");
}

#[test]
fn each_method_that_the_document_names_has_a_flow() {
    let Some(folder) = recordings().map(|folder| folder.join("../seeds")) else {
        return;
    };
    if !folder.is_dir() {
        eprintln!("skipped: {} does not exist", folder.display());
        return;
    }
    let documents: Vec<String> = read_dir(folder)
        .unwrap()
        .map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap())
        .collect();
    let list = documents
        .iter()
        .flat_map(|document| document.lines())
        .find_map(|line| line.trim_start().strip_prefix(LIST))
        .unwrap();
    let (names, _) = list.split_once(", etc.").unwrap();
    let methods = ["bant", "meddic"]
        .into_iter()
        .map(str::to_owned)
        .chain(names.split(", ").map(str::to_lowercase));
    let missing: Vec<String> = methods
        .filter(|method| !home(&format!("flows/{method}/flow.yaml")).is_file())
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn profiles_page_lists_each_flow_of_the_sales_bot() {
    let Some(folder) = recordings().map(|folder| folder.join("../reference/yaml_config/flows"))
    else {
        return;
    };
    if !folder.is_dir() {
        eprintln!("skipped: {} does not exist", folder.display());
        return;
    }
    let mut flows: Vec<String> = read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("flow.yaml").is_file())
        .map(|path| path.file_name().unwrap().to_str().unwrap().to_owned())
        .collect();
    flows.sort();
    assert_eq!(flows.len(), 21, "{flows:?}");
    let page = text("docs/src/explanation/profiles.md");
    flows.retain(|flow| !page.contains(&format!("`{flow}`")));
    assert!(flows.is_empty(), "not listed: {flows:?}");
}
