//! Aligns the turns of two dialogues.

use std::cmp::Ordering;

use xxhash_rust::xxh3::xxh3_64;

use super::sides::Sides;
use crate::limits::MAX_ALIGNED_TURNS;
use fsmsim_core::trace::TurnReport;

/// The input keys that describe the user's act. The other keys describe its wording and count only if there is no such
/// key.
const ACT_KEYS: [&str; 14] = [
    "before", "intent", "also", "goto", "data", "consent", "answer", "event", "open", "tick",
    "observe", "approve", "timeout", "edit",
];

/// A step of an alignment: a turn of each side, or of one side only.
pub(super) type AlignedTurns<'t> = Sides<Option<&'t TurnReport>>;

/// A step of an alignment, as indexes in the lists of turns.
type AlignedPlaces = Sides<Option<usize>>;

/// The fingerprint of a turn. Its sort order has no meaning, but makes the result independent of which side comes
/// first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Sign {
    /// A hash of the input.
    input: u64,
    /// A hash of state and class.
    outcome: u64,
}

/// The score of a match. Equal inputs count first, then equal outcomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Score {
    inputs: u32,
    outcomes: u32,
}

/// Aligns the turns of two dialogues: first by input (ignoring the wording if possible), then by state and class. The
/// alignment contains all turns of both dialogues in order. A turn without a match is a step with one side only. The
/// choice among equally good alignments does not depend on which dialogue comes first.
///
/// The running time is linear for equal inputs and for long dialogues, otherwise quadratic in the number of turns.
pub(super) fn align<'t>(a: &'t [TurnReport], b: &'t [TurnReport]) -> Vec<AlignedTurns<'t>> {
    let [signs_a, signs_b] = [a, b].map(|turns| turns.iter().map(sign).collect::<Vec<_>>());
    let steps = align_signs(&signs_a, &signs_b).into_iter();
    let turns = |places: AlignedPlaces| Sides {
        a: places.a.and_then(|at| a.get(at)),
        b: places.b.and_then(|at| b.get(at)),
    };
    steps.map(turns).collect()
}

fn align_signs(a: &[Sign], b: &[Sign]) -> Vec<AlignedPlaces> {
    let inputs = |signs: &[Sign]| signs.iter().map(|sign| sign.input).collect::<Vec<_>>();
    if inputs(a) == inputs(b) {
        return (0..a.len())
            .map(|at| Sides {
                a: Some(at),
                b: Some(at),
            })
            .collect();
    }
    let swapped = a.cmp(b) == Ordering::Greater;
    let (first, second) = if swapped { (b, a) } else { (a, b) };
    // Equal turns at both ends always belong to one of the best alignments.
    let head = first
        .iter()
        .zip(second)
        .take_while(|(one, other)| one == other)
        .count();
    let rest = first.len().min(second.len()) - head;
    let tail = first
        .iter()
        .rev()
        .zip(second.iter().rev())
        .take(rest)
        .take_while(|(one, other)| one == other)
        .count();
    let mut matches: Vec<(usize, usize)> = (0..head).map(|at| (at, at)).collect();
    let middle = |signs: &[Sign]| {
        signs
            .get(head..signs.len() - tail)
            .unwrap_or_default()
            .to_vec()
    };
    let found = windows(&middle(first), &middle(second));
    matches.extend(
        found
            .into_iter()
            .map(|(one, other)| (one + head, other + head)),
    );
    matches.extend((0..tail).map(|at| (first.len() - tail + at, second.len() - tail + at)));
    if swapped {
        for (one, other) in &mut matches {
            std::mem::swap(one, other);
        }
    }
    steps(&matches, a.len(), b.len())
}

/// The steps: matches, and before each match the unmatched turns of the first dialogue, then those of the second.
fn steps(matches: &[(usize, usize)], a: usize, b: usize) -> Vec<AlignedPlaces> {
    let mut steps = Vec::with_capacity(a.max(b));
    let mut at_a = 0;
    let mut at_b = 0;
    let end = [(a, b)];
    for (number, (to_a, to_b)) in matches.iter().chain(&end).enumerate() {
        steps.extend((at_a..*to_a).map(|at| Sides {
            a: Some(at),
            b: None,
        }));
        steps.extend((at_b..*to_b).map(|at| Sides {
            a: None,
            b: Some(at),
        }));
        if number < matches.len() {
            steps.push(Sides {
                a: Some(*to_a),
                b: Some(*to_b),
            });
        }
        at_a = to_a + 1;
        at_b = to_b + 1;
    }
    steps
}

