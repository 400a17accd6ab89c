//! What models are asked: by each dialect, in the words of a project, and told by `fsmsim prompt`.

use serde_json::{Value, json};

use crate::support::Project;
#[cfg(feature = "live")]
use crate::support::loopback::{Server, Shape, reading};
#[cfg(feature = "live")]
use crate::support::turns;

fn project() -> Project {
    Project::new()
        .with_flows()
        .with("states/student")
        .with("fixtures/personas")
}

fn shown(arguments: &[&str]) -> String {
    project().fsmsim(["prompt"]).args(arguments).succeeds("")
}

const DIALOGUE: &str = "scenario: Begun\nmodel: flows/spin_selling\nturns:\n  - {say: Здравствуйте, intent: greeting}\n  \
                        - {say: Нас сорок, intent: info_provided, data: {company_size: 40}}\n";

#[test]
fn a_flow_asks_to_read_with_all_that_is_known_and_was_said() {
    let project = project().file("scenarios/a.yaml", DIALOGUE);
    let run = project.fsmsim([
        "prompt",
        "flows/spin_selling",
        "--say",
        "Заявки теряются, а сколько стоит?",
    ]);
    let run = run.args([
        "--from",
        "scenarios/a.yaml::Begun",
        "--data",
        "{pain_point: 'теряем \"всё\"'}",
    ]);
    insta::assert_snapshot!(run.succeeds(""));
}

#[test]
fn each_other_dialect_asks_for_what_it_needs() {
    let asked = [
        "flows/it_support.yaml --say \"show open tickets\"",
        "states/student --say спланируем",
        "flows/grant_interview.yaml --state project_goal --say \"Учить детей\"",
        "flows/grant_interview.yaml --state project_goal",
        "flows/agent_cycle.yaml --state plan",
        "flows/spin_selling --need decide --state spin_problem --say дальше",
        "flows/spin_selling --need play_user --persona busy",
    ];
    for (number, line) in asked.iter().enumerate() {
        let mut arguments: Vec<&str> = Vec::new();
        for (number, part) in line.split('"').enumerate() {
            if number % 2 == 1 {
                arguments.push(part);
            } else {
                arguments.extend(part.split_whitespace());
            }
        }
        insta::assert_snapshot!(format!("dialect_{number}"), shown(&arguments));
    }
}

#[test]
fn what_is_fixed_is_the_same_in_all_turns_of_a_model() {
    let at = |state: &str, say: &str| -> Value {
        let text = shown(&[
            "flows/spin_selling",
            "--state",
            state,
            "--say",
            say,
            "--format",
            "json",
        ]);
        serde_json::from_str(&text).unwrap()
    };
    let (one, other) = (at("spin_problem", "да"), at("close", "Записывайте"));
    assert_eq!(
        (&one["system"], &one["schema"]),
        (&other["system"], &other["schema"])
    );
    assert_ne!(one["user"], other["user"]);
    assert_eq!(
        (&one["need"], &one["state"]),
        (&json!("classify"), &json!("spin_problem"))
    );
    let data = &one["schema"]["properties"]["data"];
    assert_eq!(
        data["properties"]["company_size"],
        json!({"type": "integer", "minimum": 1})
    );
    assert_eq!(data["additionalProperties"], json!(false));
}

#[test]
fn no_words_of_the_engine_are_among_the_intents() {
    for model in [
        "flows/spin_selling",
        "flows/support.yaml",
        "flows/bant",
        "flows/profiles/any_trigger.yaml",
    ] {
        let text = shown(&[model, "--say", "да", "--format", "json"]);
        let prompt: Value = serde_json::from_str(&text).unwrap();
        let names = prompt["schema"]["properties"]["intent"]["enum"]
            .as_array()
            .unwrap();
        for word in [
            "any",
            "data_complete",
            "disambiguation_needed",
            "timeout",
            "tick",
        ] {
            assert!(!names.contains(&json!(word)), "{model}: {word}");
        }
        let listed = project()
            .fsmsim(["run", model])
            .stdin(":intents\n")
            .succeeds("");
        for word in ["data_complete", "disambiguation_needed", ", any,"] {
            assert!(!listed.contains(word), "{model}: {listed}");
        }
    }
    // Somebody can mean to go back.
    assert!(shown(&["flows/spin_selling", "--say", "назад"]).contains("- go_back: "));
}

