//! Finds where two dialogues diverge and reconverge.

use super::difference_kind::DifferenceKind;
use super::excerpt::{ExcerptRow, excerpt};
use super::field_difference::{FieldDifference, differences};
use super::sides::Sides;
use super::turn_alignment::{AlignedTurns, align};
use crate::limits::MAX_CAUSE_TURNS;
use fsmsim_core::trace::TurnReport;

/// The first difference between two dialogues.
#[derive(Clone, Debug, PartialEq)]
pub struct Divergence {
    /// The turn in each dialogue; `None` if a dialogue does not have the turn.
    pub turns: Sides<Option<TurnReport>>,
    pub kind: DifferenceKind,
    /// All fields that differ in the turn, the most important first; empty if only one side has the turn.
    pub fields: Vec<FieldDifference>,
    /// The point at which the dialogues reconverge.
    pub reconvergence: Reconvergence,
    /// The turns around the difference, as table rows.
    pub rows: Vec<ExcerptRow>,
}

/// The point at which two dialogues reconverge: the turn after which state, phase and data stay equal until the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reconvergence {
    /// In the turn in which they diverge: its state, phase and data are equal.
    AtOnce,
    /// After these turns; 0 means before the first turn.
    After(Sides<u32>),
    Never,
}

impl Divergence {
    /// Finds the first difference between two dialogues among the kinds `only` (all kinds if empty), with `context`
    /// turns before and after it. Returns `None` if the dialogues do not differ.
    pub fn find(
        a: &[TurnReport],
        b: &[TurnReport],
        only: &[DifferenceKind],
        context: usize,
    ) -> Option<Self> {
        Self::each(a, b, only, context, 1).pop()
    }

    /// Every turn in which two dialogues differ, up to `MAX_CAUSE_TURNS` turns. Each is described as if it were the
    /// first.
    pub(super) fn all(a: &[TurnReport], b: &[TurnReport], only: &[DifferenceKind]) -> Vec<Self> {
        Self::each(a, b, only, 0, MAX_CAUSE_TURNS)
    }

    /// The first `most` turns in which two dialogues differ.
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

    /// The turn number in each dialogue.
    pub fn numbers(&self) -> Sides<Option<u32>> {
        self.turns
            .as_ref()
            .map(|turn| turn.as_ref().map(|turn| turn.turn))
    }

    /// Whether another divergence from the same dialogue occurs in the same turn and has the same outcome, regardless
    /// of the deciding source.
    pub fn is_like(&self, other: &Self) -> bool {
        self.agrees(other, &|field| {
            field.kind != DifferenceKind::Reason || self.kind == DifferenceKind::Reason
        })
    }

    /// Whether another divergence from the same dialogue occurs in the same turn with equal fields of this kind.
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

/// The point at which two dialogues that diverge in the step `at` reconverge.
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
