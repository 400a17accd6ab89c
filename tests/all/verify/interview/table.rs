//! A table of all violations.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::super::breach::Breach;

/// The rules of the table with their descriptions. The name of a rule for each point starts with `_`.
const RULES: [(&str, &str); 20] = [
    (
        "phase_out_of_step",
        "the phase is that of what is asked: first questions in EXPLORING, follow-ups in DEEPENING, the end in FINALIZING",
    ),
    (
        "it_ends_only_when_nothing_is_left_to_ask",
        "no point is open and ready at the end, or the limit of questions is reached",
    ),
    (
        "_is_asked_again_only_after_its_answer",
        "a follow-up asks about what was just answered",
    ),
    ("undeclared_transition", "the interview leads there at all"),
    (
        "_is_completed_by_its_own_answer",
        "a point becomes complete in a turn that answers it",
    ),
    (
        "_holds_its_own_answers",
        "what is stored for a point was answered to it",
    ),
    (
        "_is_asked_once",
        "there is one first question about a point",
    ),
    ("unknown_state", "a question is about a point"),
    (
        "follow_ups_within_budget",
        "there are no more follow-ups than the budget has",
    ),
    ("counter_out_of_bounds", "counters stay within their limits"),
    (
        "_loses_no_answer",
        "something is stored for a point that was just answered",
    ),
    (
        "_waits_for_what_it_depends_on",
        "what a point depends on is complete before it is asked",
    ),
    (
        "_is_not_complete_without_an_answer",
        "something is stored for a point that becomes complete",
    ),
    (
        "_waits_for_what_matters_more",
        "no point of higher priority is open and ready where a point is asked",
    ),
    (
        "_is_not_asked_where_it_is_complete",
        "a complete point is not asked",
    ),
    (
        "_is_not_asked_where_it_is_passed_over",
        "a point that is passed over is not asked",
    ),
    (
        "_is_complete_only_when_it_is_sure_enough",
        "a complete point has a confidence of 0.7 at least",
    ),
    (
        "questions_within_limit",
        "there are no more than 30 questions",
    ),
    (
        "the_end_names_its_rule",
        "an interview that is over says by which rule",
    ),
    (
        "phases_follow_their_edges",
        "no interview begins again, and none begins with a follow-up",
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
    let mut text = String::from("| rule | what it says | dialogues | turns |\n|---|---|---|---|\n");
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
