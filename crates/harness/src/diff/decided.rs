//! What decided where two dialogues diverge.

use serde::Serialize;

use super::difference_kind::DifferenceKind;
use super::divergence::Divergence;
use super::sides::Sides;
use fsmsim_core::trace::{RuleMark, TurnReport};

/// What decided on each side.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Decided {
    /// What changed.
    pub change: FieldChange,
    /// The class of both, where it is not the same.
    pub class: Option<Sides<String>>,
    /// Who decided.
    pub by: Sides<Option<String>>,
    pub why: Sides<Vec<String>>,
    /// By which rule, where that is known.
    pub rule: Sides<Option<String>>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct FieldChange {
    /// What it is about.
    pub kind: DifferenceKind,
    /// The field; `turn` for a turn that only one side has.
    pub field: String,
    /// What it was.
    pub a: Option<String>,
    /// What it is now.
    pub b: Option<String>,
}

/// Who decided on one side, why, and by which rule.
#[derive(Default)]
struct Decider {
    by: Option<String>,
    why: Vec<String>,
    rule: Option<String>,
}

impl Decided {
    /// What decided where two dialogues diverge.
    pub(super) fn of(divergence: &Divergence) -> Self {
        let sides = divergence.turns.as_ref();
        let class = sides.map(|turn| {
            turn.as_ref()
                .and_then(|turn| turn.class.clone())
                .unwrap_or_default()
        });
        let Sides { a, b } = sides.map(|turn| {
            turn.as_ref()
                .map(|turn| Decider::of(turn, divergence.kind))
                .unwrap_or_default()
        });
        Self {
            class: (class.a != class.b).then_some(class),
            by: Sides { a: a.by, b: b.by },
            why: Sides { a: a.why, b: b.why },
            rule: Sides {
                a: a.rule,
                b: b.rule,
            },
            change: FieldChange::of(divergence),
        }
    }
}

impl FieldChange {
    fn of(divergence: &Divergence) -> Self {
        let kind = divergence.kind;
        let (field, Sides { a, b }) = match divergence.fields.first() {
            Some(field) => (field.field.clone(), field.texts()),
            None => (
                "turn".to_owned(),
                divergence
                    .turns
                    .as_ref()
                    .map(|turn| turn.as_ref().map(meant)),
            ),
        };
        Self { kind, field, a, b }
    }
}

impl Decider {
    /// Who decided about a kind of difference.
    fn of(turn: &TurnReport, kind: DifferenceKind) -> Self {
        let place = |rule: &Option<RuleMark>| rule.as_ref().map(|rule| rule.place.clone());
        let reasons = turn.reasons();
        match kind {
            DifferenceKind::Action => {
                let why = reasons.action.map(str::to_owned).into_iter().collect();
                Self {
                    by: turn.by.action.clone(),
                    why,
                    rule: place(&turn.rules.action),
                }
            }
            DifferenceKind::State | DifferenceKind::Phase => {
                let notes = reasons
                    .notes
                    .iter()
                    .filter(|note| !turn.names_its_class(note));
                let why = reasons.transition.into_iter().flat_map(|reason| {
                    std::iter::once(reason.to_owned()).chain(notes.clone().cloned())
                });
                let why = why.collect();
                Self {
                    by: turn.by.transition.clone(),
                    why,
                    rule: place(&turn.rules.transition),
                }
            }
            _ => {
                let by: Vec<&str> = [&turn.by.action, &turn.by.transition]
                    .into_iter()
                    .filter_map(|by| by.as_deref())
                    .collect();
                let rule = place(&turn.rules.transition).or_else(|| place(&turn.rules.action));
                Self {
                    by: (!by.is_empty()).then(|| by.join(", ")),
                    why: turn.why.clone(),
                    rule,
                }
            }
        }
    }
}

/// What a turn was about: what was meant, else what was said.
fn meant(turn: &TurnReport) -> String {
    let meant = turn
        .meant()
        .or_else(|| turn.given("goto"))
        .or_else(|| turn.given("say"));
    meant.unwrap_or_else(|| turn.state()).to_owned()
}
