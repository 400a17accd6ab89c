//! Where two dialogues diverge, and where they come together again.

use super::align::{AlignedTurn, align};
use super::difference_kind::DifferenceKind;
use super::excerpt::{ExcerptRow, excerpt};
use super::field_difference::{FieldDifference, differences};
use super::sides::Sides;
use crate::trace::TracedTurn;

/// Where two dialogues diverge for the first time.
#[derive(Clone, Debug, PartialEq)]
pub struct Divergence {
    /// The turn in both dialogues; nothing where a dialogue does not have it.
    pub turns: Sides<Option<TracedTurn>>,
    /// What the difference is about.
    pub kind: DifferenceKind,
    /// All fields that differ there, the weightiest first; none where only one side has the turn.
    pub fields: Vec<FieldDifference>,
    /// Where they come together again.
    pub reconvergence: Reconvergence,
    /// The turns around it.
    pub rows: Vec<ExcerptRow>,
}

/// Where two dialogues come together again: the turn after which state, phase and data stay equal up to the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reconvergence {
    /// In the turn in which they diverge: in state, phase and data they do not differ.
    AtOnce,
    /// After these turns, 0 for before the first.
    After(Sides<u32>),
    /// Never.
    Never,
}

impl Divergence {
    /// Where two dialogues diverge for the first time in what is of some of the kinds `only` (of all kinds, if it is empty),
    /// with `context` turns before and behind; `None` where they do not.
    pub fn find(a: &[TracedTurn], b: &[TracedTurn], only: &[DifferenceKind], context: usize) -> Option<Self> {
        let wanted = |kind: DifferenceKind| only.is_empty() || only.contains(&kind);
        let fields = |one: &TracedTurn, other: &TracedTurn| -> Vec<FieldDifference> {
            differences(one, other).into_iter().filter(|field| wanted(field.kind)).collect()
        };
        let steps = align(a, b);
        let diverges = |step: &AlignedTurn| match step.turns(a, b).both() {
            Some(turns) => !fields(turns.a, turns.b).is_empty(),
            None => wanted(DifferenceKind::Turns),
        };
        let at = steps.iter().position(diverges)?;
        let turns = steps.get(at)?.turns(a, b);
        let fields_here = turns.both().map(|turns| fields(turns.a, turns.b)).unwrap_or_default();
        let around = steps.get(at.saturating_sub(context)..).unwrap_or_default();
        let shown = at.min(context) + 1 + context;
        let differs = |one: &TracedTurn, other: &TracedTurn| !fields(one, other).is_empty();
        Some(Self {
            turns: turns.map(Option::<&TracedTurn>::cloned),
            kind: fields_here.first().map_or(DifferenceKind::Turns, |field| field.kind),
            reconvergence: reconvergence(&steps, at, a, b),
            rows: excerpt(around.get(..shown).unwrap_or(around), a, b, &differs),
            fields: fields_here,
        })
    }

    /// The number of the turn in both dialogues.
    pub fn numbers(&self) -> Sides<Option<u32>> {
        self.turns.as_ref().map(|turn| turn.as_ref().map(|turn| turn.turn))
    }

    /// Whether this is what another divergence from the same dialogue is: the same turn, and there the same outcome,
    /// whoever decided it.
    pub fn is_like(&self, other: &Self) -> bool {
        self.agrees(other, &|field| field.kind != DifferenceKind::Reason || self.kind == DifferenceKind::Reason)
    }

    /// Whether another divergence from the same dialogue is in the same turn and there the same in what it is about.
    pub fn is_alike_in_kind(&self, other: &Self) -> bool {
        self.agrees(other, &|field| field.kind == self.kind)
    }

    fn agrees(&self, other: &Self, matters: &dyn Fn(&FieldDifference) -> bool) -> bool {
        let of =
            |divergence: &Self| divergence.fields.iter().filter(|field| matters(field)).cloned().collect::<Vec<_>>();
        self.numbers() == other.numbers() && self.kind == other.kind && of(self) == of(other)
    }
}

