//! Imports of Rasa projects.

use crate::support::{Project, Run};

const DOMAIN: &str = r#"version: "3.1"
intents: [greet, order_bread, ask_price, give_details, thanks]
entities: [kind, count]
slots:
  kind: {type: text}
  count: {type: float}
  member: {type: bool}
  city: {type: text, initial_value: Bonn}
forms:
  order_form:
    required_slots: [kind, count]
responses:
  utter_greet:
  - text: Welcome to {city}, dear {guest}!
  - text: Hello
  utter_ask_kind:
  - text: Which bread?
  utter_ask_order_form_count:
  - text: How many of {kind}?
  utter_price:
  - text: Four euros
  utter_member_price:
  - text: Three euros
    buttons:
    - {title: Thanks, payload: /thanks}
  utter_sure:
  - text: Sure.
  utter_thanks:
  - text: |
      You are welcome.
      Anything else?
  utter_old:
  - text: Never said
actions: [action_bake]
"#;

const NLU: &str = r#"version: "3.1"
nlu:
- intent: greet
  examples: |
    - hello
    - good morning
- intent: order_bread
  examples: |
    - I need [rye](kind)
    - [2](count) loaves of [spelt]{"entity": "kind", "value": "dinkel"}, please
- intent: thanks/short
  examples:
  - text: |
      thanks
- synonym: dinkel
  examples: |
    - spelt
"#;

const RULES: &str = r#"version: "3.1"
rules:
- rule: price for members
  condition:
  - slot_was_set:
    - member: true
  steps:
  - intent: ask_price
  - action: utter_member_price
- rule: price for others
  condition:
  - slot_was_set:
    - member: false
  steps:
  - intent: ask_price
  - action: utter_price
- rule: thanks
  steps:
  - intent: thanks
  - action: utter_thanks
- rule: start the order
  steps:
  - intent: order_bread
  - action: utter_sure
  - action: order_form
  - active_loop: order_form
- rule: finish the order
  condition:
  - active_loop: order_form
  steps:
  - action: order_form
  - active_loop: null
  - slot_was_set:
    - requested_slot: null
  - action: action_bake
"#;

const STORIES: &str = r#"version: "3.1"
stories:
- story: greeting
  steps:
  - intent: greet
  - action: utter_greet
"#;

const TESTS: &str = r#"version: "3.1"
stories:
- story: an order with a question
  steps:
  - user: |
      I need bread
    intent: order_bread
  - action: utter_sure
  - action: order_form
  - active_loop: order_form
  - user: thanks
    intent: thanks
  - action: utter_thanks
  - action: order_form
  - user: |
      [rye](kind), please
    intent: give_details
  - action: order_form
  - user: |
      [1](count), no, [2]{"entity": "count"}
    intent: give_details
  - action: order_form
  - active_loop: null
  - action: action_bake
- story: a brief order
  steps:
  - user: bread
    intent: order_bread
  - action: utter_sure
  - action: order_form
  - active_loop: order_form
  - active_loop: null
  - action: action_bake
- story: a guest pays like a member
  steps:
  - slot_was_set:
    - member: false
  - user: how much?
    intent: ask_price
  - action: utter_member_price
"#;

fn bakery() -> Project {
    Project::new()
        .file("bakery/domain.yml", DOMAIN)
        .file("bakery/config.yml", "pipeline: []\n")
        .file("bakery/data/nlu.yml", NLU)
        .file("bakery/data/rules.yml", RULES)
        .file("bakery/data/stories.yml", STORIES)
        .file("bakery/tests/test_stories.yml", TESTS)
}

/// A project with these stories and test stories.
fn project(stories: &str, tests: &str) -> Project {
    Project::new()
        .file("bot/data/stories.yml", stories)
        .file("bot/tests/test_stories.yml", tests)
}

/// Imports the project and runs its scenarios.
fn tested(project: &Project, code: i32, summary: &str) -> Run {
    project.fsmsim(["import", "rasa", "bot", "-o", "out"]).ends(
        0,
        "out/bot.yaml\nout/bot.scenarios.yaml\n",
        "",
    );
    project
        .fsmsim(["test", "out/bot.scenarios.yaml"])
        .ends(code, summary, "")
}

