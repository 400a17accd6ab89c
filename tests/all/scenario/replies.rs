//! Expectations of the replies of a turn, without an LLM judge.

use crate::support::Project;

const FLOW: &str = "\
flow: {name: stall, policy: sales, entry_points: {default: counter}}
slots: {people: {}}
states:
  counter: {rules: {price_question: name_price, greeting: greet_back}, transitions: {farewell: bye}}
  bye: {is_final: true, on_enter: {says: [Доброго дня!, Ждём вас.]}}
replies:
  name_price: Для {{people}} человек — 5 тыс. руб. в месяц, т. е. 100 руб. на каждого. Подходит?
  transition_to_bye: До свидания!
";

/// A scenario with one turn and an expectation of `replies`.
fn expecting(turn: &str, replies: &str) -> Project {
    let scenario = format!(
        "scenario: Said\nmodel: flow.yaml\nturns:\n  - {{{turn}, expect: {{replies: {replies}}}}}\n"
    );
    Project::new()
        .file("flow.yaml", FLOW)
        .file("scenarios/a.yaml", scenario)
}

const PRICE: &str = "intent: price_question, data: {people: 50}";
const BYE: &str = "intent: farewell";

#[test]
fn replies_of_a_turn_are_checked_together() {
    let holding = [
        (
            PRICE,
            "{contains: 5 тыс, not_contains: [скидка, '$'], max_sentences: 2, max_characters: 90}",
        ),
        (
            PRICE,
            "{contains: [Для 50 человек, Подходит], matches: '\\?$', not_matches: ['^\\s', '(?i)бесплатно']}",
        ),
        (PRICE, "{in_order: [Для, руб, Подходит]}"),
        (PRICE, "{not: {contains: [скидка]}}"),
        (PRICE, "{not: []}"),
        (BYE, "[До свидания!, Доброго дня!, Ждём вас.]"),
        (BYE, "{contains: [Доброго дня!], max_sentences: 3}"),
        (BYE, "{contains: Ждём, matches: [свидания, '(?m)^Ждём']}"),
        (BYE, "{contains: [\"До свидания!\\nДоброго\"]}"),
        (BYE, "{any: [До свидания!]}"),
        ("intent: greeting", "[]"),
        (
            "intent: greeting",
            "{max_sentences: 0, max_characters: 0, not_contains: a}",
        ),
    ];
    for (turn, replies) in holding {
        expecting(turn, replies)
            .fsmsim(["test"])
            .about(replies)
            .succeeds("1 passed");
    }
    let failing = [
        (
            PRICE,
            "{max_sentences: 1}",
            "expected at most 1 sentence, got 2 sentences: [\"Для 50",
        ),
        (
            PRICE,
            "{max_characters: 20}",
            "expected at most 20 characters, got 74 characters: [\"Для 50",
        ),
        (
            PRICE,
            "{not_contains: [скидка, руб]}",
            "expected a reply without any of [\"скидка\", \"руб\"], got [\"Для 50",
        ),
        (PRICE, "{not_contains: [скидка, руб]}", "found \"руб\""),
        (
            PRICE,
            "{matches: '^Цена'}",
            "expected a string that matches `^Цена`, got",
        ),
        (
            PRICE,
            "{not_matches: тыс}",
            "found a string that matches `тыс`",
        ),
        (
            PRICE,
            "{not: {contains: [Подходит]}}",
            "expected not a value that contains all of [\"Подходит\"]",
        ),
        (
            PRICE,
            "Пять тысяч",
            "expected \"Пять тысяч\", got [\"Для 50",
        ),
        (
            BYE,
            "[До свидания!]",
            "expected [\"До свидания!\"], got [\"До свидания!\", \"Доброго дня!\", \"Ждём вас.\"]",
        ),
        (
            BYE,
            "{in_order: [Ждём, Доброго]}",
            "expected a value that contains in this order",
        ),
        (
            "intent: greeting",
            "{contains: a}",
            "expected a value that contains all of [\"a\"], got []",
        ),
        ("intent: greeting", "{not: []}", "expected not [], got []"),
    ];
    for (turn, replies, message) in failing {
        expecting(turn, replies)
            .fsmsim(["test"])
            .about(replies)
            .fails(1, message, "");
    }
}

#[test]
fn invalid_replies_expectation_is_reported_with_its_line() {
    let wrong = [
        ("{contain: a}", "exists: `contains`"),
        ("{max_sentence: 1}", "exists: `max_sentences`"),
        ("{contains: []}", "`contains` contains no expectation"),
        ("{}", "`replies` contains no expectation"),
        ("{max_sentences: -1}", "max_sentences"),
        ("{max_sentences: many}", "max_sentences"),
        ("{matches: '('}", "invalid regular expression"),
        ("{judge: ''}", "the `judge` rubric is empty"),
        (
            "{judge: {rubric: x, votes: 2}}",
            "expected an odd number from 1 to 15 for `votes`, found 2",
        ),
        (
            "{judge: {rubric: x, votes: 17}}",
            "expected an odd number from 1 to 15 for `votes`, found 17",
        ),
        (
            "{judge: {rubric: x, votes: 3, at_least: 4}}",
            "expected a number from 1 to 3 for `at_least`, found 4",
        ),
        ("{judge: {rubrik: x}}", "exists: `rubric`"),
        ("{judge: []}", "`judge` contains no expectation"),
        (
            "{not: {judge: x}}",
            "cannot use `judge` under `never` or `not`",
        ),
    ];
    for (replies, message) in wrong {
        let run = expecting(PRICE, replies)
            .fsmsim(["test"])
            .about(replies)
            .fails(2, "1 invalid", message);
        assert!(run.stderr.contains("scenarios/a.yaml:4:"), "{run}");
    }
    let never = "scenario: x\nmodel: flow.yaml\nnever: [{replies: {judge: x}}]\nturns: [{intent: greeting}]\n";
    let project = Project::new()
        .file("flow.yaml", FLOW)
        .file("scenarios/a.yaml", never);
    project
        .fsmsim(["test"])
        .fails(2, "", "write the opposite as a rubric");
}

#[test]
fn replies_are_checked_in_always_never_and_end() {
    let scenario = |more: &str| {
        format!(
            "scenario: x\nmodel: flow.yaml\n{more}\nturns:\n  - {{{PRICE}}}\n  - {{{BYE}, expected_failure: {{replies: \
             known}}, expect: {{replies: {{contains: Привет}}}}}}\n"
        )
    };
    let test = |more: &str| {
        Project::new()
            .file("flow.yaml", FLOW)
            .file("scenarios/a.yaml", scenario(more))
            .fsmsim(["test"])
    };
    test("always: {replies: {not_contains: гарантия}}\nend: {replies: {contains: Ждём}}")
        .succeeds("1 expected failure");
    test("never: [{replies: {contains: тыс}}]").fails(
        1,
        "never: expected not {replies: a value that contains all of [\"тыс\"]}, got {replies: [\"Для 50",
        "",
    );
    test("end: {replies: {max_sentences: 2}}").fails(1, "end, scenarios/a.yaml:3:32", "");
}

#[test]
fn replies_given_by_the_scenario_are_checked_too() {
    let scenario = "scenario: Led\nmodel: states/student\nturns:\n  - {say: Привет, reply: Здравствуйте! Чем помочь?, \
                    expect: {replies: {contains: помочь, max_sentences: 2, matches: '\\?$'}}}\n";
    let project = Project::new()
        .with("states")
        .file("scenarios/a.yaml", scenario);
    project.fsmsim(["test"]).succeeds("1 passed");
}
