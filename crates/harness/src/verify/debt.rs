//! What a dialogue owes by a property that one thing leads to another.

use std::num::NonZeroU32;

use fsmsim_core::engine::PropertyView;

/// What a dialogue owes by a property that one thing leads to another. What is owed twice is owed since the first time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Debt {
    /// Nothing.
    #[default]
    None,
    /// Perhaps something: a turn could not be judged.
    Perhaps,
    /// Something, since a turn.
    Owed {
        /// The number of the turn.
        turn: u32,
        /// How many turns there have been since.
        passed: u32,
    },
    /// Something that came too late, or did not come yet; it was told.
    Broken,
}

impl Debt {
    /// The debt behind a turn of this number.
    pub(super) fn behind(self, turn: u32, sight: PropertyView) -> Self {
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

    /// Since which turn something is owed that had to come within so many turns and has not.
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

    /// The debts behind turns of which is known: `owed` or `-` or `?`, and then `holds` or `-` or `?`.
    fn debts(turns: &str) -> String {
        let known = |letter: char| (letter != '?').then_some(letter == '+');
        let mut debt = Debt::None;
        let debts = (1..).zip(turns.split(' ')).map(|(number, turn)| {
            let mut letters = turn.chars().map(known);
            let (owed, holds) = (letters.next().unwrap(), letters.next().unwrap());
            debt = debt.behind(
                number,
                PropertyView {
                    property: 0,
                    owed,
                    holds,
                },
            );
            match debt {
                Debt::None => "no".to_owned(),
                Debt::Perhaps => "?".to_owned(),
                Debt::Owed { turn, passed } => format!("{turn}+{passed}"),
                Debt::Broken => "broken".to_owned(),
            }
        });
        debts.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_is_owed_is_owed_since_the_first_time_until_it_holds() {
        assert_eq!(
            debts("-- +- -- +- -+ -- ++ +-"),
            "no 2+0 2+1 2+2 no no no 8+0"
        );
    }

    #[test]
    fn what_nobody_can_judge_is_perhaps_owed_until_somebody_can() {
        assert_eq!(debts("-? ?- -- +-"), "no ? ? 4+0");
        assert_eq!(debts("+- ?- -? -- -+"), "1+0 1+1 ? ? no");
        assert_eq!(debts("?? ?+ +?"), "? no ?");
    }

    #[test]
    fn what_is_broken_is_told_once_until_it_holds() {
        let shown = |owed, holds| PropertyView {
            property: 0,
            owed: Some(owed),
            holds: Some(holds),
        };
        assert_eq!(Debt::Broken.behind(5, shown(true, false)), Debt::Broken);
        assert_eq!(Debt::Broken.behind(5, shown(true, true)), Debt::None);
    }

    #[test]
    fn a_time_is_over_when_so_many_turns_have_passed() {
        let owed = |passed| Debt::Owed { turn: 2, passed };
        assert_eq!(
            [1, 2, 3].map(|passed| owed(passed).overdue(NonZeroU32::new(2))),
            [None, Some(2), Some(2)]
        );
        assert_eq!(owed(u32::MAX).overdue(None), None);
    }
}
