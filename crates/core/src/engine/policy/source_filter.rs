//! Which sources can have something to say in a state or about an intent, so that the others are not asked.

use super::PolicyHooks;
use crate::engine::io::no_intent;
use crate::engine::source_kind::SourceKind;
use crate::engine::{Machine, each};
use crate::machine::{Intent, IntentId, SourceMask, State, StateId, Traits};

/// Fills in the filters of all states and intents.
pub(super) fn prepare(machine: &mut Machine) {
    let by_state: Vec<SourceMask> = machine
        .states
        .pairs()
        .map(|(id, state)| by_state(machine, Some(id), state))
        .collect();
    for (id, mask) in machine.states.ids().zip(by_state) {
        machine.states[id].source_filter = mask;
    }
    machine.unknown_state.source_filter = self::by_state(machine, None, &machine.unknown_state);
    let question_default = machine.settings().switches.question_default;
    let by_intent: Vec<SourceMask> = machine
        .intents
        .pairs()
        .map(|(id, intent)| by_intent(machine, id, intent))
        .collect();
    for (id, mask) in machine.intents.ids().zip(by_intent) {
        let answer = machine
            .priorities
            .default_answer(id)
            .filter(|_| question_default);
        let intent = &mut machine.intents[id];
        intent.default_answer = answer;
        intent.source_filter = mask;
        intent.anywhere = SourceMask::NONE.with(SourceKind::IntentProcessor, answer.is_some());
    }
    machine.unknown_intent.source_filter =
        self::by_intent(machine, no_intent(), &machine.unknown_intent);
}

fn by_state(machine: &Machine, id: Option<StateId>, state: &State) -> SourceMask {
    let mut mask = SourceMask::NONE
        .with(
            SourceKind::DataCollector,
            !state.is_final && !state.required.is_empty(),
        )
        .with(SourceKind::IntentProcessor, !state.rules.is_empty())
        .with(
            SourceKind::TransitionResolver,
            !state.transitions.is_empty(),
        );
    each!(policy in machine.policies.list() => mask = mask.or(policy.filter_by_state(machine, id, state)));
    mask
}

fn by_intent(machine: &Machine, id: IntentId, intent: &Intent) -> SourceMask {
    let mut mask = SourceMask::NONE
        .with(SourceKind::DataCollector, true)
        .with(SourceKind::IntentProcessor, true)
        .with(
            SourceKind::TransitionResolver,
            !intent.has(Traits::TRIGGER_NAME),
        );
    each!(policy in machine.policies.list() => {
        let (filter, replaced) = policy.filter_by_intent(machine, id, intent);
        mask = mask.without(replaced).or(filter);
    });
    mask
}
