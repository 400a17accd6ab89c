//! The commands of the REPL.

use std::fmt::Write;

use colored::Colorize;

use super::context::{ContextView, section};
use super::render::note;
use super::repl::{Repl, ReplReply};
use super::{policies, render};
use fsmsim_core::engine::policy::Guide;
use fsmsim_core::machine::{ChainTable, Condition, ConditionId, Consequent, StateId};
use fsmsim_harness::interactive::InteractiveError;
use fsmsim_reports::dialogue_view::turn_conditions;
use fsmsim_runtime::script::AcceptedInputs;
use fsmsim_syntax::diagnostic::{nearest, similar_name_hint};
use fsmsim_syntax::terminal::{Joined, printable};

/// The commands in groups. The first character of a line is the kind of model that has the command: `a` all, `i` models
/// with intents, `s` state sets, `p` interviews. The second character is `*` if the short help contains it. A line
/// without this prefix is the title of a group.
const HELP: &str = include_str!("help.txt");

/// The names of the commands.
pub(super) fn command_names() -> impl Iterator<Item = &'static str> {
    let commands = HELP
        .lines()
        .filter_map(|line| line.get(2..)?.strip_prefix(':'));
    commands.filter_map(|command| command.split(' ').next())
}

/// Whether the help shows a command without arguments.
fn takes_nothing(name: &str) -> bool {
    let commands = HELP
        .lines()
        .filter_map(|line| line.get(2..)?.strip_prefix(':')?.split_once("  "));
    commands
        .map(|(syntax, _)| syntax)
        .any(|syntax| syntax == name)
}

impl Repl {
    /// Runs a command.
    pub(super) fn command(
        &mut self,
        name: &str,
        rest: &str,
        line: &str,
    ) -> Result<ReplReply, InteractiveError> {
        if !rest.is_empty() && takes_nothing(name) {
            let is_turn = rest.parse::<u32>().is_ok();
            let hint = if is_turn {
                format!(" To see turn {rest}, first type `:turn {rest}`.")
            } else {
                String::new()
            };
            return Err(format!("`:{name}` has no argument, found `{rest}`.{hint}").into());
        }
        let text = match name {
            "state" => self.show_state(),
            "instruction" => self.show_instruction()?,
            "data" => self.show_data(),
            "points" => self.show_points()?,
            "questionnaire" => self.show_questionnaire(rest)?,
            "context" => self.show_context()?,
            "why" => self.show_why(),
            "why-not" => self.show_why_not(rest)?,
            "condition" => self.show_condition(rest)?,
            "conditions" => self.show_conditions(rest)?,
            "trace" => self.interactive.trace(),
            "states" => self.show_states(),
            "intents" => self.show_intents(),
            "goto" | "set" => {
                self.interactive.change_by_line(line)?;
                note("changed; the next turn starts from here")
            }
            "consent" => return self.consent(rest),
            "reply" => return self.reply(rest),
            "load" => return self.load(rest),
            "history" => return self.show_history(rest),
            "save" => self.save(rest)?,
            "export" => self.export(rest)?,
            "reload" => return self.reload(),
            "undo" => return self.undo(rest),
            "redo" => return self.redo(rest),
            "turn" => return self.go_to_turn(rest),
            "fork" => return self.fork(rest),
            "switch" => return self.switch(rest),
            "branches" => self.show_branches(),
            "diff" => self.diff(rest)?,
            "reset" => return self.reset(rest),
            "help" | "h" | "?" => self.help(rest),
            "quit" | "q" | "exit" => return Ok(ReplReply::Quit),
            other => {
                let near = nearest(other, command_names()).map(|near| format!(":{near}"));
                let hint = similar_name_hint("command", near.as_deref());
                return Err(
                    format!("unknown command `:{other}`.{hint} Type `:help` for a list.").into(),
                );
            }
        };
        Ok(ReplReply::Show(text))
    }

