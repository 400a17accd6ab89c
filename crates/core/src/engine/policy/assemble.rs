//! Puts a machine and its policies together.

use super::{Policies, source_filter};
use crate::engine::session::Settings;
use crate::engine::{Machine, PolicyList};
use crate::machine::{MachineBuilder, MachineHeader, StateId};
use fsmsim_syntax::diagnostic::SourceMap;

/// The counters that every record shows, also of a machine in which nobody counts them.
const RECORDED_COUNTERS: [&str; 4] = [
    "go_backs",
    "go_backs_left",
    "objections_in_row",
    "objections_total",
];

/// The finished machine, led by these policies. `settings` are those of a dialogue that
/// changes nothing; what they say of policies is what the policies say themselves.
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
    source_filter::prepare(&mut machine);
    machine
}
