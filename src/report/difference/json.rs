//! A comparison as one object of JSON. Keys always come in this order.

use std::io::{self, Write};

use serde::Serialize;

use super::NAMED;
use super::words::title;
use crate::diff::{
    Cause, CauseKey, CountedChange, Difference, DifferenceCategory, DifferenceKind, Divergence, FieldChange,
    FieldDifference, Reconvergence, Side, Sides, TraceComparison,
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
struct Example<'c> {
    dialogue: &'c str,
    turn: Sides<Option<u32>>,
}

#[derive(Serialize)]
struct DifferenceObject<'c> {
    dialogue: &'c str,
    /// `differs`, `only_a` or `only_b`.
    #[serde(rename = "how")]
    category: &'static str,
    cause: Option<usize>,
    kind: Option<DifferenceKind>,
    turn: Option<Sides<Option<u32>>>,
    fields: &'c [FieldDifference],
    /// The turns after which both are together for good, 0 for before the first; null for never.
    #[serde(rename = "meets")]
    reconvergence: Option<Sides<u32>>,
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
        class: decided.class.as_ref().map(|class| class.as_ref().map(String::as_str)),
        by: decided.by.as_ref().map(Option::as_deref),
        why: decided.why.as_ref().map(Vec::as_slice),
        rules: decided.rule.as_ref().map(Option::as_deref),
        example: Example { dialogue: cause.dialogues.first().map_or("", String::as_str), turn: cause.turns },
        named: cause.dialogues.iter().take(NAMED).map(String::as_str).collect(),
    }
}

fn change(CountedChange { change, dialogues }: &CountedChange) -> ChangeObject<'_> {
    let FieldChange { kind, field, a, b } = change;
    ChangeObject { kind: *kind, field, a: a.as_deref(), b: b.as_deref(), dialogues: *dialogues }
}

fn difference(difference: &Difference) -> DifferenceObject<'_> {
    let (category, divergence): (_, Option<&Divergence>) = match &difference.category {
        DifferenceCategory::Differs(divergence) => ("differs", Some(divergence)),
        DifferenceCategory::Only(Side::A) => ("only_a", None),
        DifferenceCategory::Only(Side::B) => ("only_b", None),
    };
    DifferenceObject {
        dialogue: &difference.dialogue,
        category,
        cause: difference.cause.map(|cause| cause + 1),
        kind: divergence.map(|divergence| divergence.kind),
        turn: divergence.map(Divergence::numbers),
        fields: divergence.map_or(&[], |divergence| &divergence.fields),
        reconvergence: divergence.and_then(|divergence| match divergence.reconvergence {
            Reconvergence::After(turns) => Some(turns),
            Reconvergence::AtOnce => {
                let Sides { a, b } = divergence.numbers();
                Sides { a: a.or(b), b: b.or(a) }.both()
            }
            Reconvergence::Never => None,
        }),
    }
}