#[test]
fn rasa_project_becomes_a_flow_and_scenarios() {
    let project = bakery();
    let run = project
        .fsmsim(["import", "rasa", "bakery", "-o", "out"])
        .ends(0, "out/bakery.yaml\nout/bakery.scenarios.yaml\n", "omitted");
    let flow = project.read("out/bakery.yaml");
    let scenarios = project.read("out/bakery.scenarios.yaml");
    insta::assert_snapshot!(format!(
        "{}----- flow\n{flow}----- scenarios\n{scenarios}",
        run.shown()
    ));
    project.fsmsim(["lint", "out"]).ends(
        0,
        "1 model: no errors, 8 warnings",
        "no text can fill the slot",
    );
}

#[test]
fn test_stories_are_checked_against_the_flow() {
    let project = bakery();
    project
        .fsmsim(["import", "rasa", "bakery", "-o", "out"])
        .ends(0, "out/bakery.scenarios.yaml", "");
    project.fsmsim(["test", "out/bakery.scenarios.yaml"]).ends(
        1,
        "action: expected \"utter_member_price\", got \"utter_price\"",
        "",
    );
    project
        .fsmsim(["test", "out"])
        .ends(1, "2 passed, 1 failed", "");
}

#[test]
fn scenarios_name_the_file_of_the_flow() {
    let project = bakery();
    project
        .fsmsim(["import", "rasa", "bakery", "-o", "bread/shop.yaml"])
        .ends(0, "bread/shop.yaml\nbread/shop.scenarios.yaml\n", "");
    let scenarios = project.read("bread/shop.scenarios.yaml");
    assert!(
        scenarios.contains("model: \"./shop.yaml\"\n"),
        "{scenarios}"
    );
}

#[test]
fn entity_or_slot_distinguishes_stories() {
    let stories = "stories:\n\
        - story: table with a number\n  steps:\n  - intent: book\n    entities: [{seats: 4}]\n  - action: utter_booked\n\
        - story: table\n  steps:\n  - intent: book\n  - action: utter_how_many\n\
        - story: open\n  steps:\n  - intent: ask_open\n  - action: action_hours\n  - slot_was_set: [{is_open: true}]\n  - action: utter_open\n\
        - story: closed\n  steps:\n  - intent: ask_open\n  - action: action_hours\n  - slot_was_set: [{is_open: false}]\n  - action: utter_closed\n\
        - story: a known guest\n  steps:\n  - slot_was_set: [{guest: Ann}]\n  - intent: greet\n  - action: utter_welcome_back\n\
        - story: a new guest\n  steps:\n  - slot_was_set: [{guest: null}]\n  - intent: greet\n  - action: utter_welcome\n";
    let tests = "stories:\n\
        - story: all\n  steps:\n\
        \x20 - {user: hello, intent: greet}\n  - action: utter_welcome\n\
        \x20 - {user: a table, intent: book}\n  - action: utter_how_many\n\
        \x20 - {user: 'a table for [6](seats)', intent: book}\n  - action: utter_booked\n\
        \x20 - {user: open?, intent: ask_open}\n  - action: action_hours\n  - slot_was_set: [{is_open: false}]\n  - action: utter_closed\n\
        - story: known\n  steps:\n\
        \x20 - slot_was_set: [{guest: Bob}]\n\
        \x20 - {user: hello, intent: greet}\n  - action: utter_welcome_back\n";
    let project = project(stories, tests);
    tested(&project, 0, "2 passed in 5 turns");
    let flow = project.read("out/bot.yaml");
    for condition in [
        "{said: seats, known: true}",
        "{slot: is_open, is: true}",
        "{slot: guest, known: false}",
    ] {
        assert!(flow.contains(condition), "{flow}");
    }
}

#[test]
fn contradicting_stories_and_rules_are_reported() {
    let stories = "stories:\n\
        - story: welcome\n  steps:\n  - intent: greet\n  - action: utter_welcome\n\
        - story: hello\n  steps:\n  - intent: greet\n  - action: utter_hello\n\
        - story: after the welcome\n  steps:\n  - action: utter_welcome\n  - intent: thanks\n  - action: utter_more\n\
        rules:\n\
        - rule: thanks\n  steps:\n  - intent: thanks\n  - action: utter_pleasure\n";
    let said = Project::new()
        .file("bot/data/all.yml", stories)
        .fsmsim(["import", "rasa", "bot"])
        .shown();
    insta::assert_snapshot!(said);
}

