//! Regular expressions of users, with a limit on the total cost per file.

use crate::limits::{MAX_PATTERN_CACHE, MAX_PATTERNS};
use regex::{Error, Regex, RegexBuilder};

/// Size limits in bytes that are tried for one pattern, up to the maximum. The size of a compiled pattern is known only
/// after it is compiled.
const SIZES: [usize; 4] = [16 << 10, 64 << 10, 256 << 10, 1 << 20];

/// Compiles the patterns of one file. A pattern of a few bytes can require gigabytes, so all patterns share one budget.
#[derive(Clone, Debug)]
pub struct PatternBudget {
    most: usize,
    left: usize,
}

impl Default for PatternBudget {
    fn default() -> Self {
        Self::new(MAX_PATTERNS, 0)
    }
}

impl PatternBudget {
    /// A budget of this size in bytes, of which a part is already spent.
    pub fn new(most: usize, spent: usize) -> Self {
        let left = most.saturating_sub(spent);
        Self { most, left }
    }

    /// The spent part of the budget, in bytes.
    pub fn spent(&self) -> usize {
        self.most - self.left
    }

    /// Compiles a pattern, optionally with case sensitivity.
    ///
    /// # Errors
    /// Returns the reason if the pattern is invalid or too expensive, as a clause for a finding.
    pub fn compile(&mut self, text: &str, heeds_case: bool) -> Result<Regex, String> {
        self.spend(|size, cache| {
            let mut builder = RegexBuilder::new(text);
            match builder
                .case_insensitive(!heeds_case)
                .size_limit(size)
                .dfa_size_limit(cache)
                .build()
            {
                Ok(pattern) => Some(Ok(pattern)),
                Err(Error::CompiledTooBig(_)) => None,
                Err(error) => Some(Err(pattern_error(&error))),
            }
        })
    }

    /// Compiles a pattern with `make`, which gets the limits of the pattern size and the cache, in bytes. It returns
    /// `None` if the limits are too small.
    ///
    /// # Errors
    /// Returns the error of `make`, or reports that the pattern is too expensive, as a clause for a finding.
    pub fn spend<T>(
        &mut self,
        make: impl Fn(usize, usize) -> Option<Result<T, String>>,
    ) -> Result<T, String> {
        for size in SIZES {
            if size > self.left {
                return Err("the patterns of the file exceed the total size limit".to_owned());
            }
            // A failed attempt costs as much as a successful one.
            self.left -= size;
            if let Some(made) = make(size, MAX_PATTERN_CACHE) {
                return made;
            }
        }
        Err("the pattern is too large: use fewer or smaller repetitions".to_owned())
    }

    /// The limits of the size and the cache of one pattern, in bytes.
    pub const fn most() -> (usize, usize) {
        let [.., most] = SIZES;
        (most, MAX_PATTERN_CACHE)
    }
}

/// Whether a text is a valid regular expression of any size.
pub fn is_pattern(text: &str) -> bool {
    matches!(
        RegexBuilder::new(text).size_limit(1).build(),
        Ok(_) | Err(Error::CompiledTooBig(_))
    )
}

/// The reason why a regular expression is invalid, as a clause for a finding.
fn pattern_error(error: &Error) -> String {
    // The last line contains the message; the lines before it show the pattern.
    let text = error.to_string();
    let last = text.lines().last().unwrap_or_default().trim();
    last.trim_start_matches("error: ").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_budget_limits_each_pattern_and_their_total() {
        let mut patterns = PatternBudget::default();
        assert!(
            patterns
                .compile("ЦЕНА|сколько.*стоит", false)
                .unwrap()
                .is_match("цена")
        );
        assert!(!patterns.compile("ЦЕНА", true).unwrap().is_match("цена"));
        assert!(
            patterns
                .compile("(", true)
                .unwrap_err()
                .contains("unclosed group")
        );
        assert!(
            patterns
                .compile(r"\w{10000}", true)
                .unwrap_err()
                .contains("too large")
        );
        let made = (0..1000)
            .take_while(|_| patterns.compile(r"\pL{10}", true).is_ok())
            .count();
        assert!((20..200).contains(&made), "{made}");
        assert!(
            patterns
                .compile(r"\pL{10}", true)
                .unwrap_err()
                .contains("total size")
        );
    }
}
