//! The commands of the REPL.

use std::fmt::Write;

use colored::Colorize;
use unicode_width::UnicodeWidthStr;

use super::context::ContextView;
use super::policies::shown;
use super::render::note;
use super::repl::{Repl, ReplReply};
use super::{policies, render};
use fsmsim_core::engine::ConditionExplainer;
use fsmsim_core::engine::policy::Guide;
use fsmsim_core::machine::{ChainTable, Condition, ConditionId, Consequent, SlotId};
use fsmsim_harness::rehearsal::RehearsalError;
use fsmsim_syntax::diagnostic::{did_you_mean, nearest};
use fsmsim_syntax::terminal::{Joined, printable};

/// A command: its name, what may follow it, and what it does.
pub(super) struct ReplCommand {
    pub(super) name: &'static str,
    arguments: &'static str,
    does: &'static str,
}

pub(super) const COMMANDS: [ReplCommand; 31] = [
    command(
        "state",
        "",
        "where the dialogue is, and what the state does with which intent",
    ),
    command(
        "instruction",
        "",
        "what a model is told in this state: all layers, and what is known",
    ),
    command("data", "", "what was collected, and the counters"),
    command("points", "", "of an interview: how far each point is"),
    command(
        "anketa",
        "[FILE]",
        "what an interview has found out so far; as JSON where FILE ends so",
    ),
    command(
        "context",
        "",
        "all that conditions see: what was said, data, counters, limits, flags, signals",
    ),
    command(
        "why",
        "",
        "who proposed what in the last turn, and why the rest lost",
    ),
    command(
        "why-not",
        "STATE",
        "what could have been typed instead to go to that state, or to answer with that action",
    ),
    command(
        "cond",
        "NAME",
        "the value of a condition now, and what it looked at",
    ),
    command(
        "conds",
        "[TEXT]",
        "the conditions that hold now, or those with TEXT in their name",
    ),
    command("trace", "", "the dialogue so far as JSON lines"),
    command("states", "", "all states"),
    command("intents", "", "the intents, those of this state first"),
    command(
        "go",
        "STATE",
        "put the dialogue into a state; the next turn begins there",
    ),
    command(
        "set",
        "SLOT=VALUE",
        "put something into a slot; the next turn begins with that",
    ),
    command(
        "reload",
        "",
        "read the model again, as is done by itself when a file of it is saved; tells what is different",
    ),
    command(
        "consent",
        "yes|no",
        "in sets of states: the user allows to read and write his data; `:consent read yes` for one of them",
    ),
    command(
        "reply",
        "TEXT",
        "in sets of states: what the assistant says without going anywhere",
    ),
    command("undo", "[N]", "take the last turn back, or the last N"),
    command("redo", "[N]", "take it again"),
    command(
        "turn",
        "N",
        "go behind turn N of this branch; 0 is the beginning",
    ),
    command("fork", "NAME", "begin a branch here"),
    command("switch", "NAME", "go to the end of another branch"),
    command(
        "branches",
        "",
        "the branches; nothing that was played is lost",
    ),
    command("diff", "[A] B", "what two branches do otherwise"),
    command(
        "history",
        "[N]",
        "the last lines that were typed, in all sessions",
    ),
    command(
        "save",
        "FILE",
        "keep the dialogue as a scenario: `.yaml`, or `.md` for a transcript",
    ),
    command(
        "load",
        "SCENARIO",
        "play a scenario (FILE::TITLE, or FILE), or a dialogue of a trace, and go on from there; @3 its first three turns",
    ),
    command(
        "reset",
        "[START]",
        "begin again; START as in a scenario: {state: close, flags: {circular_flow: true}}",
    ),
    command("help", "", "this help"),
    command("quit", "", "leave (as Ctrl-D does)"),
];

const fn command(name: &'static str, arguments: &'static str, does: &'static str) -> ReplCommand {
    ReplCommand {
        name,
        arguments,
        does,
    }
}

impl Repl {
    /// Runs a command.
    pub(super) fn command(
        &mut self,
        name: &str,
        rest: &str,
        line: &str,
    ) -> Result<ReplReply, RehearsalError> {
        let text = match name {
            "state" => self.show_state(),
            "instruction" => self.show_instruction()?,
            "data" => self.show_data(),
            "points" => self.show_points()?,
            "anketa" => self.show_anketa(rest)?,
            "context" => self.context_view().render(),
            "why" => self.show_why(),
            "why-not" => self.show_why_not(rest)?,
            "cond" => self.show_condition(rest)?,
            "conds" => self.show_conditions(rest),
            "trace" => self.rehearsal.trace(),
            "states" => self.show_states(),
            "intents" => self.show_intents(),
            "go" | "set" => {
                self.rehearsal.change_by_line(line)?;
                note("the next turn begins with that")
            }
            "consent" => return self.consent(rest),
            "reply" => return self.reply(rest),
            "load" => return self.load(rest),
            "history" => return self.show_history(rest),
            "save" => self.save(rest)?,
            "reload" => return self.reload(),
            "undo" => return self.undo(rest),
            "redo" => return self.redo(rest),
            "turn" => return self.behind_turn(rest),
            "fork" => return self.fork(rest),
            "switch" => return self.switch(rest),
            "branches" => self.show_branches(),
            "diff" => self.diff(rest)?,
            "reset" => return self.reset(rest),
            "help" | "h" | "?" => help(),
            "quit" | "q" | "exit" => return Ok(ReplReply::Quit),
            other => {
                let near = nearest(other, COMMANDS.iter().map(|command| command.name))
                    .map(|near| format!(":{near}"));
                let hint = did_you_mean("", near.as_deref());
                return Err(
                    format!("there is no command `:{other}`.{hint} `:help` lists them.").into(),
                );
            }
        };
        Ok(ReplReply::Show(text))
    }

