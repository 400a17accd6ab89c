//! The edits between two models.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::named_model::{NamedModel, corresponding};
use super::sides::{DiffSide, Sides};
use super::text_edits::TextEdit;
use crate::limits::MAX_HELD_MODELS;
use fsmsim_core::engine::Machine;
use fsmsim_syntax::diagnostic::{SourceFile, Span};
use fsmsim_syntax::threads::Mutex;

/// An edit between two models, as users see it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct KnownEdit {
    /// The location in the second model: the first line of the edit, or else the line that follows it. `None` if the
    /// file was removed.
    pub now: Option<String>,
    /// The location in the first model: the first line of the edit. `None` if the edit only adds lines.
    pub was: Option<String>,
    /// The mixin that adds the rule, if the edit is a single rule of a mixin.
    pub mixin: Option<String>,
    /// The edited lines contain a rule.
    pub is_of_rule: bool,
    /// The edited lines on both sides.
    pub lines: Sides<Vec<String>>,
}

/// Builds the second model with other texts in the files with these paths. `None` if that model is invalid.
pub(super) type Build<'b> = &'b dyn Fn(&[(String, String)]) -> Option<Arc<Machine>>;

/// The edits between two models, by number, and the second model without some of them. Shared by all dialogues.
#[derive(Default)]
pub(super) struct ModelEdits {
    /// The edits of texts, then the added and removed files.
    pub known: Vec<KnownEdit>,
    /// The number of edits of texts. Only these can be reverted.
    pub count: usize,
    files: Vec<FileEdits>,
    models: Mutex<BTreeMap<Vec<usize>, Option<Arc<Machine>>>>,
    needed: Mutex<BTreeMap<usize, Vec<usize>>>,
}

/// A file that differs between two models.
struct FileEdits {
    /// The path in the second model.
    path: String,
    texts: Sides<Arc<str>>,
    edits: Vec<TextEdit>,
    /// The number of the first edit.
    first: usize,
}

/// The edits between pairs of models. Each pair is compared once.
#[derive(Default)]
pub(super) struct EditCache {
    /// By the memory addresses of the models.
    by_models: Mutex<BTreeMap<(usize, usize), Arc<ModelEdits>>>,
}

impl EditCache {
    /// The edits between two models. Calls `first` if the models were not compared before.
    pub(super) fn edits(
        &self,
        models: Sides<NamedModel<'_>>,
        first: impl FnOnce(Sides<&Machine>),
    ) -> Arc<ModelEdits> {
        let machines = models.map(|model| model.machine);
        let Sides { a, b } = machines.map(|machine| std::ptr::from_ref(machine).addr());
        let mut known = self.by_models.lock();
        let edits = known.entry((a, b)).or_insert_with(|| {
            first(machines);
            Arc::new(ModelEdits::between(models))
        });
        Arc::clone(edits)
    }
}

impl ModelEdits {
    fn between(models: Sides<NamedModel<'_>>) -> Self {
        let mut found = Self::default();
        let mut files_only = Vec::new();
        for files in corresponding(models) {
            let Some(both) = files.both() else {
                let lines = files.map(|file| 0..file.map_or(0, |file| file.text().lines().count()));
                files_only.push(KnownEdit::new(&TextEdit { lines }, files, models));
                continue;
            };
            let edits = TextEdit::between(both);
            let first = found.known.len();
            let known = edits.iter().map(|edit| KnownEdit::new(edit, files, models));
            found.known.extend(known);
            found.files.push(FileEdits {
                path: both.b.path().to_owned(),
                texts: both.map(|file| Arc::clone(file.text())),
                edits,
                first,
            });
        }
        found.count = found.known.len();
        found.known.extend(files_only);
        found
    }

