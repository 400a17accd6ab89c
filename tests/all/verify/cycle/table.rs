//! A table of all violations.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::super::breach::Breach;

/// The rules of the table with their descriptions.
const RULES: [(&str, &str); 15] = [
    (
        "unknown_state",
        "only the nodes `analyze`, `plan`, `execute`, `validate` and `commit` run",
    ),
    (
        "a_committed_task_has_done_all_subtasks",
        "a committed task has completed all its subtasks",
    ),
    (
        "an_approval_says_so",
        "a task moves from VALIDATE to COMMIT only after an approving report",
    ),
    (
        "validations_keep_to_the_limit",
        "a task has at most four validations",
    ),
    (
        "counter_out_of_bounds",
        "a task is planned again at most three times",
    ),
    (
        "shared_memory_is_written_by_commit_alone",
        "only the node of COMMIT writes shared memory and knowledge",
    ),
    (
        "nothing_is_shared_before_it_is_validated",
        "shared memory is written only after a verdict that approves the task",
    ),
    (
        "a_refused_action_is_not_committed",
        "in a committed task, a successful action follows each refused action",
    ),
    (
        "a_task_keeps_its_id",
        "a task can always be found by its ID",
    ),
    (
        "a_task_comes_to_an_end",
        "each task is committed, fails or is canceled",
    ),
    ("wrong_final", "only a final state ends a task"),
    (
        "a_task_fails_by_a_rule",
        "a task fails only because of a limit of plans, a deadline, a budget, a timeout or a refused commit",
    ),
    (
        "a_failed_task_is_failed",
        "a failed task has the status of a failed task",
    ),
    ("undeclared_transition", "each transition is declared"),
    ("phase_out_of_step", "each node runs in its own phase"),
];

/// A Markdown table with the number of runs and of restarted tasks that violate each rule.
pub(super) fn table(found: &BTreeSet<Breach>) -> String {
    let unlisted = |breach: &&Breach| RULES.iter().all(|(rule, _)| breach.rule != *rule);
    assert_eq!(
        found.iter().find(unlisted),
        None,
        "every violated rule is in the table"
    );
    let mut broken: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for breach in found {
        broken
            .entry(&breach.rule)
            .or_default()
            .insert(&breach.dialogue);
    }
    let mut text = String::from("| rule | requirement | runs | restarts |\n|---|---|---|---|\n");
    for (rule, words) in RULES {
        let of = |is_restart: bool| {
            let dialogues = broken.get(rule).into_iter().flatten();
            dialogues
                .filter(|dialogue| dialogue.starts_with("restart_") == is_restart)
                .count()
        };
        writeln!(
            text,
            "| `{rule}` | {words} | {} | {} |",
            of(false),
            of(true)
        )
        .unwrap();
    }
    text
}
