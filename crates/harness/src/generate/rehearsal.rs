//! Plays scenarios before they are written.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use super::draft::DialogueDraft;
use super::goals::Goals;
use crate::coverage::{CoverageEvent, CoverageSet};
use crate::limits::MAX_TITLE_ITEMS;
use crate::scenario::{ModelKey, OpenScenario, Runner, TurnCollector};
use fsmsim_core::engine::{Machine, RecordView};
use fsmsim_core::machine::{IntentId, Value};
use fsmsim_core::trace::RecordField;
use fsmsim_syntax::terminal::Joined;

/// The fields that a turn expects if they differ from those of the turn before.
const CHANGING: [RecordField; 4] = [
    RecordField::State,
    RecordField::Action,
    RecordField::Class,
    RecordField::ContractClass,
];

/// The introduction of the covered items.
const COVERS: &str = "Generated: it expects the current behavior. Covers:";

/// The results of one turn.
pub(super) struct RehearsedTurn {
    changing: Vec<Value>,
    /// A scenario fails on a violation that it does not expect.
    violations: Value,
    pub intent: Option<IntentId>,
    events: Vec<CoverageEvent>,
}

/// The results of the turns of a dialogue.
#[derive(Default)]
pub(super) struct SeenDialogue {
    pub coverage: CoverageSet,
    pub turns: Vec<RehearsedTurn>,
}

/// A scenario that was generated.
#[derive(Clone, Debug)]
pub struct GeneratedScenario {
    pub title: String,
    /// The file, as YAML.
    pub text: String,
    /// The items that no other scenario covers, in words.
    pub covers: Vec<String>,
    /// Whether a person should write better words.
    pub is_rough: bool,
    pub(super) coverage: CoverageSet,
}

/// Plays dialogues of a model as scenarios.
pub(super) struct Rehearsal<'r> {
    pub runner: &'r Runner<'r>,
    pub key: &'r ModelKey,
    pub machine: &'r Arc<Machine>,
    /// The path of the model in scenarios.
    pub place: &'r str,
    /// The path that scenarios will have.
    pub path: &'r Path,
    /// The revision that scenarios were generated from.
    pub revision: &'r Value,
}

impl TurnCollector for SeenDialogue {
    fn turn(&mut self, line: &RecordView<'_>) {
        let mut own = CoverageSet::default();
        own.turn(line);
        self.coverage.add(&own);
        let value = |field: &RecordField| match field.text(line) {
            Some(text) => Value::text(text),
            None => field.value(line),
        };
        self.turns.push(RehearsedTurn {
            changing: CHANGING.iter().map(value).collect(),
            violations: RecordField::Violations.value(line),
            intent: line.record.intent,
            events: own.each().map(|(event, _)| event).collect(),
        });
    }

    fn join(&mut self, later: Self) {
        *self = later;
    }
}

impl SeenDialogue {
    /// The expectations of each turn: the fields that change, and all of them in the last turn.
    fn expectations(&self) -> Vec<Value> {
        let mut before: Option<&RehearsedTurn> = None;
        let mut all = Vec::new();
        for (number, turn) in self.turns.iter().enumerate() {
            let is_last = number + 1 == self.turns.len();
            let fields = CHANGING.iter().zip(&turn.changing).enumerate();
            let changed = fields.filter_map(|(at, (field, value))| {
                let is_same = before.and_then(|before| before.changing.get(at)) == Some(value);
                (value.filled() && (is_last || !is_same)).then(|| (field.name(), value.clone()))
            });
            let field = RecordField::Violations.name();
            let violations = Some((field, turn.violations.clone()));
            let violations = violations.filter(|(_, violations)| violations.filled());
            all.push(Value::map(changed.chain(violations)));
            before = Some(turn);
        }
        all
    }
}

impl Rehearsal<'_> {
    /// Plays a draft without expectations; `None` if it is invalid.
    pub(super) fn seen(&self, draft: &DialogueDraft) -> Option<SeenDialogue> {
        let text = draft.yaml(&self.head("dialogue"), &[], self.machine).ok()?;
        let mut seen = SeenDialogue::default();
        self.passes(&text, &mut seen)?;
        (seen.turns.len() == draft.turns.len()).then_some(seen)
    }

    /// The scenario of a draft that covers these goals for the first time. `None` if it does not pass, or does not cover
    /// them again.
    pub(super) fn scenario(
        &self,
        draft: &DialogueDraft,
        seen: &SeenDialogue,
        goals: &Goals<'_>,
        new: &BTreeSet<u32>,
    ) -> Option<GeneratedScenario> {
        let mut rest = new.clone();
        let mut covers = Vec::new();
        for turn in &seen.turns {
            for goal in goals.of(turn.events.iter().copied()) {
                let goal = Some(goal).filter(|goal| rest.remove(goal));
                covers.extend(goal.and_then(|goal| Some(goals.goal(goal)?.in_words())));
            }
        }
        let shown = covers.iter().take(MAX_TITLE_ITEMS).joined("; ");
        let title = match covers.len().saturating_sub(MAX_TITLE_ITEMS) {
            0 => shown,
            more => format!("{shown}; and {more} more"),
        };
        let head = self.head(&title);
        let yaml = draft.yaml(&head, &seen.expectations(), self.machine).ok()?;
        let text = draft.commented(&yaml, COVERS, &covers);
        let mut again = SeenDialogue::default();
        let is_kept =
            self.passes(&text, &mut again)? && new.is_subset(&goals.of_set(&again.coverage));
        is_kept.then(|| GeneratedScenario {
            title,
            text,
            covers,
            is_rough: draft.turns.iter().any(|turn| turn.note.is_some()),
            coverage: again.coverage,
        })
    }

    fn head(&self, title: &str) -> Vec<(&'static str, Value)> {
        let profile = self.key.variant.profile;
        let is_named = profile != self.runner.project.profile.unwrap_or_default();
        let profile = is_named.then(|| ("profile", Value::text(profile.name())));
        let meta = Value::map([("generated", self.revision.clone())]);
        [
            ("scenario", Value::text(title)),
            ("model", Value::text(self.place)),
        ]
        .into_iter()
        .chain(profile)
        .chain([("meta", meta)])
        .collect()
    }

    /// Plays a scenario that is not saved. Returns whether it passes; `None` if it is invalid.
    fn passes(&self, text: &str, seen: &mut SeenDialogue) -> Option<bool> {
        let scenario = OpenScenario::unsaved(self.runner.project, self.path, text)?;
        let (passed, _) = scenario.play(self.runner, (self.key, self.machine), true, None, seen)?;
        Some(passed)
    }
}
