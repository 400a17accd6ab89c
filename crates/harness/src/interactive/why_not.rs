//! *Why not*: finds the lines that lead elsewhere, from here or in place of the last turn.

use schemars::JsonSchema;
use serde::Serialize;

use super::explain;
use super::interactive_dialogue::InteractiveDialogue;
use super::line::{InputLine, read_line};
use super::nameable_intents::INFORMING_INTENT;
use super::typed_turn::{say_trigger, typed};
use fsmsim_core::engine::{Proposal, Proposed, ScriptedTurn, Session, Symbol};
use fsmsim_core::machine::NeedKind;
use fsmsim_runtime::runtime::DialogueRunner;
use fsmsim_search::search::{GoalSearch, Route, SearchGoal};
use fsmsim_syntax::diagnostic::{nearest, similar_name_hint};
use fsmsim_syntax::threads::Threads;

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
        let goal = self.goal(name)?;
        let session = self.dialogue().session();
        let (what, wanted) = match goal {
            SearchGoal::State(state) => (format!("to `{name}`"), Proposed::Move(state)),
            SearchGoal::Action(action) => {
                (format!("to the action `{name}`"), Proposed::Action(action))
            }
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
        let before = self.tree.moment(self.tree.at()).map(|turn| turn.before);
        if before.is_some() && goal.is_reached(session) {
            return Ok(answer);
        }
        let threads = Threads::new(1).map_err(|error| error.to_string())?;
        let mut search = GoalSearch::new(machine, self.dialogue().settings(), goal);
        // The memory of an agent cycle cannot be reverted.
        let before = before.filter(|_| !self.remembers());
        let mut from = session.clone();
        let mut route = search.find(&from, before.map(|_| 1), &threads);
        let mut prefix = String::new();
        if let Some(before) = before
            && !matches!(route, Route::Found(_))
        {
            from = self.session_at(before)?;
            if from.position.state != session.position.state {
                let state = machine.names.states.name(session.position.state);
                prefix = format!("one turn from `{state}` is not enough; ");
            }
            route = search.find(&from, None, &threads);
            answer.undo = true;
        }
        let place = machine.names.states.name(from.position.state);
        let outcome = match route {
            Route::Found(turns) => {
                answer.lines = self.simplest_lines(&from, goal, turns);
                if answer.lines.is_some() {
                    format!("from `{place}` the following input leads {what}")
                } else {
                    format!(
                        "the search found turns from `{place}` {what}, but the engine plays them differently; report \
                         this as a bug"
                    )
                }
            }
            Route::Unlinked => {
                format!("no dialogue leads from `{place}` {what}: no path of transitions exists")
            }
            Route::Unreachable => format!(
                "no dialogue leads from `{place}` {what}: every turn in every reachable state was tried"
            ),
            Route::WithinValues(reason) => {
                format!("no dialogue with the tried values leads from `{place}` {what}; {reason}")
            }
            Route::WithinTurns(tried) => format!(
                "none of {tried} turns from `{place}` leads {what}; the search stopped at its limit"
            ),
        };
        answer.undo &= answer.lines.is_some();
        answer.explanation = format!("{prefix}{outcome}");
        Ok(answer)
    }

    /// The lines of turns that lead from a session to a goal, simplified. `None` if they do not reach it when a user
    /// types them.
    fn simplest_lines(
        &self,
        session: &Session,
        goal: SearchGoal,
        mut turns: Vec<ScriptedTurn>,
    ) -> Option<Vec<String>> {
        let machine = self.dialogue().machine();
        for turn in &mut turns {
            say_trigger(turn, machine);
        }
        // Stores and providers can give other answers than the environment in which the lines are tried.
        let is_outside = self.asks() || self.has_twin() || !self.started.is_empty();
        let forget_answers = |turn: &mut ScriptedTurn| {
            turn.answers
                .retain(|(need, _)| is_outside && need.kind != NeedKind::Phrase);
        };
        // If several intents can provide the same data, users expect the one that only provides data.
        let informing = machine.names.intents.id(INFORMING_INTENT);
        let inform = |turn: &mut ScriptedTurn| {
            let input = &mut turn.input;
            if !input.data.values().is_empty() && input.intent.is_some() && informing.is_some() {
                input.intent = informing.map(Symbol::Known);
            }
        };
        for at in 0..turns.len() {
            let mut attempt = |edit: &dyn Fn(&mut ScriptedTurn)| {
                let mut edited = turns.clone();
                edited.get_mut(at).into_iter().for_each(edit);
                if edited != turns && self.typed_lines(session, goal, &edited).is_some() {
                    turns = edited;
                }
                turns
                    .get(at)
                    .map_or(0, |turn| turn.input.data.values().len())
            };
            attempt(&forget_answers);
            for place in (0..attempt(&inform)).rev() {
                attempt(&|turn| turn.input.data.remove(place));
            }
        }
        self.typed_lines(session, goal, &turns)
    }

    /// The lines for turns; `None` if typing them in a session does not reach the goal.
    fn typed_lines(
        &self,
        session: &Session,
        goal: SearchGoal,
        turns: &[ScriptedTurn],
    ) -> Option<Vec<String>> {
        let dialogue = self.dialogue();
        let (machine, is_read) = (dialogue.machine(), self.recognizes());
        let mut runner = DialogueRunner::new(machine, dialogue.settings().clone(), session.clone());
        let mut lines = Vec::new();
        for turn in turns {
            let state = runner.session().position.state;
            let line = typed(turn, machine, state, is_read);
            let Ok(InputLine::Turn(turn)) = read_line(&line, machine, state, is_read) else {
                return None;
            };
            runner.play_unrecorded(&turn);
            lines.push(line);
        }
        goal.is_reached(runner.session()).then_some(lines)
    }

    fn goal(&self, name: &str) -> Result<SearchGoal, String> {
        let machine = self.dialogue().machine();
        if let Some(state) = machine.state_id(name) {
            return Ok(SearchGoal::State(state));
        }
        if let Some(action) = machine.names.actions.id(name) {
            return Ok(SearchGoal::Action(action));
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