/// Where two dialogues that diverge in the step `at` come together again.
fn reconvergence(steps: &[AlignedTurn], at: usize, a: &[TracedTurn], b: &[TracedTurn]) -> Reconvergence {
    let mut last: Sides<Option<&TracedTurn>> = Sides::default();
    let mut met = None;
    for (number, step) in steps.iter().enumerate() {
        let turns = step.turns(a, b);
        last = Sides { a: turns.a.or(last.a), b: turns.b.or(last.b) };
        let reached = last.map(|turn| turn.map(|turn| (turn.state(), &turn.phase.to, &turn.data)));
        let together = reached.a == reached.b;
        if !together {
            met = None;
        } else if met.is_none() {
            met = Some((number, last.map(|turn| turn.map_or(0, |turn| turn.turn))));
        }
    }
    match met {
        None => Reconvergence::Never,
        Some((number, ..)) if number <= at => Reconvergence::AtOnce,
        Some((_, turns)) => Reconvergence::After(turns),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn turns(of: &[(&str, &str, Value)]) -> Vec<TracedTurn> {
        let turn = |(number, (intent, state, data)): (usize, &(&str, &str, Value))| {
            serde_json::from_value(json!({
                "turn": number + 1, "input": {"intent": intent}, "state": {"from": null, "to": state},
                "class": "hold", "data": data,
            }))
            .unwrap()
        };
        of.iter().enumerate().map(turn).collect()
    }

    fn found(a: &[TracedTurn], b: &[TracedTurn]) -> (DifferenceKind, Reconvergence) {
        let divergence = Divergence::find(a, b, &[], 1).unwrap();
        (divergence.kind, divergence.reconvergence)
    }

    fn after(a: u32, b: u32) -> Reconvergence {
        Reconvergence::After(Sides { a, b })
    }

    #[test]
    fn dialogues_meet_where_state_phase_and_data_stay_equal() {
        let none = || json!({});
        let a = turns(&[("x", "s", none()), ("y", "t", none()), ("z", "u", none())]);
        let away = turns(&[("x", "s", none()), ("y", "v", none()), ("z", "u", none())]);
        let for_good = turns(&[("x", "s", none()), ("y", "v", none()), ("z", "v", none())]);
        let data = turns(&[("x", "s", json!({"k": 1})), ("y", "t", none()), ("z", "u", none())]);
        let more = turns(&[("x", "s", none()), ("w", "q", none()), ("y", "t", none()), ("z", "u", none())]);
        assert_eq!(found(&a, &away), (DifferenceKind::State, after(3, 3)));
        assert_eq!(found(&a, &for_good), (DifferenceKind::State, Reconvergence::Never));
        assert_eq!(found(&a, &data), (DifferenceKind::Data, after(2, 2)));
        assert_eq!(found(&a, &more), (DifferenceKind::Turns, after(2, 3)));
        assert_eq!(found(&a, &[]), (DifferenceKind::Turns, Reconvergence::Never));
        assert_eq!(Divergence::find(&a, &data, &[DifferenceKind::State, DifferenceKind::Turns], 1), None);
        assert_eq!(Divergence::find(&a, &a, &[], 1), None);
    }

    fn some_turns() -> impl Strategy<Value = Vec<TracedTurn>> {
        prop::collection::vec(("[ab]", "[st]", 0..2), 0..8).prop_map(|drafts| {
            let drafts: Vec<(&str, &str, Value)> =
                drafts.iter().map(|(intent, state, value)| (&**intent, &**state, json!({"k": value}))).collect();
            turns(&drafts)
        })
    }

    proptest! {
        #[test]
        fn nothing_parts_from_itself(a in some_turns()) {
            prop_assert_eq!(Divergence::find(&a, &a, &[], 1), None);
        }

        #[test]
        fn the_other_way_round_everything_is_mirrored(a in some_turns(), b in some_turns()) {
            let (there, back) = (Divergence::find(&a, &b, &[], 1), Divergence::find(&b, &a, &[], 1));
            prop_assert_eq!(there.is_some(), back.is_some());
            if let (Some(there), Some(back)) = (there, back) {
                let mirrored = match there.reconvergence {
                    Reconvergence::After(Sides { a, b }) => after(b, a),
                    same => same,
                };
                prop_assert_eq!(there.kind, back.kind);
                prop_assert_eq!(mirrored, back.reconvergence);
                let turned = |field: &FieldDifference| (field.field.clone(), field.b.clone(), field.a.clone());
                let plain = |field: &FieldDifference| (field.field.clone(), field.a.clone(), field.b.clone());
                prop_assert!(there.fields.iter().map(turned).eq(back.fields.iter().map(plain)));
            }
        }
    }
}