/// Matches two lists window by window, keeping only the first half of every window except the last. Near the end of a
/// window a match can be wrong, because the true counterpart might be in the next window.
fn windows(a: &[Sign], b: &[Sign]) -> Vec<(usize, usize)> {
    let mut matches = Vec::new();
    let mut at_a = 0;
    let mut at_b = 0;
    while at_a < a.len() && at_b < b.len() {
        let part = |signs: &[Sign], at: usize| {
            signs
                .iter()
                .skip(at)
                .take(MAX_ALIGNED_TURNS)
                .copied()
                .collect::<Vec<_>>()
        };
        let part_a = part(a, at_a);
        let part_b = part(b, at_b);
        let found = best(&part_a, &part_b);
        let last = at_a + part_a.len() == a.len() && at_b + part_b.len() == b.len();
        let half = |(one, other): &(usize, usize)| {
            last || (*one < MAX_ALIGNED_TURNS / 2 && *other < MAX_ALIGNED_TURNS / 2)
        };
        let kept = found.iter().take_while(|pair| half(pair)).count();
        matches.extend(
            found
                .iter()
                .take(kept)
                .map(|(one, other)| (at_a + one, at_b + other)),
        );
        if last {
            break;
        }
        match found.get(kept.wrapping_sub(1)) {
            Some((one, other)) => (at_a, at_b) = (at_a + one + 1, at_b + other + 1),
            None => {
                (at_a, at_b) = (
                    at_a + part_a.len().div_ceil(2),
                    at_b + part_b.len().div_ceil(2),
                );
            }
        }
    }
    matches
}

/// The best matches between two short lists, by dynamic programming over their suffixes. This is the longest common
/// subsequence with two weights: an equal input counts more than any number of equal outcomes. For `a1 b1 c1` and
/// `a1 x1 c1` it matches `a` and `c` by input, and `b` with `x` by outcome.
fn best(a: &[Sign], b: &[Sign]) -> Vec<(usize, usize)> {
    let width = b.len() + 1;
    let mut table = vec![Score::default(); (a.len() + 1) * width];
    let score = |table: &[Score], one: usize, other: usize| {
        table.get(one * width + other).copied().unwrap_or_default()
    };
    // The score of matching two turns plus the best score of the turns after them.
    let together = |table: &[Score], one: usize, other: usize| {
        let fit = fit(*a.get(one)?, *b.get(other)?)?;
        let rest = score(table, one + 1, other + 1);
        Some(Score {
            inputs: rest.inputs + fit.inputs,
            outcomes: rest.outcomes + fit.outcomes,
        })
    };
    for one in (0..a.len()).rev() {
        for other in (0..b.len()).rev() {
            let apart = score(&table, one + 1, other).max(score(&table, one, other + 1));
            let best = together(&table, one, other).map_or(apart, |together| together.max(apart));
            if let Some(cell) = table.get_mut(one * width + other) {
                *cell = best;
            }
        }
    }
    let mut matches = Vec::new();
    let mut one = 0;
    let mut other = 0;
    while one < a.len() && other < b.len() {
        let here = score(&table, one, other);
        if together(&table, one, other) == Some(here) {
            matches.push((one, other));
            one += 1;
            other += 1;
        } else if here == score(&table, one + 1, other) {
            one += 1;
        } else {
            other += 1;
        }
    }
    matches
}

/// The score of matching two turns; `None` if they have nothing in common.
fn fit(a: Sign, b: Sign) -> Option<Score> {
    let input = a.input == b.input;
    let outcome = a.outcome == b.outcome;
    (input || outcome).then_some(Score {
        inputs: input.into(),
        outcomes: outcome.into(),
    })
}

fn sign(turn: &TurnReport) -> Sign {
    let is_act = |key: &&String| ACT_KEYS.contains(&key.as_str());
    let has_no_act = !turn.input.keys().any(|key| is_act(&key));
    let input = turn.input.iter();
    let mut text = String::new();
    write_pairs(
        input.filter(|(key, _)| has_no_act || is_act(key)),
        &mut text,
    );
    let outcome = [
        turn.state(),
        "\0",
        turn.class.as_deref().unwrap_or_default(),
    ]
    .concat();
    Sign {
        input: xxh3_64(text.as_bytes()),
        outcome: xxh3_64(outcome.as_bytes()),
    }
}

/// Writes the entries of a map in the order of their keys.
fn write_pairs<'p>(
    pairs: impl IntoIterator<Item = (&'p String, &'p serde_json::Value)>,
    text: &mut String,
) {
    let mut pairs: Vec<_> = pairs.into_iter().collect();
    pairs.sort_unstable_by_key(|(key, _)| *key);
    for (key, value) in pairs {
        text.push_str(key);
        text.push('\0');
        write_sorted(value, text);
        text.push('\0');
    }
}