    /// The help for the commands of this model, for all commands (`all`), or for the command with this name.
    fn help(&self, wanted: &str) -> String {
        let wanted = wanted.trim_start_matches(':');
        let all = !wanted.is_empty();
        let named = (!matches!(wanted, "" | "all")).then(|| format!(":{wanted}"));
        let machine = self.dialogue().machine();
        let has_moves = AcceptedInputs::of(machine).moves;
        let is_for = |models: &str| match models {
            "i" => !has_moves,
            "s" => has_moves,
            "p" => machine.policies.inquiry().is_some(),
            _ => true,
        };
        let mut text = String::new();
        let mut title = None;
        for line in HELP.lines() {
            let (tag, command) = line.split_at(2);
            let is_shown = match tag.split_at(1) {
                (models, "*") => all || is_for(models),
                (_, "-") => all,
                _ => {
                    title = Some(line);
                    false
                }
            };
            let is_wanted = named
                .as_deref()
                .is_none_or(|name| command.split(' ').next() == Some(name));
            if is_shown && is_wanted {
                if let Some(title) = title.take() {
                    let _ = writeln!(text, "{}", title.bold());
                }
                let _ = writeln!(text, "  {command}");
            }
        }
        if text.is_empty() {
            return self.help("all");
        }
        text
    }

