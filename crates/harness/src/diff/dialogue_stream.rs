//! The dialogues of one side of a comparison, in order.

use super::diff_operand::DiffOperand;
use super::scenario_stream::ScenarioStream;
use super::trace_scenario::PlayedBy;
use crate::scenario::Runner;
use fsmsim_core::trace::{TraceReader, TracedDialogue};
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};
use fsmsim_syntax::document::InputStream;
use fsmsim_syntax::threads::Threads;

/// The dialogues of one side.
pub enum DialogueStream<'r> {
    /// Dialogues read from a trace.
    Trace(Box<TraceReader<InputStream>>),
    /// Dialogues from scenarios that are run in this process.
    Scenarios(Box<ScenarioStream<'r>>),
}

impl<'r> DialogueStream<'r> {
    /// Opens the dialogues of a trace or of scenarios. Returns `None` for a model, or, with a finding, if the file cannot be
    /// opened.
    pub fn open(
        operand: &DiffOperand,
        runner: &'r Runner<'r>,
        threads: &'r Threads,
        found: &mut Diagnostics,
    ) -> Option<Self> {
        match operand {
            DiffOperand::Trace(path, _) => match InputStream::open(path) {
                Ok((input, name)) => Some(Self::Trace(Box::new(TraceReader::new(input, &name)))),
                Err(finding) => finding.refuse(found),
            },
            DiffOperand::Scenarios(scenarios) => Some(Self::Scenarios(Box::new(
                ScenarioStream::new(scenarios, runner, threads, found),
            ))),
            DiffOperand::Model(..) => None,
        }
    }

    /// The next dialogue, with its machine and rules if it was run in this process. Returns `None` at the end.
    pub fn next(
        &mut self,
        found: &mut Diagnostics,
        sources: &mut SourceMap,
    ) -> Option<(TracedDialogue, Option<PlayedBy>)> {
        match self {
            Self::Trace(reader) => Some((reader.read(found, sources)?, None)),
            Self::Scenarios(scenarios) => {
                let (dialogue, played) = scenarios.next(found, sources)?;
                Some((dialogue, Some(played)))
            }
        }
    }

    /// Runs the scenarios again; `None` for a trace.
    pub(super) fn runner(&self) -> Option<&'r Runner<'r>> {
        match self {
            Self::Trace(_) => None,
            Self::Scenarios(scenarios) => Some(scenarios.runner),
        }
    }

    /// Path prefixes of the files, each with the prefix to display.
    pub fn names(&self) -> Vec<(String, String)> {
        match self {
            Self::Trace(_) => Vec::new(),
            Self::Scenarios(scenarios) => scenarios.names.clone(),
        }
    }

    /// The name to show in findings.
    pub fn name(&self) -> String {
        match self {
            Self::Trace(reader) => reader.name().to_owned(),
            Self::Scenarios(scenarios) => scenarios.folder.display().to_string(),
        }
    }
}
