//! Dialogues with an audit.

use super::audit_trail::audited_turn;
use super::dialogue_runner::DialogueRunner;
use super::journal::Journal;
use super::turn_tree::TurnTree;
use fsmsim_adapters::stores::{Audit, TypedLine};
use fsmsim_core::engine::{Answer, Machine};
use fsmsim_core::trace::TurnReport;
use fsmsim_syntax::diagnostic::Checked;

/// A journal that also writes an audit. A turn is complete when it is in the journal. If the process stops before the
/// turn is in the audit, it is added when the dialogue resumes.
pub struct AuditedJournal {
    journal: Box<dyn Journal>,
    audit: Box<dyn Audit>,
}

impl AuditedJournal {
    /// Audits a dialogue from now on. `records` are its turns so far, as trace lines. Turns that are missing in the
    /// audit are added now.
    pub fn over<'r>(
        journal: Box<dyn Journal>,
        mut audit: Box<dyn Audit>,
        dialogue: &DialogueRunner,
        records: impl Iterator<Item = &'r str>,
    ) -> Checked<Self> {
        let session = dialogue.id().text();
        let last = audit.last_turn(&session)?;
        for (record, number) in records
            .filter_map(|record| Some((record, TurnReport::read(record)?.turn)))
            .filter(|(_, number)| *number > last)
        {
            audit.append(&audited_turn(dialogue.machine(), &session, number, record))?;
        }
        Ok(Self { journal, audit })
    }
}

impl Journal for AuditedJournal {
    fn begin_turn(&mut self, line: &str) -> Checked {
        self.journal.begin_turn(line)
    }

    fn recall(&mut self, machine: &Machine) -> Vec<Answer> {
        self.journal.recall(machine)
    }

    fn keep(&mut self, answer: &Answer, dialogue: &DialogueRunner) {
        self.journal.keep(answer, dialogue);
    }

    fn end_turn(&mut self, dialogue: &DialogueRunner, record: &str) -> Checked {
        self.journal.end_turn(dialogue, record)?;
        let session = dialogue.id().text();
        self.audit.append(&audited_turn(
            dialogue.machine(),
            &session,
            dialogue.turns(),
            record,
        ))
    }

    fn travel(&mut self, dialogue: &DialogueRunner, tree: &TurnTree, begun: &str) -> Checked {
        self.journal.travel(dialogue, tree, begun)
    }

    fn note_line(&mut self, line: &str) -> Checked {
        self.journal.note_line(line)
    }

    fn lines(&mut self, most: u32) -> Checked<Option<Vec<TypedLine>>> {
        self.journal.lines(most)
    }

    fn begin_again(&mut self, dialogue: &DialogueRunner, start: &str) -> Checked {
        self.journal.begin_again(dialogue, start)
    }
}
