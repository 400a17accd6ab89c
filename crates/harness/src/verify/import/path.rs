//! The location of a value in a trace line.

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::borrowed_json::BorrowedJson;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span, nearest};
use fsmsim_syntax::document::{Location, LocationMiss, Node};
use fsmsim_syntax::threads::Mutex;

/// The maximum number of keys that a message lists.
const MAX_LISTED_KEYS: usize = 12;

/// The location of a value in a line, and the lines in which it was found.
#[derive(Debug)]
pub(super) struct Path {
    pub location: Location,
    span: Span,
    /// The first line that contains the value. Threads process lines in any order.
    met: AtomicUsize,
    /// The first line that does not contain the value.
    missed: Mutex<Option<PathMiss>>,
}

/// The value of `met` if no line contains the value.
const NEVER: usize = usize::MAX;

/// A line that does not contain the value: the step that failed, and the keys that exist instead.
#[derive(Debug)]
struct PathMiss {
    line: usize,
    step: String,
    keys: Vec<String>,
}

impl Path {
    /// Parses a location. With a final `?`, the value may be missing in all lines.
    pub(super) fn read(node: &Node, found: &mut Diagnostics) -> Option<Self> {
        let location = Location::read(node, Code::BadTraceMap, found)?;
        Some(Self::new(location, node.span))
    }

    /// Parses a location from a string. The value may be missing in all lines.
    pub(super) fn parse_optional(text: &str, span: Span, found: &mut Diagnostics) -> Option<Self> {
        let location = Location::parse(text, span, Code::BadTraceMap, found)?;
        Some(Self::new(location, span).made_optional())
    }

    pub(super) fn new(location: Location, span: Span) -> Self {
        Self {
            location,
            span,
            met: AtomicUsize::new(NEVER),
            missed: Mutex::new(None),
        }
    }

    /// The same path, except that its value may be missing in all lines.
    pub(super) fn made_optional(mut self) -> Self {
        self.location.is_optional = true;
        self
    }

    /// The same path; if `is_list`, a filter selects all matches.
    pub(super) fn shaped(mut self, is_list: bool) -> Self {
        if is_list {
            self.location = self.location.as_list();
        }
        self
    }

    /// The location as written, without the final `?`.
    pub(super) fn text(&self) -> &str {
        &self.location.text
    }

    /// The value at this path in a part of a line.
    pub(super) fn find<'j, 'a>(
        &self,
        from: &'j BorrowedJson<'a>,
        line: usize,
    ) -> Option<Cow<'j, BorrowedJson<'a>>> {
        match self.location.find(from) {
            Ok(value) => {
                if self.met.load(Ordering::Relaxed) > line {
                    self.met.fetch_min(line, Ordering::Relaxed);
                }
                Some(value)
            }
            Err(miss) => {
                self.miss(&miss, line);
                None
            }
        }
    }

    /// Records which keys exist in the first line that does not contain the value.
    fn miss(&self, miss: &LocationMiss<'_, '_, BorrowedJson<'_>>, line: usize) {
        if self.location.is_optional || self.met.load(Ordering::Relaxed) <= line {
            return;
        }
        let mut missed = self.missed.lock();
        if missed.as_ref().is_none_or(|first| first.line > line) {
            *missed = Some(PathMiss {
                line,
                step: miss.step.name(),
                keys: miss.keys(),
            });
        }
    }

    /// Reports the path if its value was needed but no line up to this one contained it.
    pub(super) fn check(&self, last: usize, found: &mut Diagnostics) {
        if self.location.is_optional || self.met.load(Ordering::Relaxed) <= last {
            return;
        }
        let missed = self.missed.lock();
        let Some(miss) = missed.as_ref().filter(|miss| miss.line <= last) else {
            return;
        };
        let keys = miss.keys.iter().map(String::as_str);
        let shown: Vec<&str> = keys.clone().take(MAX_LISTED_KEYS).collect();
        let more = if miss.keys.len() > MAX_LISTED_KEYS {
            ", …"
        } else {
            ""
        };
        let there = if shown.is_empty() {
            "check the path: the first line has no keys there".to_owned()
        } else {
            format!("use a key of the first line: {}{more}", shown.join(", "))
        };
        found.push(
            Diagnostic::error(
                Code::UnmatchedPath,
                format!("no line of the trace has `{}`", self.text()),
            )
            .at(self.span, format!("unknown key `{}`", miss.step))
            .note("a path that ends with `?` can be missing in all lines")
            .suggest(nearest(&miss.step, keys), there),
        );
    }
}
