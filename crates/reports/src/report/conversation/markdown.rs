//! A conversation as Markdown, with escaped text.

use std::io::{self, Write};

use super::conversation_report::{ConversationReport, ConversationTurn};
use crate::report::run::code;
use fsmsim_syntax::terminal::Joined;

pub(super) fn write_markdown(report: &ConversationReport, out: &mut impl Write) -> io::Result<()> {
    let ConversationReport {
        title,
        about,
        turns,
    } = report;
    writeln!(out, "# {}\n\n{}", as_text(title), as_text(about))?;
    turns.iter().try_for_each(|turn| write_turn(turn, out))
}

fn write_turn(turn: &ConversationTurn, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "\n## Turn {}", turn.number)?;
    if !turn.said.is_empty() || !turn.meant.is_empty() {
        let parts = [as_text(&turn.said), code(&turn.meant)];
        let parts = parts.iter().filter(|part| !part.is_empty());
        writeln!(out, "\n**User:** {}", parts.joined(" "))?;
    }
    let decided = [&turn.event, &turn.way]
        .into_iter()
        .chain(&turn.classes)
        .chain([&turn.action])
        .filter(|part| !part.is_empty())
        .map(|part| code(part));
    writeln!(out, "\n> {}", decided.joined(" · "))?;
    if !turn.recognized.is_empty() {
        writeln!(out, ">\n> recognized as {}", as_text(&turn.recognized))?;
    }
    if !turn.why.is_empty() {
        writeln!(out, ">\n> {}", as_text(&turn.why))?;
    }
    for (number, origin) in turn.origins.iter().enumerate() {
        let break_before = if number == 0 { ">\n" } else { "" };
        writeln!(out, "{break_before}> - {}", as_text(origin))?;
    }
    for reply in &turn.replies {
        writeln!(out, "\n**Assistant:** {}", as_text(reply))?;
    }
    Ok(())
}

/// Escapes text so that Markdown shows it unchanged. Its lines stay lines of one paragraph.
fn as_text(text: &str) -> String {
    text.trim_end().split('\n').map(escaped_line).joined("\\\n")
}

/// Escapes markup in a line. A character with a meaning only at the start of a line is escaped only there.
fn escaped_line(line: &str) -> String {
    let line = line.trim();
    let mut escaped = String::with_capacity(line.len());
    let after_digits = line.trim_start_matches(|character: char| character.is_ascii_digit());
    let digits = line.len() - after_digits.len();
    for (at, character) in line.char_indices() {
        let is_markup = match character {
            '\\' | '`' | '*' | '[' | ']' | '<' | '>' | '&' | '|' | '~' | '$' => true,
            '#' | '+' | '-' | '=' | ':' => at == 0,
            '.' | ')' => at == digits && digits > 0,
            '_' => !is_inside_a_name(line, at),
            _ => false,
        };
        if is_markup {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

/// Whether a `_` has letters or digits on both sides, optionally with more `_` between: then it is not markup.
fn is_inside_a_name(line: &str, at: usize) -> bool {
    let (before, after) = line.split_at(at);
    let is_part = |character: char| character.is_alphanumeric();
    before.trim_end_matches('_').ends_with(is_part)
        && after.trim_start_matches('_').starts_with(is_part)
}

#[cfg(test)]
mod tests {
    use super::as_text;

    #[test]
    fn markup_in_text_is_escaped() {
        for (text, shown) in [
            ("Сколько стоит?", "Сколько стоит?"),
            ("a_b *c* `d` [e](f)", "a_b \\*c\\* \\`d\\` \\[e\\](f)"),
            ("_a_ _я_ a__я", "\\_a\\_ \\_я\\_ a__я"),
            ("<img src=x>&amp;", "\\<img src=x\\>\\&amp;"),
            ("# a # b", "\\# a # b"),
            ("1. one\n2) two\n3 three", "1\\. one\\\n2\\) two\\\n3 three"),
            ("a\n===\n- b - c\n\nd\n", "a\\\n\\===\\\n\\- b - c\\\n\\\nd"),
            ("    code", "code"),
            ("| a |", "\\| a \\|"),
            ("", ""),
        ] {
            assert_eq!(as_text(text), shown, "{text:?}");
        }
    }
}
