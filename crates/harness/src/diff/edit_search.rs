//! Looks for the edits between two models that take part in a difference: without one of them, the second model would do
//! something else.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::cause::CauseKey;
use super::divergence::Divergence;
use super::known_edit::KnownEdit;
use super::model_diff::ModelDiff;
use super::rule_changes::{corresponding, shown};
use super::sides::Sides;
use super::text_edits::TextEdit;
use super::trace_scenario::trace_scenario;
use crate::scenario::ScenarioText;
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::Variant;
use fsmsim_core::trace::TurnReport;
use fsmsim_syntax::diagnostic::{Diagnostics, SourceFile, SourceMap};
use fsmsim_syntax::threads::Mutex;

/// Edits that are taken back one by one at most: each plays every dialogue that differs once more.
const MOST_EDITS: usize = 32;

/// An edit between two models.
pub(super) struct ModelEdit {
    /// What it is called: the one rule of the first side that it is about, or of the second; else its first line.
    key: CauseKey,
    /// Where it is written, by any name.
    places: Vec<String>,
    /// What people are told of it.
    known: KnownEdit,
    /// The second model without it, where that can be used.
    without: Option<Arc<Machine>>,
}

/// The edits between two models, worked out once for all scenarios.
#[derive(Default)]
pub(super) struct EditCache {
    by_variant: Mutex<BTreeMap<Variant, Arc<Vec<ModelEdit>>>>,
}

/// Looks for the edits that take part in a difference.
pub(super) struct EditSearch<'s> {
    pub(super) diff: &'s ModelDiff<'s>,
    pub(super) scenario: &'s ScenarioText<'s>,
    pub(super) file: &'s Path,
    /// The dialogue as the second side plays it.
    pub(super) turns: &'s [TurnReport],
    /// How the second side plays it, and by what: of what it names, the scenario may name anything without an edit, too.
    pub(super) variant: Variant,
    pub(super) machine: &'s Machine,
    pub(super) edits: &'s [ModelEdit],
}

impl EditCache {
    /// The edits between the two models, each taken back where they are not too many for that.
    pub(super) fn edits(
        &self,
        diff: &ModelDiff<'_>,
        machines: Sides<&Machine>,
        variant: Variant,
    ) -> Arc<Vec<ModelEdit>> {
        let names = diff
            .candidates
            .as_ref()
            .map(|candidate| candidate.names.as_slice());
        let without = |file: &str, text: &str| {
            let models = diff.runner.models.lock();
            models.load_instead(&diff.candidates.b.path, variant, file, text)
        };
        let mut known = self.by_variant.lock();
        let edits = known
            .entry(variant)
            .or_insert_with(|| Arc::new(ModelEdit::between(machines, names, &without)));
        Arc::clone(edits)
    }
}

/// The one rule that an edit is about, through whichever mixins it comes: of the first side, where that has any.
fn only<'k>(a: &'k [CauseKey], b: &'k [CauseKey]) -> Option<&'k CauseKey> {
    let place = |key: &CauseKey| match key {
        CauseKey::Rule { place, .. } => Some(place.clone()),
        _ => None,
    };
    let keys = if a.is_empty() { b } else { a };
    let first = place(keys.first()?);
    let is_in_mixin = |key: &&CauseKey| matches!(key, CauseKey::Rule { mixin: Some(_), .. });
    let named = keys.iter().find(is_in_mixin).or(keys.first());
    named.filter(|_| keys.iter().all(|key| place(key) == first))
}

