//! The edits between two models.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::cause::CauseKey;
use super::rule_changes::{NamedModel, corresponding};
use super::sides::Sides;
use super::text_edits::{EditedLines, TextEdit};
use crate::limits::MAX_REVERSED_EDITS;
use crate::scenario::Runner;
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::Variant;
use fsmsim_syntax::diagnostic::SourceFile;
use fsmsim_syntax::threads::Mutex;

/// An edit between two models.
pub(super) struct ModelEdit {
    /// The key: the only rule that the edit changes, preferably on the first side; otherwise the first line of the
    /// edit.
    pub key: CauseKey,
    /// All locations by which a cause may name the edit.
    places: Vec<String>,
    /// The description to show to users.
    pub known: KnownEdit,
    /// The second model without this edit, if that model is valid.
    pub without: Option<Arc<Machine>>,
}

/// The user-facing description of an edit between two models.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownEdit {
    /// The location in the second model: the first line of the edit, or else the line that follows it.
    pub now: String,
    /// The location in the first model: the first line of the edit. `None` if the edit only adds lines.
    pub was: Option<String>,
    /// The mixin that adds the rule, if the edit is a single rule of a mixin.
    pub mixin: Option<String>,
    /// The edited lines contain a rule.
    pub is_of_rule: bool,
    /// The edited lines on both sides.
    pub lines: Sides<Vec<String>>,
}

/// The edits between two models, computed once for all scenarios.
#[derive(Default)]
pub(super) struct EditCache {
    by_variant: Mutex<BTreeMap<Variant, Arc<Vec<ModelEdit>>>>,
}

impl EditCache {
    /// The edits between two models. `path` is the path of the second model. The second model is rebuilt without each
    /// edit, unless there are too many edits.
    pub(super) fn edits(
        &self,
        runner: &Runner<'_>,
        path: &Path,
        models: Sides<NamedModel<'_>>,
        variant: Variant,
    ) -> Arc<Vec<ModelEdit>> {
        let without = |file: &str, text: &str| {
            let cache = runner.models.lock();
            cache.load_instead(path, variant, file, text)
        };
        let mut known = self.by_variant.lock();
        let edits = known
            .entry(variant)
            .or_insert_with(|| Arc::new(ModelEdit::between(models, &without)));
        Arc::clone(edits)
    }
}

/// The only rule of an edit. Several mixins may add this rule. Rules on the first side have priority.
fn only(rules: &Sides<Vec<CauseKey>>) -> Option<&CauseKey> {
    let keys = if rules.a.is_empty() {
        &rules.b
    } else {
        &rules.a
    };
    let first = place_of(keys.first()?);
    let is_in_mixin = |key: &&CauseKey| matches!(key, CauseKey::Rule { mixin: Some(_), .. });
    keys.iter()
        .find(is_in_mixin)
        .or(keys.first())
        .filter(|_| keys.iter().all(|key| place_of(key) == first))
}

fn place_of(key: &CauseKey) -> Option<&String> {
    match key {
        CauseKey::Rule { place, .. } => Some(place),
        _ => None,
    }
}

/// The rules on one side that an edit touches.
fn rules(model: NamedModel<'_>, lines: &EditedLines, added: bool) -> Vec<CauseKey> {
    let machine = model.machine;
    let mut keys = Vec::new();
    for (id, rule) in machine.rules.pairs() {
        let Some(file) = machine.files.file(rule.span.file) else {
            continue;
        };
        if lines.touch(file, rule.span) {
            let key = CauseKey::Rule {
                place: model.place(file.path(), rule.line),
                mixin: machine.origin_of(id).mixin.as_deref().map(str::to_owned),
                added,
            };
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
    }
    keys
}

/// An edit as a cause, identified by its first line, preferably on the first side.
pub(super) fn edit_key(
    edit: &TextEdit,
    files: Sides<&SourceFile>,
    models: Sides<NamedModel<'_>>,
) -> CauseKey {
    let (place, added) = match (edit.lines.a.first(), edit.lines.b.first()) {
        (Some(line), _) => (models.a.place(files.a.path(), line), false),
        (None, line) => (models.b.place(files.b.path(), line.unwrap_or(1)), true),
    };
    CauseKey::Rule {
        place,
        mixin: None,
        added,
    }
}

impl ModelEdit {
    /// The edits between two machines. `without` rebuilds the second machine with different text in one of its files.
    pub(super) fn between(
        models: Sides<NamedModel<'_>>,
        without: &dyn Fn(&str, &str) -> Option<Arc<Machine>>,
    ) -> Vec<Self> {
        let mut found = Vec::new();
        for files in corresponding(models) {
            found.extend(
                TextEdit::between(files.a, files.b)
                    .into_iter()
                    .map(|edit| (edit, files)),
            );
        }
        let are_few = found.len() <= MAX_REVERSED_EDITS;
        let edit = |(edit, files): (TextEdit, Sides<&SourceFile>)| {
            let without = if are_few {
                without(files.b.path(), &edit.taken_back(files.a, files.b))
            } else {
                None
            };
            let line = edit_key(&edit, files, models);
            let rules = Sides {
                a: rules(models.a, &edit.lines.a, false),
                b: rules(models.b, &edit.lines.b, true),
            };
            // Edits in a contract are identified by line, because the rules of a contract are parts of classes.
            let is_of_text = models.a.machine.policies.inputs().frames;
            let of_rule = only(&rules).filter(|_| !is_of_text);
            let key = of_rule.unwrap_or(&line).clone();
            let is_of_rule = !rules.a.is_empty() || !rules.b.is_empty();
            let keys = [line].into_iter().chain(rules.a).chain(rules.b);
            let places = keys.filter_map(|key| place_of(&key).cloned());
            let now = edit
                .lines
                .b
                .first()
                .unwrap_or_else(|| edit.next().min(files.b.text().lines().count()).max(1));
            let was = edit
                .lines
                .a
                .first()
                .map(|line| models.a.place(files.a.path(), line));
            let mixin = match &key {
                CauseKey::Rule { mixin, .. } => mixin.clone(),
                _ => None,
            };
            let known = KnownEdit {
                was,
                mixin,
                now: models.b.place(files.b.path(), now),
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

    /// Whether a cause is this edit, under any of its locations.
    pub(super) fn is(&self, cause: &CauseKey) -> bool {
        place_of(cause).is_some_and(|place| self.places.contains(place))
    }
}
