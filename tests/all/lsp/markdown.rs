//! Markdown state sets: completion and renaming.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::client::Client;
use super::labels;
use crate::support::Project;

/// The capabilities of an editor that can rename files.
fn renaming() -> Value {
    json!({"workspace": {"workspaceEdit": {"documentChanges": true, "resourceOperations": ["rename"]}}})
}

/// The bundled state set `student` with its scenarios.
fn student() -> Project {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut project = Project::new().file("fsmsim.toml", "");
    for folder in [
        "states/student",
        "scenarios/student",
        "fixtures/twins",
        "fixtures/llm",
    ] {
        for entry in walkdir::WalkDir::new(root.join(folder))
            .into_iter()
            .map(Result::unwrap)
        {
            if entry.file_type().is_file() {
                let name = entry
                    .path()
                    .strip_prefix(root)
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .to_owned();
                let text = std::fs::read_to_string(entry.path()).unwrap();
                project = project.file(&name, &text);
            }
        }
    }
    project
}

/// Applies a workspace edit to the files of a project. Returns the number of edits per file.
fn apply(project: &Project, edit: &Value) -> BTreeMap<String, usize> {
    let path = |uri: &Value| {
        let path = uri.as_str().unwrap().strip_prefix("file://").unwrap();
        PathBuf::from(
            &*percent_encoding::percent_decode_str(path)
                .decode_utf8()
                .unwrap(),
        )
    };
    let mut counts = BTreeMap::new();
    for change in edit["documentChanges"].as_array().unwrap() {
        if change["kind"] == "rename" {
            assert!(!path(&change["newUri"]).exists());
            std::fs::rename(path(&change["oldUri"]), path(&change["newUri"])).unwrap();
            continue;
        }
        let file = path(&change["textDocument"]["uri"]);
        let mut text = std::fs::read_to_string(&file).unwrap();
        let mut edits = change["edits"].as_array().unwrap().clone();
        let offset = |text: &str, position: &Value| {
            let line = usize::try_from(position["line"].as_u64().unwrap()).unwrap();
            let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
            let mut units = position["character"].as_u64().unwrap();
            let mut at = start;
            for c in text[start..].chars() {
                if units == 0 {
                    break;
                }
                units -= c.len_utf16() as u64;
                at += c.len_utf8();
            }
            at
        };
        edits.sort_by_key(|edit| std::cmp::Reverse(offset(&text, &edit["range"]["start"])));
        let name = file
            .strip_prefix(project.path())
            .unwrap()
            .to_str()
            .unwrap()
            .to_owned();
        counts.insert(name, edits.len());
        for edit in edits {
            let range =
                offset(&text, &edit["range"]["start"])..offset(&text, &edit["range"]["end"]);
            text.replace_range(range, edit["newText"].as_str().unwrap());
        }
        std::fs::write(&file, text).unwrap();
    }
    counts
}

/// The output of the linter and of the scenarios, without durations.
fn verdict(project: &Project) -> (String, String) {
    let lint = project
        .fsmsim(["lint", "states/student"])
        .succeeds("no errors");
    // Scenarios without expectations are compared with snapshots, which must be created first.
    let paths = [
        "scenarios/student",
        "states/student/knowledge/test-scenarios",
    ];
    project
        .fsmsim(["test", "--accept", paths[0], paths[1]])
        .ends(0, "", "");
    let test = project
        .fsmsim(["test", paths[0], paths[1]])
        .ends(0, "passed", "");
    // The next call must start without snapshots and results.
    for folder in ["snapshots", ".fsmsim"] {
        std::fs::remove_dir_all(project.path().join(folder)).unwrap();
    }
    (lint, test.stdout)
}

