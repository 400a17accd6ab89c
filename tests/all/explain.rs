//! `fsmsim explain` for built-in names, and the decisions of sources in the REPL.

use crate::support::Project;

#[test]
fn explain_describes_names_and_suggests_similar_ones() {
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
fn decision_names_its_source_and_where_its_threshold_is_set() {
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
