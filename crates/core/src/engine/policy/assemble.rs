//! Combines a machine and its policies, and computes the relevant sources for each state and intent.

use super::PolicyHooks;
use crate::engine::{Machine, Policies, PolicyList, Settings, SourceKind, each, no_intent};
use crate::machine::{
    Intent, IntentId, MachineBuilder, MachineHeader, SourceMask, State, StateId, Traits,
};
use fsmsim_syntax::diagnostic::SourceMap;

/// The counters in every record, even if the machine does not use them.
const RECORDED_COUNTERS: [&str; 4] = [
    "go_backs",
    "go_backs_left",
    "objections_in_row",
    "objections_total",
];

/// Finishes a machine with these policies. `settings` are the default settings of a dialogue; each policy overrides its
/// own part.
pub fn assemble(
    mut builder: MachineBuilder,
    header: MachineHeader,
    mut settings: Settings,
    initial: StateId,
    files: SourceMap,
    policies: PolicyList,
) -> Machine {
    for counter in RECORDED_COUNTERS {
        builder.counter(counter);
    }
    for (limit, most) in builder.counters.iter().filter_map(|counter| counter.limit) {
        *settings.limits.grow(limit) = most;
    }
    let mut machine = builder.finish(header, initial, files, Policies::new(policies, settings));
    let mut settings = machine.settings().clone();
    settings.refresh(&machine);
    machine.policies.settings = settings;
    prepare_filters(&mut machine);
    machine
}

/// Sets the source filters of all states and intents.
fn prepare_filters(machine: &mut Machine) {
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
