//! What a run used of live models, in words.

use std::fmt::Write;

use super::plural::plural;
use crate::llm::{Tokens, Usage};
use crate::terminal::printable;

/// A line for each model that was called: calls, tokens, retries and time.
pub fn usage_lines(usage: &[(String, Usage)]) -> String {
    let mut lines = String::new();
    for (name, usage) in usage.iter().filter(|(_, usage)| usage.calls > 0) {
        let Usage { calls, retries, tokens: Tokens { asked, answered, .. }, time } = *usage;
        let retries = if retries == 1 { "1 retry".to_owned() } else { format!("{retries} retries") };
        let calls = plural(calls, "call");
        let (name, seconds) = (printable(name), time.as_secs_f64());
        let _ = writeln!(lines, "{name}: {calls}, {retries}, {asked} + {answered} tokens, {seconds:.2} s");
    }
    lines
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_model_that_was_not_called_is_not_told() {
        let used = Usage {
            calls: 3,
            retries: 1,
            tokens: Tokens { asked: 1200, answered: 45, cached: 0 },
            time: Duration::from_millis(2_340),
        };
        let usage = [("first".to_owned(), used), ("spare".to_owned(), Usage::default())];
        assert_eq!(usage_lines(&usage), "first: 3 calls, 1 retry, 1200 + 45 tokens, 2.34 s\n");
    }
}
