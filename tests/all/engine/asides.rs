//! Asides interrupt a dialogue, and `resume` leads back.

use crate::support::Project;

const HOTLINE: &str = "\
flow: {name: hotline, entry_points: {default: hall}}
everywhere:
  transitions: {ask_hours: hours, ask_price: price}
  except: [desk]
states:
  hall: {rules: {info_provided: note}, transitions: {go_on: desk, leave: out}}
  desk: {transitions: {ask_hours: hours, back: hall}}
  hours: {aside: true, transitions: {thanks: resume, quit: hall}}
  price: {aside: true, required_data: [item], transitions: {data_complete: resume}}
  out: {is_final: true}
";

fn passes(flow: &str, turns: &str) {
    let project = Project::new().file("f.yaml", flow).file(
        "s.yaml",
        format!("scenario: S\nmodel: f.yaml\nturns:\n{turns}"),
    );
    project.fsmsim(["test", "s.yaml"]).succeeds("1 passed");
}

#[test]
fn nested_asides_resume_in_reverse_order() {
    passes(
        HOTLINE,
        "
  - {intent: ask_hours, expect: {state: hours, class: digress, return_state: hall}}
  - {intent: ask_price, expect: {state: price, class: digress, return_state: hours}}
  - {intent: ask_price, expect: {state: price, class: hold, return_state: hours}}
  - {intent: info_provided, data: {item: tea}, expect: {state: hours, class: resume, return_state: hall}}
  - {intent: thanks, expect: {state: hall, class: resume, return_state: null}}
",
    );
}

#[test]
fn transition_out_of_an_aside_ends_all_asides() {
    passes(
        HOTLINE,
        "
  - {intent: go_on}
  - {intent: ask_price, expect: {state: desk, class: hold}}
  - {intent: ask_hours, expect: {state: hours, class: digress, return_state: desk}}
  - {intent: quit, expect: {state: hall, return_state: null}}
",
    );
}

#[test]
fn saved_session_keeps_all_return_states() {
    passes(
        HOTLINE,
        "
  - {intent: ask_hours}
  - {intent: ask_price}
  - {before: [{op: snapshot}], intent: info_provided, data: {item: tea}, expect: {state: hours, return_state: hall}}
  - {intent: thanks, expect: {state: hall, class: resume}}
",
    );
}

#[test]
fn resume_without_an_open_aside_stays() {
    let flow = "\
flow: {name: f, entry_points: {default: hall}}
states:
  hall: {transitions: {back: resume, ask: hours, leave: out}}
  hours: {aside: true, transitions: {thanks: resume}}
  out: {is_final: true}
";
    passes(
        flow,
        "  - {intent: back, expect: {state: hall, class: blocked, why: {contains: [no_return_state]}}}\n",
    );
}

#[test]
fn ninth_nested_aside_is_refused_and_nothing_is_lost() {
    let names: Vec<String> = (1..=9).map(|number| format!("a{number}")).collect();
    let states: String = names
        .iter()
        .map(|name| format!("  {name}: {{aside: true, transitions: {{thanks: resume}}}}\n"))
        .collect();
    let moves: Vec<String> = names
        .iter()
        .map(|name| format!("to_{name}: {name}"))
        .collect();
    let flow = format!(
        "flow: {{name: f, entry_points: {{default: hall}}}}\neverywhere: {{transitions: {{{}}}}}\nstates:\n  hall:          {{transitions: {{leave: out}}}}\n{states}  out: {{is_final: true}}\n",
        moves.join(", ")
    );
    let entered = names.iter().take(8);
    let enter: String = entered
        .map(|name| format!("  - intent: to_{name}\n"))
        .collect();
    let refused = "  - {intent: to_a9, expect: {state: a8, class: blocked, why: {contains: [too_many_asides]}}}\n";
    let back = "  - {intent: thanks, expect: {class: resume}}\n".repeat(8);
    let end = "  - {intent: leave, expect: {state: out, class: finish}}\n";
    passes(&flow, &[&enter, refused, &back, end].concat());
}

#[test]
fn modes_of_a_contract_can_be_asides() {
    let contract = "\
kind: contract
initial: talk
modes: {talk: Talks, hours: {aside: true}}
intents: {ask: {say: when}, thank: {say: thanks}}
classes:
  Ask: {owner: topic, intent: ask, requires: nothing, carryover: full, sets: {}, forbids: [], answers: [a], mode: hours}
  Thank: {owner: topic, intent: thank, requires: nothing, carryover: full, sets: {}, forbids: [], answers: [a], mode: resume}
frames: {topic: {carried: root, fields: {name: text}}}
";
    passes(
        contract,
        "
  - {say: when, expect: {state: hours, class: digress, return_state: talk}}
  - {say: thanks, expect: {state: talk, class: resume, return_state: null}}
",
    );
}
