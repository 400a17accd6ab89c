//! Finds the edit that makes a difference in a policy that has its own source text, such as a contract.

use serde_json::Value;

use super::cause::CauseKey;
use super::divergence::Divergence;
use super::edit_search::edit_key;
use super::rule_changes::{NamedModel, corresponding, counterpart};
use super::sides::Sides;
use super::text_edits::{EditedLines, TextEdit};
use fsmsim_core::engine::Machine;
use fsmsim_core::engine::policy::DecidingTexts;
use fsmsim_core::machine::{NeedKind, SlotId};
use fsmsim_core::trace::TurnReport;
use fsmsim_syntax::diagnostic::{SourceFile, Span};

/// The edits between the contracts of two machines.
pub(super) struct PolicyEdits<'m> {
    models: Sides<NamedModel<'m>>,
    files: Sides<&'m SourceFile>,
    edits: Vec<TextEdit>,
}

impl<'m> PolicyEdits<'m> {
    /// Returns `None` if a machine has no contract or both share one file.
    pub(super) fn new(models: Sides<NamedModel<'m>>) -> Option<Self> {
        let machines = models.map(|model| model.machine);
        let file = |machine: &'m Machine| {
            machine
                .files
                .file(texts(machine, "", None, None)?.file?)
                .map(|file| &**file)
        };
        let files = machines.map(file).both()?;
        let matched = counterpart(files.a.path(), machines.a, machines.b)?;
        (matched.path() == files.b.path()).then(|| Self {
            models,
            files,
            edits: TextEdit::between(files.a, files.b),
        })
    }

    /// The edit that makes a difference. If the contract is the whole machine and has one edit, it is that edit.
    /// Otherwise it is the first edit to any text that decided the turn on either side. Text that sets the differing
    /// field has priority, then the text of the class, then the text of the outcome.
    pub(super) fn cause(&self, divergence: &Divergence) -> Option<CauseKey> {
        let machines = self.models.map(|model| model.machine);
        let is_whole = texts(machines.a, "", None, None).is_some_and(|texts| texts.is_whole);
        if let [edit] = self.edits.as_slice()
            && is_whole
        {
            return Some(self.key(edit));
        }
        let texts = Sides::each(|side| {
            let turn = divergence.turns.of(side).as_ref();
            deciding(machines.of(side), turn, divergence)
        });
        let touched = |edit: &&TextEdit, rank: usize| {
            let touches = |lines: &EditedLines, file: &SourceFile, texts: &[Vec<Span>; 3]| {
                texts
                    .get(rank)
                    .is_some_and(|texts| texts.iter().any(|text| lines.touch(file, *text)))
            };
            touches(&edit.lines.a, self.files.a, &texts.a)
                || touches(&edit.lines.b, self.files.b, &texts.b)
        };
        let found = (0..3).find_map(|rank| self.edits.iter().find(|edit| touched(edit, rank)));
        found.map(|edit| self.key(edit))
    }

    fn key(&self, edit: &TextEdit) -> CauseKey {
        edit_key(edit, self.files, self.models)
    }
}

/// The edit between two models if their files differ in only one place. It makes every difference, whatever was edited:
/// a condition, a constant or a phase.
pub(super) fn only_edit(models: Sides<NamedModel<'_>>) -> Option<CauseKey> {
    let mut found = None;
    for files in corresponding(models) {
        let mut edits = TextEdit::between(files.a, files.b).into_iter();
        match (edits.next(), edits.next(), &found) {
            (None, ..) => {}
            (Some(edit), None, None) => found = Some(edit_key(&edit, files, models)),
            _ => return None,
        }
    }
    found
}

/// The parts of a policy's text that decided a turn; `None` if no policy has source text.
fn texts(
    machine: &Machine,
    class: &str,
    outcome: Option<&str>,
    slot: Option<SlotId>,
) -> Option<DecidingTexts> {
    let mut policies = machine.policies.facts();
    policies.find_map(|policy| policy.deciding_texts(machine, class, outcome, slot))
}

/// The parts of a policy's text that decided a turn, by priority.
fn deciding(
    machine: &Machine,
    turn: Option<&TurnReport>,
    divergence: &Divergence,
) -> [Vec<Span>; 3] {
    let Some(turn) = turn else {
        return Default::default();
    };
    let class = turn.contract_class.as_ref().and_then(Value::as_str);
    let executed = turn
        .effects
        .iter()
        .rfind(|effect| text(effect, "effect") == Some(NeedKind::EXECUTE));
    let field = divergence
        .fields
        .first()
        .and_then(|field| field.field.strip_prefix("frames."));
    let outcome = executed.and_then(|effect| text(effect, "outcome"));
    let slot = field.and_then(|name| machine.names.slots.id(name));
    texts(machine, class.unwrap_or_default(), outcome, slot)
        .unwrap_or_default()
        .ranks
}

fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key)?.as_str()
}
