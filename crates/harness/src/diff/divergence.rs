//! Finds the weightiest difference of two dialogues, and where they reconverge.

use std::ops::Range;

use serde::Serialize;

use super::difference_kind::DifferenceKind;
use super::field_difference::{FieldDifference, differences};
use super::sides::Sides;
use super::turn_alignment::{AlignedTurns, align};
use fsmsim_core::trace::TurnReport;

/// The weightiest difference between two dialogues. Of several differences of the same kind, it is the first.
#[derive(Clone, Debug, PartialEq)]
pub struct Divergence {
    /// The step that differs.
    pub step: ComparedStep,
    /// The numbers of the first turn that differs in any way.
    pub first: Sides<Option<u32>>,
    pub kind: DifferenceKind,
    /// The point at which the dialogues reconverge.
    pub reconvergence: Reconvergence,
    /// The last steps before the difference, and the number of steps before them.
    pub before: (usize, Vec<ComparedStep>),
    /// The first steps after the difference, and the number of steps after them.
    pub after: (usize, Vec<ComparedStep>),
}

/// A step of two aligned dialogues: a turn of each dialogue, or of only one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ComparedStep {
    /// The turn in each dialogue; `None` if a dialogue does not have the turn.
    #[serde(flatten)]
    pub turns: Sides<Option<TurnReport>>,
    /// All fields that differ, the most important first; empty if only one side has the turn.
    pub fields: Vec<FieldDifference>,
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
    /// Finds the weightiest difference between two dialogues among the kinds `only` (all kinds if empty), with
    /// `context` turns before and after it. Returns `None` if the dialogues do not differ.
    pub fn find(
        a: &[TurnReport],
        b: &[TurnReport],
        only: &[DifferenceKind],
        context: usize,
    ) -> Option<Self> {
        let wanted = |kind: DifferenceKind| only.is_empty() || only.contains(&kind);
        let fields_of = |turns: Sides<&TurnReport>| -> Vec<FieldDifference> {
            differences(turns.a, turns.b)
                .into_iter()
                .filter(|field| wanted(field.kind))
                .collect()
        };
        let steps = align(a, b);
        let mut found = steps.iter().enumerate().filter_map(|(at, turns)| {
            let fields = turns.both().map(fields_of);
            let differs = fields
                .as_ref()
                .map_or(wanted(DifferenceKind::Turns), |fields| !fields.is_empty());
            differs.then(|| (at, turns, fields.unwrap_or_default()))
        });
        let kind = |fields: &[FieldDifference]| {
            fields
                .first()
                .map_or(DifferenceKind::Turns, |field| field.kind)
        };
        let first = found.next()?;
        let number = |turn: Option<&TurnReport>| turn.map(|turn| turn.turn);
        let numbers = first.1.map(number);
        let (at, turns, fields) = [first]
            .into_iter()
            .chain(found)
            .min_by_key(|(_, _, fields)| kind(fields))?;
        let compared = |turns: &AlignedTurns<'_>| ComparedStep {
            fields: turns.both().map(fields_of).unwrap_or_default(),
            turns: turns.map(Option::<&TurnReport>::cloned),
        };
        let earlier = at.saturating_sub(context);
        let later = (at + 1).saturating_add(context).min(steps.len());
        let between = |range: Range<usize>| -> Vec<ComparedStep> {
            let steps = steps.get(range).unwrap_or_default();
            steps.iter().map(compared).collect()
        };
        Some(Self {
            first: numbers,
            kind: kind(&fields),
            reconvergence: reconvergence(&steps, at),
            before: (earlier, between(earlier..at)),
            after: (steps.len() - later, between(at + 1..later)),
            step: ComparedStep {
                turns: turns.map(Option::<&TurnReport>::cloned),
                fields,
            },
        })
    }

    /// The turn number in each dialogue.
    pub fn numbers(&self) -> Sides<Option<u32>> {
        let turns = self.step.turns.as_ref();
        turns.map(|turn| turn.as_ref().map(|turn| turn.turn))
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
            let fields = divergence.step.fields.iter();
            fields
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
