//! Parses filter expressions.

use super::filter_expression::FilterExpression;
use super::predicate::{PREDICATES, Predicate};
use crate::limits::MAX_FILTER_DEPTH;
use fsmsim_syntax::diagnostic::{
    Checked, Code, Diagnostic, Diagnostics, FileId, SourceMap, Span, nearest,
};

/// The help text for syntax errors.
const LIKE: &str =
    "write for example `tag(smoke) & !model(bant*)`: `!` means not, `&` means and, `|` means or";

/// A parser for filter expressions.
struct FilterParser<'t> {
    file: FileId,
    text: &'t str,
    /// The byte at which the remaining text starts.
    at: usize,
    depth: usize,
}

type Parsed = Checked<FilterExpression>;

impl<'t> FilterParser<'t> {
    fn new(file: FileId, text: &'t str) -> Self {
        Self {
            file,
            text,
            at: 0,
            depth: 0,
        }
    }

    /// Parses the whole text. Returns `None`, with a finding, if the text is invalid.
    fn parse(mut self, found: &mut Diagnostics) -> Option<FilterExpression> {
        let parsed = self.any().and_then(|parsed| match self.peek() {
            None => Ok(parsed),
            Some(')') => self.refuse("unexpected `)`", "no matching `(`"),
            Some(_) => self.refuse("missing `&` or `|` between two parts", "second part"),
        });
        found.take(parsed)
    }

    fn any(&mut self) -> Parsed {
        self.joined('|', Self::all, FilterExpression::Any)
    }

    fn all(&mut self) -> Parsed {
        self.joined('&', Self::one, FilterExpression::All)
    }

    /// Parses parts that are separated by an operator.
    fn joined(
        &mut self,
        sign: char,
        part: fn(&mut Self) -> Parsed,
        join: fn(Vec<FilterExpression>) -> FilterExpression,
    ) -> Parsed {
        let first = part(self)?;
        let mut parts = vec![first];
        while self.take(sign) {
            // `&&` and `||` are accepted, as in most languages.
            if self.rest().starts_with(sign) {
                self.at += 1;
            }
            parts.push(part(self)?);
        }
        Ok(if parts.len() == 1 {
            parts.remove(0)
        } else {
            join(parts)
        })
    }

    fn one(&mut self) -> Parsed {
        if self.depth > MAX_FILTER_DEPTH {
            return self.refuse("the parentheses are nested too deeply", "too deep");
        }
        self.depth += 1;
        let one = if self.take('!') {
            self.one()
                .map(|inner| FilterExpression::Not(Box::new(inner)))
        } else if self.take('(') {
            let inner = self.any()?;
            if self.take(')') {
                Ok(inner)
            } else {
                self.refuse("unclosed `(`", "missing `)`")
            }
        } else {
            self.predicate()
        };
        self.depth -= 1;
        one
    }

    fn predicate(&mut self) -> Parsed {
        self.peek();
        let start = self.at;
        let length = self
            .rest()
            .find(|c: char| !c.is_alphanumeric() && c != '_' && c != '-')
            .unwrap_or(self.rest().len());
        let name = self.rest().get(..length).unwrap_or_default();
        if name.is_empty() {
            return self.refuse("missing filter function", "expected a function");
        }
        self.at += length;
        let span = Span::new(self.file, start, self.at);
        if !self.take('(') {
            let near = nearest(name, PREDICATES).filter(|near| *near != name);
            return Diagnostic::error(Code::BadFilter, format!("missing `(` after `{name}`"))
                .at(span, "no parentheses")
                .suggest(near, LIKE)
                .fail();
        }
        let begin = self.at;
        let argument = self.argument()?;
        let inner = Span::new(self.file, begin, self.at.saturating_sub(1));
        match Predicate::read(name, &argument) {
            Ok(Some(predicate)) => Ok(FilterExpression::Ask(predicate)),
            Ok(None) => Diagnostic::error(Code::BadFilter, format!("unknown filter function `{name}`"))
                .at(span, "unknown function")
                .offer(name, "use one of", PREDICATES)
                .fail(),
            Err(why) => Diagnostic::error(Code::BadFilter, why)
                .at(inner, "")
                .help(match name {
                    "asks" => LIKE,
                    "changed" => "add a revision, for example `changed(main)`",
                    _ => "write a glob for the complete value (`*` is any text), `=exact`, `~contained` or `/regular expression/`",
                })
                .fail(),
        }
    }

    /// Parses an argument. Its parentheses must be balanced, or escaped as `\)` and `\(`; `\\` is a backslash. A
    /// regular expression is taken literally.
    fn argument(&mut self) -> Checked<String> {
        let begin = self.at;
        let is_expression = self.rest().trim_start().starts_with('/');
        let mut argument = String::new();
        let mut open = 0_usize;
        let mut slashes = 0;
        let mut symbols = self.rest().char_indices();
        while let Some((offset, symbol)) = symbols.next() {
            let is_inside = is_expression && slashes < 2;
            match symbol {
                '\\' => {
                    let next = symbols.next().map(|(_, next)| next);
                    let is_ours = matches!(next, Some('(' | ')' | '\\')) && !is_expression
                        || next == Some('/') && is_inside;
                    if !is_ours {
                        argument.push('\\');
                    }
                    argument.extend(next);
                    continue;
                }
                '/' => slashes += 1,
                _ if is_inside => {}
                '(' => open += 1,
                ')' if open == 0 => {
                    self.at = begin + offset + 1;
                    return Ok(argument);
                }
                ')' => open -= 1,
                _ => {}
            }
            argument.push(symbol);
        }
        self.at = self.text.len();
        self.refuse("unclosed `(`", "missing `)`")
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// The next character that is not white space.
    fn peek(&mut self) -> Option<char> {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
        self.rest().chars().next()
    }

    fn take(&mut self, sign: char) -> bool {
        let is_it = self.peek() == Some(sign);
        if is_it {
            self.at += sign.len_utf8();
        }
        is_it
    }

    /// An error at the current position in the text.
    fn refuse<T>(&self, title: &str, label: &str) -> Checked<T> {
        let end = self.at + self.rest().chars().next().map_or(0, char::len_utf8);
        Diagnostic::error(Code::BadFilter, format!("invalid filter: {title}"))
            .at(Span::new(self.file, self.at, end), label)
            .help(LIKE)
            .fail()
    }
}

impl FilterExpression {
    /// Parses an expression. Returns `None`, with a finding, if the expression is invalid.
    pub fn parse(text: &str, sources: &mut SourceMap, found: &mut Diagnostics) -> Option<Self> {
        let file = sources.add("-E", text);
        FilterParser::new(file, text).parse(found)
    }
}
