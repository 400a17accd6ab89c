//! Prompts: of each dialect, from project templates, and as `fsmsim prompt` prints them.

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
fn flow_prompt_contains_known_data_and_history() {
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
fn each_dialect_has_its_prompts() {
    let command_lines = [
        "flows/it_support.yaml --say \"show open tickets\"",
        "states/student --say спланируем",
        "flows/grant_interview.yaml --state project_goal --say \"Учить детей\"",
        "flows/grant_interview.yaml --state project_goal",
        "flows/agent_cycle.yaml --state plan",
        "flows/spin_selling --need decide --state spin_problem --say дальше",
        "flows/spin_selling --need play_user --persona busy",
    ];
    for (number, line) in command_lines.iter().enumerate() {
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
fn prompt_shows_the_format_of_each_slot_by_an_example() {
    let clinic = shown(&["flows/clinic.yaml", "--say", "Завтра"]);
    for part in [
        "- born (a date written as 31.01.2026): Дата рождения\n",
        "- time (a time of day written as 09:30): На какое время\n",
        "- Values: in the format that the slot states or shows by an example;",
        "\nToday: <date>, <weekday>\n",
    ] {
        assert!(clinic.contains(part), "{part}: {clinic}");
    }
    let untyped = "flow: {name: f, entry_points: {default: a}}\nstates: {a: {transitions: {go: a}}}\n\
                   intents: {go: {description: Goes, examples: [on 12], say: ['on (?P<day>\\d+)']}}\n";
    let project = Project::new().file("flow.yaml", untyped);
    project
        .fsmsim(["prompt", "flow.yaml", "--say", "x"])
        .succeeds("- day (such as \"12\")\n");
    let flow = "flow: {name: f, entry_points: {default: a}}\nslots:\n  mail: {type: text, format: email}\n  \
                day: {type: text, format: date}\nstates: {a: {transitions: {go: a}}}\nintents: {go: {description: Goes}}\n";
    let project = Project::new().file("flow.yaml", flow);
    let run = project.fsmsim(["prompt", "flow.yaml", "--say", "x"]);
    let typed = run.succeeds("- mail (an email address such as ann@example.com)\n");
    assert!(
        typed.contains("- day (a date written as 2026-01-31)\n"),
        "{typed}"
    );
}

#[test]
fn system_prompt_and_schema_are_constant_per_model() {
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
fn engine_intents_are_not_offered() {
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
        for intent in [
            "any",
            "data_complete",
            "disambiguation_needed",
            "timeout",
            "tick",
        ] {
            assert!(!names.contains(&json!(intent)), "{model}: {intent}");
        }
        let listed = project()
            .fsmsim(["run", model])
            .stdin(":intents\n")
            .succeeds("");
        for intent in ["data_complete", "disambiguation_needed", ", any,"] {
            assert!(!listed.contains(intent), "{model}: {listed}");
        }
    }
    // `go_back` is also a user intent.
    assert!(shown(&["flows/spin_selling", "--say", "назад"]).contains("- go_back: "));
}

#[test]
fn invalid_prompt_options_are_reported() {
    let output: Vec<String> = [
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
    insta::assert_snapshot!(output.join("\n"));
}

const PROMPT: &str = "You read for {{ about }}.\n{% for intent in intents %}{{ intent.name }}, {% endfor %}\n\
                      {% for slot in slots %}{{ slot.text }}\n{% endfor %}\n---\n{{ state }}: {{ utterance }} after\n{{ history }}";

#[test]
fn template_keeps_schema_and_delimiters() {
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
    // A template without `---` replaces only the system prompt.
    project.write("prompts/classify.md", "{{ standard }}\nAnd be quick.");
    let added = ask("да");
    assert!(
        added["system"]
            .as_str()
            .unwrap()
            .ends_with("names, rules, JSON or you.\nAnd be quick.")
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
fn invalid_templates_are_reported_with_their_location() {
    let refusal = |toml: &str, template: &str| {
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
        refusal("[llm.prompts]\nclasify = \"prompts/p.md\"\n", ""),
        refusal("[llm.prompts]\nclassify = \"prompts/q.md\"\n", ""),
        refusal("[llm.prompts]\nclassify = \"../p.md\"\n", ""),
        refusal(classify, ""),
        refusal(classify, "One\n{{ intnts }}\n{% if uterance %}x{% endif %}"),
        refusal(
            classify,
            "One\n{% for intent in intents %}\n{{ intent.name }}\n",
        ),
        refusal(classify, "One\n{{ standard | nonsense }}\n"),
        refusal(classify, "{{ standard }}\n---\n{{ state }}: what?\n"),
        refusal(classify, "{{ standard }}\n---\n{{ utterance }\n"),
        refusal(classify, "{% include 'other' %}"),
        refusal(
            classify,
            "One\n{% for i in intents %}{{ i.nme }}{% endfor %}\n",
        ),
        refusal(
            classify,
            "{{ standard }}\n---\n{% if certainty.gpa %}x{% endif %}{{ utterance }}\n",
        ),
        refusal(
            classify,
            "{% for a in range(90000) %}{% for b in range(90000) %}x{% endfor %}{% endfor %}",
        ),
    ];
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn template_failure_is_reported_with_its_line() {
    let toml = "[llm.prompts]\nclassify = \"prompts/classify.md\"\n";
    let project = Project::new().with_flows().file("fsmsim.toml", toml);
    // Values that can be missing in a dialogue expand to an empty string.
    let empty = "{% if unclear %}{{ unclear }}{% endif %}{{ slots[99].text }}{{ known[0].name }}.\n---\n{{ utterance }}\n";
    project.write("prompts/classify.md", empty);
    project
        .fsmsim(["prompt", "flows/spin_selling", "--say", "да"])
        .succeeds("unclear.\n");
    project.write(
        "prompts/classify.md",
        "{{ standard }}\n---\n\n{{ utterance }}\n{{ 7 // (known | length) }}\n",
    );
    let stderr = project
        .fsmsim(["prompt", "flows/spin_selling", "--say", "да"])
        .refuses("error[FS0310]");
    assert!(
        stderr.contains("cannot render the prompt for ")
            && stderr.contains("prompts/classify.md:5"),
        "{stderr}"
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
fn failed_template_prevents_the_request() {
    let server = Server::start(vec![Shape::OpenAi.says(&reading("agreement").to_string())]);
    let provider = format!(
        "[[llm.chain]]\nname = \"a\"\nbase_url = \"{}\"\nmodel = \"m\"\n",
        server.url
    );
    let toml = format!("{provider}[llm.prompts]\nclassify = \"prompts/classify.md\"\n");
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
    let error = "cannot render the prompt for `classify` at prompts/classify.md:4: ";
    for llm in ["live", "record", "record-missing", "record"] {
        let run = project
            .fsmsim(["test", "--llm", llm])
            .about(llm)
            .unavailable(error, "");
        assert!(run.stdout.contains("1 unavailable"), "{run}");
    }
    project
        .fsmsim(["test", "--llm", "replay"])
        .unavailable("", "cannot find the cassette");
    assert!(server.requests().is_empty());
    let trace = project
        .fsmsim(["trace", "scenarios/a.yaml", "--llm", "live"])
        .unavailable("", "")
        .stdout;
    let failed = &turns(&trace)[0]["answers"][0]["failed"][0];
    assert!(
        failed["by"] == "a" && failed["why"].as_str().unwrap().starts_with(error),
        "{failed}"
    );
    // The previous recording is preserved.
    project.write("fsmsim.toml", &provider);
    project
        .fsmsim(["test", "--llm", "record"])
        .without_usage()
        .succeeds("1 passed");
    let old = project.read("cassettes/a/one.jsonl");
    project.write(
        "fsmsim.toml",
        format!("{provider}[llm.prompts]\nclassify = \"prompts/classify.md\"\n"),
    );
    project
        .fsmsim(["test", "--llm", "record"])
        .unavailable(error, "is unchanged");
    assert_eq!(project.read("cassettes/a/one.jsonl"), old);
    server.stop();
}
