//! What is broken in which dialogue and turn, and what all that comes to.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};

use serde_json::Value;

/// Something that is broken in a turn of a dialogue.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Breach {
    dialogue: String,
    turn: u64,
    /// The rule; of a property, its name.
    rule: String,
}

/// The rules of the table, and what they say. Those of each point begin with a `_`.
const RULES: [(&str, &str); 20] = [
    (
        "phase_out_of_step",
        "the phase is that of what is asked: first questions in EXPLORING, follow-ups in DEEPENING, the end in FINALIZING",
    ),
    (
        "it_ends_only_when_nothing_is_left_to_ask",
        "no point is open and ready at the end, or the limit of questions is reached",
    ),
    ("_is_asked_again_only_after_its_answer", "a follow-up asks about what was just answered"),
    ("undeclared_transition", "the interview leads there at all"),
    ("_is_completed_by_its_own_answer", "a point becomes complete in a turn that answers it"),
    ("_holds_its_own_answers", "what is stored for a point was answered to it"),
    ("_is_asked_once", "there is one first question about a point"),
    ("unknown_state", "a question is about a point"),
    ("follow_ups_within_budget", "there are no more follow-ups than the budget has"),
    ("counter_out_of_bounds", "counters stay within their limits"),
    ("_loses_no_answer", "something is stored for a point that was just answered"),
    ("_waits_for_what_it_depends_on", "what a point depends on is complete before it is asked"),
    ("_is_not_complete_without_an_answer", "something is stored for a point that becomes complete"),
    ("_waits_for_what_matters_more", "no point of higher priority is open and ready where a point is asked"),
    ("_is_not_asked_where_it_is_complete", "a complete point is not asked"),
    ("_is_not_asked_where_it_is_passed_over", "a point that is passed over is not asked"),
    ("_is_complete_only_when_it_is_sure_enough", "a complete point has a confidence of 0.7 at least"),
    ("questions_within_limit", "there are no more than 30 questions"),
    ("the_end_names_its_rule", "an interview that is over says by which rule"),
    ("phases_follow_their_edges", "no interview begins again, and none begins with a follow-up"),
];

impl Breach {
    /// A finding of `verify`.
    pub(super) fn of(finding: &Value) -> Self {
        let rule = finding["rule"].as_str().unwrap();
        let name = finding["found"].as_str().and_then(|found| found.split('`').nth(1));
        Self {
            dialogue: finding["dialogue"].as_str().unwrap().to_owned(),
            turn: finding["turn"].as_u64().unwrap(),
            rule: if rule == "broken_property" { name.unwrap() } else { rule }.to_owned(),
        }
    }

    /// A line of the second computation.
    pub(super) fn told(line: &str) -> Option<Self> {
        let mut parts = line.split('\t');
        let (dialogue, turn) = (parts.next()?.to_owned(), parts.next()?.parse().ok()?);
        Some(Self { dialogue, turn, rule: parts.next()?.to_owned() })
    }

    /// Whether it is against this rule, of whatever point.
    fn is_against(&self, rule: &str) -> bool {
        if rule.starts_with('_') { self.rule.ends_with(rule) } else { self.rule == rule }
    }
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.turn, self.rule)
    }
}

/// How many dialogues and turns break each rule, as a table for people.
pub(super) fn table(found: &BTreeSet<Breach>) -> String {
    let strange = |breach: &&Breach| RULES.iter().all(|(rule, _)| !breach.is_against(rule));
    assert_eq!(found.iter().find(strange), None, "the table does not have it");
    let mut turns: BTreeMap<&str, BTreeSet<(&str, u64)>> = BTreeMap::new();
    for (rule, _) in RULES {
        let broken = found.iter().filter(|breach| breach.is_against(rule));
        turns.insert(rule, broken.map(|breach| (&*breach.dialogue, breach.turn)).collect());
    }
    let mut text = String::from("| rule | what it says | dialogues | turns |\n|---|---|---|---|\n");
    for (rule, words) in RULES {
        let broken = &turns[rule];
        let dialogues: BTreeSet<&str> = broken.iter().map(|(dialogue, _)| *dialogue).collect();
        let point = if rule.starts_with('_') { "POINT" } else { "" };
        writeln!(text, "| `{point}{rule}` | {words} | {} | {} |", dialogues.len(), broken.len()).unwrap();
    }
    text
}
