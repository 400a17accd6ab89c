//! Calls in transcripts: `[calls get_instruction(state: "NAME")]`.

use super::speakers::CALL_WORDS;

/// The only tool that a transcript can call.
pub(super) const TOOL: &str = "get_instruction";

/// A call within a line.
#[derive(Debug)]
pub(super) struct CallText<'t> {
    /// The index of the opening bracket in the line.
    pub start: usize,
    pub end: usize,
    /// The target state and the index of its name in the line, or what is wrong with the call.
    pub state: Result<Option<(&'t str, usize)>, &'static str>,
}

impl<'t> CallText<'t> {
    /// The first call in a line.
    pub(super) fn find(line: &'t str) -> Option<Self> {
        line.match_indices('[').find_map(|(start, _)| {
            let inner = line.get(start + 1..)?;
            let body = body_of(inner)?;
            let (state, end) = match inner.find(']') {
                None => (Err("unclosed `[`"), line.len()),
                Some(length) => {
                    let at = start + 1 + body;
                    let text = inner.get(body..length).unwrap_or_default();
                    (
                        state_of(text).map(|state| state.map(|(name, from)| (name, at + from))),
                        start + length + 2,
                    )
                }
            };
            Some(Self { start, end, state })
        })
    }

    /// Whether a line starts with a call, possibly with emphasis or backticks around it.
    pub(super) fn leads(line: &str) -> bool {
        line.trim_start_matches(DECORATION)
            .strip_prefix('[')
            .and_then(body_of)
            .is_some()
    }
}

/// Characters that can surround a call.
pub(super) const DECORATION: [char; 3] = ['*', '_', '`'];

/// The index of the tool name inside the brackets, if they contain a call.
fn body_of(inner: &str) -> Option<usize> {
    if inner.starts_with(TOOL) {
        return Some(0);
    }
    let length = inner
        .find(|c: char| !c.is_alphabetic())
        .unwrap_or(inner.len());
    let (word, rest) = inner.split_at_checked(length)?;
    let body = rest.trim_start();
    let calls = CALL_WORDS
        .split_whitespace()
        .any(|known| known == word.to_lowercase())
        && body.len() < rest.len();
    calls.then_some(inner.len() - body.len())
}

/// The state in `get_instruction(state: "NAME")`, and the index of its name.
fn state_of(text: &str) -> Result<Option<(&str, usize)>, &'static str> {
    let rest = text
        .strip_prefix(TOOL)
        .ok_or("only `get_instruction` can be called")?;
    let rest = rest
        .trim()
        .strip_prefix('(')
        .ok_or("missing `(` after the tool name")?;
    let inside = rest
        .strip_suffix(')')
        .ok_or("missing `)` at the end")?
        .trim();
    if inside.is_empty() {
        return Ok(None);
    }
    let value = match inside.strip_prefix("state") {
        Some(rest) => rest
            .trim_start()
            .strip_prefix([':', '='])
            .ok_or("missing `:` after `state`")?,
        None => inside,
    };
    let value = value.trim();
    let pairs = [('"', '"'), ('\'', '\''), ('«', '»'), ('“', '”'), ('`', '`')];
    let quoted = pairs.into_iter().find_map(|(open, close)| {
        value
            .strip_prefix(open)
            .map(|rest| rest.strip_suffix(close).ok_or("unclosed quotation mark"))
    });
    let name = quoted.unwrap_or(Ok(value))?;
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    if name.is_empty() || !name.chars().all(plain) {
        return Err("expected the name of a state as the only argument");
    }
    // After the name, only a quotation mark, spaces and the bracket are allowed.
    Ok(text.rfind(name).map(|from| (name, from)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_found_with_their_states() {
        let state = |line: &'static str| CallText::find(line).unwrap().state.unwrap();
        let line = "Ну вот [вызывает get_instruction(state: \"test_start\")] дальше";
        let (name, from) = state(line).unwrap();
        assert_eq!((name, &line[from..from + name.len()]), ("test_start", name));
        let call = CallText::find(line).unwrap();
        assert_eq!(
            (&line[..call.start], &line[call.end..]),
            ("Ну вот ", " дальше")
        );
        for line in [
            "[calls get_instruction(state: 'a')]",
            "[get_instruction(a)]",
            "[Вызов get_instruction( state = «a» )]",
        ] {
            assert_eq!(state(line).unwrap().0, "a", "{line}");
        }
        assert_eq!(state("[вызывает get_instruction()]"), None);
        assert!(CallText::find("[recalls it] and [a](b)").is_none());
        assert!(
            CallText::leads("`[calls get_instruction()]`")
                && !CallText::leads("so [calls get_instruction()]")
        );
    }

    #[test]
    fn invalid_calls_are_errors() {
        for line in [
            "[calls get_instruction(state: \"a\"",
            "[calls get_instruction(state: \"a)]",
            "[calls get_instruction(state \"a\")]",
            "[calls get_instruction(state: a, b: c)]",
            "[calls get_instruction state: a]",
            "[calls get_instruction(state: )]",
            "[calls save(a)]",
            "[calls ",
        ] {
            assert!(CallText::find(line).unwrap().state.is_err(), "{line}");
        }
    }
}
