//! Printable characters.

/// The replacement for a character that is not printable.
pub(super) const REPLACEMENT: char = '\u{fffd}';

/// Whether a character only displays itself: it does not move the cursor, change colors, or hide or reorder text around
/// it. Line breaks and tabs are not printable.
pub fn is_printable(letter: char) -> bool {
    !letter.is_control()
        && !matches!(letter,
            // Soft hyphen, zero-width spaces and joiners, the invisible operators, the byte order mark.
            '\u{ad}' | '\u{180e}' | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2064}' | '\u{feff}'
            // Marks that reorder the text around them.
            | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{206f}'
            // Line breaks other than the line feed.
            | '\u{2028}' | '\u{2029}'
            // Interlinear annotation marks and invisible tag characters.
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Whether a character moves the cursor or reorders the text around it. Words never contain such a character, but they
/// can contain joiners, soft hyphens and direction marks.
pub fn acts_on_text(letter: char) -> bool {
    letter.is_control() || matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A text for one line of a terminal. Line breaks and tabs become spaces, and other characters that are not printable
/// are replaced.
pub fn printable(text: &str) -> String {
    text.chars()
        .map(|letter| match letter {
            '\t' | '\n' | '\r' => ' ',
            letter if is_printable(letter) => letter,
            _ => REPLACEMENT,
        })
        .collect()
}
