//! Where something stands in a line of a trace.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::borrowed_json::BorrowedJson;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span, nearest};
use fsmsim_syntax::document::{Node, wrong_type};
use fsmsim_syntax::threads::Mutex;

/// Keys of the first line that a message names.
const NAMED: usize = 12;

/// Where something stands: keys of maps and places in lists, from the outside in.
#[derive(Debug)]
pub(super) struct Path {
    /// As it is written, without the mark behind it.
    pub(super) text: Box<str>,
    pub(super) steps: Box<[Box<str>]>,
    /// It need not be there in any line.
    optional: bool,
    span: Span,
    /// The first line in which it was there. Threads come to lines in any order.
    met: AtomicUsize,
    /// Where it was looked for first and not found.
    missed: Mutex<Option<PathMiss>>,
}

/// No line.
const NEVER: usize = usize::MAX;

/// A line without a path: the step that failed, and the keys that are there instead.
#[derive(Debug)]
struct PathMiss {
    line: usize,
    step: Box<str>,
    keys: Vec<String>,
}

impl Path {
    /// Reads a path: `a.b.0`, or `[a, "b.c"]` where a key has a dot in it. A `?` behind it says that it may be missing, and
    /// a place in a list with a `-` counts from its end.
    pub(super) fn read(node: &Node, found: &mut Diagnostics) -> Option<Self> {
        let mut steps: Vec<Box<str>> = Vec::new();
        if let Some(items) = node.list() {
            for item in items {
                steps.push(
                    fsmsim_syntax::document::text_of(item, "a step of a path", found)?.into(),
                );
            }
        } else if let Some(text) = node.text() {
            return Self::of_text(text, node.span, found);
        } else {
            wrong_type(node, "a path is a text", found);
            return None;
        }
        Self::new(steps, node.span, found)
    }

    /// The path that a text says.
    pub(super) fn of_text(text: &str, span: Span, found: &mut Diagnostics) -> Option<Self> {
        Self::new(text.split('.').map(Into::into).collect(), span, found)
    }

    /// The same path, which need not be there in any line.
    pub(super) fn made_optional(self) -> Self {
        Self {
            optional: true,
            ..self
        }
    }

    fn new(mut steps: Vec<Box<str>>, span: Span, found: &mut Diagnostics) -> Option<Self> {
        let last = steps.last_mut();
        let optional = last.as_ref().is_some_and(|last| last.ends_with('?'));
        if let Some(last) = last.filter(|_| optional) {
            *last = last.trim_end_matches('?').into();
        }
        if steps.is_empty() || steps.iter().any(|step| step.is_empty()) {
            found.push(
                Diagnostic::error(Code::BadTraceMap, "a path has an empty step")
                    .at(span, "here")
                    .help("write keys with dots between them: `out.state`"),
            );
            return None;
        }
        let text = steps.join(".").into();
        let (met, missed) = (AtomicUsize::new(NEVER), Mutex::new(None));
        Some(Self {
            text,
            steps: steps.into(),
            optional,
            span,
            met,
            missed,
        })
    }

    /// What stands there in a piece of a line.
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

    /// Remembers what is there instead in the first line that lacks it.
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

    /// Reports a path that was looked for and that no line up to this one had.
    pub(super) fn check(&self, last: usize, found: &mut Diagnostics) {
        if self.optional || self.met.load(Ordering::Relaxed) <= last {
            return;
        }
        let missed = self.missed.lock();
        let Some(miss) = missed.as_ref().filter(|miss| miss.line <= last) else {
            return;
        };
        let keys = miss.keys.iter().map(String::as_str);
        let shown: Vec<&str> = keys.clone().take(NAMED).collect();
        let more = if miss.keys.len() > NAMED { ", …" } else { "" };
        let there = if shown.is_empty() {
            "there are no keys in the first line".to_owned()
        } else {
            format!("the first line has there: {}{more}", shown.join(", "))
        };
        found.push(
            Diagnostic::error(
                Code::UnmetPath,
                format!("no line of the trace has `{}`", self.text),
            )
            .at(self.span, format!("there is no `{}`", miss.step))
            .note("where a path may be missing in all lines, write `?` behind it")
            .suggest(nearest(&miss.step, keys), there),
        );
    }
}

/// Whether a step may be a place in a list.
pub(super) fn is_place(step: &str) -> bool {
    step.strip_prefix('-')
        .unwrap_or(step)
        .parse::<usize>()
        .is_ok()
}

/// The place that a step names in a list of this length; from its end, where it has a `-`.
fn place_in(step: &str, length: usize) -> Option<usize> {
    match step.strip_prefix('-') {
        Some(from_end) => length.checked_sub(from_end.parse().ok().filter(|place| *place > 0)?),
        None => step.parse().ok(),
    }
}
