//! Dialogues before they are played with their words.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::scenario::{DraftParts, KeyedTurn, ScenarioDraft, turn_keys};
use fsmsim_core::engine::{Machine, ScriptedTurn};
use fsmsim_core::machine::{IntentId, Value};
use fsmsim_core::trace::turn_line;

/// The request to a person who reads a turn without an example of its intent.
const NO_WORDS: &str = "no example exists: write what the user says";
/// The request to a person who reads a turn whose words do not contain its data.
const OTHER_WORDS: &str = "write words that contain the data";

/// A turn, with a request to the person who reads the scenario.
#[derive(Clone, Debug, Default)]
pub(super) struct DraftTurn {
    pub keys: KeyedTurn,
    pub note: Option<&'static str>,
}

/// Whether a turn has this key.
pub(super) fn has_key(keys: &[(String, Value)], name: &str) -> bool {
    keys.iter().any(|(key, _)| key == name)
}

/// A dialogue before it is played with its words.
#[derive(Clone, Debug, Default)]
pub(super) struct DialogueDraft {
    /// The keys between the model and the turns.
    pub head: Vec<(&'static str, Value)>,
    pub turns: Vec<DraftTurn>,
}

/// The words of users: the examples of each intent, one after the other.
#[derive(Default)]
pub(super) struct ExampleWords {
    used: BTreeMap<IntentId, usize>,
}

impl ExampleWords {
    /// The next example of an intent.
    pub(super) fn next(&mut self, intent: IntentId, machine: &Machine) -> Option<Value> {
        let examples = &machine.description(intent).examples;
        let used = self.used.entry(intent).or_default();
        let text = examples.get(used.checked_rem(examples.len())?)?;
        *used += 1;
        Some(Value::text(text))
    }

    /// Adds the words of a user to a turn without them.
    pub(super) fn complete(
        &mut self,
        mut keys: KeyedTurn,
        intent: Option<IntentId>,
        machine: &Machine,
    ) -> DraftTurn {
        let is_said =
            |intent: &IntentId| machine.is_meant_by_people(*intent) && !machine.is_trigger(*intent);
        let Some(intent) = intent.filter(is_said) else {
            let note = has_key(&keys, "say").then_some(NO_WORDS);
            return DraftTurn { keys, note };
        };
        let has_data = has_key(&keys, "data");
        let note = match self.next(intent, machine) {
            Some(words) => {
                keys.retain(|(key, _)| key != "say");
                keys.insert(0, ("say".to_owned(), words));
                has_data.then_some(OTHER_WORDS)
            }
            None => Some(NO_WORDS),
        };
        DraftTurn { keys, note }
    }
}

impl DialogueDraft {
    /// A recorded dialogue without the expectations of its turns.
    pub(super) fn recorded(draft: ScenarioDraft<'_>) -> Self {
        let (head, turns) = draft.into_parts();
        let is_own = |(key, _): &(&str, Value)| !matches!(*key, "scenario" | "model" | "profile");
        let turns = turns.into_iter().map(|mut keys| {
            keys.retain(|(key, _)| key != "expect");
            DraftTurn { keys, note: None }
        });
        Self {
            head: head.into_iter().filter(is_own).collect(),
            turns: turns.collect(),
        }
    }

    /// A planned dialogue with words. `None` if a turn cannot be written.
    pub(super) fn planned(
        turns: &[ScriptedTurn],
        machine: &Machine,
        words: &mut ExampleWords,
    ) -> Option<Self> {
        let turns = turns.iter().map(|turn| {
            let keys = turn_keys(&turn_line(turn, machine))?;
            (!keys.is_empty()).then(|| words.complete(keys, turn.input.known_intent(), machine))
        });
        let turns = turns.collect::<Option<_>>()?;
        let head = Vec::new();
        Some(Self { head, turns })
    }

    /// The same dialogue without the words of turns that have an intent.
    pub(super) fn without_words(&self) -> Self {
        let mut draft = self.clone();
        for turn in &mut draft.turns {
            if has_key(&turn.keys, "say") && has_key(&turn.keys, "intent") {
                turn.keys.retain(|(key, _)| key != "say");
                turn.note = Some("examples change the dialogue: write other words");
            }
        }
        draft
    }

    /// The scenario as YAML, without its comments. `before` has the keys before those of the draft.
    ///
    /// # Errors
    /// Returns an error if the written text would be read differently.
    pub(super) fn yaml(
        &self,
        before: &[(&'static str, Value)],
        expected: &[Value],
        machine: &Machine,
    ) -> Result<String, String> {
        let (head, turns): DraftParts = (
            before.iter().chain(&self.head).cloned().collect(),
            self.turns.iter().map(|turn| turn.keys.clone()).collect(),
        );
        let expected = expected.iter().map(Some).chain(std::iter::repeat(None));
        let turns = turns.into_iter().zip(expected).map(|(mut keys, expected)| {
            let expected = expected.filter(|expected| expected.filled());
            keys.extend(expected.map(|expected| ("expect".to_owned(), expected.clone())));
            keys
        });
        ScenarioDraft::of_turns(machine, head, turns.collect()).to_yaml()
    }

    /// A scenario with its comments: an introduction with items, and the requests to the person who reads it.
    pub(super) fn commented(&self, yaml: &str, intro: &str, items: &[String]) -> String {
        let mut text = format!("# {intro}\n");
        for item in items {
            let _ = writeln!(text, "#   {item}");
        }
        let mut turns = self.turns.iter();
        for line in yaml.lines() {
            if line.starts_with("  - ")
                && let Some(note) = turns.next().and_then(|turn| turn.note)
            {
                let _ = writeln!(text, "  # {note}");
            }
            let _ = writeln!(text, "{line}");
        }
        text
    }
}
