//! Checks that the model allows the transition under any condition.

use super::{CheckContext, Finding};
use crate::verify::import::BorrowedJson;
use fsmsim_core::engine::policy::PolicyLead;
use fsmsim_core::machine::{Id, StateId};
use fsmsim_core::trace::RecordField;

/// The rule for undeclared transitions that the settings of the dialogue permit. Settings permit a dialogue to run, but
/// they do not change what the model declares. A record of such a turn has the same name as a reason.
pub(crate) const PERMITTED: &str = "undeclared_transition_permitted";

/// The maximum number of states listed in a finding.
const MAX_LISTED_STATES: usize = 8;

pub(super) fn check(context: &CheckContext<'_>, breaches: &mut Vec<Finding>) {
    let (Some(from), Some(to)) = (context.from, context.state_after()) else {
        return;
    };
    if !context.moved() {
        return;
    }
    let machine = context.machine();
    let place = match machine.state_id(from) {
        Some(state) => state,
        // Only an external operation can set an unknown state. From such a state, only forced transitions are possible.
        None if !context.shadow.placed => return,
        None => StateId::from_index(machine.states.len()),
    };
    let lead = machine.policies.lead(machine, context.settings, place);
    let is_marked = context
        .now
        .field(RecordField::Why)
        .into_iter()
        .flat_map(BorrowedJson::items)
        .any(|reason| reason.text() == Some(PERMITTED));
    if !is_marked && may(context, &lead, place, to) {
        return;
    }
    let rule = if is_marked || lead.anywhere {
        PERMITTED
    } else {
        "undeclared_transition"
    };
    let declared: Vec<&str> = context.reachability.named(place).collect();
    let declared = if declared.is_empty() {
        format!("`{from}` has no outgoing transition")
    } else {
        let shown = declared
            .iter()
            .take(MAX_LISTED_STATES)
            .map(|name| format!("`{name}`"))
            .collect::<Vec<_>>();
        let more = if declared.len() > MAX_LISTED_STATES {
            ", …"
        } else {
            ""
        };
        format!("`{from}` has transitions to {}{more}", shown.join(", "))
    };
    let found = format!("`{from}` → `{}`", context.to);
    breaches.push(context.breach(rule, machine.state_id(from), found, declared));
}

fn may(context: &CheckContext<'_>, lead: &PolicyLead, from: StateId, to: StateId) -> bool {
    let shadow = context.shadow;
    let settings = context.settings;
    let reachability = context.reachability;
    if reachability.leads(from, to) {
        return true;
    }
    let decides = |source| settings.model && settings.sources.has(source);
    lead.decides.is_some_and(decides)
        || returns(context, lead, from, to)
        || reachability.has_branches()
            && (reachability.branches(to) || shadow.visited.contains(&to))
        || shadow.visited.contains(&to) && reachability.re_enters(from, to)
        || lead.completes && reachability.completes(from, to)
}

/// Whether the transition returns to the state before an interruption. If the return state is not recorded, any visited
/// state that leads to the interruption or to `to` is accepted.
fn returns(context: &CheckContext<'_>, lead: &PolicyLead, from: StateId, to: StateId) -> bool {
    let reachability = context.reachability;
    let machine = context.machine();
    let shadow = context.shadow;
    let resumes = reachability.resumes(from);
    if machine.state(from).aside.is_some() && !resumes && lead.interrupts != Some(from) {
        return false;
    }
    if let Some(kept) = shadow.return_state {
        let kept = kept.and_then(|name| machine.state_id(name));
        return kept.is_some_and(|kept| reachability.passes(kept, to));
    }
    let mut visited = shadow.visited.iter();
    if lead.aside {
        return visited.any(|state| *state == to || reachability.leads(*state, to));
    }
    let interrupted = lead
        .interrupts
        .is_some_and(|state| shadow.visited.contains(&state));
    (interrupted || resumes) && visited.any(|state| reachability.passes(*state, to))
}
