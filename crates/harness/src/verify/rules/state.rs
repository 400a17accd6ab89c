//! The state exists in the model.

use super::{CheckContext, Finding};
use fsmsim_syntax::diagnostic::nearest;

/// A state that was set from outside may be any; where the dialogue then stays, it stays.
pub(super) fn check(context: &CheckContext<'_>, breaches: &mut Vec<Finding>) {
    let machine = context.machine();
    if context.state_after().is_some() || context.shadow.state == Some(context.to) {
        return;
    }
    let states = machine.declared_names();
    let declared = match nearest(context.to, states) {
        Some(near) => format!("no such state; did you mean `{near}`?"),
        None => "no such state".to_owned(),
    };
    breaches.push(context.breach("unknown_state", None, format!("`{}`", context.to), declared));
}
