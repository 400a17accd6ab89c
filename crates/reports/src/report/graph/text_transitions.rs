//! The outgoing transitions of a state as lines of text.

use std::fmt::Write;

use colored::Colorize;
use unicode_width::UnicodeWidthStr;

use super::NodeTransition;
use fsmsim_harness::graph::MachineGraph;
use fsmsim_syntax::terminal::printable;

/// The maximum width of the triggers in a line.
const MAX_TRIGGER_WIDTH: usize = 44;

/// The transitions to one state as lines.
pub(super) struct TextTransition {
    /// The triggers, broken into lines of limited width.
    takes: Vec<String>,
    /// The target state; `None` if the dialogue stays in the state.
    to: Option<String>,
    /// The condition and the kind, written after the state.
    notes: String,
    /// The number of passes.
    passed: String,
}

impl TextTransition {
    /// The lines of outgoing transitions.
    pub(super) fn of(way: &NodeTransition<'_>, graph: &MachineGraph) -> Self {
        let when = printable(&way.when);
        let triggers: Vec<String> = way
            .triggers
            .iter()
            .map(|trigger| printable(trigger))
            .collect();
        // Without a trigger, the condition takes its place.
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
            takes: lines(&takes, MAX_TRIGGER_WIDTH),
            to,
            notes,
            passed,
        }
    }

    /// The width of the triggers on a terminal.
    pub(super) fn width(&self) -> usize {
        self.takes
            .iter()
            .map(|line| line.width())
            .max()
            .unwrap_or_default()
    }

    /// Writes the lines, with the triggers padded to `width`.
    pub(super) fn write(&self, is_last: bool, width: usize, out: &mut String) {
        let (branch, below) = if is_last {
            ("└─", "  ")
        } else {
            ("├─", "│ ")
        };
        for (at, line) in self.takes.iter().enumerate() {
            let padding = " ".repeat(width.saturating_sub(line.width()));
            let branch = branch.dimmed();
            let below = below.dimmed();
            let notes = self.notes.dimmed();
            let passed = self.passed.bold();
            let _ = match (at, &self.to) {
                (0, Some(to)) => writeln!(
                    out,
                    "{branch} {line}{padding} {} {to}{notes}{passed}",
                    "→".dimmed()
                ),
                (0, None) => writeln!(
                    out,
                    "{branch} {line}{padding} {}{notes}{passed}",
                    "↻".dimmed()
                ),
                _ => writeln!(out, "{below} {line}"),
            };
        }
    }
}

/// Comma-separated names, broken into lines of limited width.
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
    fn long_lists_continue_on_the_next_line() {
        let names: Vec<String> = (0..9).map(|number| format!("намерение_{number}")).collect();
        let lines = lines(&names, MAX_TRIGGER_WIDTH);
        assert!(
            lines.len() > 1 && lines.iter().all(|line| line.width() <= MAX_TRIGGER_WIDTH),
            "{lines:?}"
        );
        assert_eq!(lines.join(" "), names.join(", "));
    }
}
