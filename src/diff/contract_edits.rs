//! Which edit of a contract makes a difference.

use serde_json::Value;
use similar::{DiffOp, TextDiff};

use super::cause::CauseKey;
use super::divergence::Divergence;
use super::rule_changes::{counterpart, shown};
use super::sides::Sides;
use crate::diagnostic::{SourceFile, Span};
use crate::engine::Machine;
use crate::engine::policy::contract::Contract;
use crate::machine::{Op, RuleId};
use crate::trace::TracedTurn;

/// The edits between two contracts: stretches of lines that are not the same. Empty lines and comments are none.
pub(super) struct ContractEdits<'m> {
    machines: Sides<&'m Machine>,
    /// The beginnings of paths, and what people should see for them.
    names: Sides<&'m [(String, String)]>,
    files: Sides<&'m SourceFile>,
    edits: Vec<Sides<EditedLines>>,
}

/// Lines of a file, from 1; none where the other side only has more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct EditedLines(Vec<usize>);

impl EditedLines {
    /// Whether one of them is among those of a text.
    fn touch(&self, file: &SourceFile, span: Span) -> bool {
        let last = span.end.saturating_sub(1).max(span.start);
        let lines = file.line_of(span.start).0..=file.line_of(last).0;
        self.0.iter().any(|line| lines.contains(line))
    }
}

impl<'m> ContractEdits<'m> {
    /// The edits between the contracts of two machines; nothing where there is none, or they stand in one file.
    pub(super) fn new(machines: Sides<&'m Machine>, names: Sides<&'m [(String, String)]>) -> Option<Self> {
        let file = |machine: &'m Machine| {
            let class = machine.contract()?.classes.iter().next()?;
            machine.files.file(class.body.file).map(|file| &**file)
        };
        let files = machines.map(file).both()?;
        let matched = counterpart(files.a.path(), machines.a, machines.b)?;
        (matched.path() == files.b.path()).then(|| Self { machines, names, files, edits: edits(files.a, files.b) })
    }

    /// The edit that makes a difference: the only one there is, where the contract is the whole machine; else the first that
    /// touches what the turn was decided by on either side. Of that, what writes the field that differs comes before all
    /// else, and the class before the outcome.
    pub(super) fn cause(&self, divergence: &Divergence) -> Option<CauseKey> {
        let is_whole = self.machines.a.contract().is_some_and(|contract| contract.is_whole);
        if let [edit] = self.edits.as_slice()
            && is_whole
        {
            return Some(self.key(edit));
        }
        let texts = Sides {
            a: deciding(self.machines.a, divergence.turns.a.as_ref(), divergence),
            b: deciding(self.machines.b, divergence.turns.b.as_ref(), divergence),
        };
        let touched = |edit: &&Sides<EditedLines>, rank: usize| {
            let touches = |lines: &EditedLines, file: &SourceFile, texts: &[Vec<Span>; 3]| {
                texts.get(rank).is_some_and(|texts| texts.iter().any(|text| lines.touch(file, *text)))
            };
            touches(&edit.a, self.files.a, &texts.a) || touches(&edit.b, self.files.b, &texts.b)
        };
        let found = (0..3).find_map(|rank| self.edits.iter().find(|edit| touched(edit, rank)));
        found.map(|edit| self.key(edit))
    }

    fn key(&self, edit: &Sides<EditedLines>) -> CauseKey {
        key(edit, &self.files, &self.names)
    }
}

/// The edit between two models, where there is only one in all their files: it makes every difference, whatever it is that
/// was edited, a condition, a constant, a phase.
pub(super) fn only_edit(machines: Sides<&Machine>, names: &Sides<&[(String, String)]>) -> Option<CauseKey> {
    let mut found = None;
    for file in machines.a.files.files() {
        let Some(other) = counterpart(file.path(), machines.a, machines.b) else { continue };
        let mut edits = edits(file, other).into_iter();
        match (edits.next(), edits.next(), &found) {
            (None, ..) => {}
            (Some(edit), None, None) => found = Some(key(&edit, &Sides { a: file, b: other }, names)),
            _ => return None,
        }
    }
    found
}

/// An edit as a cause: its first line, of the first side where that has it.
fn key(edit: &Sides<EditedLines>, files: &Sides<&SourceFile>, names: &Sides<&[(String, String)]>) -> CauseKey {
    let place = |file: &SourceFile, line: usize, names| format!("{}:{line}", shown(file.path(), names));
    let (place, added) = match (edit.a.0.first(), edit.b.0.first()) {
        (Some(line), _) => (place(files.a, *line, names.a), false),
        (None, line) => (place(files.b, line.copied().unwrap_or(1), names.b), true),
    };
    CauseKey::Rule { place, mixin: None, added }
}

/// What decided a turn: what writes the field in which it differs, its class, and the outcome.
fn deciding(machine: &Machine, turn: Option<&TracedTurn>, divergence: &Divergence) -> [Vec<Span>; 3] {
    let Some((contract, turn)) = machine.contract().zip(turn) else { return Default::default() };
    let name = turn.contract_class.as_ref().and_then(Value::as_str).unwrap_or_default();
    let classes: Vec<_> = contract.class(name).map(|(_, class)| class).into_iter().collect();
    let executed = turn.effects.iter().rfind(|effect| text(effect, "effect") == Some(Contract::EXECUTE));
    let outcome = executed.and_then(|effect| contract.outcome(machine, text(effect, "outcome")?));
    let rules = classes.iter().map(|class| class.does).chain(outcome.map(|rule| machine.outcomes[rule.outcome].rule));
    let field = divergence.fields.first().and_then(|field| field.field.strip_prefix("frames."));
    let slot = field.and_then(|name| machine.names.slots.id(name));
    let writes = |op: &&Op| slot.is_some() && op.slot() == slot;
    let span = |rule: RuleId| machine.rules[rule].span;
    let ops = rules.flat_map(|rule| machine.ops(rule)).filter(writes);
    let mut written: Vec<Span> = ops.map(|op| span(op.rule)).collect();
    if slot.is_some() && slot == contract.answer {
        let answers = outcome.filter(|rule| rule.answer.is_some()).map(|rule| rule.body);
        written.extend(answers.or(classes.first().map(|class| class.body)));
    }
    [written, classes.iter().map(|class| class.body).collect(), outcome.iter().map(|rule| rule.body).collect()]
}

fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key)?.as_str()
}

/// The stretches of lines in which two files differ.
fn edits(a: &SourceFile, b: &SourceFile) -> Vec<Sides<EditedLines>> {
    let [a, b] = [a, b].map(|file| telling(file.text()));
    let [old, new] = [&a, &b].map(|lines| lines.iter().map(|(_, text)| *text).collect::<Vec<_>>());
    let diff = TextDiff::from_slices(&old, &new);
    let edited = |lines: &[(usize, &str)], range: std::ops::Range<usize>| {
        EditedLines(lines.get(range).unwrap_or_default().iter().map(|(number, _)| *number).collect())
    };
    let changes = diff.ops().iter().filter(|op| !matches!(op, DiffOp::Equal { .. }));
    changes.map(|op| Sides { a: edited(&a, op.old_range()), b: edited(&b, op.new_range()) }).collect()
}

/// The lines that say something, with their numbers.
fn telling(text: &str) -> Vec<(usize, &str)> {
    let says = |line: &str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    (1..).zip(text.lines()).filter(|(_, line)| says(line)).collect()
}
