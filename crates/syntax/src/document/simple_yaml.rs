//! Parses the usual form of YAML. It is several times as fast as the complete parser, and gives the same trees.
//!
//! All else is left to the complete parser: every mistake, empty values, anchors, tags, escapes, and texts of several
//! lines.

use rustc_hash::FxHashSet;

use super::node::{Content, Key, Map, Node, Scalar};
use crate::diagnostic::{FileId, Span};

/// Maximum depth of collections. Reading them uses the stack.
const DEPTH: usize = 32;
/// Maximum length of a key. YAML limits keys to 1024 characters.
const KEY: usize = 256;
/// Larger maps use a hash set to find duplicate keys.
const SMALL: usize = 16;

/// A text with its offset in a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct YamlText<'t> {
    pub file: FileId,
    pub text: &'t str,
    /// The offset of the text in the file, in bytes.
    pub base: usize,
}

/// A reader of a document. Its methods return `None` if the document does not have the usual form.
pub(super) struct SimpleYaml<'t> {
    of: YamlText<'t>,
    at: usize,
    /// The offset of the current line.
    line: usize,
    /// The maximum number of items of the list under this key of the root map.
    most: (&'static str, usize),
    depth: usize,
}

impl<'t> SimpleYaml<'t> {
    /// Reads a document. Returns `None` also if the list under `key` of its root map has more than `most` items.
    pub(super) fn read(of: YamlText<'t>, most: (&'static str, usize)) -> Option<Node> {
        let mut reader = Self {
            of,
            at: 0,
            line: 0,
            most,
            depth: 0,
        };
        if !is_usual(of.text) {
            return None;
        }
        let indent = reader.next_line();
        let node = if reader.is_at(b'{') || reader.is_at(b'[') {
            let node = reader.flow(0)?;
            reader.end_line()?;
            node
        } else {
            reader.block(indent)?
        };
        let is_long = |list: &[Node]| list.len() > most.1;
        let is_long = node.get(most.0).and_then(Node::list).is_some_and(is_long);
        (reader.is_end() && !is_long).then_some(node)
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.of.text.as_bytes().get(at).copied()
    }

    fn is_at(&self, byte: u8) -> bool {
        self.byte(self.at) == Some(byte)
    }

    fn is_end(&self) -> bool {
        self.at >= self.of.text.len()
    }

    /// Whether a space, a line break or the end follows.
    fn is_gap(&self, at: usize) -> bool {
        matches!(self.byte(at), None | Some(b' ' | b'\n'))
    }

    fn column(&self) -> usize {
        self.at - self.line
    }

    fn span(&self, start: usize, end: usize) -> Span {
        let YamlText { file, base, .. } = self.of;
        Span::new(file, base + start, base + end)
    }

    fn skip_spaces(&mut self) {
        while self.is_at(b' ') {
            self.at += 1;
        }
    }

    fn skip_line(&mut self) {
        let rest = self.of.text.as_bytes().get(self.at..).unwrap_or_default();
        let length = rest.iter().position(|byte| *byte == b'\n');
        self.at += length.map_or(rest.len(), |length| length + 1);
        self.line = self.at;
    }

    /// Goes to the next line with content, from the start of a line. Returns its indentation; 0 at the end.
    fn next_line(&mut self) -> usize {
        loop {
            self.skip_spaces();
            match self.byte(self.at) {
                None => {
                    self.line = self.at;
                    return 0;
                }
                Some(b'\n' | b'#') => self.skip_line(),
                Some(_) => return self.column(),
            }
        }
    }

    /// Ends a line after a value, and goes to the next line with content.
    fn end_line(&mut self) -> Option<usize> {
        let end = self.at;
        self.skip_spaces();
        match self.byte(self.at) {
            None => {}
            Some(b'\n') => self.skip_line(),
            Some(b'#') if self.at > end => self.skip_line(),
            Some(_) => return None,
        }
        Some(self.next_line())
    }

    fn is_item(&self) -> bool {
        self.is_at(b'-') && self.is_gap(self.at + 1)
    }

    /// Reads a map or list that starts here, in this column.
    fn block(&mut self, indent: usize) -> Option<Node> {
        if self.is_end() {
            None
        } else if self.is_item() {
            self.block_list(indent, usize::MAX)
        } else {
            self.block_map(indent)
        }
    }

    /// Counts a collection that starts.
    fn open(&mut self) -> Option<()> {
        self.depth += 1;
        (self.depth <= DEPTH).then_some(())
    }

    fn block_list(&mut self, indent: usize, most: usize) -> Option<Node> {
        self.open()?;
        let mut items = Vec::new();
        loop {
            if items.len() >= most {
                return None;
            }
            self.at += 1;
            self.skip_spaces();
            let column = self.column();
            if self.is_item() || self.is_at(b'\n') || self.is_at(b'#') || self.is_end() {
                return None;
            }
            let start = self.at;
            let is_map = !self.is_at(b'{') && !self.is_at(b'[') && self.key(false).is_some();
            self.at = start;
            let next = if is_map {
                items.push(self.block(column)?);
                self.column()
            } else {
                items.push(self.value(indent + 1)?);
                self.end_line()?
            };
            if self.is_end() || next < indent || next == indent && !self.is_item() {
                break;
            }
            if next > indent {
                return None;
            }
        }
        self.depth -= 1;
        let span = items.first()?.span.to(items.last()?.span);
        let content = Content::List(items);
        Some(Node { span, content })
    }

    fn block_map(&mut self, indent: usize) -> Option<Node> {
        self.open()?;
        let mut map = Map::default();
        let mut seen = FxHashSet::default();
        let is_root = self.depth == 1;
        loop {
            let key = self.key(false)?;
            self.check_key(&key, &map, &mut seen)?;
            let end = self.at;
            self.skip_spaces();
            let (value, next) = if self.is_end() || self.is_at(b'\n') || self.is_at(b'#') {
                self.at = end;
                let next = self.end_line()?;
                let most = Some(self.most.1).filter(|_| is_root && *key.text == *self.most.0);
                let value = if self.is_end() || next < indent {
                    return None;
                } else if self.is_item() {
                    self.block_list(next, most.unwrap_or(usize::MAX))?
                } else if next > indent {
                    self.block(next)?
                } else {
                    return None;
                };
                (value, self.column())
            } else {
                (self.value(indent + 1)?, self.end_line()?)
            };
            map.entries.push((key, value));
            if self.is_end() || next < indent {
                break;
            }
            if next > indent || self.is_item() {
                return None;
            }
        }
        self.depth -= 1;
        let (key, _) = map.entries.first()?;
        let span = key.span.to(map.entries.last()?.1.span);
        Some(map.at(span))
    }

    /// Rejects a key that occurs twice or merges maps.
    fn check_key(&self, key: &Key, map: &Map, seen: &mut FxHashSet<&'t str>) -> Option<()> {
        if map.entries.len() < SMALL {
            return (&*key.text != "<<" && map.get(&key.text).is_none()).then_some(());
        }
        let text = self.of.text;
        let base = self.of.base;
        // Quotation marks are a part of the text in the file, and a key can be written with and without them.
        let written = |key: &Key| {
            let range = key.span.start as usize - base..key.span.end as usize - base;
            Some(text.get(range)?.trim_matches(['"', '\'']))
        };
        if seen.is_empty() {
            for (key, _) in &map.entries {
                seen.insert(written(key)?);
            }
        }
        (&*key.text != "<<" && seen.insert(written(key)?)).then_some(())
    }

    /// Reads a key with its colon.
    fn key(&mut self, is_flow: bool) -> Option<Key> {
        let (span, text) = self.scalar(is_flow)?;
        let is_key = self.is_at(b':') && self.is_gap(self.at + 1) && text.len() <= KEY;
        self.at += 1;
        is_key.then(|| Key {
            text: text.into(),
            span,
        })
    }

    /// Reads a value within a line, or in brackets. Its lines have at least this indentation.
    fn value(&mut self, indent: usize) -> Option<Node> {
        if self.is_at(b'{') || self.is_at(b'[') {
            return self.flow(indent);
        }
        self.scalar_node(false)
    }

    fn scalar_node(&mut self, is_flow: bool) -> Option<Node> {
        let plain = !self.is_at(b'"') && !self.is_at(b'\'');
        let (span, text) = self.scalar(is_flow)?;
        let text = text.into();
        let content = Content::Scalar(Scalar { text, plain });
        Some(Node { span, content })
    }

    /// Reads a scalar within a line. A plain scalar ends before a colon that is followed by a space.
    fn scalar(&mut self, is_flow: bool) -> Option<(Span, &'t str)> {
        let start = self.at;
        let text = self.of.text;
        let first = self.byte(start)?;
        let rest = text.as_bytes().get(start + 1..)?;
        if matches!(first, b'"' | b'\'') {
            let stop = |byte: &u8| *byte == first || matches!(*byte, b'\\' | b'\n');
            let end = start + 1 + rest.iter().position(stop)?;
            self.at = end + 1;
            if self.byte(end) != Some(first) || self.is_at(first) {
                return None;
            }
            return Some((self.span(start, end + 1), text.get(start + 1..end)?));
        }
        if rest.starts_with(b"..") && first == b'.' {
            return None;
        }
        let is_signed = first == b'-' && rest.first().is_some_and(u8::is_ascii_alphanumeric);
        if !is_signed && b"-?:,[]{}#&*!|>%@` \n".contains(&first) {
            return None;
        }
        let mut end = start;
        let mut at = start;
        while let Some(byte) = self.byte(at) {
            match byte {
                b'\n' => break,
                b' ' => {
                    at += 1;
                    if self.byte(at) == Some(b'#') {
                        break;
                    }
                    continue;
                }
                b':' if self.is_gap(at + 1) => break,
                b',' | b'[' | b']' | b'{' | b'}' if is_flow => break,
                b':' if is_flow && self.byte(at + 1).is_some_and(|it| b",[]{}".contains(&it)) => {
                    return None;
                }
                _ => {}
            }
            at += 1;
            end = at;
        }
        // A space before a colon is a part of neither the key nor the value.
        self.at = end;
        Some((self.span(start, end), text.get(start..end)?))
    }

    /// Skips spaces and line breaks in brackets. Every line has at least this indentation.
    fn skip_gaps(&mut self, indent: usize) -> Option<()> {
        loop {
            self.skip_spaces();
            match self.byte(self.at) {
                Some(b'\n') => {
                    self.skip_line();
                    self.skip_spaces();
                    if self.column() < indent && !self.is_at(b'\n') {
                        return None;
                    }
                }
                None | Some(b'#') => return None,
                Some(_) => return Some(()),
            }
        }
    }

    /// Reads a value inside of brackets, or a collection in brackets.
    fn flow(&mut self, indent: usize) -> Option<Node> {
        let start = self.at;
        let is_map = self.is_at(b'{');
        if !is_map && !self.is_at(b'[') {
            return self.scalar_node(true);
        }
        self.open()?;
        let close = if is_map { b'}' } else { b']' };
        let mut map = Map::default();
        let mut items = Vec::new();
        let mut seen = FxHashSet::default();
        self.at += 1;
        self.skip_gaps(indent)?;
        if !self.is_at(close) {
            loop {
                if is_map {
                    let key = self.key(true)?;
                    self.check_key(&key, &map, &mut seen)?;
                    self.skip_gaps(indent)?;
                    map.entries.push((key, self.flow(indent)?));
                } else {
                    items.push(self.flow(indent)?);
                }
                self.skip_gaps(indent)?;
                if self.is_at(close) {
                    break;
                }
                if !self.is_at(b',') {
                    return None;
                }
                self.at += 1;
                self.skip_gaps(indent)?;
            }
        }
        self.at += 1;
        self.depth -= 1;
        let span = self.span(start, self.at);
        let content = if is_map {
            Content::Map(map)
        } else {
            Content::List(items)
        };
        Some(Node { span, content })
    }
}

/// Whether a text has only characters without a special meaning for lines and spaces.
fn is_usual(text: &str) -> bool {
    let is_usual = |byte: &u8| *byte >= b' ' && *byte != 0x7f || *byte == b'\n';
    let mut chunks = text.as_bytes().chunks(64);
    chunks.all(|chunk| chunk.iter().fold(true, |all, byte| all & is_usual(byte)))
        && (text.is_ascii() || text.chars().all(is_usual_character))
}

fn is_usual_character(c: char) -> bool {
    !matches!(
        c,
        '\u{80}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
    )
}
