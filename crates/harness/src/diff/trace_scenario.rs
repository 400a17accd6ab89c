//! A scenario played for its trace alone: whatever it expects.

use std::sync::Arc;

use super::rule_changes::{NamedModel, RuleChanges};
use crate::scenario::PreparedScenario;
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::{RuleId, Variant};
use fsmsim_core::trace::{JsonLine, TracedDialogue, TracedHeader, TurnReport, WinningRules};
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};

/// A scenario that was played, as a trace tells it.
#[derive(Debug)]
pub(super) struct TracedScenario {
    /// The dialogue, called as the scenario is.
    pub dialogue: TracedDialogue,
    pub by: PlayedBy,
    /// In some turn nobody read what was said.
    pub unread: bool,
}

/// By what a dialogue was played.
#[derive(Clone, Debug)]
pub struct PlayedBy {
    pub(super) machine: Arc<Machine>,
    /// What was made of its definition.
    pub(super) variant: Variant,
    /// The rules that decided each turn: of the action, and of the move.
    rules: Vec<[Option<RuleId>; 2]>,
}

impl TracedScenario {
    /// Plays a scenario.
    pub(super) fn of(prepared: &PreparedScenario<'_>, found: &mut Diagnostics) -> Self {
        let mut runner = prepared.runner();
        let header = TracedHeader {
            dialogue: prepared.title.clone(),
            ..TracedHeader::default()
        };
        let mut dialogue = TracedDialogue::new(header, 1, "");
        let (mut unread, mut rules) = (false, Vec::new());
        let mut json = JsonLine::default();
        for turn in prepared.turns() {
            let played = runner.play(&turn.scripted);
            let line = played.view;
            unread |= played.unread.is_some();
            json.clear();
            line.write(&mut json);
            dialogue.push_played(&json);
            let outcome = line.record.outcome.as_ref();
            let won = outcome
                .map(|outcome| [outcome.by_action, outcome.by_transition])
                .unwrap_or_default();
            rules.push(won.map(|won| won.and_then(|won| won.rule)));
        }
        runner.into_answerer().finish(found);
        Self {
            dialogue,
            by: PlayedBy {
                machine: Arc::clone(&prepared.machine),
                variant: prepared.model.variant,
                rules,
            },
            unread,
        }
    }

    /// The turns. What was written here can be read.
    pub(super) fn turns(&self) -> Option<Vec<TurnReport>> {
        self.dialogue
            .turns("", &mut Diagnostics::default(), &mut SourceMap::default())
    }
}

impl PlayedBy {
    /// Says of the rules that decided which the other side does not have as they are.
    pub(super) fn mark(
        &self,
        turns: &mut [TurnReport],
        names: &[(String, String)],
        other: &Machine,
    ) {
        let machine = &self.machine;
        let mut changes = RuleChanges::new(NamedModel { machine, names }, other);
        for (turn, won) in turns.iter_mut().zip(&self.rules) {
            let [action, transition] = won.map(|rule| rule.map(|rule| changes.mark(rule)));
            turn.rules = WinningRules { action, transition };
        }
    }
}