    fn show_state(&self) -> String {
        let (machine, session) = (&**self.dialogue().machine(), self.dialogue().session());
        let id = session.position.state;
        let state = machine.state(id);
        let mut text = format!("{}", session.state_name(id, machine).bold());
        if let Some(phase) = state.phase {
            let _ = write!(
                text,
                "   phase {}",
                session.phase_name(phase, machine).cyan()
            );
        }
        if session.is_final(machine) {
            let _ = write!(text, "   {}", "the dialogue is over".green());
        }
        text.push('\n');
        if let Some(goal) = &state.goal {
            let _ = writeln!(text, "  {}", printable(goal));
        }
        if let Some(span) = state.span {
            let _ = writeln!(text, "  {}", machine.files.place(span).to_string().dimmed());
        }
        let slots = |list: &[SlotId]| {
            let names: Vec<String> = list
                .iter()
                .map(|slot| {
                    let name = machine.names.slots.name(*slot);
                    if session.slots.get(*slot).filled() {
                        format!("{name} ✓").green().to_string()
                    } else {
                        name.to_owned()
                    }
                })
                .collect();
            names.join(", ")
        };
        for (label, list) in [("required", &state.required), ("optional", &state.optional)] {
            if !list.is_empty() {
                let _ = writeln!(text, "  {label}: {}", slots(list));
            }
        }
        if let Some(guide) = machine.guide(id) {
            let data: Vec<&str> = guide
                .reads
                .iter()
                .map(|slot| machine.names.slots.name(*slot))
                .collect();
            if !data.is_empty() {
                let _ = writeln!(text, "  needs: {}", data.join(", "));
            }
            if let Some(schema) = guide.writes {
                let _ = writeln!(text, "  writes: {}", machine.schemas[schema].name);
            }
            let _ = writeln!(text, "  {}", "moves:".dimmed());
            text.push_str(&self.moves(guide));
        }
        for (label, table) in [("transitions", &state.transitions), ("rules", &state.rules)] {
            if !table.is_empty() {
                let _ = writeln!(text, "  {}", format!("{label}:").dimmed());
                text.push_str(&self.chains(table));
            }
        }
        text.push_str(&policies::state(
            machine,
            self.dialogue().settings(),
            session,
        ));
        text
    }

    /// The moves that a state declares, with their conditions.
    fn moves(&self, guide: &Guide) -> String {
        let names = &self.dialogue().machine().names.states;
        let width = guide
            .moves
            .iter()
            .map(|declared| names.name(declared.target).width())
            .max()
            .unwrap_or(0);
        let mut text = String::new();
        for declared in &guide.moves {
            let name = names.name(declared.target);
            let pad = " ".repeat(width.saturating_sub(name.width()));
            let line = format!(
                "    {}{pad}  {}",
                printable(name),
                printable(&declared.condition).dimmed()
            );
            let _ = writeln!(text, "{}", line.trim_end());
        }
        text
    }

    fn show_instruction(&self) -> Result<String, String> {
        let instruction = self
            .dialogue()
            .session()
            .instruction(self.dialogue().machine())
            .ok_or("the model has no instructions: it is a flow, driven by intents")?;
        Ok(instruction
            .lines()
            .fold(String::new(), |text, line| text + &printable(line) + "\n"))
    }

    /// The alternatives of each intent.
    fn chains(&self, table: &ChainTable) -> String {
        let machine = self.dialogue().machine();
        let width = table
            .iter()
            .map(|(intent, _)| machine.names.intents.name(intent).chars().count())
            .max()
            .unwrap_or(0);
        let mut text = String::new();
        for (intent, chain) in table.iter() {
            let clauses = machine.clauses(chain).iter().map(|clause| {
                let to = match clause.then {
                    Consequent::Action(action) => machine.names.actions.name(action),
                    Consequent::State(state) => machine.names.states.name(state),
                };
                let when = clause.when.map_or(String::new(), |condition| {
                    format!(" if {}", self.condition_text(condition))
                });
                format!("{to}{}", when.dimmed())
            });
            let name = machine.names.intents.name(intent);
            let pad = " ".repeat(width.saturating_sub(name.chars().count()));
            let _ = writeln!(text, "    {name}{pad}  {}", clauses.joined(", else "));
        }
        text
    }

