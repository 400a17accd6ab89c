//! The pending obligation of a `leads_to` property.

use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

use fsmsim_core::engine::PropertyView;

/// The pending obligation of a `leads_to` property. If the trigger occurs again while the obligation is pending, the
/// deadline still counts from the first occurrence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Obligation {
    /// There is no obligation.
    #[default]
    None,
    /// It is unknown whether an obligation is pending, because a turn could not be checked.
    Perhaps,
    /// An obligation has been pending since a turn.
    Owed {
        /// The number of the turn.
        turn: u32,
        /// The number of turns since then.
        passed: u32,
    },
    /// The obligation was violated and reported: the deadline has passed, and the property still does not hold.
    Broken,
}

impl Obligation {
    /// The obligation after the turn with this number.
    pub(super) fn after(self, turn: u32, sight: PropertyView) -> Self {
        let since_now = Self::Owed { turn, passed: 0 };
        match (sight.holds, self, sight.owed) {
            (Some(true), ..) | (_, Self::None, Some(false)) => Self::None,
            (None, ..) | (Some(false), Self::None | Self::Perhaps, None) => Self::Perhaps,
            (Some(false), Self::None | Self::Perhaps, Some(true)) => since_now,
            (Some(false), Self::Owed { turn, passed }, _) => Self::Owed {
                turn,
                passed: passed.saturating_add(1),
            },
            (Some(false), debt, _) => debt,
        }
    }

    /// The turn in which an overdue obligation started. `within` is the deadline in turns.
    pub(super) fn overdue(self, within: Option<NonZeroU32>) -> Option<u32> {
        match self {
            Self::Owed { turn, passed } if within.is_some_and(|within| passed >= within.get()) => {
                Some(turn)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The obligations after each turn. A turn has two signs, for `owed` and `holds`: `+`, `-`, or `?` for unknown.
    fn debts(turns: &str) -> String {
        let known = |sign: char| (sign != '?').then_some(sign == '+');
        let mut debt = Obligation::None;
        let debts = (1..).zip(turns.split(' ')).map(|(number, turn)| {
            let mut signs = turn.chars().map(known);
            let (owed, holds) = (signs.next().unwrap(), signs.next().unwrap());
            debt = debt.after(
                number,
                PropertyView {
                    property: 0,
                    owed,
                    holds,
                },
            );
            match debt {
                Obligation::None => "no".to_owned(),
                Obligation::Perhaps => "?".to_owned(),
                Obligation::Owed { turn, passed } => format!("{turn}+{passed}"),
                Obligation::Broken => "broken".to_owned(),
            }
        });
        debts.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn obligation_runs_from_the_first_trigger_until_it_holds() {
        assert_eq!(
            debts("-- +- -- +- -+ -- ++ +-"),
            "no 2+0 2+1 2+2 no no no 8+0"
        );
    }

    #[test]
    fn unknown_turn_may_open_an_obligation_until_resolved() {
        assert_eq!(debts("-? ?- -- +-"), "no ? ? 4+0");
        assert_eq!(debts("+- ?- -? -- -+"), "1+0 1+1 ? ? no");
        assert_eq!(debts("?? ?+ +?"), "? no ?");
    }

    #[test]
    fn violated_obligation_stays_violated_until_it_holds() {
        let shown = |owed, holds| PropertyView {
            property: 0,
            owed: Some(owed),
            holds: Some(holds),
        };
        assert_eq!(
            Obligation::Broken.after(5, shown(true, false)),
            Obligation::Broken
        );
        assert_eq!(
            Obligation::Broken.after(5, shown(true, true)),
            Obligation::None
        );
    }

    #[test]
    fn obligation_is_overdue_after_the_deadline() {
        let owed = |passed| Obligation::Owed { turn: 2, passed };
        assert_eq!(
            [1, 2, 3].map(|passed| owed(passed).overdue(NonZeroU32::new(2))),
            [None, Some(2), Some(2)]
        );
        assert_eq!(owed(u32::MAX).overdue(None), None);
    }
}