fn set() -> Project {
    Project::new()
        .file("fsmsim.toml", "")
        .file(
            "tea/states/init.md",
            "---\nreads: [taste]\n---\n# State: init\n\n## Goal\nFind the tea (`taste`).\n\n## Steps\n1. Go on → brew, or stay.\n\n## Transitions\n\
             | Condition | Next state |\n|---|---|\n| Black | `brew` |\n| Green | brew |\n| Never | `sugar` |\n\n## Degradation\nAsk.\n",
        )
        .file("tea/states/brew.md", "# Состояние: `brew`\n\n## Цель\nЗаварить.\n\n## Переходы\n- brew готов → `init`\n- Нет: `brew`\n")
        .file("tea/states/sugar.md", "Sugar, as after `brew`.\n\n## Transitions\n- Enough → init\n")
        .file("tea/instructions/system.md", "---\ninitial: init\nlimits:\n  - {name: a, pattern: '[?]', max: 2, states: [brew]}\n---\nIn `brew` you wait.\n")
        .file("tea/schemas/order.json", "{\"type\": \"object\"}")
        .file("scenarios/tea.yaml", "scenario: Tea\nmodel: tea\nturns:\n  - {goto: brew, expect: {state: brew}}\n")
        .file("scenarios/said.md", "---\nscenario: Said\nmodel: tea\nstart: {state: brew}\nend: {state: init}\n---\n\n**User:** Ready\n\n**LLM:** [calls get_instruction(state: \"init\")]\nWhich?\n\n**User:** Black\n\n**LLM:** [calls get_instruction(state: \"brew\")]\n<!-- expect: {state: brew} -->\n\n**User:** ok\n\n**LLM:** [calls get_instruction(state: \"init\")]\nSo.\n")
}

/// Renames a state of `student`. Checks that the output of the linter and scenarios changes only in this name.
fn rename_in_student(from: &str, to: &str) -> (Project, BTreeMap<String, usize>) {
    let project = student();
    let before = verdict(&project);
    let mut client = Client::start_with(&project, &renaming());
    let file = &format!("states/student/states/{from}.md");
    client.open(file);
    client.findings_until(file, |_| true);
    let mut params = client.at(file, from, 3);
    let prepared = client
        .ask("textDocument/prepareRename", params.clone())
        .unwrap();
    assert_eq!(prepared["placeholder"], from);
    params["newName"] = json!(to);
    let edit = client.ask("textDocument/rename", params).unwrap();
    let counts = apply(&project, &edit);
    assert_eq!(client.end(), 0);
    assert!(
        project
            .path()
            .join(format!("states/student/states/{to}.md"))
            .exists()
    );
    let after = verdict(&project);
    assert_eq!(
        after,
        (before.0.replace(from, to), before.1.replace(from, to))
    );
    (project, counts)
}

#[test]
fn state_is_renamed_in_all_files() {
    let (project, counts) = rename_in_student("assess_stage", "оценить_ступень");
    for file in [
        "scenarios/student/declared.csv",
        "scenarios/student/transcript.md",
        "states/student/knowledge/test-scenarios/stage_test.md",
    ] {
        assert!(counts.contains_key(file), "{file}: {counts:?}");
    }
    for entry in walkdir::WalkDir::new(project.path())
        .into_iter()
        .map(Result::unwrap)
    {
        if entry.file_type().is_file() {
            let text = std::fs::read_to_string(entry.path()).unwrap();
            assert!(!text.contains("assess_stage"), "{}", entry.path().display());
        }
    }
}

#[test]
fn initial_state_is_renamed_in_all_files() {
    let (project, _) = rename_in_student("init", "начало");
    assert!(
        project
            .read("states/student/instructions/system.md")
            .contains("initial: начало")
    );
}

#[test]
fn only_references_to_a_markdown_state_are_renamed() {
    let project = set();
    let mut client = Client::start_with(&project, &renaming());
    client.open("tea/states/init.md");
    client.findings_until("tea/states/init.md", |_| true);
    let mut params = client.at("tea/states/init.md", "`brew`", 3);
    params["newName"] = json!("steep");
    let edit = client.ask("textDocument/rename", params.clone()).unwrap();
    apply(&project, &edit);
    assert!(
        project.read("tea/states/init.md").contains("→ steep, or")
            && !project.read("tea/states/init.md").contains("brew")
    );
    // The text before an arrow is a condition, not a state.
    let text = "# Состояние: `steep`\n\n## Цель\nЗаварить.\n\n## Переходы\n- brew готов → `init`\n- Нет: `steep`\n";
    assert_eq!(project.read("tea/states/steep.md"), text);
    assert!(!project.path().join("tea/states/brew.md").exists());
    for file in [
        "tea/states/sugar.md",
        "tea/instructions/system.md",
        "scenarios/tea.yaml",
        "scenarios/said.md",
    ] {
        assert!(
            !project.read(file).contains("brew"),
            "{}",
            project.read(file)
        );
    }
    project
        .fsmsim(["test", "scenarios"])
        .ends(0, "2 passed", "");
    assert_eq!(client.end(), 0);
}

