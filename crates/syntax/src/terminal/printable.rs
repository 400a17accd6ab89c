//! Which characters only show themselves.

/// What stands for a character that does not only show itself.
pub(super) const REPLACEMENT: char = '\u{fffd}';

/// Whether a character shows itself and does nothing else: it moves no cursor, recolours nothing, and does not hide or
/// reorder what is around it. Line breaks and tabs do not count as printable.
pub fn is_printable(letter: char) -> bool {
    !letter.is_control()
        && !matches!(letter,
            // Soft hyphen, zero-width blanks and joiners, the invisible operators, the byte order mark.
            '\u{ad}' | '\u{180e}' | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2064}' | '\u{feff}'
            // Marks that reorder the text around them.
            | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{206f}'
            // Breaks of lines that are no line feeds.
            | '\u{2028}' | '\u{2029}'
            // Marks between lines of text, and letters that are never seen.
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Whether a character acts on the text around it: it moves a cursor, or reorders what stands beside it. No word is written with
/// one, as it may be with joiners, soft hyphens and marks of direction.
pub fn acts_on_text(letter: char) -> bool {
    letter.is_control() || matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A text for one line of a terminal: line breaks and tabs are blanks, and what does not only show itself is replaced.
pub fn printable(text: &str) -> String {
    text.chars()
        .map(|letter| match letter {
            '\t' | '\n' | '\r' => ' ',
            letter if is_printable(letter) => letter,
            _ => REPLACEMENT,
        })
        .collect()
}