    /// A condition of a rule: its name, or a word for one that is written out.
    fn condition_text(&self, condition: ConditionId) -> String {
        match &self.dialogue().machine().conditions[condition] {
            Condition::Named(named) => self
                .dialogue()
                .machine()
                .names
                .conditions
                .name(*named)
                .to_owned(),
            Condition::Broken(why) => why.to_string(),
            _ => "(a condition written out)".to_owned(),
        }
    }

    fn show_data(&self) -> String {
        let (machine, session) = (&**self.dialogue().machine(), self.dialogue().session());
        let mut text = String::new();
        for (name, value) in session.slots.iter(machine) {
            let _ = writeln!(text, "  {} = {}", printable(name), printable(&shown(value)));
        }
        if text.is_empty() {
            text.push_str("  nothing collected yet\n");
        }
        let counter = |name: &str| {
            let id = machine.names.counters.id(name);
            id.map_or(0, |id| {
                machine.counter(session, self.dialogue().settings(), id)
            })
        };
        let counters = format!(
            "turns {}   steps back {} ({} left)   objections {} in a row, {} in all",
            session.tracker.turn(),
            counter("go_backs"),
            counter("go_backs_left"),
            counter("objections_in_row"),
            counter("objections_total")
        );
        let _ = writeln!(text, "  {}", counters.dimmed());
        text
    }

    fn show_why(&self) -> String {
        if let Some(known) = self.rehearsal.why_at(self.rehearsal.tree().at()) {
            return render::why(known);
        }
        match self.dialogue().turns() {
            0 => "  no turn was played yet\n".to_owned(),
            _ => "  no turn was played since the session goes on; `:trace` tells of those before\n"
                .to_owned(),
        }
    }

    fn probe(&self) -> ConditionExplainer<'_> {
        let runner = self.dialogue();
        let last = &self.rehearsal.last_given().input;
        ConditionExplainer::new(runner.machine(), runner.settings(), runner.session(), last)
    }

    fn context_view(&self) -> ContextView<'_> {
        let (machine, settings, session) = (
            &**self.dialogue().machine(),
            self.dialogue().settings(),
            self.dialogue().session(),
        );
        ContextView {
            machine,
            settings,
            session,
            explainer: self.probe(),
        }
    }

    fn show_condition(&self, name: &str) -> Result<String, String> {
        let names = &self.dialogue().machine().names.conditions;
        let Some(id) = names.id(name) else {
            let near = did_you_mean("", nearest(name, names.iter()));
            return Err(format!(
                "there is no condition `{name}`.{near} `:conds` lists them."
            ));
        };
        let mut text = String::new();
        let description = &self.dialogue().machine().named_conditions[id].description;
        if !description.is_empty() {
            let _ = writeln!(text, "  {}", printable(description).dimmed());
        }
        for step in self.probe().explain(id) {
            let value = match step.value {
                Ok(true) => "true".green().to_string(),
                Ok(false) => "false".red().to_string(),
                Err(fault) => format!("{fault}").red().to_string(),
            };
            let seen = step.seen.map_or(String::new(), |seen| {
                format!("  [{}]", printable(&seen)).dimmed().to_string()
            });
            let _ = writeln!(
                text,
                "  {}{}: {value}{seen}",
                "  ".repeat(step.depth),
                printable(&step.asked)
            );
        }
        Ok(text)
    }

    fn show_conditions(&self, part: &str) -> String {
        let probe = self.probe();
        let mut text = String::new();
        for (id, condition) in self.dialogue().machine().named_conditions.pairs() {
            let name = self.dialogue().machine().names.conditions.name(id);
            let value = probe.value(id);
            let wanted = if part.is_empty() {
                value == Ok(true)
            } else {
                name.contains(part)
            };
            if wanted {
                let value = match value {
                    Ok(true) => "true ".green(),
                    Ok(false) => "false".red(),
                    Err(_) => "?    ".red(),
                };
                let _ = writeln!(
                    text,
                    "  {value} {name}  {}",
                    printable(&condition.description).dimmed()
                );
            }
        }
        if text.is_empty() {
            text = format!(
                "  none of the {} conditions\n",
                self.dialogue().machine().named_conditions.len()
            );
        }
        text
    }
}

fn help() -> String {
    let mut text = String::from(
        "  text / intent slot=value slot=\"two words\"   a turn; a line that starts with an intent needs no slash\n  \
         behind the intent also: also:INTENT tone:WORD frustration:0-10 confidence:0-1\n",
    );
    for command in &COMMANDS {
        let usage = format!(":{} {}", command.name, command.arguments);
        let _ = writeln!(text, "  {usage:16} {}", command.does);
    }
    text
}
