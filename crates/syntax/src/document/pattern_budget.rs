//! Regular expressions that people write, within what the patterns of one file may cost.

use crate::limits::{MAX_PATTERN_CACHE, MAX_PATTERNS};
use regex::{Error, Regex, RegexBuilder};

/// Sizes in bytes that are tried for one pattern, the last of which is the most that it may take: how large one becomes
/// only shows when it is made.
const SIZES: [usize; 4] = [16 << 10, 64 << 10, 256 << 10, 1 << 20];

/// Makes the patterns of one file. A few bytes of a pattern may stand for gigabytes, so all of them have one budget.
#[derive(Clone, Debug)]
pub struct PatternBudget {
    left: usize,
}

impl Default for PatternBudget {
    fn default() -> Self {
        Self { left: MAX_PATTERNS }
    }
}

impl PatternBudget {
    /// Makes a pattern, which heeds the case of letters or not.
    ///
    /// # Errors
    /// Why it is no regular expression, or costs too much, in a sentence without its beginning and end.
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
                Err(error) => Some(Err(why_no_pattern(&error))),
            }
        })
    }

    /// Makes a pattern in whatever way: `make` gets how large it may become and what it may keep for going faster, in bytes,
    /// and gives nothing where that is too little.
    ///
    /// # Errors
    /// What `make` says, or that the pattern costs too much, in a sentence without its beginning and end.
    pub fn spend<T>(
        &mut self,
        make: impl Fn(usize, usize) -> Option<Result<T, String>>,
    ) -> Result<T, String> {
        for size in SIZES {
            if size > self.left {
                return Err("the patterns of the file are too large together".to_owned());
            }
            // What was made in vain has cost as much.
            self.left -= size;
            if let Some(made) = make(size, MAX_PATTERN_CACHE) {
                return made;
            }
        }
        Err("it becomes too large: repeat less often, or less at once".to_owned())
    }

    /// The most that one pattern may take, and keep for going faster, in bytes.
    pub const fn most() -> (usize, usize) {
        let [.., most] = SIZES;
        (most, MAX_PATTERN_CACHE)
    }
}

/// Whether a text is a regular expression, however large.
pub fn is_pattern(text: &str) -> bool {
    matches!(
        RegexBuilder::new(text).size_limit(1).build(),
        Ok(_) | Err(Error::CompiledTooBig(_))
    )
}

/// Why a text is no regular expression, in a sentence without its beginning and end.
fn why_no_pattern(error: &Error) -> String {
    // The last line says what is wrong; those before it draw the pattern.
    let text = error.to_string();
    let last = text.lines().last().unwrap_or_default().trim();
    last.trim_start_matches("error: ").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_have_a_size_each_and_together() {
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
                .contains("together")
        );
    }
}
