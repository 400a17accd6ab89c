//! Time travel commands: undo, redo, branches, comparison.

use std::fmt::Write;

use colored::Colorize;

use super::render::{changes, note, said};
use super::repl::{Repl, ReplReply};
use fsmsim_adapters::llm::Speaker;
use fsmsim_harness::interactive::{ComparedTurn, InteractiveError};
use fsmsim_syntax::diagnostic::plural;
use fsmsim_syntax::terminal::printable;

impl Repl {
    /// Undoes turns.
    pub(super) fn undo(&mut self, rest: &str) -> Result<ReplReply, InteractiveError> {
        let turns = number(rest, "`:undo 2` undoes two turns")?;
        self.interactive.undo(turns)?;
        Ok(self.arrived())
    }

    /// Redoes turns.
    pub(super) fn redo(&mut self, rest: &str) -> Result<ReplReply, InteractiveError> {
        let turns = number(rest, "`:redo 2` redoes two turns")?.unwrap_or(1);
        self.interactive.redo(turns)?;
        Ok(self.arrived())
    }

    /// Goes to the state after a turn.
    pub(super) fn go_to_turn(&mut self, rest: &str) -> Result<ReplReply, InteractiveError> {
        let usage = "`:turn 3` jumps to the state after turn 3, `:turn 0` to the start";
        let turn = number(rest, usage)?.ok_or(usage)?;
        self.interactive.go_to_turn(turn)?;
        Ok(self.arrived())
    }

    /// Starts a branch here.
    pub(super) fn fork(&mut self, name: &str) -> Result<ReplReply, InteractiveError> {
        let former = self.interactive.tree().branch().to_owned();
        self.interactive.fork(name)?;
        let text = note(&format!(
            "started the branch `{name}`; `:switch {former}` returns to the other one"
        ));
        Ok(ReplReply::Show(text))
    }

    /// Goes to the end of another branch.
    pub(super) fn switch(&mut self, name: &str) -> Result<ReplReply, InteractiveError> {
        self.interactive.switch(name)?;
        Ok(self.arrived())
    }

    pub(super) fn show_branches(&self) -> String {
        let tree = self.interactive.tree();
        let mut rows = Vec::new();
        for branch in tree.branches() {
            let mark = if branch.name == tree.branch() {
                "*"
            } else {
                " "
            };
            let turns = tree.turns_at(branch.tip);
            let ahead = turns.saturating_sub(tree.turns_at(tree.at()));
            let place = self.interactive.state_at(branch.tip).unwrap_or_default();
            let here = if mark == "*" && ahead > 0 {
                format!("{ahead} of them ahead")
            } else {
                String::new()
            };
            rows.push((
                mark,
                branch.name.clone(),
                plural(turns, "turn"),
                place,
                here,
            ));
        }
        let names = rows
            .iter()
            .map(|(_, name, ..)| name.chars().count())
            .max()
            .unwrap_or(0);
        let turns = rows
            .iter()
            .map(|(_, _, count, ..)| count.len())
            .max()
            .unwrap_or(0);
        let mut text = String::new();
        for (mark, name, count, place, here) in &rows {
            let line = format!(
                "{mark} {name:names$}  {count:>turns$}  {}  {here}",
                printable(place)
            );
            let _ = writeln!(text, "  {}", line.trim_end());
        }
        text
    }

    /// Shows the last typed lines.
    pub(super) fn show_history(&mut self, rest: &str) -> Result<ReplReply, InteractiveError> {
        let most = number(rest, "`:history 50` shows the last 50 lines")?.unwrap_or(20);
        let lines = self.interactive.lines(most)?;
        let width = lines
            .iter()
            .map(|typed| typed.session.chars().count())
            .max()
            .unwrap_or(0);
        let typed_lines = lines.iter().map(|typed| {
            let session = format!("{:width$}", typed.session).dimmed();
            format!(
                "  {session}{}{}\n",
                if width > 0 { "  " } else { "" },
                printable(&typed.line)
            )
        });
        Ok(ReplReply::Show(typed_lines.collect::<Vec<_>>().concat()))
    }

    /// Compares two branches turn by turn, from where they diverge.
    pub(super) fn diff(&self, rest: &str) -> Result<String, String> {
        let names: Vec<&str> = rest.split_whitespace().collect();
        let (one, other) = match names.as_slice() {
            [other] => (self.interactive.tree().branch(), *other),
            [one, other] => (*one, *other),
            _ => {
                return Err(
                    "`:diff A B` compares two branches, `:diff A` this one with another".to_owned(),
                );
            }
        };
        let compared = self.interactive.compare(one, other)?;
        let mut text = note(&match compared.parted {
            0 => "the branches diverge at the start".to_owned(),
            turns => format!("the branches diverge after turn {turns}"),
        });
        for turn in &compared.turns {
            let _ = writeln!(text, "  {}", format!("turn {}", turn.turn).bold());
            text.push_str(&self.differences(turn, [&compared.one, &compared.other]));
        }
        if compared.turns.is_empty() {
            text.push_str(&note("both end there"));
        }
        Ok(text)
    }

    /// The differences of a turn between two branches, as lines: `-` of the first, `+` of the second.
    fn differences(&self, turn: &ComparedTurn, names: [&str; 2]) -> String {
        let tree = self.interactive.tree();
        let lines = turn
            .moments
            .map(|number| Some(&*tree.moment(number?)?.line));
        let mut text = String::new();
        let [line, other] = lines;
        if line == other {
            let _ = writeln!(text, "    {}", printable(line.unwrap_or_default()));
        } else {
            for ((sign, name), line) in ["-", "+"].into_iter().zip(names).zip(lines) {
                let line = line.map_or_else(|| "(no turn)".to_owned(), printable);
                let line = format!("    {sign} {line}   ({name})");
                let _ = writeln!(
                    text,
                    "{}",
                    if sign == "-" {
                        line.red()
                    } else {
                        line.green()
                    }
                );
            }
        }
        text + &changes(&turn.fields)
    }

    fn arrived(&self) -> ReplReply {
        let tree = self.interactive.tree();
        let turns = tree.turns_at(tree.at());
        let mut text = note(&format!(
            "{} on `{}`: {}",
            plural(turns, "turn"),
            tree.branch(),
            self.state()
        ));
        if let Some(last) = self
            .dialogue()
            .history()
            .iter()
            .rev()
            .find(|said| said.by == Speaker::Assistant)
        {
            text.push_str(&said(&last.text));
        }
        if self.interactive.persists_data() {
            text.push_str(&note("changes in the digital twin are not undone"));
        }
        ReplReply::Show(text)
    }
}

/// The number after a command; `None` without one.
fn number(text: &str, usage: &str) -> Result<Option<u32>, String> {
    match text {
        "" => Ok(None),
        text => text
            .parse()
            .map(Some)
            .map_err(|_| format!("expected a number, found `{text}`: {usage}")),
    }
}
