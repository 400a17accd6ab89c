//! Which edit of a contract makes a difference.

use serde_json::Value;

use super::cause::CauseKey;
use super::divergence::Divergence;
use super::edit_search::edit_key;
use super::rule_changes::{corresponding, counterpart};
use super::sides::Sides;
use super::text_edits::{EditedLines, TextEdit};
use fsmsim_core::engine::Machine;
use fsmsim_core::engine::policy::contract::Contract;
use fsmsim_core::machine::{Op, RuleId};
use fsmsim_core::trace::TurnReport;
use fsmsim_syntax::diagnostic::{SourceFile, Span};

/// The edits between two contracts.
pub(super) struct ContractEdits<'m> {
    machines: Sides<&'m Machine>,
    /// The beginnings of paths, and what people should see for them.
    names: Sides<&'m [(String, String)]>,
    files: Sides<&'m SourceFile>,
    edits: Vec<TextEdit>,
}

impl<'m> ContractEdits<'m> {
    /// The edits between the contracts of two machines; nothing where there is none, or they stand in one file.
    pub(super) fn new(
        machines: Sides<&'m Machine>,
        names: Sides<&'m [(String, String)]>,
    ) -> Option<Self> {
        let file = |machine: &'m Machine| {
            let class = machine.contract()?.classes.iter().next()?;
            machine.files.file(class.body.file).map(|file| &**file)
        };
        let files = machines.map(file).both()?;
        let matched = counterpart(files.a.path(), machines.a, machines.b)?;
        (matched.path() == files.b.path()).then(|| Self {
            machines,
            names,
            files,
            edits: TextEdit::between(files.a, files.b),
        })
    }

    /// The edit that makes a difference: the only one there is, where the contract is the whole machine; else the first that
    /// touches what the turn was decided by on either side. Of that, what writes the field that differs comes before all
    /// else, and the class before the outcome.
    pub(super) fn cause(&self, divergence: &Divergence) -> Option<CauseKey> {
        let is_whole = self
            .machines
            .a
            .contract()
            .is_some_and(|contract| contract.is_whole);
        if let [edit] = self.edits.as_slice()
            && is_whole
        {
            return Some(self.key(edit));
        }
        let texts = Sides {
            a: deciding(self.machines.a, divergence.turns.a.as_ref(), divergence),
            b: deciding(self.machines.b, divergence.turns.b.as_ref(), divergence),
        };
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
        edit_key(edit, &self.files, &self.names)
    }
}

/// The edit between two models, where there is only one in all their files: it makes every difference, whatever it is that
/// was edited, a condition, a constant, a phase.
pub(super) fn only_edit(
    machines: Sides<&Machine>,
    names: &Sides<&[(String, String)]>,
) -> Option<CauseKey> {
    let mut found = None;
    for files in corresponding(machines) {
        let mut edits = TextEdit::between(files.a, files.b).into_iter();
        match (edits.next(), edits.next(), &found) {
            (None, ..) => {}
            (Some(edit), None, None) => found = Some(edit_key(&edit, &files, names)),
            _ => return None,
        }
    }
    found
}

/// What decided a turn: what writes the field in which it differs, its class, and the outcome.
fn deciding(
    machine: &Machine,
    turn: Option<&TurnReport>,
    divergence: &Divergence,
) -> [Vec<Span>; 3] {
    let Some((contract, turn)) = machine.contract().zip(turn) else {
        return Default::default();
    };
    let name = turn
        .contract_class
        .as_ref()
        .and_then(Value::as_str)
        .unwrap_or_default();
    let classes: Vec<_> = contract
        .class(name)
        .map(|(_, class)| class)
        .into_iter()
        .collect();
    let executed = turn
        .effects
        .iter()
        .rfind(|effect| text(effect, "effect") == Some(Contract::EXECUTE));
    let outcome = executed.and_then(|effect| contract.outcome(machine, text(effect, "outcome")?));
    let rules = classes
        .iter()
        .map(|class| class.does)
        .chain(outcome.map(|rule| machine.outcomes[rule.outcome].rule));
    let field = divergence
        .fields
        .first()
        .and_then(|field| field.field.strip_prefix("frames."));
    let slot = field.and_then(|name| machine.names.slots.id(name));
    let writes = |op: &&Op| slot.is_some() && op.slot() == slot;
    let span = |rule: RuleId| machine.rules[rule].span;
    let ops = rules.flat_map(|rule| machine.ops(rule)).filter(writes);
    let mut written: Vec<Span> = ops.map(|op| span(op.rule)).collect();
    if slot.is_some() && slot == contract.answer {
        let answers = outcome
            .filter(|rule| rule.answer.is_some())
            .map(|rule| rule.body);
        written.extend(answers.or(classes.first().map(|class| class.body)));
    }
    [
        written,
        classes.iter().map(|class| class.body).collect(),
        outcome.iter().map(|rule| rule.body).collect(),
    ]
}

fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key)?.as_str()
}
