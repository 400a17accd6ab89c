//! Choices, forks, joins, regions and history: the nodes that a turn passes through, and invalid graphs.

use crate::support::{Invocation, Project};

/// Runs these turns of a flow as a scenario.
fn play(flow: &str, turns: &str) -> Invocation {
    let scenario = format!("scenario: Branches\nmodel: flow.yaml\nsignals: none\nturns:\n{turns}");
    Project::new()
        .file("flow.yaml", flow)
        .file("scenarios/a.yaml", scenario)
        .fsmsim(["test"])
}

fn passes(flow: &str, turns: &str) {
    play(flow, turns).succeeds("");
}

/// Three branches that each end with a different intent.
fn three(condition: &str) -> String {
    format!(
        "\
flow: {{name: three, policy: sales}}
states:
  greeting: {{transitions: {{agreement: split}}}}
  split:
    type: fork
    branches:
      - {{id: a, start_at: in_a, handles: [a_done]}}
      - {{id: b, start_at: in_b, handles: [b_done]}}
      - {{id: c, start_at: in_c, handles: [c_done], condition: {{not: {{slot: no_c}}}}}}
    join_at: together
  in_a: {{transitions: {{a_done: _branch_complete}}}}
  in_b: {{transitions: {{b_done: together}}}}
  in_c: {{transitions: {{c_done: _complete}}}}
  together: {{type: join, join_condition: {condition}, transitions: {{agreement: end}}}}
  end: {{is_final: true}}
slots: {{no_c: {{}}, go: {{}}}}
"
    )
}

#[test]
fn all_complete_waits_for_all_branches() {
    passes(
        &three("all_complete"),
        "  - {intent: agreement}\n  - {intent: c_done, expect: {action: join_waiting}}\n  - {intent: a_done}\n  - {intent: b_done, expect: {state: together, class: join, action: transition_to_together}}\n  - {intent: agreement, expect: {state: end}}\n",
    );
}

#[test]
fn any_complete_needs_one_branch() {
    passes(
        &three("any_complete"),
        "  - {intent: agreement}\n  - intent: b_done\n    expect: {state: together, class: join, branches: [], events: {contains: [{event: branch_dropped, branch: a}, {event: branch_dropped, branch: c}]}}\n",
    );
}

#[test]
fn majority_needs_more_than_half_of_the_branches() {
    passes(
        &three("majority"),
        "  - {intent: agreement}\n  - {intent: a_done, expect: {action: join_waiting}}\n  - {intent: c_done, expect: {state: together}}\n",
    );
}

#[test]
fn n_of_m_counts_skipped_branches() {
    let flow = three("{n_of_m: 2}");
    passes(
        &flow,
        "  - {intent: agreement}\n  - {intent: a_done}\n  - {intent: b_done, expect: {state: together}}\n",
    );
    passes(
        &flow,
        "  - {intent: agreement, data: {no_c: true}}\n  - {intent: a_done, expect: {state: together, class: join}}\n",
    );
}

#[test]
fn join_completes_after_its_timeout() {
    passes(
        &three("{timeout_turns: 2}"),
        "  - {intent: agreement}\n  - {intent: unclear, expect: {state: in_a}}\n  - {intent: unclear, expect: {state: together, class: join, events: {contains: [{event: join_timeout}]}}}\n",
    );
}

#[test]
fn first_match_routes_unhandled_turns_to_the_first_branch() {
    let flow = three("all_complete").replace(
        "    join_at: together\n",
        "    join_at: together\n    routing: first_match\n",
    );
    passes(
        &flow,
        "  - {intent: agreement}\n  - {intent: unclear, expect: {state: {from: in_a}}}\n  - {intent: unclear, expect: {state: {from: in_a}}}\n  - {intent: c_done, expect: {state: {from: in_c}}}\n",
    );
}

#[test]
fn round_robin_takes_branches_in_turn() {
    let own = "handles: [a_done]";
    let flow = three("all_complete")
        .replace(&format!(", {own}"), "")
        .replace(", handles: [b_done]", "");
    // `c_done` is handled out of turn, so it changes nothing for the other branches.
    passes(
        &flow,
        "  - {intent: agreement}
  - {intent: unclear, expect: {state: {from: in_a, to: in_a}}}
  - {intent: c_done, expect: {state: {from: in_c, to: in_b}}}
  - {intent: unclear, expect: {state: {from: in_b}}}
  - {intent: a_done, expect: {state: {from: in_a, to: in_b}}}
  - {intent: b_done, expect: {state: together, class: join}}
",
    );
    passes(
        &flow,
        "  - {intent: agreement}
  - {intent: a_done, expect: {state: {from: in_a, to: in_b}}}
  - {before: [{op: snapshot}], intent: b_done, expect: {state: {from: in_b, to: in_c}}}
",
    );
}

