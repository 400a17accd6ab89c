//! Maps the events of a machine to its counted items, with their locations and the paths to them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use rustc_hash::FxHashMap;

use super::coverage_item::{ItemCount, ItemKey};
use super::coverage_kind::CoverageKind;
use super::coverage_set::{CoverageEvent, CoverageSet};
use super::decision::{DecisionCount, part_name, vector_text};
use super::reach::{ProvenReach, Reach};
use fsmsim_core::engine::{ConditionVector, Machine, WatchEvent};
use fsmsim_core::machine::{ConditionId, RuleId, StateId};
use fsmsim_syntax::diagnostic::Span;

/// The counted items of a machine. A map is created once per machine and interprets every [`CoverageSet`] of that
/// machine.
#[derive(Debug, Default)]
pub struct CoverageMap {
    items: BTreeMap<ItemKey, MappedItem>,
    /// The items that each event covers.
    shows: FxHashMap<CoverageEvent, Vec<(ItemKey, String)>>,
    /// The multi-part conditions by location, without counts.
    pub(super) decisions: BTreeMap<ItemKey, DecisionCount>,
    decided: FxHashMap<ConditionId, ItemKey>,
    /// The states that are not known to be reachable.
    pub(super) unreached: BTreeSet<StateId>,
}

/// An item of the machine.
#[derive(Debug, Default)]
struct MappedItem {
    ways: BTreeSet<String>,
    reach: Option<Reach>,
    /// The last line of its definition.
    end: u32,
}

/// An item that was found in the machine.
pub(super) struct FoundItem<'s> {
    pub kind: CoverageKind,
    pub name: String,
    pub span: Option<Span>,
    /// The state that has the item, and the source of its definition.
    pub way: String,
    pub shown_by: &'s [CoverageEvent],
    pub reach: Reach,
}

/// Finds the counted items of a machine.
pub(super) struct MapBuilder<'m> {
    pub machine: &'m Machine,
    pub reach: ProvenReach<'m>,
    pub map: CoverageMap,
    /// The conditions of alternatives and branches, each with its item and its state. They are counted with those
    /// items.
    pub sites: Vec<(ConditionId, FoundItem<'static>, StateId)>,
}

impl FoundItem<'static> {
    /// An item without events and without paths.
    pub(super) fn new(kind: CoverageKind, name: String, span: Option<Span>, reach: Reach) -> Self {
        Self {
            kind,
            name,
            span,
            way: String::new(),
            shown_by: &[],
            reach,
        }
    }
}

/// The names and lines that dialogues covered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touched {
    /// The items, by kind and name.
    pub items: BTreeSet<(CoverageKind, String)>,
    /// The lines: the file, the first line, and the last line.
    pub lines: BTreeSet<(String, u32, u32)>,
}

impl Touched {
    /// Whether one of these lines is covered.
    pub(crate) fn has_lines(&self, file: &str, lines: &RangeInclusive<u32>) -> bool {
        let mut all = self.lines.iter();
        all.any(|(of, from, to)| of == file && from <= lines.end() && to >= lines.start())
    }
}

impl CoverageMap {
    /// The items, without their counts.
    pub(super) fn without_counts(&self) -> impl Iterator<Item = (ItemKey, ItemCount)> {
        self.items.iter().map(|(key, item)| {
            let via = item.ways.iter().map(|way| (way.clone(), 0)).collect();
            let reach = item.reach.clone().unwrap_or_default();
            let count = ItemCount {
                via,
                reach,
                ..ItemCount::default()
            };
            (key.clone(), count)
        })
    }

    /// The items of these events, and of the parts of these conditions. Includes the parts of conditions without vectors.
    pub(super) fn items_of(
        &self,
        events: impl Fn(&CoverageEvent) -> bool,
        conditions: &BTreeSet<ConditionId>,
    ) -> BTreeSet<ItemKey> {
        let shown = self.shows.iter().filter(|(event, _)| events(event));
        let shown = shown.flat_map(|(_, items)| items.iter().map(|(key, _)| key.clone()));
        let is_meant = |id: &ConditionId, decision: &DecisionCount| {
            conditions.contains(id) || decision.parts.len() > ConditionVector::MAX_PARTS
        };
        let decided = self.decided.iter().filter_map(|(id, key)| {
            let decision = self.decisions.get(key)?;
            is_meant(id, decision).then(|| decision.part_keys(key))
        });
        shown.chain(decided.flatten()).collect()
    }

    /// Whether the machine has an item.
    pub(super) fn has(&self, key: &ItemKey) -> bool {
        self.items.contains_key(key)
    }

    /// The items as `KIND:NAME`.
    pub fn names(&self) -> impl Iterator<Item = String> {
        self.items
            .keys()
            .map(|key| format!("{}:{}", key.kind.singular(), key.name))
    }

    /// Calls `emit` for each item that a set covers, with the path to it and the number of turns.
    pub(super) fn each_shown<'m>(
        &'m self,
        set: &CoverageSet,
        mut emit: impl FnMut(&'m ItemKey, &str, u64),
    ) {
        for (seen, turns) in set.each() {
            for (key, way) in self.shows.get(&seen).into_iter().flatten() {
                emit(key, way, turns);
            }
        }
    }

