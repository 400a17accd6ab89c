//! Where two dialogues diverge, and where they come together again.

use super::difference_kind::DifferenceKind;
use super::excerpt::{ExcerptRow, excerpt};
use super::field_difference::{FieldDifference, differences};
use super::sides::Sides;
use super::turn_alignment::{AlignedTurns, align};
use crate::limits::MAX_CAUSE_TURNS;
use fsmsim_core::trace::TurnReport;

/// Where two dialogues diverge for the first time.
#[derive(Clone, Debug, PartialEq)]
pub struct Divergence {
    /// The turn in both dialogues; nothing where a dialogue does not have it.
    pub turns: Sides<Option<TurnReport>>,
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
    Never,
}

impl Divergence {
    /// Where two dialogues diverge for the first time in what is of some of the kinds `only` (of all kinds, if it is empty),
    /// with `context` turns before and behind; `None` where they do not.
    pub fn find(
        a: &[TurnReport],
        b: &[TurnReport],
        only: &[DifferenceKind],
        context: usize,
    ) -> Option<Self> {
        Self::each(a, b, only, context, 1).pop()
    }

    /// The turns in which two dialogues differ, each as if it were the first; of very many only the first ones.
    pub(super) fn all(a: &[TurnReport], b: &[TurnReport], only: &[DifferenceKind]) -> Vec<Self> {
        Self::each(a, b, only, 0, MAX_CAUSE_TURNS)
    }

    /// The first turns in which two dialogues differ, as many as are wanted.
    fn each(
        a: &[TurnReport],
        b: &[TurnReport],
        only: &[DifferenceKind],
        context: usize,
        most: usize,
    ) -> Vec<Self> {
        let wanted = |kind: DifferenceKind| only.is_empty() || only.contains(&kind);
        let fields = |turns: Sides<&TurnReport>| -> Vec<FieldDifference> {
            differences(turns.a, turns.b)
                .into_iter()
                .filter(|field| wanted(field.kind))
                .collect()
        };
        let differs = |turns: Sides<&TurnReport>| !fields(turns).is_empty();
        let steps = align(a, b);
        let diverge = |(at, turns): (usize, &AlignedTurns<'_>)| {
            let fields = turns.both().map(fields);
            if fields
                .as_ref()
                .map_or(!wanted(DifferenceKind::Turns), Vec::is_empty)
            {
                return None;
            }
            let fields = fields.unwrap_or_default();
            let around = steps.get(at.saturating_sub(context)..).unwrap_or_default();
            let shown = at.min(context) + 1 + context;
            Some(Self {
                turns: turns.map(Option::<&TurnReport>::cloned),
                kind: fields
                    .first()
                    .map_or(DifferenceKind::Turns, |field| field.kind),
                reconvergence: reconvergence(&steps, at),
                rows: excerpt(around.get(..shown).unwrap_or(around), &differs),
                fields,
            })
        };
        steps
            .iter()
            .enumerate()
            .filter_map(diverge)
            .take(most)
            .collect()
    }

    /// The number of the turn in both dialogues.
    pub fn numbers(&self) -> Sides<Option<u32>> {
        self.turns
            .as_ref()
            .map(|turn| turn.as_ref().map(|turn| turn.turn))
    }

    /// Whether this is what another divergence from the same dialogue is: the same turn, and there the same outcome,
    /// whoever decided it.
    pub fn is_like(&self, other: &Self) -> bool {
        self.agrees(other, &|field| {
            field.kind != DifferenceKind::Reason || self.kind == DifferenceKind::Reason
        })
    }

    /// Whether another divergence from the same dialogue is in the same turn and there the same in what it is about.
    pub fn is_alike_in_kind(&self, other: &Self) -> bool {
        self.agrees(other, &|field| field.kind == self.kind)
    }

    fn agrees(&self, other: &Self, matters: &dyn Fn(&FieldDifference) -> bool) -> bool {
        let of = |divergence: &Self| {
            divergence
                .fields
                .iter()
                .filter(|field| matters(field))
                .cloned()
                .collect::<Vec<_>>()
        };
        self.numbers() == other.numbers() && self.kind == other.kind && of(self) == of(other)
    }
}

/// Where two dialogues that diverge in the step `at` come together again.
fn reconvergence(steps: &[AlignedTurns<'_>], at: usize) -> Reconvergence {
    let mut last = AlignedTurns::default();
    let mut met = None;
    for (number, turns) in steps.iter().enumerate() {
        last = Sides {
            a: turns.a.or(last.a),
            b: turns.b.or(last.b),
        };
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
