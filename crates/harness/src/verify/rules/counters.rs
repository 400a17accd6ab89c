//! Checks that counters stay within their limits and decrease only after a reset.

use super::{CheckContext, Finding};
use crate::verify::import::BorrowedJson;
use fsmsim_core::engine::policy::GO_BACKS;
use fsmsim_core::machine::Counter;
use fsmsim_core::trace::RecordField;

/// Counters that never decrease.
const GROWING: [&str; 2] = ["go_backs", "objections_total"];

pub(super) fn check(context: &CheckContext<'_>, breaches: &mut Vec<Finding>) {
    let machine = context.machine();
    let mut report = |found: String, declared: String| {
        breaches.push(context.breach(
            "counter_out_of_bounds",
            context.state_after(),
            found,
            declared,
        ));
    };
    if let (Some(now), Some(before)) = (context.now.turn_number(), context.shadow.turn_number)
        && !(before..=before.saturating_add(1)).contains(&now)
    {
        report(
            format!("turn_number: {now}"),
            format!("it was {before} and grows by at most 1 in a turn"),
        );
    }
    let Some(counters) = context.now.field(RecordField::Counters) else {
        return;
    };
    for (name, value) in counters.entries() {
        let declared = machine
            .names
            .counters
            .id(name)
            .and_then(|id| machine.counters.lookup(id));
        match (value, declared.filter(|counter| counter.is_declared)) {
            (
                BorrowedJson::Int(count),
                Some(Counter {
                    limit: Some((limit, _)),
                    initial,
                    ..
                }),
            ) => {
                let most = context.settings.limit(*limit).max(*initial);
                if *count > most {
                    report(format!("{name}: {count}"), format!("at most {most}"));
                }
            }
            (BorrowedJson::Null | BorrowedJson::Int(0..), _) | (BorrowedJson::Int(_), Some(_)) => {}
            (value, _) => report(
                format!("{name}: {value}"),
                "expected an integer from 0".to_owned(),
            ),
        }
    }
    let counter = |name: &str| counters.at(name).integer().filter(|number| *number >= 0);
    for name in GROWING {
        let before = context
            .shadow
            .counters
            .and_then(|before| before.at(name).integer());
        if let (Some(now), Some(before)) = (counter(name), before)
            && now < before
        {
            report(
                format!("{name}: {now}"),
                format!("it was {before} and cannot decrease"),
            );
        }
    }
    let limit = machine.names.limits.id(GO_BACKS);
    let most = limit.map_or(0, |limit| context.settings.limit(limit));
    let taken = counter("go_backs");
    if let Some(taken) = taken.filter(|taken| limit.is_some() && *taken > most.max(0)) {
        report(format!("go_backs: {taken}"), format!("at most {most}"));
    }
    if let (Some(taken), Some(left)) = (taken, counter("go_backs_left"))
        && left != most.saturating_sub(taken).max(0)
    {
        let right = most.saturating_sub(taken).max(0);
        report(
            format!("go_backs_left: {left}"),
            format!("{right} of {most} remain after {taken}"),
        );
    }
    if let (Some(row), Some(total)) = (counter("objections_in_row"), counter("objections_total"))
        && row > total
    {
        report(
            format!("objections_in_row: {row}"),
            format!("{total} in total"),
        );
    }
}
