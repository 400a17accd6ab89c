//! The search for a state or an action, from any session of a dialogue.

use super::bounds::Bounds;
use super::searched_model::SearchedModel;
use super::space::{Edge, Pursuit, Space};
use crate::limits::MAX_PURSUED_TURNS;
use fsmsim_core::engine::{Machine, ScriptedTurn, Session, Settings, StateGraph};
use fsmsim_core::machine::{ActionId, IdVec, State, StateId};
use fsmsim_syntax::threads::Threads;

/// The goal of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchGoal {
    /// A turn that ends in this state.
    State(StateId),
    /// A turn with this action.
    Action(ActionId),
}

impl SearchGoal {
    /// Whether the last turn of a session reached the goal.
    pub fn is_reached(self, session: &Session) -> bool {
        match self {
            Self::State(state) => session.position.state == state,
            Self::Action(action) => session.position.action == Some(action),
        }
    }

    /// The states in which the goal is reached, each with the number of turns that this takes.
    fn states(self, machine: &Machine) -> Vec<(StateId, u32)> {
        let action = match self {
            Self::State(state) => return vec![(state, 0)],
            Self::Action(action) => Some(action),
        };
        let answers = |chain| {
            let mut alternatives = machine.alternatives(chain).iter();
            alternatives.any(|alternative| alternative.then.action() == action)
        };
        let turns = |(id, state): (StateId, &State)| {
            if [state.enter_action, state.arrival].contains(&action) {
                return Some((id, 0));
            }
            let mut chains = state.rules.iter().chain(state.transitions.iter());
            chains.any(|(_, chain)| answers(chain)).then_some((id, 1))
        };
        machine.declared_states().filter_map(turns).collect()
    }
}

/// How a dialogue reaches a goal.
#[derive(Clone, Debug)]
pub enum Route {
    /// The fewest turns that reach the goal.
    Found(Vec<ScriptedTurn>),
    /// The graph of states has no path to the goal.
    Unlinked,
    /// No dialogue reaches the goal.
    Unreachable,
    /// No dialogue with the tried values reaches the goal; contains the reason why others might.
    WithinValues(Box<str>),
    /// The search ended at a bound. Contains the number of played turns.
    WithinTurns(usize),
}

/// A search for one goal.
#[derive(Debug)]
pub struct GoalSearch<'m> {
    searched: SearchedModel<'m>,
    pursuit: GoalPursuit,
}

/// The goal, and the distance of states from it.
#[derive(Debug)]
struct GoalPursuit {
    goal: SearchGoal,
    /// For each state, a lower bound of the number of turns to the goal; `None` if the graph gives no bounds.
    turns: Option<IdVec<StateId, Option<u32>>>,
    /// The maximum number of turns of a dialogue.
    limit: u32,
    /// Whether the limit excluded a dialogue.
    is_limited: bool,
    /// The number of turns that can still be played.
    left: usize,
    /// The state and the turn that reaches the goal.
    found: Option<(u32, Edge)>,
}

impl<'m> GoalSearch<'m> {
    pub fn new(machine: &'m Machine, settings: &Settings, goal: SearchGoal) -> Self {
        let mut searched = SearchedModel::new(machine, settings);
        // Unlike an exploration, the search plays the dialogue as it is set up.
        searched.settings.model = settings.model;
        let goals = goal.states(machine);
        let mut turns = StateGraph::of(machine)
            .turns_to(machine, &goals)
            .filter(|_| !goals.is_empty());
        if let SearchGoal::Action(_) = goal {
            searched.projection.reads.actions = true;
            // Policies can propose the action in any state, so no state is excluded.
            let far = u32::try_from(machine.states.len()).unwrap_or(u32::MAX);
            if let Some(turns) = &mut turns {
                for id in machine.states.ids() {
                    turns[id].get_or_insert(far);
                }
            }
        }
        let pursuit = GoalPursuit {
            goal,
            turns,
            limit: 0,
            is_limited: false,
            left: MAX_PURSUED_TURNS,
            found: None,
        };
        Self { searched, pursuit }
    }

    /// Searches the dialogues from a session, with at most `depth` turns. All calls share the limit of played turns.
    ///
    /// Each round searches dialogues up to a length, and skips sessions that are too far from the goal. A longer
    /// dialogue is therefore found although the states near the start have thousands of inputs.
    pub fn find(&mut self, from: &Session, depth: Option<u32>, threads: &Threads) -> Route {
        let Some(least) = self.pursuit.least(from) else {
            return Route::Unlinked;
        };
        if depth.is_some_and(|depth| depth < least) {
            return Route::WithinTurns(0);
        }
        let (mut limit, mut step) = (least.max(1), 1_u32);
        loop {
            self.pursuit.limit = limit;
            self.pursuit.is_limited = false;
            let space = Space::search_from(
                &mut self.searched,
                from.clone(),
                Some(&mut self.pursuit),
                &Bounds {
                    depth,
                    ..Bounds::default()
                },
                threads,
                &mut |_| None,
            );
            self.pursuit.left = self.pursuit.left.saturating_sub(space.played);
            if let Some((state, edge)) = self.pursuit.found.take() {
                let steps = space.witness(&self.searched, state, Some(&edge)).steps;
                return Route::Found(steps.into_iter().map(|step| step.turn).collect());
            }
            if self.pursuit.left == 0 || space.bound.is_some() {
                return Route::WithinTurns(MAX_PURSUED_TURNS - self.pursuit.left);
            }
            if !self.pursuit.is_limited {
                let reason = self.searched.loose.first().cloned();
                return reason.map_or(Route::Unreachable, Route::WithinValues);
            }
            limit = limit.saturating_add(step);
            step = step.saturating_mul(2);
        }
    }
}

impl GoalPursuit {
    /// A lower bound of the number of turns from a session to the goal; `None` if no path leads there.
    fn least(&self, session: &Session) -> Option<u32> {
        let Some(turns) = &self.turns else {
            return Some(0);
        };
        // The next turn can return from an aside, continue in another branch, or join the branches.
        let open = &session.branches;
        let branches = &open.branches;
        let states = std::iter::once(session.position.state)
            .chain(session.returns.iter())
            .chain(branches.iter().filter_map(|branch| branch.state))
            .chain(branches.iter().flat_map(|branch| branch.returns.iter()))
            .chain(open.forks.iter().map(|fork| fork.state))
            .chain(open.left.values().copied());
        states
            .filter_map(|state| turns.lookup(state).copied().flatten())
            .min()
    }
}

impl Pursuit for GoalPursuit {
    fn enters(
        &mut self,
        searched: &SearchedModel<'_>,
        space: &Space,
        state: u32,
        depth: u32,
    ) -> bool {
        if self.turns.is_none() {
            return true;
        }
        let mut session = Session::new(searched.machine);
        let key = space.key(state);
        searched
            .projection
            .restore(&key, &mut session, searched.machine);
        let Some(least) = self.least(&session) else {
            return false;
        };
        let is_near = depth.saturating_add(least) <= self.limit;
        self.is_limited |= !is_near;
        is_near
    }

    fn ends(&mut self, space: &Space, state: u32) -> bool {
        let reaches = |edge: &&Edge| match self.goal {
            SearchGoal::State(goal) => space.places.get(edge.to as usize) == Some(&goal),
            SearchGoal::Action(goal) => space.sight(edge).action == Some(goal),
        };
        let edge = space.edges(state).iter().find(reaches);
        self.found = edge.map(|edge| (state, *edge));
        self.found.is_some() || space.played >= self.left
    }
}