    fn show_state(&self) -> String {
        let machine = &**self.dialogue().machine();
        let session = self.dialogue().session();
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
            let _ = write!(text, "   {}", "the dialogue has ended".green());
        }
        text.push('\n');
        if let Some(goal) = &state.goal {
            let _ = writeln!(text, "  {}", printable(goal));
        }
        if let Some(span) = state.span {
            let _ = writeln!(text, "  {}", machine.files.place(span).to_string().dimmed());
        }
        let slots = &machine.names.slots;
        for (label, list) in [("required", &state.required), ("optional", &state.optional)] {
            let names = list.iter().map(|slot| {
                let name = slots.name(*slot);
                if session.slots.get(*slot).filled() {
                    format!("{name} ✓").green().to_string()
                } else {
                    name.to_owned()
                }
            });
            if !list.is_empty() {
                let _ = writeln!(text, "  {label}: {}", names.joined(", "));
            }
        }
        if let Some(guide) = machine.guide(id) {
            if !guide.reads.is_empty() {
                let data = guide.reads.iter().map(|slot| slots.name(*slot));
                let _ = writeln!(text, "  needs: {}", data.joined(", "));
            }
            if let Some(schema) = guide.writes {
                let _ = writeln!(text, "  writes: {}", machine.schemas[schema].name);
            }
            text.push_str(&section("moves", &self.moves(guide)));
        }
        for (label, table) in [("transitions", &state.transitions), ("rules", &state.rules)] {
            if !table.is_empty() {
                text.push_str(&section(label, &self.chains(table)));
            }
        }
        text.push_str(&policies::state(
            machine,
            self.dialogue().settings(),
            session,
        ));
        text
    }

    /// The transitions that a state declares, with their conditions.
    fn moves(&self, guide: &Guide) -> Vec<Vec<String>> {
        let rows = guide.moves.iter().map(|declared| {
            let condition = printable(&declared.condition);
            vec![
                self.target_text(declared.target),
                condition.dimmed().to_string(),
            ]
        });
        rows.collect()
    }

    fn show_instruction(&self) -> Result<String, String> {
        let instruction = self
            .dialogue()
            .session()
            .instruction(self.dialogue().machine())
            .ok_or("only state sets have instructions")?;
        Ok(instruction
            .lines()
            .fold(String::new(), |text, line| text + &printable(line) + "\n"))
    }

    /// The name of a target, with the state to which it leads if it ends an aside.
    fn target_text(&self, target: StateId) -> String {
        let (machine, session) = (&**self.dialogue().machine(), self.dialogue().session());
        let name = printable(machine.names.states.name(target));
        match session.resumed_by(target, machine) {
            Some(back) => format!("{name} ({})", printable(session.state_name(back, machine))),
            None => name,
        }
    }

    /// The alternatives of each intent.
    fn chains(&self, table: &ChainTable) -> Vec<Vec<String>> {
        let machine = self.dialogue().machine();
        let rows = table.iter().map(|(intent, chain)| {
            let alternatives = machine.alternatives(chain).iter().map(|alternative| {
                let to = match alternative.then {
                    Consequent::Action(action) => machine.names.actions.name(action).to_owned(),
                    Consequent::State(state) => self.target_text(state),
                };
                let when = alternative.when.map_or(String::new(), |condition| {
                    format!(" if {}", self.condition_text(condition))
                });
                format!("{to}{}", when.dimmed())
            });
            let name = machine.names.intents.name(intent);
            vec![name.to_owned(), alternatives.joined(", else ")]
        });
        rows.collect()
    }

    /// A condition of a rule: its name, or a placeholder if it has none.
    fn condition_text(&self, condition: ConditionId) -> String {
        let machine = self.dialogue().machine();
        match &machine.conditions[condition] {
            Condition::Named(named) => machine.names.conditions.name(*named).to_owned(),
            Condition::Broken(why) => why.to_string(),
            _ => "(inline condition)".to_owned(),
        }
    }

    fn show_data(&self) -> String {
        let machine = &**self.dialogue().machine();
        let session = self.dialogue().session();
        let mut text = String::new();
        for (name, value) in session.slots.iter(machine) {
            let name = printable(name);
            let value = printable(&value.plain());
            let _ = writeln!(text, "  {name} = {value}");
        }
        if text.is_empty() {
            text.push_str("  no data yet\n");
        }
        let counted = machine.names.counters.iter().filter_map(|name| {
            let id = machine.names.counters.id(name)?;
            let count = machine.counter(session, self.dialogue().settings(), id);
            (count != 0).then(|| format!("{} {count}", printable(name)))
        });
        let turns = format!("turns {}", session.tracker.turn());
        let counters = [turns].into_iter().chain(counted).joined("   ");
        let _ = writeln!(text, "  {}", counters.dimmed());
        text
    }

    fn show_why(&self) -> String {
        let here = self.interactive.tree().at();
        if let Some(known) = self.interactive.why_at(here) {
            let conditions = &self.dialogue().machine().names.conditions;
            let tested = turn_conditions(&self.interactive, here);
            // Conditions without a name are long, and an interview generates dozens of them.
            let declared = tested
                .iter()
                .filter(|condition| conditions.id(&condition.name).is_some());
            return declared.fold(render::why(known), |text, condition| {
                let shown = condition.to_string();
                // A condition with many parts is shortened to its first line: `:condition` shows the parts.
                let count = if shown.lines().count() > 2 { 1 } else { 2 };
                let lines = shown.lines().take(count).zip(["    ", "      "]);
                lines.fold(text, |text, (line, indent)| {
                    text + &render::wrapped(&printable(line.trim_start()), indent, "        ")
                })
            });
        }
        match self.dialogue().turns() {
            0 => "  no turn yet\n".to_owned(),
            _ => {
                "  no turn since the session was resumed; `:trace` shows earlier turns\n".to_owned()
            }
        }
    }

    fn show_context(&self) -> Result<String, String> {
        let dialogue = self.dialogue();
        let explainer = self.interactive.explain_conditions(None, None)?;
        let view = ContextView {
            machine: dialogue.machine(),
            settings: dialogue.settings(),
            session: explainer.session(),
            explainer: &explainer,
        };
        Ok(note(&explainer.turn_in_words()) + &view.render())
    }

    /// Shows the lines that would reach a state or an action.
    fn show_why_not(&self, name: &str) -> Result<String, String> {
        let result = self.interactive.why_not(name)?;
        let remarks = result.rejected.iter().chain([&result.explanation]);
        let mut text: String = remarks.map(|remark| note(remark)).collect();
        let back = result.undo.then(|| ":undo".to_owned());
        for line in back.iter().chain(result.lines.iter().flatten()) {
            let _ = writeln!(text, "    {}", printable(line).bold());
        }
        Ok(text)
    }

    fn show_condition(&self, rest: &str) -> Result<String, String> {
        let split = rest.split_once(" if ");
        let (name, next) = split.map_or((rest, None), |(name, turn)| (name, Some(turn)));
        let machine = self.dialogue().machine();
        let names = &machine.names.conditions;
        let Some(id) = names.id(name) else {
            let near = similar_name_hint("condition", nearest(name, names.iter()));
            return Err(format!(
                "unknown condition `{name}`.{near} Type `:conditions` for a list."
            ));
        };
        let explainer = self.interactive.explain_conditions(None, next)?;
        let mut text = note(&explainer.turn_in_words());
        let description = &machine.named_conditions[id].description;
        if !description.is_empty() {
            let _ = writeln!(text, "  {}", printable(description).dimmed());
        }
        for step in explainer.explain(id) {
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

    fn show_conditions(&self, part: &str) -> Result<String, String> {
        let machine = self.dialogue().machine();
        let explainer = self.interactive.explain_conditions(None, None)?;
        let mut text = String::new();
        for (id, condition) in machine.named_conditions.pairs() {
            let name = machine.names.conditions.name(id);
            let value = explainer.value(id);
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
            let all = machine.named_conditions.len();
            text = format!("  no match among {all} conditions\n");
        }
        Ok(note(&explainer.turn_in_words()) + &text)
    }
}
