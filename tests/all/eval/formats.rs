//! Formats of labeled datasets: the accepted keys and the errors for invalid files.

use serde_json::Value;

use crate::support::Project;

const SHOP: &str = "\
flow: {name: shop}
states:
  greeting: {transitions: {agreement: sold, price_question: sold}, optional_data: [company_size, city]}
  sold: {is_final: true}
intents:
  agreement: {description: Agrees, examples: [yes please, all right]}
  price_question: {description: Asks the price, examples: [what does it cost]}
";

pub(super) fn shop() -> Project {
    Project::new().file("shop.yaml", SHOP)
}

/// The error output for an invalid dataset.
fn refused(name: &str, text: impl AsRef<[u8]>) -> String {
    shop()
        .file(name, text)
        .fsmsim(["eval", "shop.yaml", name])
        .refuses("")
}

/// The utterances of a dataset, as the JSON report lists them.
fn read(name: &str, text: &str) -> Vec<Value> {
    let run = shop()
        .file(name, text)
        .fsmsim(["eval", "shop.yaml", name, "--format", "json"])
        .succeeds("");
    let report: Value = serde_json::from_str(&run).unwrap();
    report["utterances"].as_array().unwrap().clone()
}

#[test]
fn yaml_jsonl_and_csv_give_equal_utterances() {
    let yaml = "\
- {say: yes please, intent: agreement, data: {company_size: 5}, tags: [a, b], lang: en}
- {say: 'so, \"what\" is it', intent: price_question, also: [agreement], data: {}, id: x, state: sold}
";
    let jsonl = "\
{\"say\": \"yes please\", \"intent\": \"agreement\", \"data\": {\"company_size\": 5}, \"tags\": [\"a\", \"b\"], \"lang\": \"en\"}

{\"say\": \"so, \\\"what\\\" is it\", \"intent\": \"price_question\", \"also\": [\"agreement\"], \"data\": {}, \"id\": \"x\", \"state\": \"sold\"}
";
    let csv = "\
say,intent,data.company_size,tags,lang,also,id,state
yes please,agreement,5,a b,en,,,
\"so, \"\"what\"\" is it\",price_question,,,,agreement,x,sold
";
    let plain = |mut utterances: Vec<Value>| {
        for utterance in &mut utterances {
            utterance.as_object_mut().unwrap().remove("at");
        }
        utterances
    };
    let first = plain(read("a.yaml", yaml));
    assert_eq!(first.len(), 2);
    assert_eq!(first[0]["key"], "greeting: yes please");
    assert_eq!(first[1]["key"], "x");
    assert_eq!(first, plain(read("a.jsonl", jsonl)));
    assert_eq!(first, plain(read("a.csv", csv)));
    assert_eq!(
        first,
        plain(read(
            "b.csv",
            &csv.replace("so, ", "so; ")
                .replace(',', ";")
                .replace("so; ", "so, ")
        ))
    );
}

#[test]
fn invalid_dataset_is_reported_with_its_location() {
    let cases = [
        (
            "a.yaml",
            "- {say: yes, intent: agrement}\n",
            "a.yaml:1:22",
            "exists: `agreement`",
        ),
        (
            "a.yaml",
            "- {say: yes, intent: agreement, stat: sold}\n",
            "a.yaml:1:33",
            "exists: `state`",
        ),
        (
            "a.yaml",
            "- {say: yes, intent: agreement, state: sould}\n",
            "a.yaml:1:40",
            "exists: `sold`",
        ),
        (
            "a.yaml",
            "- {say: yes, intent: agreement, data: {citi: x}}\n",
            "a.yaml:1:40",
            "exists: `city`",
        ),
        (
            "a.yaml",
            "- {say: yes, intent: agreement, known: {citi: x}}\n",
            "a.yaml:1:41",
            "exists: `city`",
        ),
        (
            "a.yaml",
            "- {say: yes, intent: agreement, also: [none]}\n",
            "a.yaml:1:40",
            "unknown intent `none`",
        ),
        (
            "a.yaml",
            "- {intent: agreement}\n",
            "a.yaml:1:3",
            "missing `say` in a labeled example",
        ),
        (
            "a.yaml",
            "- {say: ' ', intent: agreement}\n",
            "a.yaml:1:9",
            "`say` is empty",
        ),
        (
            "a.yaml",
            "- {say: yes, intent: agreement, history: [{bot: hm}]}\n",
            "a.yaml:1:44",
            "unknown key `bot`",
        ),
        (
            "a.yaml",
            "- {say: yes, intent: agreement, history: [{user: a, assistant: b}]}\n",
            "a.yaml:1:43",
            "one speaker",
        ),
        ("a.yaml", "say: yes\n", "a.yaml:1:1", "a list"),
        ("a.yaml", "- [\n", "a.yaml", "YAML"),
        (
            "a.yaml",
            "- {say: a, intent: agreement, id: 1}\n- {say: b, intent: agreement, id: 1}\n",
            "a.yaml:2:",
            "utterance ID `1`",
        ),
        (
            "a.yaml",
            "- {say: a, intent: agreement}\n- {say: a, intent: agreement}\n",
            "a.yaml:2:",
            "duplicate utterance",
        ),
        (
            "a.yaml",
            "- {say: a, intent: agreement}\n- {say: a, intent: none}\n",
            "a.yaml:2:",
            "`agreement` and `none`",
        ),
        ("a.jsonl", "{\"say\": \"a\"\n", "a.jsonl:1:", "JSON"),
        ("a.jsonl", "[1]\n", "a.jsonl:1:1", "expected a JSON object"),
        (
            "a.csv",
            "say,intent\na,agreement,x\n",
            "a.csv:2:1",
            "expected 2 values in the row, found 3",
        ),
        (
            "a.csv",
            "say,intnt\na,agreement\n",
            "a.csv:1:5",
            "exists: `intent`",
        ),
        (
            "a.csv",
            "say,intent,say\na,agreement,b\n",
            "a.csv:1:12",
            "duplicate column",
        ),
        (
            "a.csv",
            "intent\nagreement\n",
            "a.csv:1:1",
            "missing column `say`",
        ),
        (
            "a.csv",
            "say,intent,data\na,agreement,b\n",
            "a.csv:1:12",
            "data.SLOT",
        ),
        (
            "a.csv",
            "say,intent,state\na,agreement,sould\n",
            "a.csv:2:13",
            "exists: `sold`",
        ),
        (
            "a.csv",
            "say,intent,data.citi\na,agreement,x\n",
            "a.csv:1:12",
            "exists: `city`",
        ),
        (
            "a.jsonl",
            "{\"say\": \"a\"}{\"say\": \"b\"}\n",
            "a.jsonl:1:13",
            "invalid JSON: trailing characters",
        ),
        (
            "a.jsonl",
            "{\"say\": \"a\"} b\n",
            "a.jsonl:1:14",
            "invalid JSON: trailing characters",
        ),
        (
            "a.jsonl",
            "{say: a, intent: agreement}\n",
            "a.jsonl:1:2",
            "invalid JSON: key must be a string",
        ),
        (
            "a.jsonl",
            "{\"say\": \"a\", \"say\": \"b\"}\n",
            "a.jsonl:1:14",
            "`say` is defined twice",
        ),
        (
            "a.json",
            "[{\"say\": \"a\", \"intent\": \"agreement\"}]\nx\n",
            "a.json:2:1",
            "invalid JSON: trailing characters",
        ),
        (
            "a.json",
            "- {say: a, intent: agreement}\n",
            "a.json:1:",
            "invalid JSON",
        ),
        (
            "a.yaml",
            "- {say: a, intent: agreement}\n---\n- {say: b, intent: none}\n",
            "a.yaml:3:1",
            "expected one document",
        ),
        (
            "a.yaml",
            "- {say: a, intent: agreement, also: {a: b}}\n",
            "a.yaml:1:37",
            "expected a list for `also`",
        ),
        (
            "a.yaml",
            "- {say: a, intent: agreement, also: agrement}\n",
            "a.yaml:1:37",
            "exists: `agreement`",
        ),
        (
            "a.yaml",
            "- {say: a, intent: agreement, known: 5}\n",
            "a.yaml:1:38",
            "expected a map for `known`",
        ),
        (
            "a.yaml",
            "- {say: a, intent: agreement, data: 5}\n",
            "a.yaml:1:37",
            "expected a map for `data`",
        ),
        (
            "a.csv",
            "say,intent\na,agreement\n\"b,agreement\nc,none\n",
            "a.csv:3:1",
            "unclosed quotation mark",
        ),
        (
            "a.csv",
            "say,intent\n\"a,agreement\nb,\"none\n",
            "a.csv:3:4",
            "after the closing quotation mark",
        ),
        ("a.txt", "say\n", "a.txt", "`.yaml`"),
        ("a.jsnl", "{}\n", "a.jsnl", "exists: `jsonl`"),
    ];
    for (name, text, location, why) in cases {
        let output = refused(name, text);
        assert!(
            output.contains(location) && output.contains(why),
            "{name}: {text}\n{output}"
        );
    }
    let helps = [
        (
            "a.jsonl",
            "{\"say\": \"a\"\n",
            "write one utterance per line",
        ),
        ("a.jsonl", "", "write one utterance per line"),
        ("a.csv", "", "start with a header such as `say,intent"),
        ("a.yaml", "", "write a list"),
    ];
    for (name, text, help) in helps {
        assert!(refused(name, text).contains(help), "{name}: {text}");
    }
    for (name, text) in [
        ("a.yaml", ""),
        ("a.yaml", "[]\n"),
        ("a.jsonl", "\n \n"),
        ("a.csv", ""),
        ("a.csv", "say,intent\n"),
    ] {
        assert!(
            refused(name, text).contains("contains no utterances"),
            "{name}: {text}"
        );
    }
    for name in ["a.yaml", "a.jsonl", "a.csv"] {
        assert!(
            refused(name, b"say,intent\n\xff\xfe,agreement\n").contains("is not UTF-8 text"),
            "{name}"
        );
        assert!(
            refused(name, vec![b'a'; 17 << 20]).contains("limit 16.0 MiB"),
            "{name}"
        );
    }
    let state_set = Project::new()
        .with("states/student")
        .file("a.yaml", "- {say: a, intent: none}\n");
    state_set
        .fsmsim(["eval", "states/student", "a.yaml"])
        .refuses("error[FS0211]: the model does not recognize intents");
}

#[test]
fn also_accepts_a_string_and_say_is_preserved_verbatim() {
    let read_first = |name, text| read(name, text).remove(0);
    let one = read_first(
        "a.yaml",
        "- {say: yes, intent: price_question, also: agreement}\n",
    );
    assert_eq!(one["also"], serde_json::json!(["agreement"]));
    let one = read_first("a.csv", "say,intent\n\"  yes, please\n\", agreement \n");
    assert_eq!(
        (&one["say"], &one["intent"]),
        (&"  yes, please\n".into(), &"agreement".into())
    );
    assert_eq!(
        read_first("a.csv", "say,intent\n  yes please  ,agreement\n")["say"],
        "yes please"
    );
}

#[test]
fn key_includes_the_context_and_not_the_position() {
    let keys = |text: &str| -> Vec<String> {
        read("a.yaml", text)
            .iter()
            .map(|one| one["key"].as_str().unwrap().to_owned())
            .collect()
    };
    let known = "- {say: a, intent: agreement, known: {city: Rome, company_size: 5}}\n";
    let other = "- {say: a, intent: none, known: {company_size: 5}}\n- {say: a, intent: none, history: [{user: b}]}\n";
    let first = keys(&format!("{known}{known}{other}"));
    assert!(
        first[0].starts_with("greeting: a (#") && first[1] == format!("{} 2", first[0]),
        "{first:?}"
    );
    let mut all = first.clone();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 4);
    let moved = known.replace(
        "{city: Rome, company_size: 5}",
        "{company_size: 5, city: Rome}",
    );
    assert_eq!(
        keys(&format!(
            "- {{say: new, intent: none}}\n\n{moved}{other}{known}"
        ))[1..],
        [0, 2, 3, 1].map(|number: usize| first[number].clone())
    );
    // The key does not depend on line numbers: here all utterances are on one line.
    let line = r#"[{"say": "a", "intent": "none", "known": {"company_size": 5}}, {"say": "a", "intent": "none", "known": {"company_size": 6}}]"#;
    let read = read("a.json", line);
    assert!(
        read[0]["key"] == first[2].as_str() && read[1]["key"] != read[0]["key"],
        "{read:?}"
    );
}

