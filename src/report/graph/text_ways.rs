//! The ways out of a state as lines of text.

use std::fmt::Write;

use colored::Colorize;
use unicode_width::UnicodeWidthStr;

use crate::graph::{EdgeKind, MachineGraph};
use crate::terminal::printable;

/// How wide what a way takes may be before it goes on in the next line.
const WIDEST: usize = 44;

/// Ways to one state that are taken under the same condition.
pub(super) struct TextWay {
    /// What they take, in lines that fit.
    takes: Vec<String>,
    /// Where they lead; nothing where the dialogue stays.
    to: Option<String>,
    /// When they are taken, and what they are, behind the state.
    notes: String,
}

/// The ways out of a node, in the order in which they are told.
pub(super) fn ways_of(graph: &MachineGraph, from: usize) -> Vec<TextWay> {
    let mut ways = Vec::new();
    // What stays is less of a way than what leads on.
    let (stays, leads): (Vec<_>, Vec<_>) =
        graph.edges.iter().filter(|edge| edge.from == from).partition(|edge| edge.from == edge.to);
    for edge in leads.into_iter().chain(stays) {
        let mut told: Vec<(&str, EdgeKind, Vec<&str>)> = Vec::new();
        for label in &edge.labels {
            let same =
                told.iter_mut().find(|(condition, kind, _)| *condition == label.condition && *kind == label.kind);
            match same {
                Some((.., triggers)) => triggers.push(&label.trigger),
                None => told.push((&label.condition, label.kind, vec![&label.trigger])),
            }
        }
        let to = (edge.from != edge.to).then(|| graph.nodes.get(edge.to).map_or("", |node| &node.name));
        ways.extend(told.into_iter().map(|(condition, kind, triggers)| TextWay::new(to, condition, kind, &triggers)));
    }
    ways
}

impl TextWay {
    fn new(to: Option<&str>, condition: &str, kind: EdgeKind, triggers: &[&str]) -> Self {
        let when = match condition {
            "" | "otherwise" => condition.to_owned(),
            condition => format!("when {condition}"),
        };
        let triggers: Vec<String> =
            triggers.iter().filter(|trigger| !trigger.is_empty()).map(|trigger| printable(trigger)).collect();
        // What takes nothing is known by its condition.
        let (takes, when) = if triggers.is_empty() { (vec![when], String::new()) } else { (triggers, when) };
        let mut notes = String::new();
        if !when.is_empty() {
            let _ = write!(notes, " [{}]", printable(&when));
        }
        if let Some(kind) = kind_in_words(kind) {
            let _ = write!(notes, " ({kind})");
        }
        Self { takes: lines(&takes, WIDEST), to: to.map(printable), notes }
    }

    /// How wide what it takes is on a terminal.
    pub(super) fn width(&self) -> usize {
        self.takes.iter().map(|line| line.width()).max().unwrap_or_default()
    }

    /// Writes its lines, with arrows behind so much room.
    pub(super) fn write(&self, is_last: bool, width: usize, out: &mut String) {
        let (branch, below) = if is_last { ("└─", "  ") } else { ("├─", "│ ") };
        for (at, line) in self.takes.iter().enumerate() {
            let room = " ".repeat(width.saturating_sub(line.width()));
            let _ = match (at, &self.to) {
                (0, Some(to)) => {
                    writeln!(out, "{} {line}{room} {} {to}{}", branch.dimmed(), "→".dimmed(), self.notes.dimmed())
                }
                (0, None) => writeln!(out, "{} {line}{room} {}{}", branch.dimmed(), "↻".dimmed(), self.notes.dimmed()),
                _ => writeln!(out, "{} {line}", below.dimmed()),
            };
        }
    }
}

/// Names, with commas between them, in lines that fit.
pub(super) fn lines(names: &[String], widest: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for (at, name) in names.iter().enumerate() {
        let comma = if at + 1 < names.len() { "," } else { "" };
        let Some(line) = lines.last_mut() else { continue };
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

/// What a way is, where that is not plain.
fn kind_in_words(kind: EdgeKind) -> Option<&'static str> {
    match kind {
        EdgeKind::Move | EdgeKind::Choice => None,
        EdgeKind::Fork => Some("branch"),
        EdgeKind::Join => Some("end of the branch"),
        EdgeKind::Degrade => Some("where nothing else goes on"),
        EdgeKind::Digress => Some("aside"),
        EdgeKind::Back => Some("back"),
        EdgeKind::Replan => Some("planned anew"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_go_on_in_the_next_line() {
        let names: Vec<String> = (0..9).map(|number| format!("намерение_{number}")).collect();
        let lines = lines(&names, WIDEST);
        assert!(lines.len() > 1 && lines.iter().all(|line| line.width() <= WIDEST), "{lines:?}");
        assert_eq!(lines.join(" "), names.join(", "));
    }
}
