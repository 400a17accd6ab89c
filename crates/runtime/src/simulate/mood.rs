//! What a user says by the model alone, without a name of it: what leads on, what leads back, what the state knows, anything.

use strum::{IntoStaticStr, VariantArray};

use fsmsim_core::engine::{Input, Machine, ScriptedTurn, Symbol};
use fsmsim_core::machine::{ChainId, Clause, Consequent, IntentId, StateId};

/// What is done in a set of states where nobody goes anywhere.
const STAYS: &str = "…";

/// The categories of intents that lead away from what a dialogue is for, where a model has them.
const AWAY: [&str; 3] = ["negative", "objection", "exit"];

/// What a user says by the model alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Mood {
    /// What leads from the state to another one, and neither back nor away.
    Onward,
    /// What leads to a phase before this one, or away.
    Back,
    /// What the state knows and stays in it.
    Here,
    /// Whatever the model knows.
    Anything,
}

/// What there is to say in a mood.
pub(super) enum MoodInputs {
    /// These are meant.
    Intents(Vec<IntentId>),
    /// This is done.
    Turns(Vec<ScriptedTurn>),
}

impl Mood {
    /// What there is to say in a state.
    pub(super) fn inputs(self, machine: &Machine, state: StateId) -> MoodInputs {
        let inputs = machine.policies.inputs();
        if inputs.navigation {
            return MoodInputs::Turns(self.moves(machine, state));
        }
        // Where words are read, intents are only how a dialogue is begun.
        if inputs.words && state != machine.initial {
            return MoodInputs::Intents(Vec::new());
        }
        MoodInputs::Intents(self.intents(machine, state))
    }

    fn intents(self, machine: &Machine, state: StateId) -> Vec<IntentId> {
        let all = || {
            machine
                .names
                .intents
                .iter()
                .filter_map(|name| machine.names.intents.id(name))
        };
        let here = machine.state(state);
        let leads: Vec<(IntentId, ChainId)> = here.transitions.iter().collect();
        // Classes of a contract take what is said wherever the dialogue is.
        if self == Self::Anything || leads.is_empty() {
            return all().collect();
        }
        let is_away = |intent: IntentId| {
            let categories = AWAY
                .iter()
                .filter_map(|name| machine.names.categories.id(name));
            let known = machine.intents.lookup(intent);
            known.is_some_and(|intent| {
                categories
                    .into_iter()
                    .any(|category| intent.in_category(category))
            })
        };
        let phase = |state: StateId| {
            machine
                .state(state)
                .phase
                .filter(|_| machine.ordered_phases > 0)
        };
        let leads_back = |target: StateId| {
            phase(target)
                .zip(phase(state))
                .is_some_and(|(to, from)| to < from)
        };
        let targets = |chain: ChainId| machine.clauses(chain).iter().filter_map(target);
        let leads_elsewhere = |chain: ChainId| targets(chain).any(|to| to != state);
        let is_back = |(intent, chain): (IntentId, ChainId)| {
            is_away(intent) || targets(chain).any(leads_back)
        };
        let of_rules = here
            .rules
            .iter()
            .filter(|(intent, _)| here.transitions.get(*intent).is_none());
        match self {
            Self::Onward => {
                let onward = leads
                    .into_iter()
                    .filter(|way| leads_elsewhere(way.1) && !is_back(*way));
                onward.map(|(intent, _)| intent).collect()
            }
            Self::Back => leads
                .into_iter()
                .filter(|way| is_back(*way))
                .map(|(intent, _)| intent)
                .collect(),
            Self::Here => {
                let stays = leads.iter().copied().filter(|way| !leads_elsewhere(way.1));
                stays.chain(of_rules).map(|(intent, _)| intent).collect()
            }
            Self::Anything => all().collect(),
        }
    }

    fn moves(self, machine: &Machine, state: StateId) -> Vec<ScriptedTurn> {
        let turn = ScriptedTurn::from;
        let go = |target: StateId| {
            turn(Input {
                goto: Some(Symbol::Known(target)),
                ..Input::default()
            })
        };
        let stay = || {
            turn(Input {
                say: Some(STAYS.into()),
                reply: Some(STAYS.into()),
                ..Input::default()
            })
        };
        let declared = machine.moves(state).iter();
        let targets = declared
            .map(|declared| declared.target)
            .filter(|target| *target != state);
        match self {
            Self::Onward => targets
                .filter(|target| *target != machine.initial)
                .map(go)
                .collect(),
            Self::Back => targets
                .filter(|target| *target == machine.initial)
                .map(go)
                .collect(),
            Self::Here => vec![stay()],
            Self::Anything => targets.map(go).chain([stay()]).collect(),
        }
    }
}

fn target(clause: &Clause) -> Option<StateId> {
    match clause.then {
        Consequent::State(state) => Some(state),
        Consequent::Action(_) => None,
    }
}
