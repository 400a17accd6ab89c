//! Combines the events in a log into turns.

use std::borrow::Cow;

use indexmap::IndexMap;

use super::borrowed_json::BorrowedJson;
use super::path::Path;
use super::skips::Skips;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics};
use fsmsim_syntax::document::{Fields, Location, Node, text_of};
use fsmsim_syntax::shapes;

/// The rules for combining events into turns: the key `events` in a map.
#[derive(Debug)]
pub(super) struct EventFold {
    /// The path of the event list in a line; `None` if each line is an event.
    pub path: Option<Path>,
    /// The path of an event's kind.
    kind: Path,
    /// The kinds of event that start a turn, each as the path of its events in a turn.
    turn: Vec<Path>,
    /// The events that are skipped.
    skip: Skips,
}

/// The events of a turn, by kind.
#[derive(Debug)]
pub(super) struct FoldedTurn<'a> {
    /// The first line of the turn.
    pub line: usize,
    /// Whether lines before the turn could not be read.
    pub after_gap: bool,
    /// A list of events for each kind.
    pub events: BorrowedJson<'a>,
}

/// The state of combining events into turns.
#[derive(Debug)]
pub(super) struct Folding<'f, 'a> {
    fold: &'f EventFold,
    turns: Vec<FoldedTurn<'a>>,
    /// The events of the current turn. Before the first turn, the events so far.
    open: IndexMap<Cow<'a, str>, Vec<BorrowedJson<'a>>>,
    /// The first line of the current turn, and whether unreadable lines precede it. `None` before the first turn.
    begun: Option<(usize, bool)>,
    /// Whether the current events belong to a turn with unreadable lines.
    in_gap: bool,
    /// The events before the first turn.
    before: BorrowedJson<'a>,
}

impl EventFold {
    /// Parses the key `events` in a map.
    pub(super) fn read(node: &Node, found: &mut Diagnostics) -> Option<Self> {
        let mut fields = Fields::of(node, &shapes::EVENT_FOLD, found)?;
        let path = fields.node("path");
        let kind = fields.required("kind");
        let turn = fields.required("turn");
        let skip = fields.entries("skip");
        fields.finish();
        let path = match path {
            Some(path) => Some(Path::read(path, found)?),
            None => None,
        };
        let kinds = turn
            .filter(|node| !node.is_null())
            .map_or(&[][..], Node::items);
        let turn = kinds.iter().filter_map(|node| {
            let kind = text_of(node, "`turn` of `events`", found)?;
            Some(Path::new(Location::of_key(kind), node.span))
        });
        let turn: Vec<Path> = turn.collect();
        let skip = Skips::read(skip, "`skip` of `events`", found);
        if turn.is_empty() && !found.has_errors() {
            found.push(
                Diagnostic::error(
                    Code::BadTraceMap,
                    "missing event kind in `turn` of `events`",
                )
                .at(node.span, "no kind")
                .help("write the kind of event that starts a turn: `turn: user`"),
            );
        }
        Some(Self {
            path,
            kind: Path::read(kind?, found)?,
            turn,
            skip,
        })
    }

    /// Starts combining events.
    pub(super) fn begin<'a>(&self) -> Folding<'_, 'a> {
        Folding {
            fold: self,
            turns: Vec::new(),
            open: IndexMap::new(),
            begun: None,
            in_gap: false,
            before: BorrowedJson::Null,
        }
    }

    /// Records which kinds occur in events that are grouped by kind.
    pub(super) fn note(&self, events: &BorrowedJson<'_>, line: usize) {
        for kind in &self.turn {
            kind.find(events, line);
        }
    }

    /// Reports paths that were in no line up to this one, and kinds that no event had.
    pub(super) fn check(&self, last: usize, found: &mut Diagnostics) {
        self.kind.check(last, found);
        for kind in &self.turn {
            kind.check(last, found);
        }
    }
}

impl<'a> Folding<'_, 'a> {
    /// Adds an event. `is_after_gap` states whether lines before it could not be read.
    pub(super) fn push(
        &mut self,
        event: BorrowedJson<'a>,
        line: usize,
        is_after_gap: bool,
    ) -> Result<(), String> {
        if !event.is_map() {
            return Err(format!(
                "expected a map for an event, found {}",
                event.kind()
            ));
        }
        if is_after_gap {
            // The unreadable lines might contain other events of this turn, or the start of another turn.
            self.in_gap = true;
            self.begun = None;
            self.open.clear();
        }
        let kind = match self.fold.kind.find(&event, line).map(Cow::into_owned) {
            Some(BorrowedJson::Text(kind)) => kind,
            Some(other) => {
                return Err(format!(
                    "expected a string for `{}`, the kind of an event, found {}",
                    self.fold.kind.text(),
                    other.kind()
                ));
            }
            None => {
                return Err(format!(
                    "missing `{}`, the kind of an event",
                    self.fold.kind.text()
                ));
            }
        };
        if self.fold.skip.has(&event, line) {
            return Ok(());
        }
        if self.fold.turn.iter().any(|turn| *turn.text() == *kind) {
            self.close();
            self.begun = Some((line, std::mem::take(&mut self.in_gap)));
        }
        if !self.in_gap {
            self.open.entry(kind).or_default().push(event);
        }
        Ok(())
    }

    fn close(&mut self) {
        let open = std::mem::take(&mut self.open).into_iter();
        let events = BorrowedJson::Map(
            open.map(|(kind, events)| (kind, BorrowedJson::List(events)))
                .collect(),
        );
        match self.begun.take() {
            Some((line, after_gap)) => self.turns.push(FoldedTurn {
                line,
                after_gap,
                events,
            }),
            None if self.turns.is_empty() && !events.entries().is_empty() => {
                self.before = events;
            }
            None => {}
        }
    }

    /// Returns the events before the first turn, and the turns.
    pub(super) fn finish(mut self) -> (BorrowedJson<'a>, Vec<FoldedTurn<'a>>) {
        self.close();
        (self.before, self.turns)
    }
}
