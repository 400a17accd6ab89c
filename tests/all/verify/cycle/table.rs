//! A table of all violations.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::super::breach::Breach;

/// The rules of the table with their descriptions.
const RULES: [(&str, &str); 15] = [
    ("unknown_state", "only the five nodes work"),
    (
        "a_committed_task_has_done_all_subtasks",
        "what is committed has no subtask that was not done",
    ),
    (
        "an_approval_says_so",
        "the task goes from VALIDATE to COMMIT by a report that says so, and nothing else",
    ),
    (
        "validations_keep_to_the_limit",
        "there are four validations at most",
    ),
    (
        "counter_out_of_bounds",
        "the task is planned anew three times at most",
    ),
    (
        "shared_memory_is_written_by_commit_alone",
        "shared memory, and knowledge, is written by the node of COMMIT alone",
    ),
    (
        "nothing_is_shared_before_it_is_validated",
        "nothing is written there before an approving verdict",
    ),
    (
        "a_refused_action_is_not_committed",
        "what is committed has no refused action behind which none succeeded",
    ),
    (
        "a_task_keeps_its_id",
        "a task can be asked for by its id, whatever happens",
    ),
    (
        "a_task_comes_to_an_end",
        "what is begun is committed, failed or cancelled some time",
    ),
    ("wrong_final", "nothing is over before it is"),
    (
        "a_task_fails_by_a_rule",
        "a task fails by the limit of plans, its deadline, its budget, a time-out or a refused commit",
    ),
    (
        "a_failed_task_is_failed",
        "the status of a task that failed says so",
    ),
    ("undeclared_transition", "no way is taken that there is not"),
    ("phase_out_of_step", "the phase is that of the node"),
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
    let mut text = String::from("| rule | what it says | runs | restarts |\n|---|---|---|---|\n");
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
