//! A comparison as one JSON object. The order of the keys is fixed.

use serde_json::{Value, json};

use super::words::title;
use crate::limits::MAX_NAMED_DIALOGUES;
use fsmsim_harness::diff::{
    Cause, CauseKey, DiffSide, Difference, DifferenceCategory, Divergence, KnownEdit,
    Reconvergence, Sides, TraceComparison,
};

pub(super) fn value(comparison: &TraceComparison) -> Value {
    json!({
        "same": comparison.is_same(),
        "dialogues": comparison.counts,
        "causes": comparison.causes.iter().zip(1..).map(cause).collect::<Value>(),
        "renames": comparison.renames,
        "differences": comparison.differences.iter().map(difference).collect::<Value>(),
    })
}

/// A cause with its number from 1, which differences refer to.
pub(super) fn cause((cause, number): (&Cause, usize)) -> Value {
    let decided = &cause.decided;
    let switches: &[&str] = match &cause.key {
        CauseKey::Switches { names, .. } => names,
        _ => &[],
    };
    let edit = |edit: &KnownEdit| {
        json!({
            "at": edit.now,
            "was_at": edit.was,
            "mixin": edit.mixin,
            "removed": edit.lines.a,
            "added": edit.lines.b,
        })
    };
    json!({
        "id": number,
        "title": title(cause),
        "dialogues": cause.dialogues.len(),
        "kind": decided.change.kind,
        "switches": switches,
        "edits": cause.key.edits().iter().map(edit).collect::<Value>(),
        "changes": cause.changes,
        "class": decided.class,
        "by": decided.by,
        "why": decided.why,
        "rules": decided.rule,
        "example": {
            "dialogue": cause.dialogues.first().map_or("", String::as_str),
            "turn": cause.turns,
        },
        // Only the first dialogues are named.
        "named": cause.dialogues.iter().take(MAX_NAMED_DIALOGUES).collect::<Vec<_>>(),
    })
}

/// The category of a difference and its divergence.
pub(super) fn category(difference: &Difference) -> (&'static str, Option<&Divergence>) {
    match &difference.category {
        DifferenceCategory::Differs(divergence) => ("differs", Some(divergence)),
        DifferenceCategory::Only(DiffSide::A) => ("only_a", None),
        DifferenceCategory::Only(DiffSide::B) => ("only_b", None),
    }
}

fn difference(difference: &Difference) -> Value {
    let (category, divergence) = category(difference);
    json!({
        "dialogue": difference.dialogue,
        "how": category,
        "cause": difference.cause.map(|cause| cause + 1),
        "more_causes": difference.more_causes.iter().map(|cause| cause + 1).collect::<Vec<_>>(),
        "kind": divergence.map(|divergence| divergence.kind),
        "turn": divergence.map(Divergence::numbers),
        "fields": divergence.map_or(&[][..], |divergence| &divergence.step.fields),
        "meets": divergence.and_then(reconvergence),
    })
}

/// The turns after which the dialogues have reconverged. 0 means before the first turn; `None` means never.
fn reconvergence(divergence: &Divergence) -> Option<Sides<u32>> {
    match divergence.reconvergence {
        Reconvergence::After(turns) => Some(turns),
        Reconvergence::AtOnce => {
            let Sides { a, b } = divergence.numbers();
            Sides {
                a: a.or(b),
                b: b.or(a),
            }
            .both()
        }
        Reconvergence::Never => None,
    }
}
