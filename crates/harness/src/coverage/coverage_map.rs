//! What of a machine is counted: each item with its place, the ways on which a dialogue comes to it, and what shows it.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::coverage_item::{ItemCount, ItemKey};
use super::coverage_kind::CoverageKind;
use super::coverage_set::{CoverageEvent, CoverageSet};
use super::decision::{DecisionCount, vector_text};
use super::reach::{ProvenReach, Reach};
use fsmsim_core::engine::{Machine, WatchEvent};
use fsmsim_core::machine::{ConditionId, RuleId, StateId};
use fsmsim_syntax::diagnostic::Span;

/// What of a machine is counted. It is made once for a machine, and says what a [`CoverageSet`] of it comes to.
#[derive(Debug, Default)]
pub struct CoverageMap {
    items: BTreeMap<ItemKey, MappedItem>,
    /// What is shown by what was seen.
    shows: FxHashMap<CoverageEvent, Vec<(ItemKey, String)>>,
    /// The conditions with several parts, by where they are written, with nothing seen of them.
    pub(super) decisions: BTreeMap<ItemKey, DecisionCount>,
    decided: FxHashMap<ConditionId, ItemKey>,
    /// The states to which no way leads.
    pub(super) unreached: BTreeSet<StateId>,
}

/// An item as the machine has it.
#[derive(Debug, Default)]
struct MappedItem {
    ways: BTreeSet<String>,
    reach: Option<Reach>,
    /// The last line of what is written of it.
    end: u32,
}

/// Something that is counted, as whoever reads a machine finds it.
pub(super) struct FoundItem<'s> {
    pub kind: CoverageKind,
    pub name: String,
    pub span: Option<Span>,
    /// The state that has it, and how it came to it.
    pub way: String,
    pub shown_by: &'s [CoverageEvent],
    pub reach: Reach,
}

/// Finds what of a machine is counted.
pub(super) struct MapBuilder<'m> {
    pub machine: &'m Machine,
    pub reach: ProvenReach<'m>,
    pub map: CoverageMap,
    /// The conditions that belong to alternatives and ways, and are counted there: each as it is found, and in which state.
    pub sites: Vec<(ConditionId, FoundItem<'static>, StateId)>,
}

impl FoundItem<'static> {
    /// Something that nothing shows, on no way.
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

/// What dialogues came to, by name and by line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touched {
    /// The items, by kind and name.
    pub items: BTreeSet<(CoverageKind, String)>,
    /// The lines: of which file, from which to which.
    pub lines: BTreeSet<(String, u32, u32)>,
}

impl CoverageMap {
    /// The items, with nothing seen of them.
    pub(super) fn blank(&self) -> impl Iterator<Item = (ItemKey, ItemCount)> {
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

    /// Tells what a set shows: an item, the way to it, and the turns.
    pub(super) fn each_shown<'m>(
        &'m self,
        set: &CoverageSet,
        mut tell: impl FnMut(&'m ItemKey, &str, u64),
    ) {
        for (seen, turns) in set.each() {
            for (key, way) in self.shows.get(&seen).into_iter().flatten() {
                tell(key, way, turns);
            }
        }
    }

    /// Tells what conditions with several parts came to: the condition, the vector, and the turns.
    pub(super) fn each_vector(
        &self,
        set: &CoverageSet,
        mut tell: impl FnMut(&ItemKey, String, u64),
    ) {
        for (seen, turns) in set.each() {
            let CoverageEvent::Watched(WatchEvent::Decision(id, vector)) = seen else {
                continue;
            };
            let Some(key) = self.decided.get(&id) else {
                continue;
            };
            let parts = self
                .decisions
                .get(key)
                .map_or(0, |decision| decision.parts.len());
            tell(key, vector_text(vector, parts), turns);
        }
    }

    /// What dialogues came to, by name and by line. Parts of conditions are not shown by one set alone, and are left out.
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
    /// Whether a place is in a file that somebody wrote.
    pub(super) fn is_written(&self, span: Span) -> bool {
        let file = self.machine.files.file(span.file);
        file.is_some_and(|file| !file.is_invented())
    }

    pub(super) fn span(&self, rule: RuleId) -> Span {
        self.machine.rules[rule].span
    }

    /// The key of something that is written at a place, and its last line.
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
        (key.line, key.column) = (number(place.line), number(place.column));
        key.file = place.path;
        (key, number(end))
    }

    /// Adds something that is counted.
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

    /// Adds a condition with several parts, and each part as an item.
    pub(super) fn add_decision(&mut self, id: ConditionId, found: &FoundItem<'_>, reach: &[Reach]) {
        let (kind, name) = (CoverageKind::Conditions, found.name.clone());
        let (key, _) = self.key(kind, name, found.span);
        let parts = self.machine.condition_parts(id);
        let mut places = Vec::new();
        for (number, (part, reach)) in parts.iter().zip(reach).enumerate() {
            let (kind, name) = (CoverageKind::Mcdc, part_name(&found.name, number));
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

/// What a part of a condition is called.
pub(super) fn part_name(condition: &str, number: usize) -> String {
    format!("{condition} part {}", number + 1)
}
