//! The decisions in the turn in which two dialogues diverge.

use serde::Serialize;

use super::difference_kind::DifferenceKind;
use super::divergence::Divergence;
use super::sides::Sides;
use fsmsim_core::trace::TurnReport;

/// The decision of each side.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Decided {
    pub change: FieldChange,
    /// The class on each side, if the classes differ.
    pub class: Option<Sides<String>>,
    /// The source that decided.
    pub by: Sides<Option<String>>,
    pub why: Sides<Vec<String>>,
    /// The rule that decided, if known.
    pub rule: Sides<Option<String>>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct FieldChange {
    /// The kind of difference.
    pub kind: DifferenceKind,
    /// The field that differs, or `turn` if only one side has the turn.
    pub field: String,
    /// The previous value.
    pub a: Option<String>,
    /// The new value.
    pub b: Option<String>,
}

/// The source that decided on one side, with its reasons and its rule.
#[derive(Default)]
struct Decider {
    by: Option<String>,
    why: Vec<String>,
    rule: Option<String>,
}

impl Decided {
    /// The decisions in the turn in which two dialogues diverge.
    pub(super) fn of(divergence: &Divergence) -> Self {
        let sides = divergence.step.turns.as_ref();
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
        let (field, Sides { a, b }) = match divergence.step.fields.first() {
            Some(field) => (field.field.clone(), field.texts()),
            None => (
                "turn".to_owned(),
                divergence
                    .step
                    .turns
                    .as_ref()
                    .map(|turn| turn.as_ref().map(subject)),
            ),
        };
        Self { kind, field, a, b }
    }
}

impl Decider {
    /// The decider for this kind of difference.
    fn of(turn: &TurnReport, kind: DifferenceKind) -> Self {
        let reasons = turn.reasons();
        match kind {
            DifferenceKind::Action => {
                let why = reasons.action.map(str::to_owned).into_iter().collect();
                Self {
                    by: turn.by.action.clone(),
                    why,
                    rule: turn.rule.action.clone(),
                }
            }
            DifferenceKind::State | DifferenceKind::Phase => {
                let notes = reasons
                    .notes
                    .iter()
                    .filter(|note| !turn.names_its_class(note));
                let why = reasons.transition.into_iter().flat_map(|reason| {
                    [reason.to_owned()]
                        .into_iter()
                        .chain(notes.clone().cloned())
                });
                let why = why.collect();
                Self {
                    by: turn.by.transition.clone(),
                    why,
                    rule: turn.rule.transition.clone(),
                }
            }
            _ => {
                let by: Vec<&str> = [&turn.by.action, &turn.by.transition]
                    .into_iter()
                    .filter_map(|by| by.as_deref())
                    .collect();
                let rule = turn.rule.transition.as_ref().or(turn.rule.action.as_ref());
                Self {
                    by: (!by.is_empty()).then(|| by.join(", ")),
                    why: turn.why.clone(),
                    rule: rule.cloned(),
                }
            }
        }
    }
}

/// The subject of a turn: its intent, or else its utterance.
fn subject(turn: &TurnReport) -> String {
    let subject = turn
        .meant()
        .or_else(|| turn.given("goto"))
        .or_else(|| turn.given("say"));
    subject.unwrap_or_else(|| turn.state()).to_owned()
}