#[test]
fn story_that_starts_with_an_action_continues_others() {
    let stories = "stories:\n\
        - story: menu\n  steps:\n  - intent: ask_menu\n  - action: utter_menu\n\
        - story: soup\n  steps:\n  - intent: ask_soup\n  - action: utter_menu\n\
        - story: after the menu\n  steps:\n  - action: utter_menu\n  - intent: agree\n  - action: utter_order\n  - checkpoint: paid\n\
        - story: after the payment\n  steps:\n  - checkpoint: paid\n  - intent: agree\n  - action: utter_bye\n\
        - story: never\n  steps:\n  - action: utter_never\n  - intent: agree\n  - action: utter_bye\n";
    let tests = "stories:\n\
        - story: soup\n  steps:\n\
        \x20 - {user: soup?, intent: ask_soup}\n  - action: utter_menu\n\
        \x20 - {user: yes, intent: agree}\n  - action: utter_order\n\
        \x20 - {user: yes, intent: agree}\n  - action: utter_bye\n";
    let project = project(stories, tests);
    tested(&project, 0, "1 passed in 3 turns");
    project
        .fsmsim(["import", "rasa", "bot"])
        .warns("", "for example `utter_never`");
}

#[test]
fn form_without_known_slots_ends_with_an_event() {
    let stories = "stories:\n\
        - story: report\n  steps:\n  - intent: report\n  - action: report_form\n  - active_loop: report_form\n  - active_loop: null\n  - action: action_report\n\
        - story: stop\n  steps:\n  - intent: report\n  - action: report_form\n  - active_loop: report_form\n  - intent: deny\n  - action: action_deactivate_loop\n  - active_loop: null\n  - action: utter_stopped\n";
    let tests = "stories:\n\
        - story: finished\n  steps:\n\
        \x20 - {user: a leak, intent: report}\n  - action: report_form\n  - active_loop: report_form\n\
        \x20 - {user: in the cellar, intent: inform}\n  - action: report_form\n\
        \x20 - active_loop: null\n  - action: action_report\n\
        - story: stopped\n  steps:\n\
        \x20 - {user: a leak, intent: report}\n  - action: report_form\n  - active_loop: report_form\n\
        \x20 - {user: never mind, intent: deny}\n  - action: action_deactivate_loop\n  - active_loop: null\n  - action: utter_stopped\n";
    let project = project(stories, tests).file("bot/domain.yml", "intents: [inform]\n");
    tested(&project, 0, "2 passed in 5 turns");
    let scenarios = project.read("out/bot.scenarios.yaml");
    assert!(
        scenarios.contains("{event: report_form_done, expect: {action: action_report}}"),
        "{scenarios}"
    );
}

#[test]
fn imported_scenarios_can_always_be_read() {
    let stories =
        "stories:\n- story: colors\n  steps:\n  - intent: ask\n  - action: utter_colors\n";
    let tests = "stories:\n\
        - story: two of one kind\n  steps:\n\
        \x20 - user: 'is [green](shade) or [blue]{\"entity\": \"shade\"} right?'\n    intent: ask\n  - action: utter_colors\n\
        - story: two of one kind!\n  steps:\n\
        \x20 - {user: 'what: [a] \"b\"', intent: ask}\n  - action: utter_unknown\n\
        \x20 - {user: what, intent: never_heard}\n  - action: utter_unknown\n  - action: utter_colors\n";
    let project = project(stories, tests);
    let run = tested(&project, 1, "1 passed, 1 failed");
    assert!(!run.stdout.contains("INVALID"), "{run}");
    let scenarios = project.read("out/bot.scenarios.yaml");
    assert!(scenarios.contains("data: {shade: blue}"), "{scenarios}");
}

#[test]
fn file_with_stories_is_imported_without_a_project() {
    let project = Project::new().file("menu.yml", STORIES);
    let flow = project
        .fsmsim(["import", "rasa", "menu.yml"])
        .succeeds("  name: menu\n");
    assert!(
        flow.contains("    transitions:\n      greet: utter_greet\n"),
        "{flow}"
    );
}
