//! The turns of a dialogue are numbered one by one.

use super::{CheckContext, Finding};

/// What stands behind lines that could not be read may have any number.
pub(super) fn check(context: &CheckContext<'_>, breaches: &mut Vec<Finding>) {
    let (before, now) = (context.shadow.turns, context.now.number);
    if context.now.after_gap || now == before + 1 {
        return;
    }
    let found = match before {
        0 => format!("the first turn has the number {now}"),
        _ => format!("turn {now} stands behind turn {before}"),
    };
    breaches.push(context.breach(
        "missing_turns",
        None,
        found,
        format!("turn {} is missing", before + 1),
    ));
}
