//! Derives the inputs of a persona from any model: inputs that lead forward, lead back or stay in the state, or any
//! input.

use strum::{IntoStaticStr, VariantArray};

use fsmsim_core::engine::{Consent, Input, Machine, ScriptedTurn, Symbol};
use fsmsim_core::machine::{Alternative, ChainId, Consequent, IntentId, StateId};

/// The utterance and the reply of a turn in a state set that stays in its state.
const STAYS: &str = "…";

/// Intent categories that lead away from the goal of a dialogue, if the model has them.
const AWAY: [&str; 3] = ["negative", "objection", "exit"];

/// The direction in which the inputs of a user lead the dialogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum UserMove {
    /// Transitions to another state, except those of `Back`, and consent.
    Forward,
    /// Transitions to an earlier phase or to the initial state, intents that lead away from the goal, and the refusal
    /// of consent.
    Back,
    /// Inputs that the state handles without leaving it, or only for an aside.
    Stay,
    /// Any input that the model knows.
    Any,
}

/// The inputs that lead in one direction.
pub(super) enum MoveInputs {
    Intents(Vec<IntentId>),
    Turns(Vec<ScriptedTurn>),
}

impl UserMove {
    /// The inputs in a state that lead in this direction.
    pub(super) fn inputs(self, machine: &Machine, state: StateId) -> MoveInputs {
        let inputs = machine.policies.inputs();
        if inputs.navigation {
            return MoveInputs::Turns(self.moves(machine, state));
        }
        // If free text drives the dialogue, intents can only start it.
        if inputs.words && state != machine.initial {
            return MoveInputs::Intents(Vec::new());
        }
        MoveInputs::Intents(self.intents(machine, state))
    }

    fn intents(self, machine: &Machine, state: StateId) -> Vec<IntentId> {
        // The engine uses internal names; a user cannot say them.
        let is_said = |id: IntentId| !machine.is_internal(id);
        let all = || machine.names.intents.ids().filter(|id| is_said(*id));
        let here = machine.state(state);
        let transitions = here.transitions.iter();
        let leads: Vec<(IntentId, ChainId)> =
            transitions.filter(|(intent, _)| is_said(*intent)).collect();
        // Contract classes accept an utterance in any state.
        if self == Self::Any || leads.is_empty() {
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
        let targets = |chain: ChainId| machine.alternatives(chain).iter().filter_map(target);
        // A dialogue returns from an aside, so entering it does not lead forward.
        let leads_elsewhere =
            |chain: ChainId| targets(chain).any(|to| to != state && !machine.digresses(state, to));
        let ends = |chain: ChainId| targets(chain).all(|to| machine.state(to).is_final);
        let start = &machine.state(machine.initial).transitions;
        let can_begin = start.iter().any(|(_, chain)| !ends(chain));
        // What can end a dialogue before it begins also gives up later, for example `rejection: goodbye`.
        let gives_up = |intent: IntentId| can_begin && start.get(intent).is_some_and(ends);
        let is_back = |(intent, chain): (IntentId, ChainId)| {
            is_away(intent) || gives_up(intent) || targets(chain).any(leads_back)
        };
        let of_rules = here
            .rules
            .iter()
            .filter(|(intent, _)| is_said(*intent) && here.transitions.get(*intent).is_none());
        match self {
            Self::Forward => leads
                .into_iter()
                .filter(|lead| leads_elsewhere(lead.1) && !is_back(*lead))
                .map(|(intent, _)| intent)
                .collect(),
            Self::Back => leads
                .into_iter()
                .filter(|lead| is_back(*lead))
                .map(|(intent, _)| intent)
                .collect(),
            Self::Stay => leads
                .iter()
                .copied()
                .filter(|lead| !leads_elsewhere(lead.1))
                .chain(of_rules)
                .map(|(intent, _)| intent)
                .collect(),
            Self::Any => all().collect(),
        }
    }

    fn moves(self, machine: &Machine, state: StateId) -> Vec<ScriptedTurn> {
        let guidance = machine.policies.guidance();
        let asks = guidance.is_some_and(|guidance| guidance.consent == Some(state));
        let refusal = guidance
            .and_then(|guidance| guidance.no_data_state)
            .filter(|_| asks);
        let answer = |given: bool| Consent {
            read: asks.then_some(given),
            write: asks.then_some(given),
        };
        let go = |target: StateId, consent: Consent| {
            ScriptedTurn::from(Input {
                goto: Some(Symbol::Known(target)),
                consent,
                ..Input::default()
            })
        };
        let stay = || {
            ScriptedTurn::from(Input {
                say: Some(STAYS.into()),
                reply: Some(STAYS.into()),
                ..Input::default()
            })
        };
        let declared = machine.moves(state).iter();
        let targets = declared
            .map(|declared| declared.target)
            .filter(|target| *target != state);
        if self == Self::Any {
            let all = targets.map(|target| go(target, Consent::default()));
            return all.chain([stay()]).collect();
        }
        if self == Self::Stay {
            return vec![stay()];
        }
        let ways: Vec<StateId> = targets
            .filter(|to| !machine.digresses(state, *to))
            .collect();
        // The only way out leads forward, even to the initial state.
        let leads_back = |to: StateId| {
            let others = ways
                .iter()
                .any(|other| *other != to && Some(*other) != refusal);
            Some(to) == refusal || to == machine.initial && others
        };
        let is_back = self == Self::Back;
        let answered = asks.then(|| ScriptedTurn::of_consent(answer(!is_back)));
        let ways = ways.iter().filter(|to| leads_back(**to) == is_back);
        answered
            .into_iter()
            .chain(ways.map(|to| go(*to, answer(!is_back))))
            .collect()
    }
}

fn target(alternative: &Alternative) -> Option<StateId> {
    match alternative.then {
        Consequent::State(state) => Some(state),
        Consequent::Action(_) => None,
    }
}