#[test]
fn what_cannot_be_asked_is_told() {
    let told: Vec<String> = [
        &["flows/spin_selling", "--state", "spin_situatio"][..],
        &["flows/spin_selling", "--need", "clasify"],
        &["flows/spin_selling", "--data", "{company_siz: 5}"],
        &["flows/spin_selling", "--data", "{company_size: many}"],
        &["flows/spin_selling", "--data", "[1]"],
        &["flows/spin_selling", "--need", "assess"],
        &["flows/spin_selling", "--need", "navigate"],
        &["flows/spin_selling", "--need", "work"],
        &["flows/spin_selling", "--need", "play_user"],
        &[
            "flows/spin_selling",
            "--need",
            "play_user",
            "--persona",
            "buzy",
        ],
        &["flows/grant_interview.yaml"],
        &["flows/spin_selling", "--from", "nowhere.yaml"],
    ]
    .into_iter()
    .map(|arguments| {
        project()
            .fsmsim(["prompt"])
            .args(arguments)
            .fails(2, "", "")
            .stderr
    })
    .collect();
    insta::assert_snapshot!(told.join("\n"));
}

const PROMPT: &str = "You read for {{ about }}.\n{% for intent in intents %}{{ intent.name }}, {% endfor %}\n\
                      {% for slot in slots %}{{ slot.text }}\n{% endfor %}\n---\n{{ state }}: {{ utterance }} after\n{{ history }}";

#[test]
fn a_project_asks_in_its_own_words_and_keeps_schema_and_delimiters() {
    let toml = "[llm.prompts]\nclassify = \"prompts/classify.md\"\n";
    let project = Project::new()
        .with_flows()
        .file("fsmsim.toml", toml)
        .file("prompts/classify.md", PROMPT);
    let ask = |say: &str| -> Value {
        let run = project.fsmsim([
            "prompt",
            "flows/spin_selling",
            "--say",
            say,
            "--format",
            "json",
        ]);
        serde_json::from_str(&run.succeeds("")).unwrap()
    };
    let own = ask("a\"b\n{{ state }}");
    assert_eq!(
        own["user"],
        json!("greeting: \"a\\\"b\\n{{ state }}\" after\n")
    );
    let system = own["system"].as_str().unwrap();
    assert!(
        system.starts_with("You read for Продажа по SPIN"),
        "{system}"
    );
    assert!(
        system.contains("price_question, ")
            && system.contains("company_size (a whole number from 1): "),
        "{system}"
    );
    let schema = ask("x")["schema"].clone();
    // Above the line alone, what changes stays as it is.
    project.write("prompts/classify.md", "{{ standard }}\nAnd be quick.");
    let added = ask("да");
    assert!(
        added["system"]
            .as_str()
            .unwrap()
            .ends_with("only what somebody said.\nAnd be quick.")
    );
    assert!(
        added["user"]
            .as_str()
            .unwrap()
            .ends_with("The user says: \"да\"")
    );
    assert_eq!(added["schema"], schema);
}

