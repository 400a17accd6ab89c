//! A writer that escapes characters that a terminal would interpret.

use std::io::{self, Write};

use super::printable::{REPLACEMENT, is_printable};

/// The number of bytes that are checked together.
const CHUNK: usize = 64;
/// The maximum length of an incomplete style sequence, in bytes.
const MAX_SEQUENCE: usize = 32;

/// The treatment of characters that are not printable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Escaping {
    /// Replace them.
    Plain,
    /// Replace them, but keep color sequences.
    Styled,
    /// Write them as JSON escapes, so that parsing the output restores the value.
    Json,
}

impl Escaping {
    /// The mode for human-readable text on standard output, depending on whether colors are on.
    pub fn of_text() -> Self {
        if colored::control::SHOULD_COLORIZE.should_colorize() {
            Self::Styled
        } else {
            Self::Plain
        }
    }
}

/// Writes UTF-8 text to `inner` and escapes characters that are not printable.
#[derive(Debug)]
pub(super) struct EscapingWriter<W> {
    inner: W,
    escaping: Escaping,
    /// An incomplete character or sequence whose rest is not yet written.
    incomplete: Vec<u8>,
}

/// The treatment of the first bytes of a slice.
enum Head {
    /// This number of bytes is written unchanged.
    Passes(usize),
    /// A character that must be escaped, and its length.
    Stopped(char, usize),
    /// More bytes are required to decide.
    Unfinished,
}

impl<W: Write> EscapingWriter<W> {
    pub(super) fn new(inner: W, escaping: Escaping) -> Self {
        Self {
            inner,
            escaping,
            incomplete: Vec::new(),
        }
    }

    pub(super) fn inner(&self) -> &W {
        &self.inner
    }

    /// Writes the bytes whose treatment is certain, and returns their number.
    fn pass(&mut self, bytes: &[u8], is_end: bool) -> io::Result<usize> {
        let mut passed = 0;
        let mut at = 0;
        loop {
            let rest = bytes.get(at..).unwrap_or_default();
            let Some(clean) = first_suspect(rest) else {
                self.inner
                    .write_all(bytes.get(passed..).unwrap_or_default())?;
                return Ok(bytes.len());
            };
            at += clean;
            match self.head(bytes.get(at..).unwrap_or_default(), is_end) {
                Head::Passes(length) => at += length,
                Head::Stopped(letter, length) => {
                    self.inner
                        .write_all(bytes.get(passed..at).unwrap_or_default())?;
                    self.replace(letter)?;
                    at += length;
                    passed = at;
                }
                Head::Unfinished => {
                    self.inner
                        .write_all(bytes.get(passed..at).unwrap_or_default())?;
                    return Ok(at);
                }
            }
        }
    }

    fn head(&self, bytes: &[u8], is_end: bool) -> Head {
        if self.escaping == Escaping::Styled && bytes.first() == Some(&b'\x1b') {
            let style = bytes
                .iter()
                .skip(2)
                .position(|byte| !(byte.is_ascii_digit() || matches!(byte, b';' | b':')));
            match (bytes.get(1), style.and_then(|length| bytes.get(2 + length))) {
                (Some(b'['), Some(b'm')) => return Head::Passes(style.unwrap_or_default() + 3),
                (None | Some(b'['), None) if !is_end && bytes.len() < MAX_SEQUENCE => {
                    return Head::Unfinished;
                }
                _ => return Head::Stopped('\x1b', 1),
            }
        }
        let length = bytes.first().map_or(1, |first| length_of(*first));
        let Some(character) = bytes.get(..length) else {
            return if is_end {
                Head::Stopped(REPLACEMENT, bytes.len())
            } else {
                Head::Unfinished
            };
        };
        match std::str::from_utf8(character)
            .ok()
            .and_then(|text| text.chars().next())
        {
            Some(letter) if is_printable(letter) => Head::Passes(length),
            Some(letter) => Head::Stopped(letter, length),
            // The byte is not valid UTF-8.
            None => Head::Stopped(REPLACEMENT, 1),
        }
    }

    fn replace(&mut self, letter: char) -> io::Result<()> {
        if self.escaping != Escaping::Json {
            return write!(self.inner, "{REPLACEMENT}");
        }
        letter
            .encode_utf16(&mut [0; 2])
            .iter()
            .try_for_each(|unit| write!(self.inner, "\\u{unit:04x}"))
    }
}