#[test]
fn events_of_nodes_have_their_time_and_origin() {
    passes(
        &three("any_complete"),
        "  - intent: agreement
    at: 2026-02-01T10:00:00Z
    expect:
      events:
        - {event: fork_started, node: split, branch: null, from: greeting, to: together, at: \"2026-02-01T10:00:00Z\"}
        - {event: branch_activated, branch: a, from: split, to: in_a, at: \"2026-02-01T10:00:00Z\"}
        - {event: branch_activated, branch: b, from: split, to: in_b}
        - {event: branch_activated, branch: c, from: split, to: in_c}
  - intent: b_done
    expect:
      events:
        - {event: branch_completed, branch: b, from: in_b, at: null}
        - {event: branch_dropped, branch: a, from: in_a}
        - {event: branch_dropped, branch: c, from: in_c}
        - {event: join_complete, from: in_b, to: together}
",
    );
}

#[test]
fn fork_with_only_skipped_branches_joins_immediately() {
    let flow = three("all_complete")
        .replace("{id: a,", "{id: a, condition: {slot: go},")
        .replace("{id: b,", "{id: b, condition: {slot: go},");
    passes(
        &flow,
        "  - {intent: agreement, data: {no_c: true}, expect: {state: together, class: join, path: [split]}}\n",
    );
}

#[test]
fn nested_fork_waits_for_its_own_branches() {
    let flow = "\
flow: {name: nested}
states:
  greeting: {transitions: {agreement: outer}}
  outer:
    type: fork
    branches: [{id: left, start_at: in_left, handles: [deeper, inner_end]}, {id: right, start_at: in_right, handles: [right_done]}]
    join_at: outer_join
  in_left: {transitions: {deeper: inner}}
  inner:
    type: fork
    branches: [{id: x, start_at: in_x, handles: [x_done]}, {id: y, start_at: in_y, handles: [y_done]}]
    join_at: inner_join
  in_x: {transitions: {x_done: _branch_complete}}
  in_y: {transitions: {y_done: _branch_complete}}
  inner_join: {type: join, transitions: {inner_end: _branch_complete}}
  in_right: {transitions: {right_done: _branch_complete}}
  outer_join: {type: join, transitions: {agreement: end}}
  end: {is_final: true}
";
    let turns = "
  - {intent: agreement, expect: {state: in_left}}
  - intent: deeper
    expect:
      state: in_x
      branches:
        - {id: left, state: inner, status: waiting}
        - {id: right, status: active}
        - {id: x, state: in_x, status: active}
        - {id: y, status: active}
  - {intent: y_done, expect: {action: join_waiting}}
  - intent: x_done
    expect: {state: inner_join, class: join, branches: [{id: left, state: inner_join, status: active}, {id: right, status: active}]}
  - {intent: right_done}
  - {intent: inner_end, expect: {state: outer_join, class: join, branches: []}}
";
    passes(flow, turns);
}

#[test]
fn deep_history_resumes_a_more_nested_state_than_shallow() {
    let flow = |kind: &str| {
        format!(
            "\
flow: {{name: history}}
states:
  greeting: {{transitions: {{agreement: booking}}}}
  booking: {{history: {kind}, transitions: {{agreement: dates}}}}
  dates: {{region: booking, history: shallow, transitions: {{agreement: month}}}}
  month: {{region: dates, transitions: {{question: aside}}}}
  aside: {{transitions: {{back: booking}}}}
"
        )
    };
    let turns = |state: &str| {
        format!(
            "  - {{intent: agreement}}\n  - {{intent: agreement}}\n  - {{intent: agreement, expect: {{state: month}}}}\n  - {{intent: question, expect: {{state: aside}}}}\n  - {{intent: back, expect: {{state: {state}, path: [booking]}}}}\n"
        )
    };
    passes(&flow("deep"), &turns("month"));
    passes(&flow("shallow"), &turns("dates"));
}

#[test]
fn each_branch_has_its_own_return_state() {
    let flow = "\
flow: {name: ways_back, policy: sales}
states:
  greeting: {transitions: {agreement: split}}
  split:
    type: fork
    branches: [{id: a, start_at: in_a, handles: [objection_price]}, {id: b, start_at: in_b, handles: [objection_think, b_done]}]
    join_at: together
    routing: first_match
  in_a: {transitions: {objection_price: handle_objection, a_done: _branch_complete}}
  in_b: {transitions: {b_done: _branch_complete}}
  handle_objection: {}
  together: {type: join}
";
    let turns = "
  - {intent: agreement}
  - {intent: objection_price, expect: {state: handle_objection, return_state: in_a, class: digress}}
  - {intent: b_done, expect: {state: {from: in_b, to: handle_objection}, return_state: in_a}}
  - {intent: agreement, expect: {state: in_a, return_state: null, class: resume}}
";
    passes(flow, turns);
}

#[test]
fn choice_without_a_matching_branch_stays() {
    let flow = "\
flow: {name: stuck, policy: sales}
states:
  greeting: {transitions: {agreement: choose}}
  choose: {type: choice, choices: [{condition: {slot: ready}, next: end}]}
  end: {is_final: true}
slots: {ready: {}}
";
    let run = play(
        flow,
        "  - intent: agreement\n    expect: {state: choose, why: {contains: [choice_without_way]}, events: [{event: choice_stuck}]}\n  - {intent: unclear, expect: {class: blocked}}\n  - {intent: unclear, data: {ready: true}, expect: {state: end, path: [choose]}}\n",
    )
    .warns("", "");
    assert!(
        run.stderr
            .starts_with("warning: 1 warning in 1 model; `fsmsim lint"),
        "{run}"
    );
}

#[test]
fn set_state_closes_open_branches() {
    passes(
        &three("all_complete"),
        "  - {intent: agreement}\n  - {before: [{op: set_state, state: in_b}], intent: unclear, expect: {state: in_b, branches: []}}\n  - {intent: b_done, expect: {state: together, class: move}}\n",
    );
}

#[test]
fn branch_complete_without_a_branch_is_blocked() {
    passes(
        &three("all_complete"),
        "  - before: [{op: set_state, state: in_a}]\n    intent: a_done\n    expect: {state: in_a, class: blocked, why: {contains: [no_branch_to_complete]}}\n",
    );
}

/// The errors of an invalid flow.
fn refused(states: &str) -> String {
    let flow = format!(
        "flow: {{name: broken}}\nstates:\n  greeting: {{transitions: {{agreement: start}}}}\n{states}slots: {{a: {{}}, b: {{}}, x: {{}}}}\n"
    );
    play(&flow, "  - {intent: agreement}\n")
        .fails(2, "", "")
        .stderr
}

#[test]
fn cyclic_choices_are_rejected() {
    insta::assert_snapshot!(refused(
        "  start: {type: choice, choices: [{condition: {slot: a}, next: second}], default: end}
  second: {type: choice, choices: [{condition: {slot: b}, next: third}], default: end}
  third: {type: fork, branches: [{id: x, start_at: start}], join_at: together}
  together: {type: join}
  end: {}
"
    ));
}

#[test]
fn join_with_an_unknown_branch_is_rejected() {
    insta::assert_snapshot!(refused(
        "  start: {type: fork, branches: [{id: budget, start_at: ask}], join_at: together}
  ask: {transitions: {agreement: _branch_complete}}
  together: {type: join, expects_branches: [budget, authority]}
"
    ));
}

#[test]
fn branch_that_cannot_complete_is_rejected() {
    insta::assert_snapshot!(refused(
        "  start: {type: fork, branches: [{id: a, start_at: ask}, {id: b, start_at: loop}], join_at: together}
  ask: {transitions: {agreement: _branch_complete}}
  loop: {transitions: {agreement: again}}
  again: {transitions: {agreement: loop}}
  together: {type: join}
"
    ));
}

#[test]
fn malformed_nodes_are_rejected() {
    insta::assert_snapshot!(refused(
        "  start: {type: forc}
  one: {type: fork, branches: [{id: a, start_at: nowhere}, {id: a, start_at: one}, {start_at: one}, 5], join_at: greeting}
  two: {type: fork, branches: []}
  three: {type: choice, choices: [{condition: no_such, nxt: one}], default: nowhere}
  four: {type: join, expects_branches: [a], join_condition: most}
  five: {type: join, expects_branches: [a], join_condition: {n_of_m: 3}}
  six: {type: parallel, regions: [a], join_at: four}
  seven: {type: parallel, join_at: four}
  eight: {history: flat, region: nowhere}
  nine: {type: fork, branches: [{id: z, start_at: one}], routing: random, join_at: four}
"
    ));
}

#[test]
fn mutually_nested_regions_are_rejected() {
    insta::assert_snapshot!(refused(
        "  start: {region: other, history: deep}\n  other: {region: start, history: deep}\n"
    ));
}

#[test]
fn fork_that_joins_itself_is_rejected() {
    insta::assert_snapshot!(refused(
        "  start: {type: parallel, regions: {a: {initial: ask, condition: {slot: x}}}, join_at: start}\n  ask: {transitions: {agreement: _branch_complete}}\n"
    ));
}
