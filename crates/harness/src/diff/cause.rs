//! The root cause of a difference. A change that affects many dialogues is reported once.

use serde::Serialize;

use super::decided::{Decided, FieldChange};
use super::difference_kind::DifferenceKind;
use super::divergence::Divergence;
use super::sides::Sides;
use fsmsim_core::trace::{RuleMark, TurnReport, WinningRules};

/// The root cause of a difference.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CauseKey {
    /// Profile switches. Each of them alone makes the difference, or (with `together`) only all of them together do.
    Switches {
        names: Vec<&'static str>,
        /// No switch alone makes the difference.
        together: bool,
        /// The first difference of these dialogues has another cause.
        more_causes: bool,
    },
    /// An edited rule.
    Rule {
        /// The location of the rule.
        place: String,
        /// The mixin that adds the rule.
        mixin: Option<String>,
        /// Only the second side has the rule.
        added: bool,
    },
    /// The decision itself, if nothing more precise is known.
    Decided(Box<Decided>),
}

/// Differences with the same root cause.
#[derive(Clone, Debug, PartialEq)]
pub struct Cause {
    /// The shared root cause.
    pub key: CauseKey,
    /// The decisions in the example dialogue.
    pub decided: Decided,
    /// The changes with the number of affected dialogues, the most frequent first.
    pub changes: Vec<CountedChange>,
    /// The affected dialogues, in order. The first one is the example.
    pub dialogues: Vec<String>,
    /// The turn that differs in the example dialogue.
    pub turns: Sides<Option<u32>>,
}

/// A change, and the number of dialogues in which it occurs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CountedChange {
    #[serde(flatten)]
    pub change: FieldChange,
    pub dialogues: usize,
}

impl CauseKey {
    /// The cause of a difference, derived from the two turns alone.
    pub(super) fn of(divergence: &Divergence, decided: &Decided) -> Self {
        match edited(divergence) {
            Some((rule, added)) => Self::Rule {
                place: rule.place.clone(),
                mixin: rule.mixin.clone(),
                added,
            },
            None => Self::Decided(Box::new(decided.clone())),
        }
    }

    /// The edited rules that decided the turn in which two dialogues differ.
    pub(super) fn edited_rules(divergence: &Divergence) -> Vec<Self> {
        let sides = [(&divergence.turns.a, false), (&divergence.turns.b, true)];
        let of = |(turn, added): (&Option<TurnReport>, bool)| {
            let rules = turn
                .as_ref()
                .map(|turn| [turn.rules.action.clone(), turn.rules.transition.clone()]);
            let edited = rules
                .into_iter()
                .flatten()
                .flatten()
                .filter(|rule| rule.edited);
            edited
                .map(|RuleMark { place, mixin, .. }| Self::Rule {
                    place,
                    mixin,
                    added,
                })
                .collect::<Vec<_>>()
        };
        sides.into_iter().flat_map(of).collect()
    }
}

/// The edited rule that decided the turn. Searches the kind of decision that differs before the other kind, and the
/// first side before the second.
fn edited(divergence: &Divergence) -> Option<(&RuleMark, bool)> {
    let sides = [(&divergence.turns.a, false), (&divergence.turns.b, true)];
    let of = |rule: fn(&WinningRules) -> Option<&RuleMark>| {
        sides.map(|(turn, added)| Some((rule(&turn.as_ref()?.rules)?, added)))
    };
    let of_action = of(|rules| rules.action.as_ref());
    let of_move = of(|rules| rules.transition.as_ref());
    let order = match divergence.kind {
        DifferenceKind::Action => [of_action, of_move],
        _ => [of_move, of_action],
    };
    order
        .into_iter()
        .flatten()
        .flatten()
        .find(|(rule, _)| rule.edited)
}
