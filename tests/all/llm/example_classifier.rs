//! The example classifier: recognizes utterances by the examples of the model.

use fsmsim_adapters::llm::{ExampleClassifier, Scene, Task};
use fsmsim_core::engine::{Machine, Need, Session};
use fsmsim_core::machine::{List, Profile, Value};
use fsmsim_dialects::dialect::Loader;
use fsmsim_syntax::diagnostic::Diagnostics;
use proptest::prelude::*;

use crate::support::Project;

fn load(path: &std::path::Path) -> Machine {
    let mut found = Diagnostics::default();
    let machine = Loader::default().load(path, Profile::Documented, None, &mut found);
    assert!(found.is_empty(), "{found:?}");
    machine.unwrap()
}

/// The interpretation of an utterance in the initial state.
fn reading(machine: &Machine, say: &str) -> Option<Value> {
    let need = Need::Classify {
        state: machine.initial,
    };
    let scene = Scene {
        machine,
        session: &Session::new(machine),
        say: Some(say),
        at: None,
        instruction: "",
        history: &[],
        knowledge: &[],
    };
    let Some(Task::Classify(task)) = Task::of(&need, &scene) else {
        panic!("no task")
    };
    ExampleClassifier::read(&task)
}

fn intent(reading: &Value) -> &str {
    reading.get("intent").and_then(Value::as_text).unwrap()
}

fn confidence(reading: &Value) -> f64 {
    reading
        .get("confidence")
        .and_then(Value::as_number)
        .unwrap()
}

fn alternatives(reading: &Value) -> &List {
    let Some(Value::List(others)) = reading.get("alternatives") else {
        panic!("{reading}")
    };
    others
}

#[test]
fn every_example_is_classified_as_its_intent() {
    for path in [
        "flows/spin_selling",
        "flows/bant",
        "flows/bant_parallel.yaml",
        "flows/support.yaml",
    ] {
        let machine = load(path.as_ref());
        let mut count = 0;
        for id in machine.intents.ids() {
            for example in &machine.description(id).examples {
                let reading = reading(&machine, example).unwrap();
                assert_eq!(
                    intent(&reading),
                    machine.names.intents.name(id),
                    "{path}: {example}"
                );
                assert!(confidence(&reading) > 0.5, "{path}: {example}");
                let closest = reading.get("closest").and_then(Value::as_text);
                assert_eq!(closest, Some(&**example), "{path}");
                count += 1;
            }
        }
        assert!(count > 50, "{path} has {count} examples");
    }
}

