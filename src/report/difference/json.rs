//! A comparison as one object of JSON. Keys always come in this order.

use std::io::{self, Write};

use serde::Serialize;

use super::NAMED;
use super::words::title;
use crate::diff::{
    Cause, CauseKey, Change, Difference, DifferenceCategory, DifferenceKind, Divergence, FieldDifference,
    Reconvergence, Side, TraceComparison,
};

#[derive(Serialize)]
struct Whole<'c> {
    same: bool,
    dialogues: Dialogues,
    causes: Vec<CauseObject<'c>>,
    differences: Vec<DifferenceObject<'c>>,
}

#[derive(Serialize)]
struct Dialogues {
    same: usize,
    different: usize,
    only_a: usize,
    only_b: usize,
    left_out: usize,
    unplayable: usize,
}

#[derive(Serialize)]
struct CauseObject<'c> {
    /// From 1, as differences name it.
    cause: usize,
    title: String,
    dialogues: usize,
    kind: DifferenceKind,
    switches: &'c [&'static str],
    rule: Option<RuleObject<'c>>,
    changes: Vec<ChangeObject<'c>>,
    class: Option<Sides<&'c str>>,
    by: Sides<Option<&'c str>>,
    why: Sides<&'c [String]>,
    rules: Sides<Option<&'c str>>,
    example: Example<'c>,
    /// The first of the dialogues.
    named: Vec<&'c str>,
}

#[derive(Serialize)]
struct RuleObject<'c> {
    place: &'c str,
    mixin: Option<&'c str>,
    side: &'static str,
}

#[derive(Serialize)]
struct ChangeObject<'c> {
    kind: DifferenceKind,
    field: &'c str,
    a: Option<&'c str>,
    b: Option<&'c str>,
    dialogues: usize,
}

#[derive(Serialize)]
struct Sides<T> {
    a: T,
    b: T,
}

#[derive(Serialize)]
struct Example<'c> {
    dialogue: &'c str,
    turn: Sides<Option<u32>>,
}

#[derive(Serialize)]
struct DifferenceObject<'c> {
    dialogue: &'c str,
    /// `differs`, `only_a` or `only_b`.
    how: &'static str,
    cause: Option<usize>,
    kind: Option<DifferenceKind>,
    turn: Option<Sides<Option<u32>>>,
    fields: &'c [FieldDifference],
    /// The turns after which both are together for good, 0 for before the first; null for never.
    meets: Option<Sides<u32>>,
}

/// Writes a comparison.
pub(super) fn write(comparison: &TraceComparison, out: &mut impl Write) -> io::Result<()> {
    let counts = comparison.counts;
    let whole = Whole {
        same: comparison.is_same(),
        dialogues: Dialogues {
            same: counts.same,
            different: counts.different,
            only_a: counts.only_a,
            only_b: counts.only_b,
            left_out: counts.left_out,
            unplayable: counts.unplayable,
        },
        causes: comparison.causes.iter().enumerate().map(cause).collect(),
        differences: comparison.differences.iter().map(difference).collect(),
    };
    serde_json::to_writer_pretty(&mut *out, &whole)?;
    writeln!(out)
}

fn cause((number, cause): (usize, &Cause)) -> CauseObject<'_> {
    let decided = &cause.decided;
    CauseObject {
        cause: number + 1,
        title: title(cause),
        dialogues: cause.dialogues.len(),
        kind: decided.change.kind,
        switches: match &cause.key {
            CauseKey::Switches { names, .. } => names,
            _ => &[],
        },
        rule: match &cause.key {
            CauseKey::Rule { place, mixin, added } => {
                Some(RuleObject { place, mixin: mixin.as_deref(), side: if *added { "b" } else { "a" } })
            }
            _ => None,
        },
        changes: cause.changes.iter().map(change).collect(),
        class: decided.class.as_ref().map(|(a, b)| Sides { a: a.as_str(), b: b.as_str() }),
        by: Sides { a: decided.by.0.as_deref(), b: decided.by.1.as_deref() },
        why: Sides { a: &decided.why.0, b: &decided.why.1 },
        rules: Sides { a: decided.rule.0.as_deref(), b: decided.rule.1.as_deref() },
        example: Example {
            dialogue: cause.dialogues.first().map_or("", String::as_str),
            turn: Sides { a: cause.turns.0, b: cause.turns.1 },
        },
        named: cause.dialogues.iter().take(NAMED).map(String::as_str).collect(),
    }
}

fn change((change, dialogues): &(Change, usize)) -> ChangeObject<'_> {
    let Change { kind, field, a, b } = change;
    ChangeObject { kind: *kind, field, a: a.as_deref(), b: b.as_deref(), dialogues: *dialogues }
}

fn difference(difference: &Difference) -> DifferenceObject<'_> {
    let (how, divergence): (_, Option<&Divergence>) = match &difference.how {
        DifferenceCategory::Differs(divergence) => ("differs", Some(divergence)),
        DifferenceCategory::Only(Side::A) => ("only_a", None),
        DifferenceCategory::Only(Side::B) => ("only_b", None),
    };
    let turns = divergence.map(Divergence::turns);
    DifferenceObject {
        dialogue: &difference.dialogue,
        how,
        cause: difference.cause.map(|cause| cause + 1),
        kind: divergence.map(|divergence| divergence.kind),
        turn: turns.map(|(a, b)| Sides { a, b }),
        fields: divergence.map_or(&[], |divergence| &divergence.fields),
        meets: divergence.and_then(|divergence| match (divergence.meeting, divergence.turns()) {
            (Reconvergence::After(a, b), _) => Some(Sides { a, b }),
            (Reconvergence::AtOnce, (a, b)) => Some(Sides { a: a.or(b)?, b: b.or(a)? }),
            (Reconvergence::Never, _) => None,
        }),
    }
}