#[test]
fn prompts_that_cannot_be_used_are_told_with_their_place() {
    let told = |toml: &str, template: &str| {
        let project = Project::new()
            .with_flows()
            .file("fsmsim.toml", toml)
            .file("prompts/p.md", template);
        project
            .fsmsim(["prompt", "flows/spin_selling", "--say", "да"])
            .fails(2, "", "")
            .stderr
    };
    let classify = "[llm.prompts]\nclassify = \"prompts/p.md\"\n";
    let all = [
        told("[llm.prompts]\nclasify = \"prompts/p.md\"\n", ""),
        told("[llm.prompts]\nclassify = \"prompts/q.md\"\n", ""),
        told("[llm.prompts]\nclassify = \"../p.md\"\n", ""),
        told(classify, ""),
        told(classify, "One\n{{ intnts }}\n{% if uterance %}x{% endif %}"),
        told(
            classify,
            "One\n{% for intent in intents %}\n{{ intent.name }}\n",
        ),
        told(classify, "One\n{{ standard | nonsense }}\n"),
        told(classify, "{{ standard }}\n---\n{{ state }}: what?\n"),
        told(classify, "{{ standard }}\n---\n{{ utterance }\n"),
        told(classify, "{% include 'other' %}"),
        told(
            classify,
            "One\n{% for i in intents %}{{ i.nme }}{% endfor %}\n",
        ),
        told(
            classify,
            "{{ standard }}\n---\n{% if certainty.gpa %}x{% endif %}{{ utterance }}\n",
        ),
        told(
            classify,
            "{% for a in range(90000) %}{% for b in range(90000) %}x{% endfor %}{% endfor %}",
        ),
    ];
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn a_template_that_fails_at_its_turn_is_told_with_its_line() {
    let toml = "[llm.prompts]\nclassify = \"prompts/classify.md\"\n";
    let project = Project::new().with_flows().file("fsmsim.toml", toml);
    // What may be missing in a dialogue is empty there.
    let empty = "{% if unclear %}{{ unclear }}{% endif %}{{ slots[99].text }}{{ known[0].name }}.\n---\n{{ utterance }}\n";
    project.write("prompts/classify.md", empty);
    project
        .fsmsim(["prompt", "flows/spin_selling", "--say", "да"])
        .succeeds("unclear.\n");
    project.write(
        "prompts/classify.md",
        "{{ standard }}\n---\n\n{{ utterance }}\n{{ 7 // (known | length) }}\n",
    );
    let told = project
        .fsmsim(["prompt", "flows/spin_selling", "--say", "да"])
        .refuses("error[FS0310]");
    assert!(
        told.contains("cannot be filled in: ") && told.contains("prompts/classify.md:5"),
        "{told}"
    );
    project
        .fsmsim([
            "prompt",
            "flows/spin_selling",
            "--say",
            "да",
            "--data",
            "{company_size: 5}",
        ])
        .succeeds("7");
}

#[cfg(feature = "live")]
#[test]
fn where_a_template_fails_nobody_is_asked_in_other_words() {
    let server = Server::start(vec![Shape::OpenAi.says(&reading("agreement").to_string())]);
    let link = format!(
        "[[llm.chain]]\nname = \"a\"\nbase_url = \"{}\"\nmodel = \"m\"\n",
        server.url
    );
    let toml = format!("{link}[llm.prompts]\nclassify = \"prompts/classify.md\"\n");
    let scenario =
        "scenario: One\nmodel: flows/spin_selling\nend: {final: false}\nturns: [{say: да}]\n";
    let project = Project::new()
        .with_flows()
        .file("fsmsim.toml", toml)
        .file("scenarios/a.yaml", scenario);
    project.write(
        "prompts/classify.md",
        "{{ standard }}\n---\n{{ utterance }}\n{{ 7 // (known | length) }}\n",
    );
    let told = "the prompt for `classify` cannot be filled in at prompts/classify.md:4: ";
    for llm in ["live", "record", "record-missing", "record"] {
        let run = project
            .fsmsim(["test", "--llm", llm])
            .about(llm)
            .unavailable(told, "");
        assert!(run.stdout.contains("1 unavailable"), "{run}");
    }
    project
        .fsmsim(["test", "--llm", "replay"])
        .unavailable("", "there is no cassette");
    assert!(server.requests().is_empty());
    let trace = project
        .fsmsim(["trace", "scenarios/a.yaml", "--llm", "live"])
        .unavailable("", "")
        .stdout;
    let failed = &turns(&trace)[0]["answers"][0]["failed"][0];
    assert!(
        failed["by"] == "a" && failed["why"].as_str().unwrap().starts_with(told),
        "{failed}"
    );
    // What was recorded before stays.
    project.write("fsmsim.toml", &link);
    project
        .fsmsim(["test", "--llm", "record"])
        .without_usage()
        .succeeds("1 passed");
    let old = project.read("cassettes/a/one.jsonl");
    project.write(
        "fsmsim.toml",
        format!("{link}[llm.prompts]\nclassify = \"prompts/classify.md\"\n"),
    );
    project
        .fsmsim(["test", "--llm", "record"])
        .unavailable(told, "stays as it was");
    assert_eq!(project.read("cassettes/a/one.jsonl"), old);
    server.stop();
}
