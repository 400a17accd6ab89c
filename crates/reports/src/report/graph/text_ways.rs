//! The ways out of a state as lines of text.

use std::fmt::Write;

use colored::Colorize;
use unicode_width::UnicodeWidthStr;

use super::NodeWay;
use fsmsim_harness::graph::MachineGraph;
use fsmsim_syntax::terminal::printable;

/// How wide what a way takes may be before it goes on in the next line.
const WIDEST: usize = 44;

/// Ways to one state as lines.
pub(super) struct TextWay {
    /// What they take, in lines that fit.
    takes: Vec<String>,
    /// Where they lead; nothing where the dialogue stays.
    to: Option<String>,
    /// When they are taken, and what they are, behind the state.
    notes: String,
    /// How often they were taken.
    passed: String,
}

impl TextWay {
    /// The lines of ways out of a state.
    pub(super) fn of(way: &NodeWay<'_>, graph: &MachineGraph) -> Self {
        let when = printable(&way.when);
        let triggers: Vec<String> = way
            .triggers
            .iter()
            .map(|trigger| printable(trigger))
            .collect();
        // What takes nothing is known by its condition.
        let (takes, when) = if triggers.is_empty() {
            (vec![when], String::new())
        } else {
            (triggers, when)
        };
        let mut notes = String::new();
        if !when.is_empty() {
            let _ = write!(notes, " [{when}]");
        }
        if let Some(kind) = way.kind {
            let _ = write!(notes, " ({kind})");
        }
        let to = way
            .to
            .and_then(|to| graph.nodes.get(to))
            .map(|node| printable(&node.name));
        let passed = way.mark();
        let passed = if passed.is_empty() {
            passed
        } else {
            format!("  {passed}")
        };
        Self {
            takes: lines(&takes, WIDEST),
            to,
            notes,
            passed,
        }
    }

    /// How wide what it takes is on a terminal.
    pub(super) fn width(&self) -> usize {
        self.takes
            .iter()
            .map(|line| line.width())
            .max()
            .unwrap_or_default()
    }

    /// Writes its lines, with arrows behind so much room.
    pub(super) fn write(&self, is_last: bool, width: usize, out: &mut String) {
        let (branch, below) = if is_last {
            ("└─", "  ")
        } else {
            ("├─", "│ ")
        };
        for (at, line) in self.takes.iter().enumerate() {
            let room = " ".repeat(width.saturating_sub(line.width()));
            let (branch, below) = (branch.dimmed(), below.dimmed());
            let (notes, passed) = (self.notes.dimmed(), self.passed.bold());
            let _ = match (at, &self.to) {
                (0, Some(to)) => writeln!(
                    out,
                    "{branch} {line}{room} {} {to}{notes}{passed}",
                    "→".dimmed()
                ),
                (0, None) => writeln!(out, "{branch} {line}{room} {}{notes}{passed}", "↻".dimmed()),
                _ => writeln!(out, "{below} {line}"),
            };
        }
    }
}

/// Names, with commas between them, in lines that fit.
pub(super) fn lines(names: &[String], widest: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for (at, name) in names.iter().enumerate() {
        let comma = if at + 1 < names.len() { "," } else { "" };
        let Some(line) = lines.last_mut() else {
            continue;
        };
        if line.is_empty() {
            let _ = write!(line, "{name}{comma}");
        } else if line.width() + 1 + name.width() + comma.len() <= widest {
            let _ = write!(line, " {name}{comma}");
        } else {
            lines.push(format!("{name}{comma}"));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_go_on_in_the_next_line() {
        let names: Vec<String> = (0..9).map(|number| format!("намерение_{number}")).collect();
        let lines = lines(&names, WIDEST);
        assert!(
            lines.len() > 1 && lines.iter().all(|line| line.width() <= WIDEST),
            "{lines:?}"
        );
        assert_eq!(lines.join(" "), names.join(", "));
    }
}
