//! Scenarios from recorded dialogues that violate their model.

use std::iter::repeat_n;
use std::path::Path;
use std::sync::Arc;

use super::draft::{DialogueDraft, ExampleWords};
use super::recorded::{Declared, without_personal_data};
use super::rehearsal::SeenDialogue;
use crate::scenario::{ModelKey, OpenScenario, Runner, ScenarioDraft, start};
use crate::verify::{Finding, RecordedDialogue, ViolationKind};
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::Value;
use fsmsim_core::trace::RecordField;
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};

/// The introduction of the source.
const INTRO: &str = "Recorded: it fails while the model has another result. Source:";

/// A recorded dialogue that violates its model, to be saved as a scenario that fails.
pub struct ViolatingScenario<'r> {
    pub runner: &'r Runner<'r>,
    pub key: &'r ModelKey,
    pub machine: &'r Arc<Machine>,
    /// The path of the model in scenarios.
    pub place: &'r str,
    /// The path that the scenario will have.
    pub path: &'r Path,
}

impl ViolatingScenario<'_> {
    /// The scenario as YAML, up to the turn of the finding. It has no personal data. The last turn expects the recorded
    /// result, so the scenario fails while the model has another result.
    ///
    /// # Errors
    /// Returns an error if the dialogue cannot be written as a scenario.
    pub fn text(&self, dialogue: &RecordedDialogue, finding: &Finding) -> Result<String, String> {
        let at = finding.at.as_ref();
        let (turn, line) = at.map_or((0, 0), |at| (at.turn, at.line));
        let trace = dialogue.trace(turn, self.place);
        let mut found = Diagnostics::default();
        let mut sources = SourceMap::default();
        let (place, machine) = (self.place, self.machine);
        let draft = ScenarioDraft::of(&trace, "", place, machine, &mut sources, &mut found);
        let reason = || found.items().first().map(|finding| finding.title.clone());
        let draft = draft.ok_or_else(|| reason().unwrap_or_default())?;
        let recorded = DialogueDraft::recorded(draft);
        let intents = recorded.turns.iter().map(|turn| {
            let named = turn.keys.iter().find(|(key, _)| key == "intent");
            machine.names.intents.id(named?.1.as_text()?)
        });
        let mut words = ExampleWords::default();
        let mut draft = without_personal_data(&recorded, intents, machine, &mut words);
        for turn in draft.turns.iter_mut().filter(|turn| turn.keys.is_empty()) {
            turn.keys.push(("say".to_owned(), Value::text("…")));
        }
        let kind = ViolationKind::of(finding);
        let title = format!("{}: {}", kind.kind, kind.place);
        let profile = self.key.variant.profile;
        let is_named = profile != self.runner.project.profile.unwrap_or_default();
        let profile = is_named.then(|| ("profile", Value::text(profile.name())));
        let head = [
            ("scenario", Value::text(&title)),
            ("model", Value::text(place)),
        ];
        let head: Vec<_> = head.into_iter().chain(profile).collect();
        let record = dialogue
            .turns
            .iter()
            .find(|record| record["turn"].as_u64() == Some(turn.into()));
        let declared = Declared::new(machine);
        let expected = [finding.record_field(), RecordField::State]
            .into_iter()
            .filter_map(|field| {
                let value = record?.get(field.name())?;
                let value = value
                    .get("to")
                    .filter(|_| field == RecordField::State)
                    .unwrap_or(value);
                let value = serde_json::from_value::<Value>(value.clone()).ok()?;
                Some((field.name(), declared.value("", &value)))
            });
        let mut expected: Vec<(&str, Value)> = expected.collect();
        expected.dedup_by_key(|(name, _)| *name);
        let states = expected
            .iter()
            .filter(|(name, _)| *name == RecordField::State.name());
        let states = states.filter_map(|(_, state)| state.as_text());
        let foreign = states
            .filter(|state| machine.state_id(state).is_none())
            .collect();
        let given = draft.head.iter().position(|(key, _)| *key == "start");
        let given = given.map(|at| draft.head.remove(at).1);
        draft
            .head
            .extend(start(given.as_ref(), &foreign).map(|start| ("start", start)));
        let expectations = repeat_n(Value::Null, draft.turns.len().saturating_sub(1));
        let expectations: Vec<Value> = expectations.chain([Value::map(expected)]).collect();
        let yaml = draft.yaml(&head, &expectations, machine)?;
        let mut comments = vec![format!("line {line} of the trace, without personal data")];
        if self.passes(&yaml) == Some(true) {
            comments
                .push("the model has the recorded result in this turn: extend `expect`".to_owned());
        }
        Ok(draft.commented(&yaml, INTRO, &comments))
    }

    /// Whether the scenario passes; `None` if it is invalid.
    fn passes(&self, text: &str) -> Option<bool> {
        let scenario = OpenScenario::unsaved(self.runner.project, self.path, text)?;
        let mut seen = SeenDialogue::default();
        let model = (self.key, self.machine);
        let (passed, _) = scenario.play(self.runner, model, false, None, &mut seen)?;
        Some(passed)
    }
}
