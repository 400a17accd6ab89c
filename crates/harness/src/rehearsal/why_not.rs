//! *Why not*: the smallest change of the last turn that would have led elsewhere.

use super::detour::{Detour, DetourGoal, DetourSearch};
use super::explain;
use super::rehearsal::Rehearsal;
use crate::limits::MAX_DETOUR;
use fsmsim_core::engine::{Proposal, Proposed};
use fsmsim_runtime::script::AcceptedInputs;
use fsmsim_syntax::diagnostic::{did_you_mean, nearest};

/// The question why a dialogue did not go somewhere, and its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WhyNot {
    /// Where it was to go: `to` a state, or `to answer` an action, in words.
    pub what: String,
    /// The state from which it was to go there.
    pub from: String,
    /// The last turn is to be taken back first.
    pub goes_back: bool,
    /// The proposals of the last turn that wanted this and lost, each with the winner and the reason.
    pub rejected: Vec<String>,
    pub answer: WhyNotReply,
}

/// Why a dialogue did not go somewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WhyNotReply {
    /// It did.
    IsThere,
    /// What was searched for came to this.
    Searched(Detour),
}

impl WhyNot {
    /// The answer in a sentence; lines that were found come behind it.
    pub fn told(&self) -> String {
        let Self { what, from, .. } = self;
        match &self.answer {
            WhyNotReply::IsThere => format!("the last turn led {what}: `:why` tells why"),
            WhyNotReply::Searched(Detour::Found(_)) => {
                format!("from `{from}` this leads {what}; try")
            }
            WhyNotReply::Searched(Detour::None(tried)) => format!(
                "no {MAX_DETOUR} lines lead {what} from `{from}`: {tried} turns were tried, with every intent, the data \
                 that states want, and the values that conditions compare with"
            ),
            WhyNotReply::Searched(Detour::GivenUp(tried)) => {
                format!("{tried} turns from `{from}` did not lead {what}; more were not tried")
            }
        }
    }
}

impl Rehearsal {
    /// What could have been typed instead of the last turn to go to a state, or to an action.
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
        let here = self.tree.at();
        let from = self.tree.moment(here).map_or(here, |turn| turn.before);
        let session = self.session_at(from)?;
        let what = match goal {
            DetourGoal::State(_) => format!("to `{name}`"),
            DetourGoal::Action(_) => format!("to answer `{name}`"),
        };
        let position = &self.dialogue().session().position;
        let is_there = match goal {
            DetourGoal::State(state) => position.state == state,
            DetourGoal::Action(action) => position.action == Some(action),
        };
        let answer = if is_there && from != here {
            WhyNotReply::IsThere
        } else {
            WhyNotReply::Searched(
                DetourSearch::new(machine, self.dialogue().settings()).find(&session, goal),
            )
        };
        let rejected = self.last_turn().map_or(Vec::new(), |line| {
            let wanted = match goal {
                DetourGoal::State(state) => Proposed::Move(state),
                DetourGoal::Action(action) => Proposed::Action(action),
            };
            let is_wanted = |proposal: &Proposal| proposal.proposed == wanted;
            explain::rejected(&line, is_wanted)
        });
        let from_state = machine.names.states.name(session.position.state).to_owned();
        Ok(WhyNot {
            what,
            from: from_state,
            goes_back: from != here,
            rejected,
            answer,
        })
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