impl<W: Write> Write for EscapingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.incomplete.is_empty() {
            let passed = self.pass(bytes, false)?;
            self.incomplete
                .extend_from_slice(bytes.get(passed..).unwrap_or_default());
            return Ok(bytes.len());
        }
        let mut whole = std::mem::take(&mut self.incomplete);
        whole.extend_from_slice(bytes);
        let passed = self.pass(&whole, false)?;
        whole.drain(..passed);
        self.incomplete = whole;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let incomplete = std::mem::take(&mut self.incomplete);
        self.pass(&incomplete, true)?;
        self.inner.flush()
    }
}

/// The index of the first byte that can start a character that is not printable.
fn first_suspect(bytes: &[u8]) -> Option<usize> {
    // Most output is clean. Checking all bytes of a chunk without branches allows SIMD instructions.
    let is_clean = |piece: &&[u8]| {
        !piece
            .iter()
            .fold(false, |any, byte| any | is_suspect(*byte))
    };
    let clean = bytes.chunks(CHUNK).take_while(is_clean).count() * CHUNK;
    bytes
        .get(clean..)?
        .iter()
        .position(|byte| is_suspect(*byte))
        .map(|at| clean + at)
}

/// Whether a character that is not printable can start with this byte.
#[expect(
    clippy::needless_bitwise_bool,
    reason = "without branches the compiler checks many bytes with one instruction"
)]
fn is_suspect(byte: u8) -> bool {
    let is_control = (byte < 0x20) & (byte != b'\n') & (byte != b'\t');
    let leads = (byte == 0xc2)
        | (byte == 0xd8)
        | (byte == 0xe1)
        | (byte == 0xe2)
        | (byte == 0xef)
        | (byte == 0xf3);
    is_control | (byte == 0x7f) | leads
}

/// The length of a character that starts with this byte.
fn length_of(first: u8) -> usize {
    match first {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shielded(pieces: &[&str], escaping: Escaping) -> String {
        let mut shield = EscapingWriter::new(Vec::new(), escaping);
        for piece in pieces {
            shield.write_all(piece.as_bytes()).unwrap();
        }
        shield.flush().unwrap();
        String::from_utf8(shield.inner).unwrap()
    }

    #[test]
    fn nonprintable_text_is_replaced_even_if_writes_split_it() {
        let text =
            "да\x1b]0;x\x07 a\u{9b}31m b\u{202e}c\u{200b}d\u{feff}e\u{e0041}\r\n\tfin «—» 日本 🦀";
        let plain = "да\u{fffd}]0;x\u{fffd} a\u{fffd}31m b\u{fffd}c\u{fffd}d\u{fffd}e\u{fffd}\u{fffd}\n\tfin «—» 日本 🦀";
        assert_eq!(shielded(&[text], Escaping::Plain), plain);
        for cut in 0..text.len() {
            let mut shield = EscapingWriter::new(Vec::new(), Escaping::Plain);
            let (first, second) = text.as_bytes().split_at(cut);
            shield.write_all(first).unwrap();
            shield.write_all(second).unwrap();
            shield.flush().unwrap();
            assert_eq!(
                String::from_utf8(shield.inner).unwrap(),
                plain,
                "cut at {cut}"
            );
        }
    }

    #[test]
    fn only_color_sequences_pass_and_only_if_colors_are_on() {
        let pieces = [
            "\x1b[",
            "1;31",
            "mred\x1b[0m \x1b[2Jgone \x1b]8;;x\x07 \x1b",
        ];
        assert_eq!(
            shielded(&pieces, Escaping::Styled),
            "\x1b[1;31mred\x1b[0m \u{fffd}[2Jgone \u{fffd}]8;;x\u{fffd} \u{fffd}"
        );
        assert_eq!(
            shielded(&["\x1b[31mred"], Escaping::Plain),
            "\u{fffd}[31mred"
        );
    }

    #[test]
    fn escaped_json_keeps_its_value() {
        let value = "a\u{9b}b\u{202e}c\u{e0041}d\u{7f}";
        let line = serde_json::to_string(value).unwrap();
        let shown = shielded(&[&line], Escaping::Json);
        assert!(shown.is_ascii(), "{shown}");
        assert_eq!(serde_json::from_str::<String>(&shown).unwrap(), value);
    }

    #[test]
    fn nonprintable_characters_start_with_suspect_bytes() {
        for c in ('\0'..=char::MAX).filter(|c| !is_printable(*c) && !matches!(c, '\n' | '\t')) {
            let mut bytes = [0; 4];
            assert!(is_suspect(c.encode_utf8(&mut bytes).as_bytes()[0]), "{c:?}");
        }
    }
}
