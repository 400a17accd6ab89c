//! Comparison of two recognizers, comparison with a baseline, and the HTML report.

use serde_json::{Value, json};

use super::formats::shop;
use crate::support::Project;

const GOOD: &str = "rules: [{say: a, answer: {intent: agreement, confidence: 0.9}}, {answer: {intent: price_question, confidence: 0.8}}]\n";
const BAD: &str = "rules: [{answer: {intent: price_question}}]\n";

fn project() -> Project {
    let said: String = (0..20)
        .map(|number| {
            format!("- {{say: a {number}, intent: agreement}}\n- {{say: b {number}, intent: price_question}}\n")
        })
        .collect();
    shop()
        .file("good.yaml", GOOD)
        .file("bad.yaml", BAD)
        .file("said.yaml", said)
}

fn eval(project: &Project, more: &[&str]) -> crate::support::Invocation {
    project
        .fsmsim(["eval", "shop.yaml", "said.yaml"])
        .args(more)
}

#[test]
fn two_recognizers_or_a_report_are_compared_in_pairs() {
    let project = project();
    let text = eval(
        &project,
        &["--llm", "mock:good.yaml", "--against", "mock:bad.yaml"],
    )
    .succeeds("Comparison");
    assert!(
        text.contains("accuracy 100.0 % and 50.0 %: -50.0 points"),
        "{text}"
    );
    assert!(
        text.contains(
            "correct only with mock:good.yaml: 20\n  a 0  (agreement, not price_question)"
        ),
        "{text}"
    );
    let both = eval(
        &project,
        &[
            "--llm",
            "mock:good.yaml",
            "--against",
            "mock:bad.yaml",
            "--format",
            "json",
        ],
    )
    .succeeds("");
    let both: Value = serde_json::from_str(&both).unwrap();
    let compared = &both["comparison"];
    assert_eq!(
        (&compared["both"], &compared["neither"], &compared["p"]),
        (&json!(20), &json!(0), &json!(0.0))
    );
    assert_eq!(compared["only_first"].as_array().unwrap().len(), 20);
    let interval = &compared["accuracy"]["interval"];
    assert!(
        interval["low"].as_f64().unwrap() < -0.5 && interval["high"].as_f64().unwrap() > -0.5,
        "{interval}"
    );
    assert!(interval["high"].as_f64().unwrap() < 0.0, "{interval}");
    // The saved report of the second recognizer gives the same comparison.
    eval(
        &project,
        &["--llm", "mock:bad.yaml", "--report", "json=b.json"],
    )
    .succeeds("");
    let one = eval(
        &project,
        &[
            "--llm",
            "mock:good.yaml",
            "--against",
            "b.json",
            "--format",
            "json",
        ],
    )
    .succeeds("");
    let one: Value = serde_json::from_str(&one).unwrap();
    assert_eq!(one["comparison"], *compared);
    // An utterance that only one side contains is omitted.
    project.write(
        "said.yaml",
        project.read("said.yaml") + "- {say: new, intent: none}\n",
    );
    eval(
        &project,
        &["--llm", "mock:good.yaml", "--against", "b.json"],
    )
    .succeeds("1 omitted");
}

#[test]
fn significant_decline_from_the_baseline_fails() {
    let project = project();
    eval(
        &project,
        &[
            "--llm",
            "mock:good.yaml",
            "--report",
            "json=good.json",
            "--report",
            "html=p.html",
        ],
    )
    .succeeds("");
    eval(
        &project,
        &["--llm", "mock:good.yaml", "--baseline", "good.json"],
    )
    .succeeds("Comparison with the baseline");
    eval(
        &project,
        &["--llm", "mock:bad.yaml", "--baseline", "good.json"],
    )
    .fails(
        1,
        "",
        "accuracy fell from 100.0 % in the baseline to 50.0 %",
    );
    eval(
        &project,
        &[
            "--llm",
            "mock:bad.yaml",
            "--baseline",
            "good.json",
            "--tolerance",
            "50",
        ],
    )
    .fails(1, "", "macro F1 fell from");
    eval(
        &project,
        &[
            "--llm",
            "mock:bad.yaml",
            "--baseline",
            "good.json",
            "--tolerance",
            "70",
        ],
    )
    .succeeds("");
    // One error in forty might be random, so it fails only with `--tolerance 0`.
    project.write("slip.yaml", "rules: [{say: ^a 3$, answer: {intent: price_question}}, {say: a, answer: {intent: agreement}}, {answer: {intent: price_question}}]\n");
    eval(
        &project,
        &["--llm", "mock:slip.yaml", "--baseline", "good.json"],
    )
    .succeeds("");
    eval(
        &project,
        &[
            "--llm",
            "mock:slip.yaml",
            "--baseline",
            "good.json",
            "--tolerance",
            "0",
        ],
    )
    .fails(1, "", " fell from ");
    eval(&project, &["--baseline", "none.json"]).refuses("none.json");
    eval(&project, &["--baseline", "said.yaml"]).refuses("invalid evaluation report");
    let page = project.read("p.html");
    assert!(
        page.contains("recognition quality") && page.contains("price_question"),
        "{page}"
    );
    project
        .fsmsim(["merge", "good.json"])
        .refuses("cannot merge reports of `eval`");
}

