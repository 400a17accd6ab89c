//! Builds the turns of a dialogue from the parts of an external trace.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::borrowed_json::BorrowedJson;
use super::carried_fields::CarriedFields;
use super::dialogue::ObservedTurn;
use super::event_fold::{EventFold, FoldedTurn, Folding};
use super::map::TraceMap;
use super::trace_part::TracePart;

/// The name under which turns with lost content are counted as not checked.
const CONTENT: &str = "lost_content";
/// The name under which turns with an unknown order are counted as not checked.
const ORDER: &str = "unknown_order";

/// The turns of a dialogue so far.
#[derive(Debug)]
pub(super) struct TurnBuilder<'m, 'a> {
    map: &'m TraceMap,
    carried: &'m mut CarriedFields<'a>,
    folding: Option<Folding<'m, 'a>>,
    turns: Vec<ObservedTurn<'a>>,
    /// The number of turns, including those that are not checked.
    number: u32,
    /// Whether the last turn is not checked.
    is_lost: bool,
    not_checked: BTreeMap<&'static str, u64>,
}

impl<'m, 'a> TurnBuilder<'m, 'a> {
    /// Starts a dialogue with at most this number of turns, after a number of earlier turns with their carried fields.
    pub(super) fn new(
        map: &'m TraceMap,
        capacity: usize,
        (number, carried): (u32, &'m mut CarriedFields<'a>),
    ) -> Self {
        Self {
            map,
            carried,
            folding: map.events.as_ref().map(EventFold::begin),
            turns: Vec::with_capacity(capacity),
            number,
            is_lost: false,
            not_checked: BTreeMap::new(),
        }
    }

    /// Adds a turn or an event.
    pub(super) fn push(
        &mut self,
        value: Cow<'_, BorrowedJson<'a>>,
        line: usize,
        after_gap: bool,
    ) -> Result<(), String> {
        match &mut self.folding {
            Some(folding) => folding.push(value.into_owned(), line, after_gap),
            None => self.turn(&value, line, after_gap),
        }
    }

    /// Sorts parts by the location `order` of the map, and removes duplicates by `id`. Neighbors with the same order,
    /// and all parts if one has no order, are treated as if lines between them were missing.
    pub(super) fn sorted(&mut self, mut parts: Vec<TracePart<'a>>) -> Vec<TracePart<'a>> {
        self.map.remove_duplicates(&mut parts);
        parts.retain(|part| !self.map.skip.has(&part.value, part.line));
        if self.map.order.is_none() {
            return parts;
        }
        let has_gap = parts.iter().any(|part| part.after_gap);
        let mut keyed: Vec<_> = parts
            .into_iter()
            .map(|part| (self.map.order_of(&part), part))
            .collect();
        keyed.sort_by_key(|(key, _)| *key);
        let keys: Vec<Option<i128>> = keyed.iter().map(|(key, _)| *key).collect();
        let is_unknown = keys.len() > 1 && keys.contains(&None);
        let ties = |at: usize| at > 0 && keys.get(at) == keys.get(at - 1);
        let sorted = keyed.into_iter().enumerate().map(|(at, (_, mut part))| {
            let is_tied = is_unknown || ties(at) || ties(at + 1);
            if is_tied {
                *self.not_checked.entry(ORDER).or_default() += 1;
            }
            // The part after two with the same order follows one of them.
            part.after_gap = has_gap || is_tied || at > 0 && ties(at - 1);
            part
        });
        sorted.collect()
    }

    fn turn(
        &mut self,
        value: &BorrowedJson<'a>,
        line: usize,
        after_gap: bool,
    ) -> Result<(), String> {
        if self.map.skip.has(value, line) {
            return Ok(());
        }
        self.number = self.number.saturating_add(1);
        let turn = self.map.observe(value, line, self.number, self.carried)?;
        let was_lost = std::mem::replace(&mut self.is_lost, turn.is_none());
        match turn {
            Some(mut turn) => {
                turn.after_gap = after_gap || was_lost;
                self.turns.push(turn);
            }
            None => {
                *self.carried = CarriedFields::default();
                *self.not_checked.entry(CONTENT).or_default() += 1;
            }
        }
        Ok(())
    }

    /// Returns the turns, and the number of turns that are not checked by reason. If the events are invalid, returns
    /// the reason and the line. `first` is the first line of the dialogue.
    #[expect(clippy::type_complexity, reason = "the parts of a dialogue")]
    pub(super) fn finish(
        mut self,
        first: usize,
    ) -> Result<(Vec<ObservedTurn<'a>>, BTreeMap<&'static str, u64>), (String, usize)> {
        if let Some(folding) = self.folding.take() {
            let (before, folded) = folding.finish();
            if !before.is_null() {
                self.note(&before, first);
                self.map
                    .observe_before(&before, first, self.carried)
                    .map_err(|reason| (reason, first))?;
            }
            for FoldedTurn {
                line,
                after_gap,
                events,
            } in folded
            {
                self.note(&events, line);
                self.turn(&events, line, after_gap)
                    .map_err(|reason| (format!("turn {}: {reason}", self.number), line))?;
            }
        }
        Ok((self.turns, self.not_checked))
    }

    /// Records which kinds of events occur.
    fn note(&self, events: &BorrowedJson<'_>, line: usize) {
        if let Some(fold) = &self.map.events {
            fold.note(events, line);
        }
    }
}
