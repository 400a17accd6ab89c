//! A scenario played for its trace alone: whatever it expects.

use super::rule_changes::RuleChanges;
use crate::diagnostic::Diagnostics;
use crate::scenario::PreparedScenario;
use crate::trace::{JsonLine, TracedDialogue, TracedHeader, WinningRules};

/// A scenario that was played, as a trace tells it.
#[derive(Debug)]
pub(super) struct TracedScenario {
    /// The dialogue.
    pub(super) dialogue: TracedDialogue,
    /// In some turn nobody read what was said.
    pub(super) unread: bool,
}

/// Plays a scenario as a dialogue of this name. `changes` knows which rules the other side has too.
pub(super) fn trace_scenario(
    prepared: &PreparedScenario<'_>,
    name: &str,
    mut changes: Option<&mut RuleChanges<'_>>,
    found: &mut Diagnostics,
) -> TracedScenario {
    let mut runner = prepared.runner();
    let header = TracedHeader { dialogue: name.to_owned(), ..TracedHeader::default() };
    let mut dialogue = TracedDialogue::new(header, 1, "");
    let mut unread = false;
    let mut json = JsonLine::default();
    for turn in prepared.turns() {
        let played = runner.play(&turn.scripted);
        let line = played.view;
        unread |= played.unread.is_some();
        json.clear();
        line.write(&mut json);
        let outcome = line.record.outcome.as_ref();
        let rules = changes.as_deref_mut().zip(outcome).map(|(changes, outcome)| WinningRules {
            action: outcome.by_action.and_then(|won| won.rule).map(|rule| changes.mark(rule)),
            transition: outcome.by_transition.and_then(|won| won.rule).map(|rule| changes.mark(rule)),
        });
        dialogue.push_played(&json, rules);
    }
    runner.into_answerer().finish(found);
    TracedScenario { dialogue, unread }
}
