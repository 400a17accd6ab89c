//! `fsmsim explain` of what is built in, its page, and the decisions of sources in the REPL.

use crate::support::{Project, text};

#[test]
fn the_page_of_what_is_built_in_is_what_the_program_says() {
    let page = Project::new().fsmsim(["explain", "--page"]).succeeds("");
    assert!(
        page == text("docs/reference.md"),
        "write it anew: fsmsim explain --page > docs/reference.md"
    );
}

#[test]
fn a_name_is_explained_with_its_value_and_where_it_is_set() {
    let project = Project::new();
    let mut shown = String::new();
    for name in [
        "unclear_escalates",
        "limits.max_gobacks",
        "StallGuard",
        "go_back",
        "positive",
        "can_answer_price",
        "circular_flow",
        "handle_objection",
        "stall_guard_eject",
        "is_stuck",
        "signals",
        "StallGard",
        "unclear_escalate",
        "FS9999",
        "nothing of ours",
    ] {
        shown += &format!(
            "$ fsmsim explain {name}\n{}\n",
            project.fsmsim(["explain", name]).shown()
        );
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn a_decision_of_a_source_names_it_its_threshold_and_where_that_is_set() {
    let mut shown = String::new();
    for (start, lines) in [
        ("{state: presentation}", "go_back\n:why\n"),
        (
            "{state: spin_problem, flags: {circular_flow: true}, limits: {max_gobacks: 0}}",
            "go_back\n",
        ),
        (
            "{state: presentation}",
            "unclear\nprice_question\nunclear\nunclear\nprice_question\nunclear\n:why\n",
        ),
        (
            "{state: spin_problem}",
            "objection_price\nobjection_price\nobjection_price\n:why\n",
        ),
        (
            "{state: spin_problem}",
            "small_talk\nsmall_talk\nsmall_talk\nsmall_talk\nsmall_talk\nsmall_talk\n:why\n",
        ),
        (
            "{state: presentation}",
            "request_human price_question=1\n:why\n",
        ),
    ] {
        let project = Project::new().with_flows();
        let run = project
            .fsmsim(["run", "flows/spin_selling", "--start", start])
            .stdin(lines)
            .run();
        shown += &format!("== {start}\n{}\n", run.shown());
    }
    insta::assert_snapshot!(shown);
}
