//! Advice for people at a terminal, in the words of a client.

use fsmsim_syntax::terminal::Joined;

/// What is advised at a terminal, and the same for a client.
const WORDS: [(&str, &str); 7] = [
    (
        "`:states` lists them",
        "conditions with `kind`: \"states\" lists them",
    ),
    ("`:why` tells why", "why tells how"),
    (
        "`:state` tells where it may go from here",
        "play with `session` alone tells where it may go from here",
    ),
    (
        "`:why-not STATE` or `:why-not ACTION`",
        "`to` names a state or an action",
    ),
    (
        "`:load FILE::TITLE@3` plays",
        "`from`: \"FILE::TITLE@3\" plays",
    ),
    ("`:reset` begins again", "play with `model` begins again"),
    ("`:reset` begins anew", "play with `model` begins anew"),
];
/// How the line of a finding begins that says what to do.
const HELP: &str = "= help:";

/// What a person is told of a dialogue, for a client.
pub(super) fn in_client_words(told: &str) -> String {
    WORDS
        .iter()
        .fold(told.to_owned(), |told, (person, client)| {
            told.replace(person, client)
        })
}

/// Findings as they are shown, of which what to do names the pages as a client reads them.
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
    let Some((before, rest)) = line.split_once("docs/") else {
        return line.to_owned();
    };
    match rest.split_once(".md") {
        Some((page, behind))
            if page.chars().all(|c| c.is_ascii_lowercase()) && !before.ends_with('/') =>
        {
            format!("{before}fsmsim://docs/{page}{behind}")
        }
        _ => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_is_told_in_the_words_of_a_client() {
        let told = in_client_words("there is no state `x`. `:states` lists them.");
        assert_eq!(
            told,
            "there is no state `x`. conditions with `kind`: \"states\" lists them."
        );
        let shown = "1 | see docs/models.md\n = help: add a link; see docs/models.md for more";
        assert_eq!(
            with_addresses(shown),
            "1 | see docs/models.md\n = help: add a link; see fsmsim://docs/models for more"
        );
    }
}
