//! Frames and classes that a flow or a state set defines in addition to its own rules.

use crate::support::Project;

const FLOW: &str = "\
flow: {name: shop, policy: sales}
states:
  greeting: {optional_data: [size], transitions: {price_question: offer}}
  offer: {transitions: {agreement: deal, price_question: offer}, rules: {price_question: answer}}
  deal: {is_final: true}
frames:
  offer:
    carried: root
    fields: {asked: number, last: text}
classes:
  Price:
    owner: offer
    intent: [price_question]
    requires: nothing
    carryover: full
    forbids: []
    sets: {offer.asked: $turn, offer.last: $reading}
    answers: [price]
    must_not: {price_at_the_end: {state: deal}}
  Deal:
    owner: offer
    intent: [agreement]
    requires: {frame: offer, active: true}
    carryover: none
    forbids: []
    sets: {}
    answers: [deal]
";

#[test]
fn turns_of_a_flow_have_contract_classes() {
    let scenario = "\
scenario: A deal
model: shop.yaml
turns:
  - {intent: price_question, data: {size: 3}, expect: {state: offer, contract_class: Price, frames: {offer: {asked: 1, last: price_question}}, data: {size: 3}}}
  - {intent: agreement, expect: {state: deal, class: finish, contract_class: Deal, frames: {exactly: {}}, carryover: {depth: none, dropped: {contains: [offer.asked]}}, data: {size: 3}}}
";
    let project = Project::new()
        .file("shop.yaml", FLOW)
        .file("s.yaml", scenario);
    project.fsmsim(["test", "s.yaml"]).succeeds("");
    // A turn without a matching class follows the flow, and fails.
    project.write("s.yaml", "scenario: Too soon\nmodel: shop.yaml\nturns:\n  - {intent: agreement, expect: {state: greeting}}\n  - {intent: gratitude}\n  - {intent: price_question, expect: {state: offer}}\n  - {intent: agreement, expect: {state: deal}}\n");
    insta::assert_snapshot!(project.fsmsim(["test", "s.yaml"]).shown());
}

#[test]
fn intents_of_a_flow_have_descriptions_and_phrases() {
    let flow = format!(
        "{FLOW}intents:\n  price_question: {{description: Asks for the price, say: how much}}\n  agreement: {{description: Agrees}}\n"
    );
    let scenario = "\
scenario: A price
model: shop.yaml
turns:
  - {say: 'How much is it?', expect: {intent: price_question, state: offer, contract_class: Price}}
";
    let project = Project::new()
        .file("shop.yaml", &flow)
        .file("s.yaml", scenario);
    project.fsmsim(["test", "s.yaml"]).succeeds("");
    project.write("shop.yaml", flow.replace("\nintents:", "\nreadings:"));
    let lint = project.fsmsim(["lint", "shop.yaml"]);
    lint.fails(1, "", "help: use `intents`");
}

#[test]
fn rules_of_a_flow_can_test_its_frames() {
    let flow = FLOW.replace(
        "rules: {price_question: answer}",
        "rules: {price_question: [{when: {frame: offer, active: true}, then: answer_again}, answer]}",
    );
    let scenario = "\
scenario: Twice
model: shop.yaml
turns:
  - {intent: price_question, expect: {state: offer}}
  - {intent: price_question, expect: {action: answer_again}}
";
    let project = Project::new()
        .file("shop.yaml", flow)
        .file("s.yaml", scenario);
    project.fsmsim(["test", "s.yaml"]).succeeds("");
}

#[test]
fn state_set_loads_its_contract_file() {
    let contract = "\
frames:
  cup: {carried: object, fields: {sort: text}}
intents:
  order: {say: '(?P<sort>black|green)'}
classes:
  Order: {owner: cup, intent: [order], requires: nothing, carryover: full, forbids: [], sets: {cup.sort: {said: sort}}, answers: [order]}
  Talk: {owner: cup, when: {frame: cup, active: true}, requires: nothing, carryover: full, forbids: [], sets: {}, answers: [talk]}
";
    let scenario = "\
scenario: A cup
model: tea
turns:
  - {say: 'Black, please', goto: brew, expect: {state: brew, contract_class: Order, frames: {cup: {sort: black}}}}
  - {say: Thanks, reply: 'You are welcome', expect: {state: brew, contract_class: Talk, carryover: {depth: object_only}}}
";
    let project = Project::new()
        .file(
            "tea/states/init.md",
            "# State: init\n\n## Transitions\n- `brew`\n",
        )
        .file(
            "tea/states/brew.md",
            "# State: brew\n\n## Transitions\n- `init`\n",
        )
        .file("tea/contract.yaml", contract)
        .file("s.yaml", scenario);
    project.fsmsim(["test", "s.yaml"]).succeeds("");
    project.write(
        "tea/contract.yaml",
        contract
            .replace("cup.sort", "cup.size")
            .replace("owner: cup, when", "owner: cap, when"),
    );
    insta::assert_snapshot!(project.fsmsim(["test", "s.yaml"]).shown());
}

#[cfg(feature = "live")]
#[test]
fn prompt_contains_the_intents_and_slots() {
    use crate::support::loopback::{Reaction, Server};
    let contract = "\
kind: contract
modes: [talk]
frames: {cup: {carried: root, fields: {sort: text}}}
intents:
  order: {about: Somebody wants tea, say: 'tea please'}
  thanks: {}
classes:
  Order: {owner: cup, intent: [order], requires: nothing, carryover: full, forbids: [], sets: {cup.sort: {said: sort}}, answers: [order], mode: talk}
";
    let answer = serde_json::json!({"intent": "order", "data": {"sort": "green"}}).to_string();
    let body =
        serde_json::json!({"choices": [{"message": {"role": "assistant", "content": answer}}]})
            .to_string();
    let server = Server::start(vec![Reaction::Answers(200, String::new(), body)]);
    let project = Project::new()
        .file("tea.yaml", contract)
        .file("fsmsim.toml", format!("[[llm.chain]]\nname = \"local\"\nbase_url = \"{}\"\nmodel = \"m\"\n", server.url))
        .file("s.yaml", "scenario: A cup\nmodel: tea.yaml\nturns:\n  - {say: I could do with something warm, expect: {contract_class: Order, frames: {cup: {sort: green}}}}\n");
    project
        .fsmsim(["test", "s.yaml", "--llm", "live"])
        .warns("", "");
    let prompt = &server.requests()[0].body;
    for word in ["order", "Somebody wants tea", "thanks", "sort"] {
        assert!(prompt.contains(word), "{word}: {prompt}");
    }
    server.stop();
}
