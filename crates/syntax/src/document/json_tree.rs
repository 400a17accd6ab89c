//! A fast JSON parser. It returns the same tree as the YAML parser.

use std::str::FromStr;

use rustc_hash::FxHashSet;

use super::node::{Content, Key, Map, Node, Scalar};
use crate::diagnostic::{FileId, Span};
use crate::limits::{LEVELS, MAX_KEY};

/// Larger maps use a hash set to find duplicate keys.
const SMALL_MAP: usize = 16;

/// The tree of a JSON map or list that starts at the byte `base` of the file. Returns `None` in case of doubt: if the
/// text is not JSON, or if the YAML parser would interpret it differently or report a finding.
pub(super) fn json_tree(file: FileId, text: &str, base: usize) -> Option<Node> {
    let mut reader = JsonTree {
        text,
        file,
        base,
        at: 0,
    };
    reader.pass_spaces();
    if !matches!(reader.peek(), Some(b'{' | b'[')) {
        return None;
    }
    let node = reader.value(LEVELS)?;
    reader.pass_spaces();
    reader.peek().is_none().then_some(node)
}

/// A parser state.
struct JsonTree<'t> {
    text: &'t str,
    file: FileId,
    base: usize,
    at: usize,
}

impl<'t> JsonTree<'t> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Skips this byte if it is next.
    fn pass(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    /// Skips spaces. YAML interprets other white space differently.
    fn pass_spaces(&mut self) {
        while self.peek() == Some(b' ') {
            self.at += 1;
        }
    }

    /// Skips and returns all following bytes of a kind.
    fn pass_all(&mut self, is_kind: impl Fn(u8) -> bool) -> &'t str {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let end = rest
            .bytes()
            .position(|byte| !is_kind(byte))
            .unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or_default()
    }

    fn span_from(&self, start: usize) -> Span {
        Span::new(self.file, self.base + start, self.base + self.at)
    }

    fn value(&mut self, depth: usize) -> Option<Node> {
        let start = self.at;
        let content = match self.peek()? {
            b'{' => Content::Map(self.map(depth.checked_sub(1)?)?),
            b'[' => Content::List(self.list(depth.checked_sub(1)?)?),
            b'"' => Content::Scalar(Scalar {
                text: self.quoted()?,
                plain: false,
            }),
            _ => Content::Scalar(Scalar::json_word(self.plain()?)),
        };
        Some(Node {
            span: self.span_from(start),
            content,
        })
    }

    fn map(&mut self, depth: usize) -> Option<Map> {
        self.at += 1;
        let mut map = Map::default();
        let mut seen = FxHashSet::default();
        self.pass_spaces();
        if self.pass(b'}').is_some() {
            return Some(map);
        }
        loop {
            self.pass_spaces();
            let start = self.at;
            let text = self.quoted().filter(|text| text.len() <= MAX_KEY)?;
            let key = Key {
                text,
                span: self.span_from(start),
            };
            self.pass(b':')?;
            self.pass_spaces();
            let value = self.value(depth)?;
            if is_duplicate(&key.text, &map, &mut seen) {
                return None;
            }
            map.entries.push((key, value));
            self.pass_spaces();
            if self.pass(b',').is_none() {
                self.pass(b'}')?;
                return Some(map);
            }
        }
    }

    fn list(&mut self, depth: usize) -> Option<Vec<Node>> {
        self.at += 1;
        let mut items = Vec::new();
        self.pass_spaces();
        if self.pass(b']').is_some() {
            return Some(items);
        }
        loop {
            self.pass_spaces();
            items.push(self.value(depth)?);
            self.pass_spaces();
            if self.pass(b',').is_none() {
                self.pass(b']')?;
                return Some(items);
            }
        }
    }

    /// A string in quotation marks.
    fn quoted(&mut self) -> Option<Box<str>> {
        self.pass(b'"')?;
        let plain = self.pass_all(is_unescaped);
        if self.pass(b'"').is_some() {
            return is_plain_in_yaml(plain).then(|| plain.into());
        }
        let mut text = plain.to_owned();
        while self.pass(b'"').is_none() {
            self.pass(b'\\')?;
            text.push(self.escaped()?);
            text.push_str(self.pass_all(is_unescaped));
        }
        is_plain_in_yaml(&text).then(|| text.into())
    }

    /// The character of an escape sequence. The other parsers handle surrogates.
    fn escaped(&mut self) -> Option<char> {
        let kind = self.peek()?;
        self.at += 1;
        Some(match kind {
            b'"' | b'\\' | b'/' => char::from(kind),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let digits = self.text.get(self.at..self.at + 4)?;
                self.at += 4;
                let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
                u32::from_str_radix(digits, 16)
                    .ok()
                    .filter(|_| is_hex)
                    .and_then(char::from_u32)?
            }
            _ => return None,
        })
    }

    /// A value without quotation marks.
    fn plain(&mut self) -> Option<&'t str> {
        let word = self
            .pass_all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.'));
        let is_json =
            matches!(word, "null" | "true" | "false") || is_whole(word) || is_number(word);
        is_json.then_some(word)
    }
}

/// Whether a string can contain the byte without an escape. Control characters need one.
fn is_unescaped(byte: u8) -> bool {
    byte >= b' ' && byte != b'"' && byte != b'\\' && byte != 0x7f
}

/// Whether a string contains no character that YAML treats as a control character or a line break.
fn is_plain_in_yaml(text: &str) -> bool {
    text.is_ascii()
        || !text.chars().any(|c| {
            matches!(
                c,
                '\u{80}'
                    ..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
            )
        })
}

