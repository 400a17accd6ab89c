//! A scenario played for its trace alone: whatever it expects.

use super::rule_changes::RuleChanges;
use crate::diagnostic::Diagnostics;
use crate::scenario::Prepared;
use crate::trace::{JsonLine, RecordView, TracedDialogue, TracedHeader, WinningRules};

/// A scenario that was played, as a trace tells it.
#[derive(Debug)]
pub struct TracedScenario {
    /// The dialogue.
    pub dialogue: TracedDialogue,
    /// Where nobody read what was said, for the first time: the turn, and why.
    pub unread: Option<(u32, String)>,
}

impl TracedScenario {
    /// Plays a scenario as a dialogue of this name. `edits` knows which rules the other side has too.
    #[must_use]
    pub fn of(
        prepared: &Prepared<'_>,
        name: &str,
        edits: Option<&mut RuleChanges<'_>>,
        found: &mut Diagnostics,
    ) -> Self {
        let machine = &*prepared.machine;
        let mut player = prepared.opening.clone().player(machine);
        if let Some(answerer) = prepared.answerer() {
            player = player.asking(answerer);
        }
        let header = TracedHeader { dialogue: name.to_owned(), ..TracedHeader::default() };
        let mut dialogue = TracedDialogue::new(header, 1, "");
        let mut unread = None;
        let mut edits = edits;
        let mut json = JsonLine::default();
        for (turn, _) in &prepared.turns.turns {
            player.play(&turn.scripted);
            if let Some(failure) = player.unread() {
                unread = unread.or_else(|| Some((player.record().turn, failure.reason.clone())));
            }
            let line = RecordView {
                machine,
                session: player.session(),
                scripted: &turn.scripted,
                record: player.record(),
            };
            json.clear();
            line.write(&mut json);
            let outcome = line.record.outcome.as_ref();
            let rules = edits.as_deref_mut().zip(outcome).map(|(edits, outcome)| WinningRules {
                action: outcome.action_rule.map(|rule| edits.mark(rule)),
                transition: outcome.move_rule.map(|rule| edits.mark(rule)),
            });
            dialogue.push_played(&json, rules.unwrap_or_default());
        }
        player.into_company().answerer.finish(found);
        Self { dialogue, unread }
    }
}
