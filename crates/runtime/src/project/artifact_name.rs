//! Converts the title of a scenario to a file name that is valid on every system.

use crate::limits::MAX_FILE_NAME;
use deunicode::deunicode_char;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use xxhash_rust::xxh3::xxh3_64;

/// Maximum length of a name before a hash: a dash and eight digits follow.
const MAX_CUT: usize = MAX_FILE_NAME - 9;

/// Converts a title to a file name. Keeps letters and digits (`ascii`: transliterated), and replaces everything else by
/// single dashes. If information is lost, a hash of the title follows.
pub(super) fn artifact_name(title: &str, ascii: bool) -> String {
    let title: String = title.trim().nfc().collect();
    let mut name = NameBuilder::default();
    for c in title.to_lowercase().nfc() {
        let latin = if ascii && !c.is_ascii() {
            deunicode_char(c)
        } else {
            None
        };
        match latin.filter(|latin| !latin.trim().is_empty()) {
            Some(latin) => latin
                .to_lowercase()
                .chars()
                .for_each(|latin| name.push_for(c, latin)),
            None if ascii && !c.is_ascii() => name.skip(c),
            None => name.push(c),
        }
    }
    let NameBuilder {
        mut name,
        mut is_lossy,
    } = name;
    name.truncate(name.trim_end_matches('-').len());
    if name.len() > MAX_FILE_NAME {
        name.truncate(name.floor_char_boundary(MAX_CUT));
        name.truncate(name.trim_end_matches('-').len());
        is_lossy = true;
    }
    if name.is_empty() {
        name.push_str("scenario");
        is_lossy = true;
    }
    if is_lossy || has_significant_symbols(&title) || is_device(&name) {
        format!("{name}-{:08x}", xxh3_64(title.as_bytes()) >> 32)
    } else {
        name
    }
}

#[derive(Default)]
struct NameBuilder {
    name: String,
    /// Whether characters other than separators were lost.
    is_lossy: bool,
}

impl NameBuilder {
    fn push(&mut self, c: char) {
        if c.is_alphanumeric()
            || (is_combining_mark(c) && self.name.ends_with(char::is_alphanumeric))
        {
            self.name.push(c);
        } else {
            self.skip(c);
        }
    }

    /// Pushes one character of a transliteration. Skips symbols in it: `ь` is transliterated to an apostrophe.
    fn push_for(&mut self, c: char, latin: char) {
        if latin.is_alphanumeric() || !c.is_alphanumeric() {
            self.push(latin);
        }
    }

    fn skip(&mut self, c: char) {
        self.is_lossy |= !is_separator(c);
        if !self.name.is_empty() && !self.name.ends_with('-') {
            self.name.push('-');
        }
    }
}

/// Whether symbols are significant because the title ends with the values of a case, for example `[n=-5]`.
fn has_significant_symbols(title: &str) -> bool {
    let case = title
        .strip_suffix(']')
        .and_then(|title| title.split_once('['))
        .map(|(_, case)| case);
    let is_free = |sign: char| sign.is_alphanumeric() || matches!(sign, '=' | ',' | '_');
    case.is_some_and(|case| case.contains('=') && !case.chars().all(is_free))
}

/// Whether a character can be dropped without losing information: spaces, punctuation, arrows.
fn is_separator(c: char) -> bool {
    c.is_whitespace()
        || c.is_ascii()
        || matches!(c, '\u{a1}'..='\u{bf}' | '\u{2010}'..='\u{205e}' | '\u{2190}'..='\u{21ff}' | '\u{3001}'..='\u{303f}')
}

/// Whether Windows treats a name as a device, with any extension.
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
    fn name_keeps_characters_of_any_script() {
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
    fn name_does_not_depend_on_unicode_normalization() {
        assert_eq!(named("Cafe\u{301}"), named("Caf\u{e9}"));
        assert_eq!(named("И\u{306}од"), "йод");
    }

    #[test]
    fn lossy_name_ends_in_a_hash() {
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
    fn cases_of_a_title_have_different_names() {
        assert_eq!(named("Sizes[size=5,tone=calm]"), "sizes-size-5-tone-calm");
        assert_ne!(named("Sizes[size=-5]"), named("Sizes[size=5]"));
        assert_ne!(named("Said[say=\"How?\"]"), named("Said[say=\"How!\"]"));
        assert_eq!(named("A list [of all]"), "a-list-of-all");
    }

    #[test]
    fn name_is_never_a_device() {
        for title in ["con", "AUX", "Nul!", "com1", "LPT9", "COM²"] {
            assert!(named(title).len() > title.len() + 5, "{title}");
        }
        assert_eq!(
            (named("com10"), named("cons")),
            ("com10".to_owned(), "cons".to_owned())
        );
    }

    #[test]
    fn name_can_be_transliterated_to_ascii() {
        assert_eq!(
            artifact_name("Третье возражение: конец", true),
            "trete-vozrazhenie-konets"
        );
        assert_eq!(artifact_name("Straße → café", true), "strasse-cafe");
        assert!(artifact_name("a\u{e000}b", true).starts_with("a-b-"));
    }
}
