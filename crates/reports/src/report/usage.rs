//! The usage of live LLMs in a run, as text.

use std::fmt::Write;
use std::path::PathBuf;

use fsmsim_adapters::llm::{CassetteCounts, TokenPrice, Tokens, Usage};
use fsmsim_syntax::diagnostic::plural;
use fsmsim_syntax::terminal::printable;

/// One line per model that was called: calls, tokens, retries, time, and the cost if a price is configured.
pub fn usage_lines(
    usage: &[(String, Usage)],
    price: impl Fn(&str) -> Option<TokenPrice>,
) -> String {
    let mut lines = String::new();
    for (name, usage) in usage.iter().filter(|(_, usage)| usage.calls > 0) {
        let Usage {
            calls,
            retries,
            tokens,
            time,
        } = *usage;
        let retries = match retries {
            1 => "1 retry".to_owned(),
            _ => format!("{retries} retries"),
        };
        let calls = plural(calls, "call");
        let cost = price(name)
            .map(|price| format!(", {} {}", price.cost(tokens), printable(&price.currency)));
        let cost = cost.unwrap_or_default();
        let name = printable(name);
        let seconds = time.as_secs_f64();
        let _ = writeln!(
            lines,
            "{name}: {calls}, {retries}, {}{cost}, {seconds:.2} s",
            token_words(tokens)
        );
    }
    lines
}

/// One line per kind of failure of each model, with its frequency.
pub fn failure_lines(failures: &[(String, Vec<(String, u64)>)]) -> String {
    let mut lines = String::new();
    for (name, failed) in failures {
        for (why, count) in failed {
            let often = match count {
                1 => "once".to_owned(),
                _ => format!("{count} times"),
            };
            let name = printable(name);
            let why = printable(why);
            let _ = writeln!(lines, "{name}: failed {often}: {why}");
        }
    }
    lines
}

/// The changes of completed cassettes: the totals, and one line per changed cassette.
pub fn completed_lines(completed: &[(PathBuf, CassetteCounts)]) -> String {
    let counts_text = |replayed: u64, asked: u64, dropped: u64| {
        format!(
            "{} replayed, {asked} requested, {dropped} dropped",
            plural(replayed, "recording")
        )
    };
    let mut lines = String::new();
    if completed.is_empty() {
        return lines;
    }
    let sum = |part: &dyn Fn(&CassetteCounts) -> u64| {
        completed
            .iter()
            .map(|(_, counts)| part(counts))
            .sum::<u64>()
    };
    let all = counts_text(
        sum(&|counts| counts.replayed),
        sum(&|counts| counts.asked),
        sum(&CassetteCounts::dropped),
    );
    let _ = writeln!(lines, "cassettes: {all}");
    for (path, counts) in completed
        .iter()
        .filter(|(_, counts)| counts.asked > 0 || counts.dropped() > 0)
    {
        let path = printable(&path.display().to_string());
        let _ = writeln!(
            lines,
            "  {path}: {}",
            counts_text(counts.replayed, counts.asked, counts.dropped())
        );
    }
    lines
}

/// The number of tokens of prompts and of answers.
pub(super) fn token_words(tokens: Tokens) -> String {
    let Tokens {
        asked,
        answered,
        cached,
    } = tokens;
    let known = match cached {
        0 => String::new(),
        _ => format!(" ({cached} cached)"),
    };
    format!("{asked}{known} + {answered} tokens")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn an_unused_model_is_omitted() {
        let used = Usage {
            calls: 3,
            retries: 1,
            tokens: Tokens {
                asked: 1200,
                answered: 45,
                cached: 1000,
            },
            time: Duration::from_millis(2_340),
        };
        let usage = [
            ("first".to_owned(), used),
            ("spare".to_owned(), Usage::default()),
        ];
        assert_eq!(
            usage_lines(&usage, |_| None),
            "first: 3 calls, 1 retry, 1200 (1000 cached) + 45 tokens, 2.34 s\n"
        );
    }
}
