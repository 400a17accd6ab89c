//! A scenario played for its trace alone: whatever it expects.

use super::rule_changes::RuleChanges;
use crate::diagnostic::Diagnostics;
use crate::scenario::Prepared;
use crate::trace::{JsonLine, TracedDialogue, TracedHeader, TracedMachine, WinningRules};

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
        let machine = &prepared.machine;
        let mut runner = prepared.runner();
        let header = TracedHeader {
            dialogue: name.to_owned(),
            machine: TracedMachine {
                name: Some(machine.header.name.clone()),
                dialect: Some(machine.header.dialect.to_owned()),
                source: Some(machine.header.source.clone()),
                profile: Some(runner.settings().profile.name().to_owned()),
            },
            signals: Some(runner.settings().signals.name().to_owned()),
            start: None,
        };
        let mut dialogue = TracedDialogue::new(header, 1);
        let mut unread = None;
        let mut edits = edits;
        let mut json = JsonLine::default();
        for (turn, _) in &prepared.turns.turns {
            let played = runner.play(&turn.scripted);
            let line = played.view;
            if let Some(failure) = played.unread {
                unread = unread.or_else(|| Some((line.record.turn, failure.reason.clone())));
            }
            json.clear();
            line.write(&mut json);
            let outcome = line.record.outcome.as_ref();
            let rules = edits.as_deref_mut().zip(outcome).map(|(edits, outcome)| WinningRules {
                action: outcome.action_rule.map(|rule| edits.mark(rule)),
                transition: outcome.move_rule.map(|rule| edits.mark(rule)),
            });
            dialogue.push_played(&json, rules.unwrap_or_default());
        }
        runner.into_answerer().finish(found);
        Self { dialogue, unread }
    }
}
