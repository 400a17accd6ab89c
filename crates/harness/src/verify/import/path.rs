//! The path of a value in a trace line.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::borrowed_json::BorrowedJson;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span, nearest};
use fsmsim_syntax::document::{LEVELS, Node, wrong_type};
use fsmsim_syntax::threads::Mutex;

/// The maximum number of keys that a message lists.
const MAX_LISTED_KEYS: usize = 12;

/// The path of a value: map keys and list positions, from the outside in.
#[derive(Debug)]
pub(super) struct Path {
    /// The path as written, without the suffix `?`.
    pub text: Box<str>,
    pub steps: Box<[Box<str>]>,
    /// Whether the value may be missing in all lines.
    optional: bool,
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
    step: Box<str>,
    keys: Vec<String>,
}

impl Path {
    /// Parses a path: `a.b.0`, or `[a, "b.c"]` for a key that contains a dot. With the suffix `?`, the value may be
    /// missing. A negative position counts from the end of the list.
    pub(super) fn read(node: &Node, found: &mut Diagnostics) -> Option<Self> {
        let mut steps: Vec<Box<str>> = Vec::new();
        if let Some(items) = node.list() {
            for item in items {
                steps.push(
                    fsmsim_syntax::document::text_of(item, "a step of a path", found)?.into(),
                );
            }
        } else if let Some(text) = node.text() {
            return Self::parse(text, node.span, found);
        } else {
            wrong_type(node, "a path is a string", found);
            return None;
        }
        Self::new(steps, node.span, found)
    }

    /// Parses a path from a string.
    pub(super) fn parse(text: &str, span: Span, found: &mut Diagnostics) -> Option<Self> {
        Self::new(text.split('.').map(Into::into).collect(), span, found)
    }

    /// The same path, except that its value may be missing in all lines.
    pub(super) fn made_optional(self) -> Self {
        Self {
            optional: true,
            ..self
        }
    }

    /// The path with these steps. With the suffix `?`, the value may be missing.
    pub(super) fn new(
        mut steps: Vec<Box<str>>,
        span: Span,
        found: &mut Diagnostics,
    ) -> Option<Self> {
        let last = steps.last_mut();
        let optional = last.as_ref().is_some_and(|last| last.ends_with('?'));
        if let Some(last) = last.filter(|_| optional) {
            *last = last.trim_end_matches('?').into();
        }
        if steps.is_empty() || steps.iter().any(|step| step.is_empty()) {
            found.push(
                Diagnostic::error(Code::BadTraceMap, "empty step in a path")
                    .at(span, "path")
                    .help("write keys separated by dots: `out.state`"),
            );
            return None;
        }
        // The readers of traces accept no deeper values. Long paths could overflow the stack.
        if steps.len() > LEVELS {
            return Diagnostic::error(
                Code::BadTraceMap,
                format!("path has too many keys: limit {LEVELS}"),
            )
            .at(span, "path")
            .help("remove keys: a line has fewer levels")
            .refuse(found);
        }
        Some(Self {
            text: steps.join(".").into(),
            steps: steps.into(),
            optional,
            span,
            met: AtomicUsize::new(NEVER),
            missed: Mutex::new(None),
        })
    }

    /// The value at this path in a part of a line.
    pub(super) fn find<'j, 'a>(
        &self,
        from: &'j BorrowedJson<'a>,
        line: usize,
    ) -> Option<&'j BorrowedJson<'a>> {
        let mut at = from;
        for step in &self.steps {
            let next = match at {
                BorrowedJson::List(items) => {
                    place_in(step, items.len()).and_then(|place| items.get(place))
                }
                at => at.get(step),
            };
            let Some(next) = next else {
                self.miss(step, at, line);
                return None;
            };
            at = next;
        }
        if self.met.load(Ordering::Relaxed) > line {
            self.met.fetch_min(line, Ordering::Relaxed);
        }
        Some(at)
    }

    /// Records which keys exist in the first line that does not contain the value.
    fn miss(&self, step: &str, at: &BorrowedJson<'_>, line: usize) {
        if self.optional || self.met.load(Ordering::Relaxed) <= line {
            return;
        }
        let mut missed = self.missed.lock();
        if missed.as_ref().is_none_or(|first| first.line > line) {
            let keys = at.entries().iter().map(|(key, _)| key.to_string());
            *missed = Some(PathMiss {
                line,
                step: step.into(),
                keys: keys.collect(),
            });
        }
    }

    /// Reports the path if its value was needed but no line up to this one contained it.
    pub(super) fn check(&self, last: usize, found: &mut Diagnostics) {
        if self.optional || self.met.load(Ordering::Relaxed) <= last {
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
                format!("no line of the trace has `{}`", self.text),
            )
            .at(self.span, format!("unknown key `{}`", miss.step))
            .note("a path that ends with `?` can be missing in all lines")
            .suggest(nearest(&miss.step, keys), there),
        );
    }
}

/// Whether a step can be a list position.
pub(super) fn is_place(step: &str) -> bool {
    step.strip_prefix('-')
        .unwrap_or(step)
        .parse::<usize>()
        .is_ok()
}

/// The list position that a step stands for in a list of this length. A negative step counts from the end.
fn place_in(step: &str, length: usize) -> Option<usize> {
    match step.strip_prefix('-') {
        Some(from_end) => length.checked_sub(from_end.parse().ok().filter(|place| *place > 0)?),
        None => step.parse().ok(),
    }
}
