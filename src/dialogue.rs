use std::sync::Arc;

use fsmsim_core::engine::{Machine, Session};
use fsmsim_core::machine::Value;
use fsmsim_core::trace::{EndLine, HeaderLine, JsonLine};
use fsmsim_runtime::runtime::DialogueRunner;

use crate::{Diagnostics, Record, Turn};

/// A running dialogue. No language model is called: each turn states its intent.
pub struct Dialogue {
    name: String,
    runner: DialogueRunner,
    /// The lines of the trace so far.
    lines: Vec<String>,
}

impl Dialogue {
    pub(crate) fn new(machine: &Arc<Machine>, name: String) -> Self {
        let session = Session::new(machine);
        let runner = DialogueRunner::new(machine, machine.settings().clone(), session);
        let mut header = JsonLine::default();
        HeaderLine {
            dialogue: &name,
            machine,
            settings: runner.settings(),
            start: &Value::Null,
        }
        .write(&mut header);
        let lines = vec![header.into_string()];
        Self {
            name,
            runner,
            lines,
        }
    }

    /// Runs one turn.
    ///
    /// # Errors
    /// Returns the findings about names and values that the model does not know. The dialogue is then unchanged.
    pub fn run(&mut self, turn: &Turn) -> Result<Record, Diagnostics> {
        let scripted = turn.scripted(self.runner.machine())?;
        let recorded = self.runner.play(&scripted);
        let record = Record::new(&recorded.view);
        self.lines.push(record.json().to_owned());
        Ok(record)
    }

    /// The current state.
    pub fn state(&self) -> &str {
        let machine = self.runner.machine();
        let session = self.runner.session();
        session.state_name(session.position.state, machine)
    }

    /// Whether the dialogue has ended: it is in a final state.
    pub fn is_final(&self) -> bool {
        self.runner.session().is_final(self.runner.machine())
    }

    /// The trace of the dialogue so far as JSON Lines: a header, one record per turn, and an end.
    pub fn trace(&self) -> String {
        let mut end = JsonLine::default();
        EndLine {
            dialogue: &self.name,
            turns: u32::try_from(self.lines.len().saturating_sub(1)).unwrap_or(u32::MAX),
            audit: None,
        }
        .write(&mut end);
        let end = end.into_string();
        self.lines
            .iter()
            .chain([&end])
            .flat_map(|line| [line.as_str(), "\n"])
            .collect()
    }
}
