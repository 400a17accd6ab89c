//! The texts of a comparison.

use super::DifferenceReport;
use crate::limits::{MAX_EDITED_LINES, MAX_NAMED_DIALOGUES, MAX_VALUE_LENGTH};
use fsmsim_harness::diff::{
    Cause, CauseKey, ComparisonCounts, CountedChange, Decided, DiffSide, Difference,
    DifferenceCategory, Divergence, FieldChange, KnownEdit, Reconvergence, RenameOffer, Sides,
    TraceComparison,
};
use fsmsim_syntax::diagnostic::plural;
use fsmsim_syntax::terminal::{Joined, shortened};

/// The summary of all dialogues, as lines.
pub(super) fn summary(report: &DifferenceReport) -> Vec<String> {
    let ComparisonCounts {
        same,
        different,
        only_a,
        only_b,
        left_out,
        unplayable,
    } = report.comparison.counts;
    let both = same + different;
    let mut parts = vec![match different {
        0 => format!("{} without differences", plural(both, "dialogue")),
        _ if both == 1 => "1 of 1 dialogue differs".to_owned(),
        _ => format!("{different} of {both} dialogues differ"),
    }];
    parts.extend((only_a > 0).then(|| format!("{only_a} only in the first")));
    parts.extend((only_b > 0).then(|| format!("{only_b} only in the second")));
    parts.extend((unplayable > 0).then(|| format!("{unplayable} could not be run")));
    let mut lines = vec![parts.join("; ")];
    let omitted = || format!("{} of other models omitted", plural(left_out, "scenario"));
    lines.extend((left_out > 0).then(omitted));
    lines.extend(report.proof().map(|proof| proof.answer()));
    lines
}

/// Notes about all causes, as lines.
pub(super) fn about_causes(report: &DifferenceReport) -> Vec<String> {
    let TraceComparison {
        counts,
        causes,
        renames,
        ..
    } = &report.comparison;
    let counted: usize = causes.iter().map(|cause| cause.dialogues.len()).sum();
    let note = format!("a dialogue is counted under each of its causes: {counted} in total");
    let rename = |RenameOffer { from, to }: &RenameOffer| {
        format!("state {from} might have been renamed to {to}: use --rename {from}={to}")
    };
    (counted > counts.different)
        .then_some(note)
        .into_iter()
        .chain(renames.iter().map(rename))
        .collect()
}

/// The numbers of the causes of a dialogue, starting with the cause of its weightiest difference.
pub(super) fn causes(difference: &Difference) -> Option<String> {
    let numbers = difference
        .more_causes
        .iter()
        .map(|cause| (cause + 1).to_string())
        .joined(", ");
    let others = if numbers.is_empty() {
        String::new()
    } else {
        format!(", also {numbers}")
    };
    Some(format!("cause {}{others}", difference.cause? + 1))
}

pub(super) fn title(cause: &Cause) -> String {
    self::cause(&cause.key)
}

/// The title of a cause.
pub(crate) fn cause(key: &CauseKey) -> String {
    match key {
        CauseKey::Switches {
            names,
            more_causes: true,
            ..
        } => {
            format!(
                "switch {}, in addition to the main difference",
                names.join(", ")
            )
        }
        CauseKey::Switches {
            names,
            together: false,
            ..
        } => match names.as_slice() {
            [name] => format!("switch {name}"),
            names => format!("any of the switches {}", names.join(", ")),
        },
        CauseKey::Switches { names, .. } => format!("several switches: {}", names.join(", ")),
        CauseKey::Edits(edits) => edits
            .iter()
            .map(|one| edit(one, one.place()))
            .joined(" together with "),
        CauseKey::Decided(decided) => change(&decided.change),
    }
}

/// The title of an edit at this location.
pub(crate) fn edit(edit: &KnownEdit, place: &str) -> String {
    let what = match (&edit.was, &edit.now, edit.lines.b.as_slice()) {
        (None, ..) => "new",
        (_, None, _) | (.., []) => "removed",
        _ => "edited",
    };
    let part = if edit.is_of_rule { "rule" } else { "line" };
    let mixin = edit.mixin.as_ref();
    let of = mixin.map(|mixin| format!(" (mixin {mixin})"));
    format!("{what} {part} {place}{}", of.unwrap_or_default())
}

/// The edited lines: `- ` marks removed lines, `+ ` marks added ones.
pub(crate) fn edited_lines(edits: &[KnownEdit]) -> Vec<String> {
    let of_side = |sign: &str, lines: &[String]| {
        let shown = lines.iter().take(MAX_EDITED_LINES);
        let shown = shown.map(|line| format!("{sign} {}", shortened(line, MAX_VALUE_LENGTH)));
        let more = lines.len().saturating_sub(MAX_EDITED_LINES);
        let more = (more > 0).then(|| format!("{sign} and {}", plural(more, "more line")));
        shown.chain(more).collect::<Vec<_>>()
    };
    let of_edit = |edit: &KnownEdit| {
        let Sides { a, b } = &edit.lines;
        [of_side("-", a), of_side("+", b)].concat()
    };
    edits.iter().flat_map(of_edit).collect()
}

