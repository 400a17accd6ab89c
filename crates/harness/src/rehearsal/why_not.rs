//! *Why not*: the lines that lead elsewhere, from here or instead of the last turn.

use schemars::JsonSchema;
use serde::Serialize;

use super::detour::{Detour, DetourGoal, DetourSearch};
use super::explain;
use super::rehearsal::Rehearsal;
use crate::limits::MAX_DETOUR;
use fsmsim_core::engine::{Proposal, Proposed};
use fsmsim_runtime::script::AcceptedInputs;
use fsmsim_syntax::diagnostic::{did_you_mean, nearest};

/// Why a dialogue did not go to a state or answer with an action, and the lines that lead there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WhyNot {
    to: String,
    /// The answer in a sentence.
    pub told: String,
    /// The proposals of the last turn that wanted this and lost, each with the winner and the reason.
    pub rejected: Vec<String>,
    /// The lines that lead there; nothing if the search found none.
    pub lines: Option<Vec<String>>,
    /// Whether the last turn must be taken back first.
    pub undo: bool,
}

impl Rehearsal {
    /// Searches for one line that leads to a state, or to an action, then for lines that do so instead of the last turn.
    pub fn why_not(&self, name: &str) -> Result<WhyNot, String> {
        let machine = self.dialogue().machine();
        let accepted = AcceptedInputs::of(machine);
        if accepted.moves || machine.names.intents.iter().next().is_none() {
            return Err(
                "the model is not driven by intents: `:state` tells where it may go from here"
                    .to_owned(),
            );
        }
        let goal = self.goal(name)?;
        let session = self.dialogue().session();
        let (what, wanted, is_there) = match goal {
            DetourGoal::State(state) => (
                format!("to `{name}`"),
                Proposed::Move(state),
                session.position.state == state,
            ),
            DetourGoal::Action(action) => (
                format!("to answer `{name}`"),
                Proposed::Action(action),
                session.position.action == Some(action),
            ),
        };
        let rejected = self.last_turn().map_or(Vec::new(), |line| {
            let is_wanted = |proposal: &Proposal| proposal.proposed == wanted;
            explain::rejected(&line, is_wanted)
        });
        let mut answer = WhyNot {
            to: name.to_owned(),
            told: format!("the last turn led {what}: `:why` tells why"),
            rejected,
            lines: None,
            undo: false,
        };
        let here = self.tree.at();
        let before = self.tree.moment(here).map(|turn| turn.before);
        if is_there && before.is_some() {
            return Ok(answer);
        }
        let mut search = DetourSearch::new(machine, self.dialogue().settings());
        let longest = if before.is_some() { 1 } else { MAX_DETOUR };
        let (mut from, mut found) = (session.position.state, search.find(session, goal, longest));
        let mut prefix = String::new();
        if let Some(before) = before
            && !matches!(found, Detour::Found(_))
        {
            let session = self.session_at(before)?;
            if session.position.state != from {
                let state = machine.names.states.name(from);
                prefix = format!("one line from `{state}` is not enough; ");
            }
            (from, found) = (
                session.position.state,
                search.find(&session, goal, MAX_DETOUR),
            );
            answer.undo = matches!(found, Detour::Found(_));
        }
        let from = machine.names.states.name(from);
        let outcome = match &found {
            Detour::Found(_) => format!("from `{from}` this leads {what}; try"),
            Detour::None(tried) => format!(
                "no {MAX_DETOUR} lines lead {what} from `{from}`: {tried} turns were tried, with every intent, the data \
                 that states want, and the values that conditions compare with"
            ),
            Detour::GivenUp(tried) => {
                format!("{tried} turns from `{from}` did not lead {what}; more were not tried")
            }
        };
        answer.told = format!("{prefix}{outcome}");
        if let Detour::Found(lines) = found {
            answer.lines = Some(lines);
        }
        Ok(answer)
    }

    fn goal(&self, name: &str) -> Result<DetourGoal, String> {
        let machine = self.dialogue().machine();
        if let Some(state) = machine
            .state_id(name)
            .filter(|state| machine.is_declared(*state))
        {
            return Ok(DetourGoal::State(state));
        }
        if let Some(action) = machine.names.actions.id(name) {
            return Ok(DetourGoal::Action(action));
        }
        if name.is_empty() {
            return Err("`:why-not STATE` or `:why-not ACTION`".to_owned());
        }
        let states = machine.declared_names();
        let near = did_you_mean(
            "",
            nearest(name, states.chain(machine.names.actions.iter())),
        );
        Err(format!("unknown state or action `{name}`.{near}"))
    }
}
