//! A scenario played for its trace alone: whatever it expects.

use super::rule_changes::RuleChanges;
use crate::scenario::PreparedScenario;
use fsmsim_core::machine::RuleId;
use fsmsim_core::trace::{JsonLine, TracedDialogue, TracedHeader};
use fsmsim_syntax::diagnostic::Diagnostics;

/// A scenario that was played, as a trace tells it.
#[derive(Debug)]
pub(super) struct TracedScenario {
    pub(super) dialogue: TracedDialogue,
    /// The rules that decided each turn: of the action, and of the move.
    pub(super) rules: Vec<[Option<RuleId>; 2]>,
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
    let header = TracedHeader {
        dialogue: name.to_owned(),
        ..TracedHeader::default()
    };
    let mut dialogue = TracedDialogue::new(header, 1, "");
    let (mut unread, mut all_rules) = (false, Vec::new());
    let mut json = JsonLine::default();
    for turn in prepared.turns() {
        let played = runner.play(&turn.scripted);
        let line = played.view;
        unread |= played.unread.is_some();
        json.clear();
        line.write(&mut json);
        let outcome = line.record.outcome.as_ref();
        let won = outcome
            .map(|outcome| [outcome.by_action, outcome.by_transition])
            .unwrap_or_default();
        let won = won.map(|won| won.and_then(|won| won.rule));
        dialogue.push_played(
            &json,
            changes.as_deref_mut().map(|changes| changes.winning(won)),
        );
        all_rules.push(won);
    }
    runner.into_answerer().finish(found);
    TracedScenario {
        dialogue,
        rules: all_rules,
        unread,
    }
}