/// The rules of one side that an edit is about.
fn rules(
    machine: &Machine,
    edit: &TextEdit,
    is_first: bool,
    names: &[(String, String)],
) -> Vec<CauseKey> {
    let lines = if is_first {
        &edit.lines.a
    } else {
        &edit.lines.b
    };
    let mut keys = Vec::new();
    for (id, rule) in machine.rules.pairs() {
        let Some(file) = machine.files.file(rule.span.file) else {
            continue;
        };
        if lines.touch(file, rule.span) {
            let place = format!("{}:{}", shown(file.path(), names), rule.line);
            let mixin = machine.origin_of(id).mixin.as_deref().map(str::to_owned);
            let key = CauseKey::Rule {
                place,
                mixin,
                added: !is_first,
            };
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
    }
    keys
}

/// An edit as a cause: its first line, of the first side where that has it.
pub(super) fn edit_key(
    edit: &TextEdit,
    files: &Sides<&SourceFile>,
    names: &Sides<&[(String, String)]>,
) -> CauseKey {
    let place =
        |file: &SourceFile, line: usize, names| format!("{}:{line}", shown(file.path(), names));
    let (place, added) = match (edit.lines.a.first(), edit.lines.b.first()) {
        (Some(line), _) => (place(files.a, line, names.a), false),
        (None, line) => (place(files.b, line.unwrap_or(1), names.b), true),
    };
    CauseKey::Rule {
        place,
        mixin: None,
        added,
    }
}

impl EditSearch<'_> {
    /// The edits without which the second side would go another way, each with what it makes: where the dialogue without
    /// it parts from the dialogue with it.
    pub(super) fn causes(&self) -> Vec<(&ModelEdit, Divergence)> {
        let edits = self.edits.iter();
        edits
            .filter_map(|edit| Some((edit, self.divergence(edit.without.as_ref()?)?)))
            .collect()
    }

    fn divergence(&self, without: &Arc<Machine>) -> Option<Divergence> {
        let (mut found, mut sources) = (Diagnostics::default(), SourceMap::default());
        let (path, runner) = (&self.diff.candidates.b.path, self.diff.runner);
        let model = (&**path, self.variant);
        let beside = Some(self.machine);
        let prepared = runner
            .prepare_on(self.scenario, self.file, model, without, beside, &mut found)
            .ok()?;
        let traced = trace_scenario(&prepared, "", None, &mut found);
        let turns = traced.dialogue.turns("", &mut found, &mut sources)?;
        Divergence::find(&turns, self.turns, self.diff.only, 0)
    }
}

impl ModelEdit {
    /// The edits between two machines; `without` makes the second one again with another text in one of its files.
    pub(super) fn between(
        machines: Sides<&Machine>,
        names: Sides<&[(String, String)]>,
        without: &dyn Fn(&str, &str) -> Option<Arc<Machine>>,
    ) -> Vec<Self> {
        let mut found = Vec::new();
        for files in corresponding(machines) {
            found.extend(
                TextEdit::between(files.a, files.b)
                    .into_iter()
                    .map(|edit| (edit, files)),
            );
        }
        let are_few = found.len() <= MOST_EDITS;
        let edit = |(edit, files): (TextEdit, Sides<&SourceFile>)| {
            let without = if are_few {
                without(files.b.path(), &edit.taken_back(files.a, files.b))
            } else {
                None
            };
            let line = edit_key(&edit, &files, &names);
            let rules = Sides {
                a: rules(machines.a, &edit, true, names.a),
                b: rules(machines.b, &edit, false, names.b),
            };
            // The edit of a contract is called by its lines, since its rules are pieces of classes.
            let is_of_text = machines.a.policies.inputs().frames;
            let of_rule = if is_of_text {
                None
            } else {
                only(&rules.a, &rules.b)
            };
            let key = of_rule.unwrap_or(&line).clone();
            let is_of_rule = !rules.a.is_empty() || !rules.b.is_empty();
            let keys = [line].into_iter().chain(rules.a).chain(rules.b);
            let places = keys.filter_map(|key| match key {
                CauseKey::Rule { place, .. } => Some(place),
                _ => None,
            });
            let now = edit
                .lines
                .b
                .first()
                .unwrap_or_else(|| edit.next().min(files.b.text().lines().count()).max(1));
            let was = edit
                .lines
                .a
                .first()
                .map(|line| format!("{}:{line}", shown(files.a.path(), names.a)));
            let mixin = match &key {
                CauseKey::Rule { mixin, .. } => mixin.clone(),
                _ => None,
            };
            let known = KnownEdit {
                was,
                mixin,
                now: format!("{}:{now}", shown(files.b.path(), names.b)),
                is_of_rule,
                lines: Sides {
                    a: edit.lines.a.texts(files.a),
                    b: edit.lines.b.texts(files.b),
                },
            };
            Self {
                key,
                places: places.collect(),
                known,
                without,
            }
        };
        found.into_iter().map(edit).collect()
    }

    /// What it is called.
    pub(super) fn key(&self) -> &CauseKey {
        &self.key
    }

    /// What people are told of it.
    pub(super) fn known(&self) -> &KnownEdit {
        &self.known
    }

    /// Whether a cause is this edit, by whichever of its lines it is called.
    pub(super) fn is(&self, cause: &CauseKey) -> bool {
        match cause {
            CauseKey::Rule { place, .. } => self.places.contains(place),
            _ => false,
        }
    }
}
