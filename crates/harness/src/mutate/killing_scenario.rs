//! The scenario that kills a mutant: the shortest dialogue that differs, with one expectation in its last turn.

use std::sync::Arc;

use super::mutation_suite::MutationSuite;
use crate::limits::MAX_TITLE_VALUE;
use crate::scenario::{KeyedTurn, ModelKey, ScenarioDraft, TurnCollector, turn_keys};
use fsmsim_core::engine::{Machine, RecordView};
use fsmsim_core::machine::Value;
use fsmsim_core::trace::RecordField;
use fsmsim_search::search::PairedTurn;
use fsmsim_syntax::terminal::beginning;

/// The fields that the expectation can name; readers understand the first ones most easily.
const FIELDS: [RecordField; 9] = [
    RecordField::State,
    RecordField::Action,
    RecordField::Class,
    RecordField::ContractClass,
    RecordField::Effects,
    RecordField::Replies,
    RecordField::Violations,
    RecordField::Phase,
    RecordField::Final,
];

/// A dialogue that distinguishes a mutant from its original.
pub(super) struct KillingDialogue<'k> {
    pub suite: &'k MutationSuite<'k>,
    pub key: &'k ModelKey,
    /// The path of the model in the scenario.
    pub model: &'k str,
    pub original: &'k Arc<Machine>,
    pub mutant: &'k Arc<Machine>,
}

/// The values of the fields in each turn.
#[derive(Default)]
pub(super) struct SeenFields(Vec<Vec<Value>>);

impl TurnCollector for SeenFields {
    fn turn(&mut self, line: &RecordView<'_>) {
        let value = |field: &RecordField| match field {
            RecordField::State | RecordField::Phase => {
                field.text(line).map(Value::text).unwrap_or_default()
            }
            field => field.value(line),
        };
        self.0.push(FIELDS.iter().map(value).collect());
    }

    fn join(&mut self, later: Self) {
        self.0.extend(later.0);
    }
}

impl SeenFields {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The first turn that differs from that of a mutant; the last one if the mutant makes the scenario invalid.
    pub(super) fn difference(&self, mutant: Option<&Self>) -> Option<usize> {
        let Some(mutant) = mutant else {
            return self.len().checked_sub(1);
        };
        (0..self.len()).find(|at| self.0.get(*at) != mutant.0.get(*at))
    }
}

impl KillingDialogue<'_> {
    /// The scenario for the steps of a search. What a user says can change signals, so the words are used only if the
    /// difference remains.
    pub(super) fn scenario_of_steps(&self, steps: &[PairedTurn]) -> Option<String> {
        let mut words = [true, false].into_iter();
        words.find_map(|with_words| self.scenario(turns(steps, with_words)?))
    }

    /// The scenario, as YAML. It passes on the original and fails on the mutant. `None` if no single expectation does
    /// that.
    pub(super) fn scenario(&self, turns: Vec<KeyedTurn>) -> Option<String> {
        let (turns, now, changed) = self.shortened(turns)?;
        let changed = changed.unwrap_or_default();
        let [.., last] = &*now.0 else {
            return None;
        };
        let other = changed.0.get(now.len() - 1);
        let values = FIELDS.iter().zip(last).enumerate();
        let mut differing = values
            .filter(|(at, (_, value))| other.and_then(|other| other.get(*at)) != Some(*value));
        let machine = self.original;
        let from = match &*now.0 {
            [.., before, _] => before.first().map(Value::in_words).unwrap_or_default(),
            _ => machine.names.states.name(machine.initial).to_owned(),
        };
        differing.find_map(|(_, (field, value))| self.expecting(&turns, &from, (*field, value)))
    }

    /// The turns up to the first that differs, without those that the difference does not need, and the fields of both
    /// machines.
    fn shortened(
        &self,
        mut turns: Vec<KeyedTurn>,
    ) -> Option<(Vec<KeyedTurn>, SeenFields, Option<SeenFields>)> {
        let mut best = self.until_difference(&mut turns)?;
        let mut at = 0;
        while at < turns.len() && turns.len() > 1 {
            let mut fewer = turns.clone();
            fewer.remove(at);
            match self.until_difference(&mut fewer) {
                Some(seen) => (turns, best) = (fewer, seen),
                None => at += 1,
            }
        }
        let (now, changed) = best;
        Some((turns, now, changed))
    }

    /// Cuts the turns after the first that differs. `None` if no turn differs, or the original does not play all turns.
    fn until_difference(
        &self,
        turns: &mut Vec<KeyedTurn>,
    ) -> Option<(SeenFields, Option<SeenFields>)> {
        let text = self.yaml(turns, "dialogue")?;
        let seen = |machine| {
            let mut seen = SeenFields::default();
            let is_valid = self.passes(&text, machine, &mut seen).is_some();
            is_valid.then_some(seen)
        };
        let mut now = seen(self.original).filter(|now| now.len() == turns.len())?;
        let changed = seen(self.mutant);
        let at = now.difference(changed.as_ref())?;
        turns.truncate(at + 1);
        now.0.truncate(at + 1);
        Some((now, changed))
    }

    /// The scenario with this expectation, if it passes on the original and fails on the mutant.
    fn expecting(
        &self,
        turns: &[KeyedTurn],
        from: &str,
        (field, value): (RecordField, &Value),
    ) -> Option<String> {
        let mut turns = turns.to_vec();
        let last = turns.last_mut()?;
        let input = last.iter().find(|(key, _)| key == "intent");
        let input = match input.or(last.first())? {
            (key, Value::Bool(true)) => key.clone(),
            (_, value) => value.in_words(),
        };
        let title = format!(
            "{input} in {from}: {} is {}",
            field.name(),
            beginning(&value.in_words(), MAX_TITLE_VALUE),
        );
        last.push((
            "expect".to_owned(),
            Value::map([(field.name(), value.clone())]),
        ));
        let text = self.yaml(&turns, &title)?;
        let passes = |machine| self.passes(&text, machine, &mut ());
        let kills = passes(self.original) == Some(true) && passes(self.mutant) != Some(true);
        kills.then_some(text)
    }

    fn yaml(&self, turns: &[KeyedTurn], title: &str) -> Option<String> {
        let profile = self.key.variant.profile;
        let mut head = vec![
            ("scenario", Value::text(title)),
            ("model", Value::text(self.model)),
        ];
        let project = self.suite.runner.project;
        if profile != project.profile.unwrap_or_default() {
            head.push(("profile", Value::text(profile.name())));
        }
        let draft = ScenarioDraft::of_turns(self.original, head, turns.to_vec());
        draft.to_yaml().ok()
    }

    fn passes(
        &self,
        text: &str,
        machine: &Arc<Machine>,
        collector: &mut impl TurnCollector,
    ) -> Option<bool> {
        let scenario = self.suite.open(text)?;
        self.suite.passes(&scenario, (self.key, machine), collector)
    }
}

/// The turns of the original, with examples of their intents if words are wanted.
fn turns(steps: &[PairedTurn], with_words: bool) -> Option<Vec<KeyedTurn>> {
    let turns = steps.iter().map(|step| {
        let [line, _] = &step.lines;
        let mut keys = turn_keys(line)?;
        let has_words = keys.iter().any(|(key, _)| key == "say") || step.words.is_empty();
        if with_words && !has_words {
            keys.insert(0, ("say".to_owned(), Value::text(&step.words)));
        }
        Some(keys)
    });
    turns.collect()
}
