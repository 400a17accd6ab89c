//! A table of all violations.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::super::breach::Breach;

/// The rules of the table with their descriptions. The name of a rule for each point starts with `_`.
const RULES: [(&str, &str); 20] = [
    (
        "phase_out_of_step",
        "first questions are in the phase EXPLORING, follow-ups in DEEPENING, the end in FINALIZING",
    ),
    (
        "it_ends_only_when_nothing_is_left_to_ask",
        "at the end, no point is open and ready, or the limit of questions is reached",
    ),
    (
        "_is_asked_again_only_after_its_answer",
        "a follow-up asks about the point that was just answered",
    ),
    (
        "undeclared_transition",
        "the model declares each transition",
    ),
    (
        "_is_completed_by_its_own_answer",
        "a point becomes complete in a turn that answers it",
    ),
    (
        "_holds_its_own_answers",
        "the stored answers of a point are answers to this point",
    ),
    ("_is_asked_once", "each point has one first question"),
    ("unknown_state", "each question is about a point"),
    (
        "follow_ups_within_budget",
        "the number of follow-ups is within the budget",
    ),
    ("counter_out_of_bounds", "counters stay within their limits"),
    ("_loses_no_answer", "the last answer to a point is stored"),
    (
        "_waits_for_what_it_depends_on",
        "the dependencies of a point are complete before its question",
    ),
    (
        "_is_not_complete_without_an_answer",
        "a complete point has a stored answer",
    ),
    (
        "_waits_for_what_matters_more",
        "no other open and ready point has a higher priority than the point in the question",
    ),
    (
        "_is_not_asked_where_it_is_complete",
        "no question is about a complete point",
    ),
    (
        "_is_not_asked_where_it_is_passed_over",
        "no question is about a skipped point",
    ),
    (
        "_is_complete_only_when_it_is_sure_enough",
        "a complete point has a confidence of at least 0.7",
    ),
    (
        "questions_within_limit",
        "an interview has at most 30 questions",
    ),
    (
        "the_end_names_its_rule",
        "an ended interview names the rule that ended it",
    ),
    (
        "phases_follow_their_edges",
        "an interview starts once, and not with a follow-up",
    ),
];

/// Whether a violation is one of this rule, for any point.
fn is_against(breach: &Breach, rule: &str) -> bool {
    if rule.starts_with('_') {
        breach.rule.ends_with(rule)
    } else {
        breach.rule == rule
    }
}

/// A Markdown table with the number of dialogues and turns that violate each rule.
pub(super) fn table(found: &BTreeSet<Breach>) -> String {
    let unlisted = |breach: &&Breach| RULES.iter().all(|(rule, _)| !is_against(breach, rule));
    assert_eq!(
        found.iter().find(unlisted),
        None,
        "every violated rule is in the table"
    );
    let mut turns: BTreeMap<&str, BTreeSet<(&str, u64)>> = BTreeMap::new();
    for (rule, _) in RULES {
        let broken = found.iter().filter(|breach| is_against(breach, rule));
        turns.insert(
            rule,
            broken
                .map(|breach| (&*breach.dialogue, breach.turn))
                .collect(),
        );
    }
    let mut text = String::from("| rule | requirement | dialogues | turns |\n|---|---|---|---|\n");
    for (rule, words) in RULES {
        let broken = &turns[rule];
        let dialogues: BTreeSet<&str> = broken.iter().map(|(dialogue, _)| *dialogue).collect();
        let point = if rule.starts_with('_') { "POINT" } else { "" };
        writeln!(
            text,
            "| `{point}{rule}` | {words} | {} | {} |",
            dialogues.len(),
            broken.len()
        )
        .unwrap();
    }
    text
}