/// A change as text.
pub(super) fn change(change: &FieldChange) -> String {
    match (change.field.as_str(), &change.a, &change.b) {
        ("turn", Some(turn), None) => format!("turn removed: {turn}"),
        ("turn", None, Some(turn)) => format!("turn added: {turn}"),
        (field, a, b) => format!("{field}: {}", both(a.as_deref(), b.as_deref())),
    }
}

/// The details of a cause, without its title.
pub(super) fn facts(cause: &Cause) -> Vec<String> {
    let mut facts = Vec::new();
    let Decided {
        class,
        by,
        why,
        rule,
        ..
    } = &cause.decided;
    if !matches!(cause.key, CauseKey::Decided(_)) {
        for (
            number,
            CountedChange {
                change: of,
                dialogues,
            },
        ) in cause.changes.iter().enumerate()
        {
            if number == MAX_NAMED_DIALOGUES {
                facts.push(format!(
                    "and {} other changes",
                    cause.changes.len() - number
                ));
                break;
            }
            facts.push(format!("{} ({dialogues})", change(of)));
        }
    }
    if let Some(Sides { a, b }) = class
        && cause.decided.change.field != "class"
        && cause.decided.change.field != "turn"
    {
        facts.push(format!("class: {a} -> {b}"));
    }
    facts.extend(pair("by", by.a.as_deref(), by.b.as_deref()));
    let joined = |why: &[String]| (!why.is_empty()).then(|| why.join(", "));
    facts.extend(pair(
        "why",
        joined(&why.a).as_deref(),
        joined(&why.b).as_deref(),
    ));
    facts.extend(pair("rule", rule.a.as_deref(), rule.b.as_deref()));
    facts
}

/// The example of a cause, and the other dialogues that it affects.
pub(super) fn examples(cause: &Cause) -> Vec<String> {
    let Some((first, others)) = cause.dialogues.split_first() else {
        return Vec::new();
    };
    let mut lines = vec![format!("for example {first}, {}", turns(cause.turns))];
    if !others.is_empty() {
        let named: Vec<&str> = others
            .iter()
            .take(MAX_NAMED_DIALOGUES - 1)
            .map(String::as_str)
            .collect();
        let more = others.len() - named.len();
        let more = if more > 0 {
            format!("; and {more} more")
        } else {
            String::new()
        };
        lines.push(format!("also in {}{more}", named.join("; ")));
    }
    lines
}

/// The turn numbers of both sides.
pub(super) fn turns(turns: Sides<Option<u32>>) -> String {
    match (turns.a, turns.b) {
        (Some(a), Some(b)) if a == b => format!("turn {a}"),
        (Some(a), Some(b)) => format!("turn {a} (now {b})"),
        (Some(a), None) => format!("turn {a}"),
        (None, Some(b)) => format!("new turn {b}"),
        (None, None) => "no turn".to_owned(),
    }
}

/// The weightiest difference of two dialogues, in one line.
pub(super) fn divergence(divergence: &Divergence) -> String {
    let change = match divergence.step.fields.first() {
        Some(field) => {
            let Sides { a, b } = field.texts();
            format!("{}: {}", field.field, both(a.as_deref(), b.as_deref()))
        }
        None if divergence.step.turns.a.is_some() => "only in the first".to_owned(),
        None => "only in the second".to_owned(),
    };
    format!("{}, {change}", turns(divergence.numbers()))
}

/// The other fields that differ in the same turn.
pub(super) fn others(divergence: &Divergence) -> Option<String> {
    let names: Vec<&str> = divergence
        .step
        .fields
        .iter()
        .skip(1)
        .map(|field| field.field.as_str())
        .collect();
    let shown: Vec<&str> = names.iter().take(MAX_NAMED_DIALOGUES).copied().collect();
    let more = if names.len() > shown.len() {
        ", …"
    } else {
        ""
    };
    (!names.is_empty()).then(|| format!("also {}{more}", shown.join(", ")))
}

/// The turn after which two dialogues reconverge.
pub(super) fn reconvergence(divergence: &Divergence) -> String {
    match divergence.reconvergence {
        Reconvergence::AtOnce => "state, phase and data stay the same".to_owned(),
        Reconvergence::After(after) => {
            format!("the dialogues reconverge after {}", turns(after.map(Some)))
        }
        Reconvergence::Never => "the dialogues do not reconverge".to_owned(),
    }
}

/// The name of a difference category.
pub(super) fn category(category: &DifferenceCategory) -> &'static str {
    match category {
        DifferenceCategory::Differs(_) => "DIFFERS",
        DifferenceCategory::Only(DiffSide::A) => "ONLY IN THE FIRST",
        DifferenceCategory::Only(DiffSide::B) => "ONLY IN THE SECOND",
    }
}

/// A named value of both sides. Equal values are written once. `None` if neither side has the value.
fn pair(what: &str, a: Option<&str>, b: Option<&str>) -> Option<String> {
    match (a, b) {
        (None, None) => None,
        (Some(a), Some(b)) if a == b => Some(format!("{what}: {a}")),
        (a, b) => Some(format!("{what}: {}", both(a, b))),
    }
}

/// Both values, shortened: long lists of proposals and effects are for JSON.
fn both(a: Option<&str>, b: Option<&str>) -> String {
    let word = |word: Option<&str>| shortened(word.unwrap_or("none"), MAX_VALUE_LENGTH);
    format!("{} -> {}", word(a), word(b))
}
