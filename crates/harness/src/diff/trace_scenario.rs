//! Runs a scenario only to get its trace, ignoring its expectations.

use std::sync::Arc;

use super::rule_changes::{NamedModel, RuleChanges};
use crate::scenario::PreparedScenario;
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::{RuleId, Variant};
use fsmsim_core::trace::{JsonLine, TracedDialogue, TracedHeader, TurnReport, WinningRules};
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};

/// A scenario run, as a trace.
#[derive(Debug)]
pub(super) struct TracedScenario {
    /// The dialogue, named after the scenario.
    pub dialogue: TracedDialogue,
    pub by: PlayedBy,
    /// No recognizer could read the utterance of at least one turn.
    pub unread: bool,
}

/// The machine and rules that a dialogue was run with.
#[derive(Clone, Debug)]
pub struct PlayedBy {
    pub(super) machine: Arc<Machine>,
    /// The variant of the machine.
    pub(super) variant: Variant,
    /// The rules that decided each turn: one for the action and one for the transition.
    rules: Vec<[Option<RuleId>; 2]>,
}

impl TracedScenario {
    pub(super) fn of(prepared: &PreparedScenario<'_>, found: &mut Diagnostics) -> Self {
        let mut runner = prepared.runner();
        let header = TracedHeader {
            dialogue: prepared.title.clone(),
            ..TracedHeader::default()
        };
        let mut dialogue = TracedDialogue::new(header, 1, "");
        let mut unread = false;
        let mut rules = Vec::new();
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

    /// The turns. They are always readable, because this program wrote them.
    pub(super) fn turns(&self) -> Option<Vec<TurnReport>> {
        self.dialogue
            .turns("", &mut Diagnostics::default(), &mut SourceMap::default())
    }
}

impl PlayedBy {
    /// Marks the deciding rules that are missing or different on the other side.
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