    /// Calls `emit` for each multi-part condition in a set, with its vector and the number of turns.
    pub(super) fn each_vector(
        &self,
        set: &CoverageSet,
        mut emit: impl FnMut(&ItemKey, String, u64),
    ) {
        for (seen, turns) in set.each() {
            if let Some((key, vector)) = self.vector(&seen) {
                emit(key, vector, turns);
            }
        }
    }

    /// The multi-part condition of an event, and its vector.
    pub(crate) fn vector(&self, event: &CoverageEvent) -> Option<(&ItemKey, String)> {
        let CoverageEvent::Watched(WatchEvent::Decision(id, vector)) = event else {
            return None;
        };
        let key = self.decided.get(id)?;
        let parts = self.decisions.get(key)?.parts.len();
        Some((key, vector_text(*vector, parts)))
    }

    /// The items that each event covers, with the path to each, in arbitrary order.
    pub(crate) fn shown_by(&self) -> impl Iterator<Item = (CoverageEvent, &ItemKey, &str)> {
        self.shows.iter().flat_map(|(event, items)| {
            let items = items.iter();
            items.map(move |(key, way)| (*event, key, way.as_str()))
        })
    }

    /// Whether an item of the machine is defined on one of these lines.
    pub(crate) fn has_lines(&self, file: &str, lines: &RangeInclusive<u32>) -> bool {
        let mut items = self.items.iter().filter(|(key, _)| key.kind.has_lines());
        items.any(|(key, item)| {
            key.file == file && key.line <= *lines.end() && item.end >= *lines.start()
        })
    }

    /// The names and lines that a set covers. Omits the parts of conditions, because only two turns together can cover
    /// a part.
    pub fn touched(&self, set: &CoverageSet) -> Touched {
        let mut touched = Touched::default();
        self.each_shown(set, |key, _, _| {
            touched.items.insert((key.kind, key.name.clone()));
            if key.line > 0 && key.kind.has_lines() {
                let end = self.items.get(key).map_or(key.line, |item| item.end);
                touched.lines.insert((key.file.clone(), key.line, end));
            }
        });
        touched
    }
}

impl MapBuilder<'_> {
    /// Whether a location is in a file that was not generated.
    pub(super) fn is_written(&self, span: Span) -> bool {
        let file = self.machine.files.file(span.file);
        file.is_some_and(|file| !file.is_invented())
    }

    pub(super) fn span(&self, rule: RuleId) -> Span {
        self.machine.rules[rule].span
    }

    /// The key of an item at this location, and the last line of the item.
    fn key(&self, kind: CoverageKind, name: String, span: Option<Span>) -> (ItemKey, u32) {
        let mut key = ItemKey {
            kind,
            file: String::new(),
            line: 0,
            column: 0,
            name,
        };
        let Some(span) = span.filter(|span| self.is_written(*span)) else {
            return (key, 0);
        };
        let files = &self.machine.files;
        let place = files.place(span);
        let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let last = span.end.saturating_sub(1).max(span.start);
        let end = files
            .file(span.file)
            .map_or(place.line, |file| file.line_of(last).0);
        key.line = number(place.line);
        key.column = number(place.column);
        key.file = place.path;
        (key, number(end))
    }

    /// Adds a counted item.
    pub(super) fn add(&mut self, found: FoundItem<'_>) {
        let FoundItem {
            kind,
            name,
            span,
            way,
            shown_by,
            reach,
        } = found;
        let (key, end) = self.key(kind, name, span);
        for seen in shown_by {
            self.map
                .shows
                .entry(*seen)
                .or_default()
                .push((key.clone(), way.clone()));
        }
        let item = self.map.items.entry(key).or_default();
        item.end = item.end.max(end);
        item.reach = Some(match item.reach.take() {
            Some(known) => known.or(reach),
            None => reach,
        });
        item.ways.extend((!way.is_empty()).then_some(way));
    }

    /// Adds a multi-part condition, and each of its parts as an item.
    pub(super) fn add_decision(&mut self, id: ConditionId, found: &FoundItem<'_>, reach: &[Reach]) {
        let (key, _) = self.key(CoverageKind::Conditions, found.name.clone(), found.span);
        let parts = self.machine.condition_parts(id);
        let mut places = Vec::new();
        for (number, (part, reach)) in parts.iter().zip(reach).enumerate() {
            let kind = CoverageKind::Mcdc;
            let name = part_name(&found.name, number);
            let span = self.machine.condition_span(*part).or(found.span);
            let (key, _) = self.key(kind, String::new(), span);
            places.push((key.line, key.column));
            self.add(FoundItem {
                way: found.way.clone(),
                ..FoundItem::new(kind, name, span, reach.clone())
            });
        }
        self.map.decided.insert(id, key.clone());
        self.map.decisions.entry(key).or_insert(DecisionCount {
            parts: places,
            vectors: BTreeMap::new(),
        });
    }
}