#[test]
fn bundled_datasets_avoid_examples_and_match_schemas() {
    let project = Project::new().with_flows().with("datasets");
    let sets = [
        ("flows/spin_selling", "datasets/spin_selling.yaml"),
        ("flows/it_support.yaml", "datasets/it_support.jsonl"),
        ("flows/clinic.yaml", "datasets/clinic.csv"),
    ];
    let mut all = 0;
    for (model, set) in sets {
        let run = project
            .fsmsim(["eval", model, set, "--format", "json", "--ignore-phrases"])
            .succeeds("");
        let report: Value = serde_json::from_str(&run).unwrap();
        let utterances = report["utterances"].as_array().unwrap();
        assert!(utterances.len() >= 100, "{set}");
        all += utterances.len();
        for utterance in utterances {
            let is_example = utterance["readings"][0]["closest"] == utterance["say"];
            assert!(!is_example, "{utterance:#}");
        }
        for score in report["readers"][0]["measures"]["intents"]
            .as_array()
            .unwrap()
        {
            let support = score["support"].as_u64().unwrap();
            assert!(support == 0 || support >= 2, "{set}: {score}");
        }
    }
    assert!(all >= 300, "{all}");
    let schema = |name: &str| {
        let text = project.fsmsim(["schema", name]).succeeds("");
        jsonschema::validator_for(&serde_json::from_str(&text).unwrap()).unwrap()
    };
    let list: Value = serde_yaml::from_str(&project.read("datasets/spin_selling.yaml")).unwrap();
    assert!(schema("dataset").is_valid(&list));
    for line in project.read("datasets/it_support.jsonl").lines() {
        assert!(
            schema("dataset-line").is_valid(&serde_json::from_str(line).unwrap()),
            "{line}"
        );
    }
}
