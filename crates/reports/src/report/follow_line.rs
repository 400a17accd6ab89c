//! A result of following a trace, as a line.

use std::io::{self, Write};

use serde::Serialize;

use super::finding_line::FindingLine;
use crate::limits::MAX_FOUND_LENGTH;
use fsmsim_harness::verify::follow::FollowEvent;
use fsmsim_syntax::diagnostic::plural;
use fsmsim_syntax::terminal::{printable, shortened};

/// A result of following a trace, as a line.
#[derive(Clone, Debug, Serialize)]
pub struct FollowLine {
    /// The number of the line, from 1. It continues after a restart.
    number: u64,
    /// `violates` or `pending`.
    verdict: &'static str,
    #[serde(flatten)]
    result: FollowResult,
}

#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
enum FollowResult {
    Violation(Box<FindingLine>),
    Pending { dialogue: String, turns: usize },
}

impl FollowLine {
    /// The line for a result in the trace with this name.
    pub fn of(event: &FollowEvent, trace: &str, number: u64) -> Self {
        let (verdict, result) = match event {
            FollowEvent::Violation(finding) => {
                let line = FindingLine::of(finding.clone(), trace);
                ("violates", FollowResult::Violation(Box::new(line)))
            }
            FollowEvent::Pending(dialogue, turns) => {
                let (dialogue, turns) = (dialogue.clone(), *turns);
                ("pending", FollowResult::Pending { dialogue, turns })
            }
        };
        Self {
            number,
            verdict,
            result,
        }
    }

    /// Writes the line as JSON or as text.
    pub fn write(&self, is_json: bool, out: &mut dyn Write) -> io::Result<()> {
        if is_json {
            serde_json::to_writer(&mut *out, self)?;
            return writeln!(out);
        }
        match &self.result {
            FollowResult::Pending { dialogue, turns } => {
                let turns = plural(*turns, "turn");
                writeln!(out, "{}: pending after {turns}", printable(dialogue))
            }
            FollowResult::Violation(finding) => {
                let dialogue = finding
                    .dialogue
                    .as_deref()
                    .map_or("all dialogues".into(), printable);
                let turn = finding
                    .turn
                    .map(|turn| format!(", turn {turn}"))
                    .unwrap_or_default();
                let short = |text: &str| shortened(&printable(text), MAX_FOUND_LENGTH);
                let place = |text: Option<String>| {
                    text.map(|text| format!(" ({})", printable(&text)))
                        .unwrap_or_default()
                };
                let at = finding.line.map(|line| format!("{}:{line}", finding.file));
                let rule = finding.field.as_ref().unwrap_or(&finding.rule);
                let (found, model) = (short(&finding.found), short(&finding.model));
                let (at, model_at) = (place(at), place(finding.place.clone()));
                writeln!(
                    out,
                    "{dialogue}{turn}: {rule}: {found}{at}; model: {model}{model_at}"
                )
            }
        }
    }
}
