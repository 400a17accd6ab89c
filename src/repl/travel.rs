//! Going back, forth and to other branches: the commands of the REPL that travel through the turns that were played.

use std::fmt::Write;

use colored::Colorize;
use serde_json::Value as Json;

use super::render::{note, said};
use super::repl::{Repl, ReplReply};
use crate::diagnostic::{did_you_mean, nearest, plural};
use crate::engine::ScriptedTurn;
use crate::llm::Speaker;
use crate::runtime::{TurnBranch, TurnNode};
use crate::terminal::printable;

/// What of a record tells where a turn led, in the order in which it is told.
const COMPARED: [&str; 9] =
    ["state", "phase", "action", "class", "contract_class", "data", "effects", "replies", "final"];

impl Repl {
    /// Takes turns back.
    pub(super) fn undo(&mut self, rest: &str) -> Result<ReplReply, String> {
        if rest.is_empty() && !self.by_hand.is_empty() {
            return self.go_to(self.tree.at());
        }
        let turns = number(rest, "`:undo 2` takes two turns back")?.unwrap_or(1);
        let to = self.tree.back(turns)?;
        self.go_to(to)
    }

    /// Takes turns that were taken back again.
    pub(super) fn redo(&mut self, rest: &str) -> Result<ReplReply, String> {
        let turns = number(rest, "`:redo 2` takes two turns again")?.unwrap_or(1);
        let to = self.tree.forth(turns)?;
        self.go_to(to)
    }

    /// Goes behind a turn, by its number.
    pub(super) fn behind_turn(&mut self, rest: &str) -> Result<ReplReply, String> {
        let usage = "`:turn 3` goes behind the third turn, `:turn 0` to the beginning";
        let turn = number(rest, usage)?.ok_or(usage)?;
        let to = self.tree.of_turn(turn)?;
        self.go_to(to)
    }

    /// Begins a branch here.
    pub(super) fn fork(&mut self, name: &str) -> Result<ReplReply, String> {
        let former = self.tree.branch().to_owned();
        self.tree.fork(name)?;
        let (_, by_hand) = self.take_by_hand();
        if let Err(why) = self.keep_place(&by_hand) {
            return Ok(self.fail(why));
        }
        if let Err(end) = self.redo_by_hand(&by_hand) {
            return Ok(end);
        }
        let text = note(&format!("the branch `{name}` begins here; `:switch {former}` goes back to the other"));
        Ok(ReplReply::Show(text))
    }

    /// Goes to the end of another branch.
    pub(super) fn switch(&mut self, name: &str) -> Result<ReplReply, String> {
        let branch = self.branch_named(name)?;
        self.can_travel()?;
        self.put_back(branch.tip)?;
        self.tree.switch(&branch);
        Ok(self.arrived())
    }

    /// Lists the branches.
    pub(super) fn show_branches(&self) -> String {
        let mut rows = Vec::new();
        for branch in self.tree.branches() {
            let mark = if branch.name == self.tree.branch() { "*" } else { " " };
            let turns = self.tree.turns_at(branch.tip);
            let ahead = turns.saturating_sub(self.tree.turns_at(self.tree.at()));
            let place = self.tree.moment(branch.tip).and_then(state_of).unwrap_or_default();
            let here = if mark == "*" && ahead > 0 { format!("{ahead} of them ahead") } else { String::new() };
            rows.push((mark, branch.name.clone(), plural(turns, "turn"), place, here));
        }
        let names = rows.iter().map(|(_, name, ..)| name.chars().count()).max().unwrap_or(0);
        let turns = rows.iter().map(|(_, _, count, ..)| count.len()).max().unwrap_or(0);
        let mut text = String::new();
        for (mark, name, count, place, here) in &rows {
            let line = format!("{mark} {name:names$}  {count:>turns$}  {}  {here}", printable(place));
            let _ = writeln!(text, "  {}", line.trim_end());
        }
        text
    }

    /// The last lines that were typed.
    pub(super) fn show_history(&mut self, rest: &str) -> Result<ReplReply, String> {
        let most = number(rest, "`:history 50` tells the last 50 lines")?.unwrap_or(20);
        let lines = match self.lines(most) {
            Ok(lines) => lines,
            Err(why) => return Ok(self.fail(why)),
        };
        let width = lines.iter().map(|typed| typed.session.chars().count()).max().unwrap_or(0);
        let told = lines.iter().map(|typed| {
            let session = format!("{:width$}", typed.session).dimmed();
            format!("  {session}{}{}\n", if width > 0 { "  " } else { "" }, printable(&typed.line))
        });
        Ok(ReplReply::Show(told.collect::<Vec<_>>().concat()))
    }