/// Writes a value as text that does not depend on the order of keys.
fn write_sorted(value: &serde_json::Value, text: &mut String) {
    match value {
        serde_json::Value::Object(map) => {
            text.push('{');
            write_pairs(map, text);
            text.push('}');
        }
        serde_json::Value::Array(items) => {
            text.push('[');
            for item in items {
                write_sorted(item, text);
                text.push('\0');
            }
            text.push(']');
        }
        scalar => text.push_str(&scalar.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Parses turns such as `a1 b2`: one character for the input, then a digit for the outcome.
    fn signs(text: &str) -> Vec<Sign> {
        let sign = |word: &str| {
            let mut chars = word.chars().map(u64::from);
            Sign {
                input: chars.next().unwrap(),
                outcome: chars.next().unwrap_or(0),
            }
        };
        text.split_whitespace().map(sign).collect()
    }

    fn aligned(a: &str, b: &str) -> String {
        let (a, b) = (signs(a), signs(b));
        let shown = |sign: &Sign| char::from_u32(u32::try_from(sign.input).unwrap()).unwrap();
        let step = |pair: &AlignedPlaces| match (pair.a, pair.b) {
            (Some(one), Some(other)) => format!("{}{}", shown(&a[one]), shown(&b[other])),
            (Some(one), None) => format!("-{}", shown(&a[one])),
            (_, other) => format!("+{}", shown(&b[other.unwrap()])),
        };
        align_signs(&a, &b)
            .iter()
            .map(step)
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn turns_are_aligned_by_input_then_by_outcome() {
        let cases = [
            ("", ""),
            ("a b c", "a b c"),
            ("a1 b1", "a2 b2"),
            ("a b c", "a x b c"),
            ("a1 b1 c1", "a1 c1"),
            ("a1 a2 a3", "a2 a3"),
            ("a1 a1 b2", "a1 b2"),
            ("a1 b1 c1", "a1 x1 c1"),
            ("a1 b2", "x3 y4"),
            ("", "a b"),
        ];
        let shown = cases.map(|(a, b)| format!("[{a}] [{b}]: {}", aligned(a, b)));
        insta::assert_snapshot!(shown.join("\n"));
    }

    fn some_signs() -> impl Strategy<Value = Vec<Sign>> {
        prop::collection::vec((0..4u64, 0..3u64), 0..24).prop_map(|signs| {
            signs
                .into_iter()
                .map(|(input, outcome)| Sign { input, outcome })
                .collect()
        })
    }

    proptest! {
        #[test]
        fn alignment_contains_all_turns_in_order(a in some_signs(), b in some_signs()) {
            let steps = align_signs(&a, &b);
            prop_assert!(steps.iter().filter_map(|step| step.a).eq(0..a.len()));
            prop_assert!(steps.iter().filter_map(|step| step.b).eq(0..b.len()));
            prop_assert!(steps.iter().all(|step| step.a.is_some() || step.b.is_some()));
            for (one, other) in steps.iter().filter_map(|step| Some((step.a?, step.b?))) {
                prop_assert!(fit(a[one], b[other]).is_some());
            }
        }

        #[test]
        fn alignment_does_not_depend_on_the_order_of_the_sides(a in some_signs(), b in some_signs()) {
            let matches = |steps: Vec<AlignedPlaces>| -> Vec<_> {
                steps.into_iter().filter_map(|step| Some((step.a?, step.b?))).collect()
            };
            let back = matches(align_signs(&b, &a)).into_iter().map(|(one, other)| (other, one));
            prop_assert!(matches(align_signs(&a, &b)).into_iter().eq(back));
        }

        #[test]
        fn alignment_matches_as_many_inputs_as_possible(a in some_signs(), b in some_signs()) {
            let steps = align_signs(&a, &b);
            let together = steps
                .iter()
                .filter_map(|step| Some((step.a?, step.b?)))
                .filter(|(one, other)| a[*one].input == b[*other].input)
                .count();
            // The longest common subsequence, computed directly.
            let mut longest = vec![vec![0; b.len() + 1]; a.len() + 1];
            for one in 0..a.len() {
                for other in 0..b.len() {
                    longest[one + 1][other + 1] = if a[one].input == b[other].input {
                        longest[one][other] + 1
                    } else {
                        longest[one][other + 1].max(longest[one + 1][other])
                    };
                }
            }
            prop_assert_eq!(together, longest[a.len()][b.len()]);
        }
    }

    #[test]
    fn long_dialogues_are_aligned_window_by_window() {
        let sign = |input: u64| Sign {
            input,
            outcome: input % 3,
        };
        let a: Vec<Sign> = (0..6000).map(sign).collect();
        let b: Vec<Sign> = (0..6000)
            .filter(|at| at % 10 != 3)
            .chain([9000])
            .map(sign)
            .collect();
        let steps = align_signs(&a, &b);
        let together = steps.iter().filter_map(|step| Some((step.a?, step.b?)));
        assert!(together.filter(|(one, other)| a[*one] == b[*other]).count() >= 5399);
        assert!(steps.iter().filter_map(|step| step.a).eq(0..a.len()));
    }
}
