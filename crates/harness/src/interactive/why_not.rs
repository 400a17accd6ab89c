//! *Why not*: finds the lines that lead elsewhere, from here or in place of the last turn.

use schemars::JsonSchema;
use serde::Serialize;

use super::explain;
use super::interactive_dialogue::InteractiveDialogue;
use super::nameable_intents::nameable_intents;
use super::why_not_result::{DetourGoal, DetourSearch, WhyNotResult};
use crate::limits::MAX_DETOUR;
use fsmsim_core::engine::{Proposal, Proposed};
use fsmsim_runtime::script::AcceptedInputs;
use fsmsim_syntax::diagnostic::{nearest, similar_name_hint};

/// Why a dialogue did not reach a state or an action, and the input that reaches it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WhyNot {
    to: String,
    /// The answer as a sentence.
    pub explanation: String,
    /// Rejected proposals of the last turn for this state or action, each with the winner and the reason.
    pub rejected: Vec<String>,
    /// The input lines that reach the state or action; null if the search found none.
    pub lines: Option<Vec<String>>,
    /// Whether the last turn must be undone first.
    pub undo: bool,
}

impl InteractiveDialogue {
    /// Searches for one line that leads to a state or an action. If there is none, searches for lines that do so in
    /// place of the last turn.
    pub fn why_not(&self, name: &str) -> Result<WhyNot, String> {
        let machine = self.dialogue().machine();
        let accepted = AcceptedInputs::of(machine);
        if accepted.moves || nameable_intents(machine).next().is_none() {
            return Err(
                "cannot search a model without intents; `:state` shows the possible transitions"
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
                format!("to the action `{name}`"),
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
            explanation: format!("the last turn led {what}: `:why` shows the reason"),
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
        let mut from = session.position.state;
        let mut found = search.find(session, goal, longest);
        let mut prefix = String::new();
        if let Some(before) = before
            && !matches!(found, WhyNotResult::Found(_))
        {
            let session = self.session_at(before)?;
            if session.position.state != from {
                let state = machine.names.states.name(from);
                prefix = format!("one turn from `{state}` is not enough; ");
            }
            (from, found) = (
                session.position.state,
                search.find(&session, goal, MAX_DETOUR),
            );
            answer.undo = matches!(found, WhyNotResult::Found(_));
        }
        let from = machine.names.states.name(from);
        let outcome = match &found {
            WhyNotResult::Found(_) => format!("from `{from}` the following input leads {what}"),
            WhyNotResult::None(tried) => format!(
                "no sequence of {MAX_DETOUR} turns from `{from}` leads {what}: {tried} turns were tried, with every intent, the \
                 data that states require and the values in conditions"
            ),
            WhyNotResult::GivenUp(tried) => {
                format!(
                    "none of {tried} turns from `{from}` leads {what}; the search stopped at its limit"
                )
            }
        };
        answer.explanation = format!("{prefix}{outcome}");
        if let WhyNotResult::Found(lines) = found {
            answer.lines = Some(lines);
        }
        Ok(answer)
    }

    fn goal(&self, name: &str) -> Result<DetourGoal, String> {
        let machine = self.dialogue().machine();
        if let Some(state) = machine.state_id(name) {
            return Ok(DetourGoal::State(state));
        }
        if let Some(action) = machine.names.actions.id(name) {
            return Ok(DetourGoal::Action(action));
        }
        if name.is_empty() {
            return Err(
                "missing state or action; write `:why-not STATE` or `:why-not ACTION`".to_owned(),
            );
        }
        let states = machine.declared_names();
        let near = similar_name_hint(
            "name",
            nearest(name, states.chain(machine.names.actions.iter())),
        );
        Err(format!("unknown state or action `{name}`.{near}"))
    }
}