    /// What two branches do otherwise, turn by turn, from where they part.
    pub(super) fn diff(&self, rest: &str) -> Result<String, String> {
        let names: Vec<&str> = rest.split_whitespace().collect();
        let (one, other) = match names.as_slice() {
            [other] => (self.tree.branch(), *other),
            [one, other] => (*one, *other),
            _ => return Err("`:diff A B` compares two branches, `:diff A` this one with another".to_owned()),
        };
        let (one, other) = (self.branch_named(one)?, self.branch_named(other)?);
        let parting = self.tree.common(one.tip, other.tip);
        let rest_of = |branch: &TurnBranch| -> Vec<&TurnNode> {
            let path = self.tree.path_to(branch.tip).into_iter().skip_while(|number| *number <= parting);
            path.filter_map(|number| self.tree.moment(number)).collect()
        };
        let (ours, theirs) = (rest_of(&one), rest_of(&other));
        let before = self.tree.turns_at(parting);
        let mut text = note(&match before {
            0 => "they part at the beginning".to_owned(),
            turns => format!("they part behind turn {turns}"),
        });
        for at in 0..ours.len().max(theirs.len()) {
            let turn = before.saturating_add(u32::try_from(at + 1).unwrap_or(u32::MAX));
            let _ = writeln!(text, "  {}", format!("turn {turn}").bold());
            text.push_str(&differences((&one.name, ours.get(at).copied()), (&other.name, theirs.get(at).copied())));
        }
        if ours.is_empty() && theirs.is_empty() {
            text.push_str(&note("and both end there"));
        }
        Ok(text)
    }

    fn branch_named(&self, name: &str) -> Result<TurnBranch, String> {
        let branches = self.tree.branches();
        branches.iter().find(|branch| branch.name == name).cloned().ok_or_else(|| {
            let near = did_you_mean("", nearest(name, branches.iter().map(|branch| &*branch.name)));
            format!("there is no branch `{name}`.{near} `:branches` lists them.")
        })
    }

    /// Goes to a moment of the branch.
    fn go_to(&mut self, number: u32) -> Result<ReplReply, String> {
        self.can_travel()?;
        self.put_back(number)?;
        self.tree.move_to(number);
        Ok(self.arrived())
    }

    /// Goes back to the beginning.
    pub(super) fn go_to_the_beginning(&mut self) -> Result<(), String> {
        self.put_back(0)?;
        self.tree.move_to(0);
        Ok(())
    }

    /// A memory that lasts cannot unlearn.
    fn can_travel(&self) -> Result<(), String> {
        if self.remembers() {
            return Err(
                "a cycle remembers what it did, and that cannot be taken back: `:reset` begins again".to_owned()
            );
        }
        Ok(())
    }

    /// Puts the dialogue back to a moment.
    fn put_back(&mut self, number: u32) -> Result<(), String> {
        let (turns, said) = (self.tree.turns_at(number), self.tree.said_to(number));
        self.runner.go_to(self.tree.checkpoint(number), turns, said)?;
        self.last = ScriptedTurn::default();
        self.by_hand.clear();
        Ok(())
    }

    fn arrived(&mut self) -> ReplReply {
        if let Err(why) = self.keep_place(&[]) {
            return self.fail(why);
        }
        let turns = self.tree.turns_at(self.tree.at());
        let mut text = note(&format!("{} on `{}`: {}", plural(turns, "turn"), self.tree.branch(), self.state()));
        if let Some(last) = self.runner.history().iter().rev().find(|said| said.by == Speaker::Assistant) {
            text.push_str(&said(&last.text));
        }
        if self.keeps_for_good() {
            text.push_str(&note("what was written to the twin stays written"));
        }
        ReplReply::Show(text)
    }
}

/// What two moments do otherwise, as lines: `-` of the one, `+` of the other.
pub(super) fn differences(
    (one, ours): (&str, Option<&TurnNode>),
    (other, theirs): (&str, Option<&TurnNode>),
) -> String {
    let mut text = String::new();
    let [line, other_line] = [ours, theirs].map(|moment| moment.map(|moment| &*moment.line));
    if line == other_line {
        let _ = writeln!(text, "    {}", printable(line.unwrap_or_default()));
    } else {
        for (sign, name, line) in [("-", one, line), ("+", other, other_line)] {
            let line = line.map_or_else(|| "(no turn)".to_owned(), printable);
            let line = format!("    {sign} {line}   ({name})");
            let _ = writeln!(text, "{}", if sign == "-" { line.red() } else { line.green() });
        }
    }
    let [ours, theirs] = [ours, theirs].map(|moment| moment.map(record_of));
    let (Some(ours), Some(theirs)) = (ours, theirs) else { return text };
    for (field, was, is) in changed(&ours, &theirs) {
        let _ = writeln!(text, "{}", format!("      - {field}: {}", printable(&was)).red());
        let _ = writeln!(text, "{}", format!("      + {field}: {}", printable(&is)).green());
    }
    text
}

/// The fields of two records that are not the same, with what they say.
pub(super) fn changed(one: &Json, other: &Json) -> Vec<(&'static str, String, String)> {
    let value = |record: &Json, field: &str| match record.get(field) {
        Some(Json::Object(step)) if step.contains_key("to") => shown(step.get("to").unwrap_or(&Json::Null)),
        Some(value) => shown(value),
        None => "null".to_owned(),
    };
    let pairs = COMPARED.into_iter().map(|field| (field, value(one, field), value(other, field)));
    pairs.filter(|(_, was, is)| was != is).collect()
}

/// The record of a moment.
pub(super) fn record_of(moment: &TurnNode) -> Json {
    serde_json::from_str(&moment.record).unwrap_or_default()
}

fn state_of(moment: &TurnNode) -> Option<String> {
    Some(record_of(moment).pointer("/state/to")?.as_str()?.to_owned())
}

fn shown(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The number behind a command; nothing where nothing stands there.
fn number(text: &str, usage: &str) -> Result<Option<u32>, String> {
    match text {
        "" => Ok(None),
        text => text.parse().map(Some).map_err(|_| format!("`{text}` is no number of turns: {usage}")),
    }
}
