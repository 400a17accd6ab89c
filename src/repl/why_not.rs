//! `:why-not`: the smallest change of the last turn that would have led elsewhere.

use std::fmt::Write;

use colored::Colorize;

use super::detour::{Detour, DetourGoal, DetourSearch, LONGEST};
use super::render::note;
use super::repl::Repl;
use crate::diagnostic::{did_you_mean, nearest};
use crate::engine::SavedSession;
use crate::script::AcceptedInputs;
use crate::terminal::printable;

impl Repl {
    /// Tells what could have been typed instead of the last turn to go to a state, or to an action.
    pub(super) fn show_why_not(&self, name: &str) -> Result<String, String> {
        let machine = self.dialogue().machine();
        let accepted = AcceptedInputs::of(machine);
        if accepted.moves || machine.names.intents.iter().next().is_none() {
            return Err("the model is not driven by intents: `:state` tells where it may go from here".to_owned());
        }
        let goal = self.goal(name)?;
        let here = self.tree.at();
        let from = self.tree.moment(here).map_or(here, |turn| turn.before);
        let saved = SavedSession::from_text(&self.tree.checkpoint(from).saved);
        let session = saved.and_then(|saved| saved.restore(machine));
        let session = session.map_err(|error| format!("what was kept cannot be read: {error}"))?;
        let what = match goal {
            DetourGoal::State(_) => format!("to `{name}`"),
            DetourGoal::Action(_) => format!("to answer `{name}`"),
        };
        let position = &self.dialogue().session().position;
        let is_there = match goal {
            DetourGoal::State(state) => position.state == state,
            DetourGoal::Action(action) => position.action == Some(action),
        };
        if is_there && from != here {
            return Ok(note(&format!("the last turn led {what}: `:why` tells why")));
        }
        let place = machine.names.states.name(session.position.state);
        match DetourSearch::new(machine, self.dialogue().settings()).find(&session, goal) {
            Detour::Found(lines) => {
                let mut text = note(&format!("from `{place}` this leads {what}; try"));
                let back = (from != here).then(|| ":undo".to_owned());
                for line in back.into_iter().chain(lines) {
                    let _ = writeln!(text, "    {}", printable(&line).bold());
                }
                Ok(text)
            }
            Detour::None(tried) => Ok(note(&format!(
                "no {LONGEST} lines lead {what} from `{place}`: {tried} turns were tried, with every intent, the data that \
                 states want, and the values that conditions compare with"
            ))),
            Detour::GivenUp(tried) => {
                Ok(note(&format!("{tried} turns from `{place}` did not lead {what}; more were not tried")))
            }
        }
    }

    fn goal(&self, name: &str) -> Result<DetourGoal, String> {
        let machine = self.dialogue().machine();
        if let Some(state) = machine.state_id(name).filter(|state| machine.is_declared(*state)) {
            return Ok(DetourGoal::State(state));
        }
        if let Some(action) = machine.names.actions.id(name) {
            return Ok(DetourGoal::Action(action));
        }
        if name.is_empty() {
            return Err("`:why-not STATE` or `:why-not ACTION`".to_owned());
        }
        let states = machine.declared_states().map(|(id, _)| machine.names.states.name(id));
        let near = did_you_mean("", nearest(name, states.chain(machine.names.actions.iter())));
        Err(format!("there is no state and no action `{name}`.{near}"))
    }
}
