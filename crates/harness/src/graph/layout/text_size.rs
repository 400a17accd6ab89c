//! Estimates the width of text without a font.

use unicode_width::UnicodeWidthChar;

/// The estimated width of a text in a common sans serif font.
pub(super) fn text_width(text: &str, size: f64) -> f64 {
    text.chars().map(advance).sum::<f64>() * size
}

/// The widths of characters that are narrower or wider than most, relative to the font size.
const WIDTHS: [(&str, f64); 3] = [
    ("ijlI.,:;'|!", 0.30),
    ("ftr ()[]/-", 0.38),
    ("mwMWжшщюымфЖШЩЮМЫФ", 0.90),
];

/// The width of a character, relative to the font size.
fn advance(character: char) -> f64 {
    let mut listed = WIDTHS.iter();
    if let Some((_, width)) = listed.find(|(characters, _)| characters.contains(character)) {
        return *width;
    }
    match character {
        'A'..='Z' => 0.70,
        'А'..='Я' | 'Ё' => 0.74,
        'а'..='я' | 'ё' => 0.61,
        'a'..='z' | '0'..='9' | '_' => 0.58,
        _ => match character.width() {
            Some(0) | None => 0.0,
            Some(1) => 0.65,
            Some(_) => 1.05,
        },
    }
}

/// Breaks text into lines of at most this width: at separators, or within a word that is too long.
pub(super) fn wrapped(text: &str, size: f64, most: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for piece in pieces(text) {
        if !line.is_empty() && text_width(&line, size) + text_width(piece.trim_end(), size) > most {
            lines.push(std::mem::take(&mut line).trim_end().to_owned());
        }
        for character in piece.chars() {
            if text_width(&line, size) + advance(character) * size > most && character != ' ' {
                lines.push(std::mem::take(&mut line));
            }
            line.push(character);
        }
    }
    lines.push(line.trim_end().to_owned());
    lines.retain(|line| !line.is_empty());
    lines
}

/// Splits text after each separator.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(['_', '/', ' ', '-', '.'])
}

/// Limits the number of lines. An ellipsis marks omitted lines.
pub(super) fn at_most(mut lines: Vec<String>, most: usize) -> Vec<String> {
    if lines.len() > most {
        lines.truncate(most);
        if let Some(last) = lines.last_mut() {
            last.push('…');
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_break_at_separators() {
        assert_eq!(
            wrapped("identify_decision_maker", 13.0, 110.0),
            ["identify_", "decision_maker"]
        );
        assert_eq!(wrapped("flows/spin", 13.0, 45.0), ["flows/", "spin"]);
        assert_eq!(wrapped("", 13.0, 40.0), Vec::<String>::new());
    }

    #[test]
    fn words_without_separators_break_at_the_width() {
        let lines = wrapped("Неизвестноедлинноеслово", 13.0, 60.0);
        assert!(
            lines.len() > 2 && lines.iter().all(|line| text_width(line, 13.0) <= 60.0),
            "{lines:?}"
        );
        assert_eq!(lines.concat(), "Неизвестноедлинноеслово");
    }

    #[test]
    fn wide_characters_are_wide() {
        assert!(text_width("漢字", 10.0) > 20.0);
        assert!(text_width("\u{301}", 10.0) < 0.1);
    }
}