#[test]
fn rename_that_loses_a_conventional_meaning_is_refused() {
    let project = set()
        .file("tea/instructions/system.md", "You pour tea.\n")
        .file(
            "tea/states/dt_load_week.md",
            "# State: dt_load_week\n\n## Transitions\n- Done → `init`\n",
        );
    let mut client = Client::start(&project);
    client.open("tea/states/init.md");
    client.open("tea/states/brew.md");
    client.open("tea/states/sugar.md");
    client.open("tea/states/dt_load_week.md");
    client.findings_until("tea/states/init.md", |_| true);
    for (file, text, to, why) in [
        (
            "tea/states/init.md",
            "init",
            "start",
            "write `initial: init`",
        ),
        (
            "tea/states/brew.md",
            "brew",
            "no_dt_mode",
            "write `no_data_state: no_dt_mode`",
        ),
        ("tea/states/brew.md", "brew", "dt_brew", "the prefix `dt_`"),
        (
            "tea/states/brew.md",
            "brew",
            "taste",
            "`taste` is the name of data",
        ),
        (
            "tea/states/brew.md",
            "brew",
            "a.b",
            "invalid name `a.b` of a Markdown state",
        ),
        ("tea/states/brew.md", "brew", "init", "already"),
        (
            "tea/states/dt_load_week.md",
            "dt_load_week",
            "dt_load_days",
            "write `reads: [week]`",
        ),
        (
            "tea/states/init.md",
            "sugar",
            "honey",
            "cannot rename files",
        ),
        (
            "tea/states/init.md",
            "taste",
            "liking",
            "no name at this position",
        ),
    ] {
        let mut params = client.at(file, text, 1);
        params["newName"] = json!(to);
        let refused = client.ask("textDocument/rename", params).unwrap_err();
        assert!(
            refused["message"].as_str().unwrap().contains(why),
            "{to}: {refused}"
        );
    }
    // If the editor cannot rename files, the name is changed only in the texts.
    let mut params = client.at("tea/states/brew.md", "brew", 1);
    params["newName"] = json!("steep");
    let edit = client.ask("textDocument/rename", params).unwrap();
    assert!(
        edit["documentChanges"]
            .as_array()
            .unwrap()
            .iter()
            .all(|change| change.get("kind").is_none()),
        "{edit}"
    );
    assert_eq!(client.end(), 0);
}

#[test]
fn completion_offers_the_kind_that_fits_the_position() {
    let project = set();
    let mut client = Client::start(&project);
    let file = "tea/states/brew.md";
    client.open(file);
    client.findings_until(file, |_| true);
    let head = "# Состояние: `brew`\n\n";
    let states = ["brew", "init", "sugar", "resume"];
    for (text, expected) in [
        (
            format!("{head}## Переходы\n| Условие | Куда |\n|---|---|\n| Готов | ‸ |\n"),
            &states[..],
        ),
        (format!("{head}## Переходы\n- Готов → `‸`\n"), &states[..]),
        (format!("{head}## Шаги\nГотов → ‸\n"), &states[..]),
        (format!("---\nreads: [‸]\n---\n{head}"), &["taste"]),
        (format!("---\nwrites: ‸\n---\n{head}"), &["order"]),
        (format!("{head}## Цель\nЗаварить ‸\n"), &[]),
        (
            format!("{head}## Переходы\n| Условие | Куда |\n|---|---|\n| ‸ | `init` |\n"),
            &[],
        ),
    ] {
        let offset = text.find('‸').unwrap();
        client.write(file, &text.replace('‸', ""));
        let place = json!({"textDocument": {"uri": client.uri(file)}, "position": super::client::position(&text, offset)});
        let items = client.ask("textDocument/completion", place).unwrap();
        assert_eq!(labels(&items), expected, "{text}");
    }
    client.write(file, &format!("{head}## Пе"));
    let items = client
        .ask("textDocument/completion", client.at(file, "Пе", 4))
        .unwrap();
    let names = labels(&items);
    assert!(
        names.contains(&"Переходы")
            && names.contains(&"Transitions")
            && names.contains(&"Состояние"),
        "{names:?}"
    );
    let moves = items["items"]
        .as_array()
        .unwrap()
        .iter()
        .find(|item| item["label"] == "Переходы")
        .unwrap();
    assert_eq!(moves["textEdit"]["newText"], " Переходы");
    assert_eq!(moves["textEdit"]["range"]["start"]["character"], 2);
    // A file outside of state sets gets no completion.
    let project = set().file("notes/a.md", "# ");
    let mut client = Client::start(&project);
    client.open("notes/a.md");
    client.findings_until("notes/a.md", |_| true);
    let items = client
        .ask("textDocument/completion", client.at("notes/a.md", "# ", 2))
        .unwrap();
    assert!(labels(&items).is_empty());
}
