//! Translates advice for the terminal into advice for an MCP client.

use fsmsim_syntax::terminal::Joined;

/// Phrases for a terminal, and their replacements for a client.
const WORDS: [(&str, &str); 6] = [
    (
        "`:states` lists",
        "conditions with `kind`: \"states\" lists",
    ),
    (
        "`:intents` lists",
        "conditions with `kind`: \"intents\" lists",
    ),
    ("`:why` shows the reason", "why shows the reason"),
    (
        "write `:why-not STATE` or `:why-not ACTION`",
        "set `to` to a state or an action",
    ),
    (
        "`:load FILE::TITLE@3` runs",
        "`from`: \"FILE::TITLE@3\" runs",
    ),
    ("use `:reset`", "use play with `model`"),
];
/// The start of a help line in a rendered finding.
const HELP: &str = "= help:";

/// Translates a message about a dialogue for a client.
pub(super) fn in_client_words(message: &str) -> String {
    WORDS
        .iter()
        .fold(message.to_owned(), |message, (person, client)| {
            message.replace(person, client)
        })
}

/// Translates page names in the help lines of rendered findings into URIs.
pub(super) fn with_addresses(shown: &str) -> String {
    let line = |line: &str| {
        if line.trim_start().starts_with(HELP) {
            with_address(line)
        } else {
            line.to_owned()
        }
    };
    shown.split('\n').map(line).joined("\n")
}

fn with_address(line: &str) -> String {
    let Some((before, rest)) = line.split_once("docs/src/") else {
        return line.to_owned();
    };
    match rest.split_once(".md") {
        Some((page, after))
            if page
                .chars()
                .all(|c| c.is_ascii_lowercase() || matches!(c, '-' | '/'))
                && !before.ends_with('/') =>
        {
            format!("{before}fsmsim://docs/{page}{after}")
        }
        _ => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_advice_is_translated_for_a_client() {
        let translated = in_client_words("unknown state `x`. `:states` lists them.");
        assert_eq!(
            translated,
            "unknown state `x`. conditions with `kind`: \"states\" lists them."
        );
        let shown = "1 | see docs/src/how-to/write-replies.md\n = help: add a link; see docs/src/how-to/write-replies.md for more";
        assert_eq!(
            with_addresses(shown),
            "1 | see docs/src/how-to/write-replies.md\n = help: add a link; see fsmsim://docs/how-to/write-replies for more"
        );
    }
}
