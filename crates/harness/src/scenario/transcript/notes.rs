//! Notes on turns in transcripts: `<!-- intent: NAME, expect: {state: NAME} -->`.

use fsmsim_syntax::diagnostic::{Diagnostics, FileId};
use fsmsim_syntax::document::{Node, parse_yaml};

/// Keys that identify a note even if the colon after them is missing.
const KEYS: [&str; 4] = ["intent", "expect", "data", "say"];

/// Whether a comment, including its marks, is a note. Other comments, such as `<!-- TODO: … -->`, are ignored.
pub(super) fn is_note(comment: &str) -> bool {
    let inside = inside(comment).trim_start();
    let length = inside
        .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .unwrap_or(inside.len());
    let Some((word, rest)) = inside.split_at_checked(length) else {
        return false;
    };
    let colon = rest
        .strip_prefix(':')
        .is_some_and(|rest| rest.starts_with(char::is_whitespace));
    inside.starts_with('{')
        || KEYS.contains(&word)
        || (colon && word.contains(|c: char| c.is_lowercase()))
}

/// Whether a note includes shared turns, so that it does not describe a line: `<!-- use: FILE -->`.
pub(super) fn is_use(comment: &str) -> bool {
    inside(comment)
        .trim_start()
        .trim_start_matches(['{', ' '])
        .starts_with("use:")
}

/// Reads a note that starts at byte `base`. Keys on the same line are separated by commas. If the note starts with an
/// empty line, each key is on its own line.
pub(super) fn read_note(
    file: FileId,
    comment: &str,
    base: usize,
    found: &mut Diagnostics,
) -> Option<Node> {
    let body = inside(comment);
    let first = body.lines().next().unwrap_or_default();
    let block = first.trim().is_empty() || body.trim_start().starts_with('{');
    // The opening mark is replaced with the same number of bytes, so that the spans of the keys stay correct. In a text
    // in block style, the closing mark and the spaces before it would be a part of the text.
    let text = if block {
        format!("    {}", body.trim_end_matches([' ', '\t']))
    } else {
        format!("   {{{body}}}  ")
    };
    parse_yaml(file, &text, base, found)
}

fn inside(comment: &str) -> &str {
    comment
        .strip_prefix("<!--")
        .and_then(|rest| rest.strip_suffix("-->"))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsmsim_syntax::diagnostic::SourceMap;

    #[test]
    fn note_keys_keep_their_spans() {
        for comment in [
            "<!-- a: 1, intent: x -->",
            "<!--a: 1,\nintent: x-->",
            "<!--\na: 1\nintent: x\n-->",
            "<!-- {a: 1, intent: x} -->",
            "<!--\n  a: 1\n  intent: x\n  -->",
        ] {
            let (mut sources, mut found) = (SourceMap::default(), Diagnostics::default());
            let text = format!("да {comment}");
            let file = sources.add("a.md", text.as_str());
            let note = read_note(file, comment, "да ".len(), &mut found).unwrap();
            let (key, value) = note.map().unwrap().entry("intent").unwrap();
            assert_eq!(
                (sources.slice(key.span), sources.slice(value.span)),
                ("intent", "x"),
                "{comment}"
            );
            assert!(found.is_empty() && is_note(comment), "{comment}");
        }
    }

    #[test]
    fn other_comments_are_not_notes() {
        for comment in [
            "<!-- TODO: x -->",
            "<!-- see https://a.b -->",
            "<!---->",
            "<!-- Да: нет -->",
        ] {
            assert!(!is_note(comment), "{comment}");
        }
        assert!(is_note("<!-- expect {state: x} -->"));
    }
}