/// Whether a word is an integer in decimal notation.
fn is_whole(word: &str) -> bool {
    let digits = word.strip_prefix('-').unwrap_or(word).as_bytes();
    matches!(digits, [b'0'] | [b'1'..=b'9', ..]) && digits.iter().all(u8::is_ascii_digit)
}

fn is_number(word: &str) -> bool {
    serde_json::Number::from_str(word).is_ok()
}

/// Whether a map already contains a key.
fn is_duplicate(key: &str, map: &Map, seen: &mut FxHashSet<Box<str>>) -> bool {
    if map.entries.len() < SMALL_MAP {
        return map.entry(key).is_some();
    }
    if seen.is_empty() {
        seen.extend(map.entries.iter().map(|(key, _)| key.text.clone()));
    }
    !seen.insert(key.into())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::diagnostic::{Diagnostics, SourceMap};
    use crate::document::parse_yaml;

    /// The result of this parser, and the result of the YAML parser if it reports no finding.
    fn both(text: &str) -> (Option<String>, Option<String>) {
        let file = SourceMap::default().add("x", text);
        let mut found = Diagnostics::default();
        let slow = parse_yaml(file, text, 3, &mut found).filter(|_| found.is_empty());
        let shown = |node: Node| format!("{node:?}");
        (
            json_tree(file, text, 3).map(shown),
            slow.map(Node::with_json_numbers).map(shown),
        )
    }

    #[test]
    fn a_character_has_the_yaml_value_or_is_left_to_yaml() {
        for c in ('\0'..='\u{ffff}').chain(['\u{1f600}', '\u{10ffff}']) {
            for text in [
                format!("[\"a{c}b\"]"),
                format!("[\"\\u{:04x}\"]", u32::from(c)),
            ] {
                let (quick, slow) = both(&text);
                assert!(
                    quick.is_none() || quick == slow,
                    "{text:?}\n{quick:?}\n{slow:?}"
                );
            }
        }
        for text in [
            "[\"да — «нет»\"]",
            "[\"\\u0434\\n\\\"\\/\"]",
            "{\"a\":[{},[],1.50,-1e5,null,true]}",
        ] {
            let (quick, slow) = both(text);
            assert!(
                quick.is_some() && quick == slow,
                "{text:?}\n{quick:?}\n{slow:?}"
            );
        }
    }

    #[test]
    fn doubtful_text_is_left_to_yaml() {
        let deep = "[".repeat(129) + &"]".repeat(129);
        let many: Vec<String> = (0..40)
            .map(|number| format!("\"{}\":1", number % 39))
            .collect();
        let many = format!("{{{}}}", many.join(","));
        let doubtful = [
            "",
            "1",
            "\"a\"",
            "{",
            "{}{}",
            "{\"a\":1,\"a\":2}",
            "{\"a\"1}",
            "{a:1}",
            "[1,]",
            "{\"a\":1,}",
            "[01]",
            "[1.]",
            "[+1]",
            "[.5]",
            "[-]",
            "[True]",
            "[nul]",
            "[\"\\x\"]",
            "[\"\\u12\"]",
            "[\"\\u+123\"]",
            "[\"\\ud83d\\ude00\"]",
            "[\"a",
            "[\"\\",
            "[\t1]",
            "{\"a\" :1}",
            "['a']",
            "{\"a\":1}#",
            "[1 2]",
            &deep,
            &many,
        ];
        for text in doubtful {
            assert_eq!(both(text).0, None, "{text:?}");
        }
    }

    fn json() -> impl Strategy<Value = String> {
        let word = prop_oneof![
            Just("null"),
            Just("true"),
            Just("0"),
            Just("-1"),
            Just("1.50"),
            Just("1E+2"),
            Just("-0"),
            Just("1e999"),
            Just("123456789012345678901234567890"),
            Just("\"\""),
            Just("\"null\""),
            Just("\"a: #b, [c]\""),
            Just("\"\\u0451\\t\""),
            Just("\" имя \""),
            Just("{}"),
            Just("[ ]"),
            Just("1 "),
            Just(" 2"),
            Just("\"- ?\""),
        ];
        word.prop_map(str::to_owned)
            .prop_recursive(5, 60, 20, |inner| {
                let key = prop_oneof![
                    "[a-d]{1,2}",
                    "[а-я <&*!%@`'.:-]{0,4}",
                    Just("<<".to_owned())
                ];
                let space = prop_oneof![Just(","), Just(", "), Just(" , ")];
                prop_oneof![
                    prop::collection::vec(inner.clone(), 0..5)
                        .prop_map(|items| format!("[{}]", items.join(","))),
                    (prop::collection::vec((key, inner), 0..20), space).prop_map(
                        |(pairs, space)| {
                            let pairs: Vec<String> = pairs
                                .iter()
                                .map(|(key, value)| format!("\"{key}\":{value}"))
                                .collect();
                            format!("{{{}}}", pairs.join(space))
                        }
                    ),
                ]
            })
    }

    proptest! {
        #[test]
        fn the_tree_equals_that_of_the_yaml_parser(text in json()) {
            let (quick, slow) = both(&text);
            prop_assert!(quick.is_none() || quick == slow, "{}\n{:?}\n{:?}", text, quick, slow);
        }

        #[test]
        fn broken_text_is_never_parsed_differently_from_yaml(text in json(), at in 0..200_usize, put in "[\\]{},:\" \\\\0-9a.-]{0,2}") {
            let at = text.floor_char_boundary(at.min(text.len()));
            let text = format!("{}{put}{}", &text[..at], &text[at..]);
            let (quick, slow) = both(&text);
            prop_assert!(quick.is_none() || quick == slow, "{}\n{:?}\n{:?}", text, quick, slow);
        }
    }
}