#[test]
fn paraphrases_are_classified_as_the_expected_intent() {
    let said = [
        ("здравствуйте, это вы звонили?", "greeting"),
        ("а сколько стоит ваша система?", "price_question"),
        ("какие у вас цены?", "price_question"),
        ("расскажите, какие есть тарифы", "pricing_details"),
        ("что умеет ваша программа?", "question_features"),
        ("есть интеграция с почтой?", "question_integrations"),
        ("чем вы отличаетесь от конкурента?", "comparison"),
        ("это очень дорого", "objection_price"),
        ("у нас уже есть система", "objection_competitor"),
        ("мне сейчас некогда", "objection_no_time"),
        ("я ещё подумаю", "objection_think"),
        ("давайте не сейчас", "objection_timing"),
        ("слишком сложная система", "objection_complexity"),
        ("нам такое не нужно", "objection_no_need"),
        ("нас 120 человек", "info_provided"),
        ("мы теряем клиента за клиентом", "problem_revealed"),
        ("хотелось бы навести порядок", "need_expressed"),
        ("покажете демо?", "demo_request"),
        ("перезвоните в понедельник", "callback_request"),
        ("мой телефон 8 900 111-22-33", "contact_provided"),
        ("соедините меня с человеком", "request_human"),
        ("вернёмся к прошлому вопросу", "go_back"),
        ("спасибо вам", "gratitude"),
        ("до свидания!", "farewell"),
    ];
    let machine = load("flows/spin_selling".as_ref());
    let wrong: Vec<_> = said
        .iter()
        .map(|(say, wanted)| (*say, *wanted, reading(&machine, say)))
        .filter(|(_, wanted, read)| read.as_ref().map(intent) != Some(wanted))
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn utterance_unlike_all_examples_is_rejected() {
    let machine = load("flows/spin_selling".as_ref());
    for say in [
        "",
        " … ?!",
        "квадратный корень",
        "lorem ipsum dolor",
        "🙂🙂",
        "\u{0}\u{202e}",
    ] {
        assert_eq!(reading(&machine, say), None, "{say}");
    }
}

#[test]
fn tie_selects_the_first_intent_and_lists_the_other() {
    let flow = "\
flow: {name: twins}
states: {greeting: {rules: {later: a, sooner: b}}}
intents:
  sooner: {examples: [knock knock]}
  later: {examples: [knock knock, '', ' - ']}
";
    let project = Project::new().file("twins.yaml", flow);
    let machine = load(&project.path().join("twins.yaml"));
    let best = reading(&machine, "Knock, KNOCKING").unwrap();
    assert_eq!(intent(&best), "later");
    assert_eq!(
        alternatives(&best).iter().map(intent).collect::<Vec<_>>(),
        ["sooner"]
    );
    assert_eq!(best, reading(&machine, "Knock, KNOCKING").unwrap());
}

#[test]
fn free_text_can_be_typed_with_the_example_classifier() {
    let project = Project::new().with_flows();
    let lines = "Здравствуйте!\nХотелось бы не видеть этого\nДа, хочу\nквадратный корень\n";
    insta::assert_snapshot!(
        project
            .fsmsim(["run", "flows/spin_selling", "--llm", "examples"])
            .stdin(lines)
            .shown()
    );
}

#[test]
fn rejected_utterance_is_recorded_with_its_reason() {
    let project = Project::new().with_flows();
    let run = project
        .fsmsim(["run", "flows/spin_selling", "--llm", "examples"])
        .stdin("квадратный корень\n:trace\n")
        .run();
    let turn = crate::support::turns(&run.stdout).pop().unwrap();
    assert_eq!(
        turn["answers"],
        serde_json::json!([{"need": "classify", "by": null, "answer": null,
            "failed": [{"by": "examples", "why": "no example is similar to the utterance"}]}])
    );
}

#[test]
fn common_intents_without_examples_have_stock_examples() {
    let flow = "flow: {name: bare, entry_points: {default: a}}\nstates: {a: {rules: {greeting: hello, farewell: bye, order_tea: pour}}}\n\
        intents: {greeting: {examples: [Aloha]}}\n";
    let project = Project::new().file("bare.yaml", flow);
    let machine = load(&project.path().join("bare.yaml"));
    let read = |say: &str| reading(&machine, say).map(|read| intent(&read).to_owned());
    assert_ne!(read("Good evening").as_deref(), Some("greeting"));
    assert_eq!(read("Добрый вечер").as_deref(), Some("greeting"));
    assert_eq!(read("До свидания!").as_deref(), Some("farewell"));
    assert_eq!(read("good bye").as_deref(), Some("farewell"));
    assert_eq!(read("ordering tea").as_deref(), Some("order_tea"));
}

#[test]
fn intent_that_the_state_handles_is_preferred() {
    let flow = "\
flow: {name: shop, entry_points: {default: till}}
states:
  till: {rules: {pay_cash: take_it}, transitions: {go: door}}
  door: {rules: {pay_card: take_it}}
intents:
  pay_cash: {examples: [I want to pay, cash please]}
  pay_card: {examples: [I want to pay, card please]}
  go: {examples: [let us go]}
";
    let project = Project::new().file("shop.yaml", flow);
    let best = reading(&load(&project.path().join("shop.yaml")), "I want to pay").unwrap();
    assert_eq!(intent(&best), "pay_cash");
    let other = alternatives(&best).iter().next().unwrap();
    assert_eq!(intent(other), "pay_card");
    assert!(confidence(&best) > 1.5 * confidence(other), "{best}");
}

#[test]
fn model_can_set_the_score_of_no_intent() {
    let project = Project::new().file(
        "t.yaml",
        "\
flow: {name: tea, entry_points: {default: a}}
constants: {disambiguation: {thresholds: {none_below: 0.99}}}
states: {a: {rules: {order_tea: pour}}}
intents: {order_tea: {examples: [a green tea, black tea please]}}
",
    );
    let machine = load(&project.path().join("t.yaml"));
    assert_eq!(reading(&machine, "a green tea"), None);
}

#[test]
fn words_of_phrases_are_examples() {
    let flow = "\
flow: {name: shop, entry_points: {default: a}}
states: {a: {rules: {complaint_refund: pay, complaint_parcel: search}}}
intents:
  complaint_refund: {say: '^give back my money$'}
  complaint_parcel: {say: '^where is the box$'}
";
    let project = Project::new().file("shop.yaml", flow);
    let machine = load(&project.path().join("shop.yaml"));
    let read = |say: &str| reading(&machine, say).map(|read| intent(&read).to_owned());
    assert_eq!(
        read("I want the money back").as_deref(),
        Some("complaint_refund")
    );
    assert_eq!(
        read("my boxes, where are they?").as_deref(),
        Some("complaint_parcel")
    );
}

proptest! {
    #[test]
    fn confidences_are_valid_and_at_most_the_best(say in "\\PC{0,60}|[а-яёА-ЯЁ ]{0,60}|[a-z' ]{0,60}") {
        static MACHINE: std::sync::LazyLock<Machine> =
            std::sync::LazyLock::new(|| load("flows/bant_parallel.yaml".as_ref()));
        if let Some(reading) = reading(&MACHINE, &say) {
            let best = confidence(&reading);
            prop_assert!((0.0..=1.0).contains(&best));
            prop_assert!(alternatives(&reading).iter().map(confidence).all(|other| other <= best));
        }
    }
}
