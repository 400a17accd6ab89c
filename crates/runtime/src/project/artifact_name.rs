//! The title of a scenario as the name of a file, on every system.

use crate::limits::MAX_FILE_NAME;
use deunicode::deunicode_char;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use xxhash_rust::xxh3::xxh3_64;

/// The longest name behind which a hash finds room: a dash and eight digits.
const MAX_CUT: usize = MAX_FILE_NAME - 9;

/// A title as the name of a file: its letters and digits, of any script or (`ascii`) written in Latin ones, and the rest as
/// single dashes. A name that says less than the title ends in a hash of the title.
pub(super) fn artifact_name(title: &str, ascii: bool) -> String {
    let title: String = title.trim().nfc().collect();
    let mut name = NameInTheMaking::default();
    for letter in title.to_lowercase().nfc() {
        match deunicode_char(letter)
            .filter(|latin| ascii && !letter.is_ascii() && !latin.trim().is_empty())
        {
            Some(latin) => latin
                .to_lowercase()
                .chars()
                .for_each(|latin| name.push_for(letter, latin)),
            None if ascii && !letter.is_ascii() => name.leave_out(letter),
            None => name.push(letter),
        }
    }
    let NameInTheMaking {
        mut name,
        mut is_less,
    } = name;
    name.truncate(name.trim_end_matches('-').len());
    if name.len() > MAX_FILE_NAME {
        name.truncate(name.floor_char_boundary(MAX_CUT));
        name.truncate(name.trim_end_matches('-').len());
        is_less = true;
    }
    if name.is_empty() {
        name.push_str("scenario");
        is_less = true;
    }
    if is_less || says_more(&title) || is_device(&name) {
        format!("{name}-{:08x}", xxh3_64(title.as_bytes()) >> 32)
    } else {
        name
    }
}

#[derive(Default)]
struct NameInTheMaking {
    name: String,
    /// Something was lost that is no mere separator.
    is_less: bool,
}

impl NameInTheMaking {
    fn push(&mut self, letter: char) {
        if letter.is_alphanumeric()
            || (is_combining_mark(letter) && self.name.ends_with(char::is_alphanumeric))
        {
            self.name.push(letter);
        } else {
            self.leave_out(letter);
        }
    }

    /// One of the Latin letters for another one. Signs among them are no letters: `ь` is written as an apostrophe.
    fn push_for(&mut self, letter: char, latin: char) {
        if latin.is_alphanumeric() || !letter.is_alphanumeric() {
            self.push(latin);
        }
    }

    fn leave_out(&mut self, letter: char) {
        self.is_less |= !is_separator(letter);
        if !self.name.is_empty() && !self.name.ends_with('-') {
            self.name.push('-');
        }
    }
}

/// Whether signs say something in a title that ends as that of a case does, `[n=-5]`: all signs of a value do.
fn says_more(title: &str) -> bool {
    let case = title
        .strip_suffix(']')
        .and_then(|title| title.split_once('['))
        .map(|(_, case)| case);
    let is_free = |sign: char| sign.is_alphanumeric() || matches!(sign, '=' | ',' | '_');
    case.is_some_and(|case| case.contains('=') && !case.chars().all(is_free))
}

/// Whether a title without this character says the same: blanks, punctuation, arrows.
fn is_separator(letter: char) -> bool {
    letter.is_whitespace()
        || letter.is_ascii()
        || matches!(letter, '\u{a1}'..='\u{bf}' | '\u{2010}'..='\u{205e}' | '\u{2190}'..='\u{21ff}' | '\u{3001}'..='\u{303f}')
}

/// Whether Windows takes a name for a device, whatever its extension.
fn is_device(name: &str) -> bool {
    let is_port = |rest: &str| {
        let mut rest = rest.chars();
        let digit = rest
            .next()
            .is_some_and(|digit| digit.is_ascii_digit() || matches!(digit, '¹' | '²' | '³'));
        digit && rest.next().is_none()
    };
    matches!(name, "con" | "prn" | "aux" | "nul" | "conin" | "conout")
        || ["com", "lpt"]
            .iter()
            .any(|port| name.strip_prefix(port).is_some_and(is_port))
}

#[cfg(test)]
mod tests {
    use super::artifact_name;

    fn named(title: &str) -> String {
        artifact_name(title, false)
    }

    #[test]
    fn a_name_keeps_letters_of_any_script() {
        assert_eq!(
            named("Full sale, from greeting to contact!"),
            "full-sale-from-greeting-to-contact"
        );
        assert_eq!(
            named("  Третье возражение → конец "),
            "третье-возражение-конец"
        );
        assert_eq!(named("../../etc/passwd"), "etc-passwd");
        assert_eq!(named("हिन्दी में"), "हिन्दी-में");
    }

    #[test]
    fn a_name_is_the_same_however_its_letters_are_put_together() {
        assert_eq!(named("Cafe\u{301}"), named("Caf\u{e9}"));
        assert_eq!(named("И\u{306}од"), "йод");
    }

    #[test]
    fn what_says_less_than_its_title_ends_in_a_hash() {
        assert_eq!(named("!!!"), "scenario-95606572");
        assert_eq!(named("👍"), "scenario-9d48d6ec");
        assert_ne!(named("5 ₽"), named("5 €"));
        assert!(named("5 ₽").starts_with("5-"));
        let long = named(&"возражение ".repeat(20));
        assert!(
            long.len() <= 120 && long.starts_with("возражение-возражение-"),
            "{long}"
        );
        assert_ne!(long, named(&"возражение ".repeat(21)));
        assert_eq!(named(&"a".repeat(120)), "a".repeat(120));
        assert_eq!(named(&"a".repeat(121)).len(), 120);
    }

    #[test]
    fn cases_of_a_title_have_names_of_their_own() {
        assert_eq!(named("Sizes[size=5,tone=calm]"), "sizes-size-5-tone-calm");
        assert_ne!(named("Sizes[size=-5]"), named("Sizes[size=5]"));
        assert_ne!(named("Said[say=\"How?\"]"), named("Said[say=\"How!\"]"));
        assert_eq!(named("A list [of all]"), "a-list-of-all");
    }

    #[test]
    fn no_name_is_a_device() {
        for title in ["con", "AUX", "Nul!", "com1", "LPT9", "COM²"] {
            assert!(named(title).len() > title.len() + 5, "{title}");
        }
        assert_eq!(
            (named("com10"), named("cons")),
            ("com10".to_owned(), "cons".to_owned())
        );
    }

    #[test]
    fn a_name_may_be_latin() {
        assert_eq!(
            artifact_name("Третье возражение: конец", true),
            "trete-vozrazhenie-konets"
        );
        assert_eq!(artifact_name("Straße → café", true), "strasse-cafe");
        assert!(artifact_name("a\u{e000}b", true).starts_with("a-b-"));
    }
}
