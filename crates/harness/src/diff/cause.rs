//! What a difference is put down to, so that the same change in many dialogues is told once.

use serde::Serialize;

use super::decided::{Decided, FieldChange};
use super::difference_kind::DifferenceKind;
use super::divergence::Divergence;
use super::sides::Sides;
use fsmsim_core::trace::{RuleMark, TurnReport, WinningRules};

/// What a difference is put down to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CauseKey {
    /// Switches of the profiles: any one of them alone makes the difference, or (`together`) only all of them do.
    Switches {
        names: Vec<&'static str>,
        /// None of them makes it alone.
        together: bool,
        /// It is not the first difference of these dialogues, which is put down to something else.
        besides: bool,
    },
    /// A rule that was edited.
    Rule {
        /// Where it is written.
        place: String,
        /// The mixin that brought it in.
        mixin: Option<String>,
        /// It is the second side's: the first has no such rule.
        added: bool,
    },
    /// What decided there, for want of anything better.
    Decided(Box<Decided>),
}

/// The differences that are put down to the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Cause {
    /// What they are put down to.
    pub key: CauseKey,
    /// What decided in the example.
    pub decided: Decided,
    /// The changes, with the numbers of dialogues: the most frequent first.
    pub changes: Vec<CountedChange>,
    /// The dialogues, in order. The first one is the example.
    pub dialogues: Vec<String>,
    /// The turn of the example.
    pub turns: Sides<Option<u32>>,
}

/// A change, and in how many dialogues it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CountedChange {
    /// The change.
    #[serde(flatten)]
    pub change: FieldChange,
    /// The number of dialogues.
    pub dialogues: usize,
}

impl CauseKey {
    /// What a difference is put down to, where nothing but its turns is known.
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

    /// The edited rules that decided a turn in which two dialogues differ.
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

/// The edited rule that decided: of the kind of decision that differs before the other, and of the first side before the
/// second.
fn edited(divergence: &Divergence) -> Option<(&RuleMark, bool)> {
    let sides = [(&divergence.turns.a, false), (&divergence.turns.b, true)];
    let of = |rule: fn(&WinningRules) -> Option<&RuleMark>| {
        sides.map(|(turn, added)| Some((rule(&turn.as_ref()?.rules)?, added)))
    };
    let (of_action, of_move) = (
        of(|rules| rules.action.as_ref()),
        of(|rules| rules.transition.as_ref()),
    );
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