#[test]
fn report_without_common_utterances_is_refused() {
    let project = project();
    eval(
        &project,
        &["--llm", "mock:good.yaml", "--report", "json=good.json"],
    )
    .succeeds("");
    project.write("twin.yaml", project.read("shop.yaml"));
    for option in ["--baseline", "--against"] {
        let other = [
            "eval",
            "twin.yaml",
            "said.yaml",
            "--llm",
            "mock:bad.yaml",
            option,
            "good.json",
        ];
        project
            .fsmsim(other)
            .refuses("expected a report on the model `twin.yaml`, found one on `shop.yaml`");
    }
    // If most utterances differ, the number compared is reported. If all differ, the report is refused.
    project.write(
        "said.yaml",
        "- {say: a 1, intent: agreement}\n- {say: new, intent: price_question}\n",
    );
    let run = eval(
        &project,
        &["--llm", "mock:good.yaml", "--baseline", "good.json"],
    )
    .warns("", "1 compared with the baseline, 40 skipped");
    assert_eq!(run.code, 0, "{run}");
    for said in [
        "- {say: new, intent: agreement}\n",
        "- {say: a 1, intent: price_question}\n",
    ] {
        project.write("said.yaml", said);
        for option in ["--baseline", "--against"] {
            eval(&project, &["--llm", "mock:bad.yaml", option, "good.json"])
                .refuses("no labeled utterance in common");
        }
    }
}

#[test]
fn utterances_are_escaped_in_html() {
    let project = project().file("said.yaml", "- {say: '</script><script>alert(1)</script>', intent: none, tags: ['<b>']}\n- {say: '<i>', intent: agreement}\n");
    eval(
        &project,
        &["--llm", "mock:bad.yaml", "--report", "html=p.html"],
    )
    .succeeds("");
    let page = project.read("p.html");
    assert!(
        !page.contains("<script>alert") && !page.contains("<i>"),
        "{page}"
    );
}

#[test]
fn scenario_can_expect_the_interpretation() {
    let scenario = |expect: &str| {
        let text = format!(
            "scenario: A\nmodel: flows/spin_selling\nllm: m.yaml\nturns: [{{say: maybe, expect: {expect}}}]\n"
        );
        let mock = "rules: [{answer: {intent: price_question, confidence: 0.5, also: [greeting], data: {company_size: 5}, alternatives: [{intent: comparison, confidence: 0.45}]}}]\n";
        Project::new()
            .with_flows()
            .file("s.yaml", text)
            .file("m.yaml", mock)
            .fsmsim(["test", "s.yaml"])
            .without_usage()
            .run()
    };
    for expect in [
        "{intent: disambiguation_needed, read: {intent: price_question, confidence: {at_most: 0.6}, also: [greeting], data: {company_size: 5}}}",
        "{read: {intent: {in: [price_question, comparison]}, alternatives: [{intent: comparison}]}}",
    ] {
        let run = scenario(expect);
        assert_eq!(run.code, 0, "{run}");
    }
    let run = scenario("{intent: price_question, read: {confidence: {at_least: 0.9}}}");
    assert!(
        run.code == 1
            && run
                .stdout
                .contains("intent: expected \"price_question\", got \"disambiguation_needed\""),
        "{run}"
    );
    assert!(run.stdout.contains("read.confidence: expected"), "{run}");
    for (expect, why) in [
        ("{intent: price_qestion}", "exists: `price_question`"),
        (
            "{read: {intent: price_qestion}}",
            "exists: `price_question`",
        ),
        ("{read: {confidenc: 1}}", "exists: `confidence`"),
        (
            "{read: {data: {company_sise: 1}}}",
            "exists: `company_size`",
        ),
        ("{raed: {}}", "exists: `read`"),
    ] {
        let run = scenario(expect);
        assert!(run.code == 2 && run.stderr.contains(why), "{run}");
    }
}