    /// The second model without these edits, which are in order. `None` if that model is invalid.
    pub(super) fn without(&self, undone: &[usize], build: Build<'_>) -> Option<Arc<Machine>> {
        if let Some(known) = self.models.lock().get(undone) {
            return known.clone();
        }
        let reverted = |file: &FileEdits| {
            let numbered = (file.first..).zip(&file.edits);
            let edits: Vec<&TextEdit> = numbered
                .filter(|(number, _)| undone.contains(number))
                .map(|(_, edit)| edit)
                .collect();
            let texts = file.texts.as_ref().map(|text| &**text);
            let text = || TextEdit::reverted(edits.iter().copied(), texts);
            (!edits.is_empty()).then(|| (file.path.clone(), text()))
        };
        let texts: Vec<_> = self.files.iter().filter_map(reverted).collect();
        let model = build(&texts);
        let mut models = self.models.lock();
        if models.len() < MAX_HELD_MODELS {
            models.insert(undone.to_vec(), model.clone());
        }
        model
    }

    /// A smallest set of edits that contains this one, and without which the second model is valid. Other edits can
    /// need this one, for example the transitions to a new state.
    pub(super) fn needed(&self, edit: usize, build: Build<'_>) -> Vec<usize> {
        if let Some(known) = self.needed.lock().get(&edit) {
            return known.clone();
        }
        let mut set: Vec<usize> = (0..self.count).collect();
        let mut size = self.count.div_ceil(2).max(1);
        loop {
            for start in (0..self.count).step_by(size) {
                let part = start..start + size;
                let is_left = |number: &usize| *number == edit || !part.contains(number);
                let fewer: Vec<usize> = set.iter().copied().filter(is_left).collect();
                if fewer.len() < set.len() && self.without(&fewer, build).is_some() {
                    set = fewer;
                }
            }
            if size == 1 {
                break;
            }
            size = size.div_ceil(2);
        }
        self.needed.lock().insert(edit, set.clone());
        set
    }
}

impl KnownEdit {
    fn new(
        edit: &TextEdit,
        files: Sides<Option<&SourceFile>>,
        models: Sides<NamedModel<'_>>,
    ) -> Self {
        let place = |side: DiffSide| {
            let file = (*files.of(side))?;
            let last = file.text().lines().count().max(1);
            let line = (edit.lines.of(side).start + 1).min(last);
            Some(models.of(side).place(file.path(), line))
        };
        let rules = Sides::each(|side| rules(models.of(side).machine, *files.of(side), edit, side));
        let is_of_rule = !rules.a.is_empty() || !rules.b.is_empty();
        let rules = if rules.a.is_empty() { rules.b } else { rules.a };
        // Several mixins may add the same rule.
        let is_one = rules
            .iter()
            .zip(rules.iter().skip(1))
            .all(|(one, next)| one.0 == next.0);
        Self {
            now: place(DiffSide::B),
            was: place(DiffSide::A).filter(|_| !edit.lines.a.is_empty()),
            mixin: rules
                .into_iter()
                .find_map(|(_, mixin)| mixin)
                .filter(|_| is_one),
            is_of_rule,
            lines: Sides::each(|side| {
                let texts = files.of(side).map(|file| edit.texts(side, file));
                texts.unwrap_or_default()
            }),
        }
    }

    /// The location on the first side if the edit has lines there, otherwise on the second side.
    pub fn place(&self) -> &str {
        let place = self.was.as_deref().or(self.now.as_deref());
        place.unwrap_or_default()
    }
}

/// The rules on one side that an edit touches: the line of each, and the mixin that adds it.
fn rules(
    machine: &Machine,
    file: Option<&SourceFile>,
    edit: &TextEdit,
    side: DiffSide,
) -> Vec<(u32, Option<String>)> {
    let Some(file) = file else {
        return Vec::new();
    };
    let is_touched =
        |span: Span| machine.files.path(span.file) == file.path() && edit.touches(side, file, span);
    machine
        .rules
        .pairs()
        .filter(|(_, rule)| is_touched(rule.span))
        .map(|(id, rule)| {
            let mixin = machine.origin_of(id).mixin.as_deref();
            (rule.line, mixin.map(str::to_owned))
        })
        .collect()
}
