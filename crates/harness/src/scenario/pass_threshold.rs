//! How many trials of a scenario must pass.

use crate::limits::MAX_TRIALS;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics};
use fsmsim_syntax::document::{Node, text_of};

/// How many trials of a scenario must pass: `2 of 3`. More than one trial makes sense because the answers of language
/// models vary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassThreshold {
    /// The number of trials that must pass, at least one.
    pub passes: u32,
    /// The number of trials.
    pub trials: u32,
}

impl Default for PassThreshold {
    fn default() -> Self {
        Self::ONCE
    }
}

impl PassThreshold {
    /// One trial, which must pass.
    pub const ONCE: Self = Self {
        passes: 1,
        trials: 1,
    };

    /// Reads `K of N`. Returns `None`, with findings, if the value is invalid.
    pub fn read(node: &Node, found: &mut Diagnostics) -> Option<Self> {
        let text = text_of(node, "require", found)?;
        let numbers = text.split_once(" of ").and_then(|(passes, trials)| {
            Some((passes.trim().parse().ok()?, trials.trim().parse().ok()?))
        });
        match numbers {
            Some((passes, trials)) if (1..=trials).contains(&passes) && trials <= MAX_TRIALS => {
                Some(Self { passes, trials })
            }
            _ => Diagnostic::error(
                Code::UnknownValue,
                format!("invalid value `{text}` for `require`"),
            )
            .at(node.span, "invalid threshold")
            .help(format!(
                "write for example `require: 2 of 3`, with at most {MAX_TRIALS} trials"
            ))
            .refuse(found),
        }
    }

    /// The same proportion for a different number of trials, rounded up.
    pub fn of(self, trials: u32) -> Self {
        let passes = (u64::from(self.passes) * u64::from(trials)).div_ceil(u64::from(self.trials));
        Self {
            passes: u32::try_from(passes).unwrap_or(trials),
            trials,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proportion_of_other_trials_is_rounded_up() {
        let two_of_three = PassThreshold {
            passes: 2,
            trials: 3,
        };
        let passes = [1, 2, 3, 4, 5, 6, 100].map(|trials| two_of_three.of(trials).passes);
        assert_eq!(passes, [1, 2, 2, 3, 4, 4, 67]);
        assert_eq!(PassThreshold::ONCE.of(5).passes, 5);
    }
}
