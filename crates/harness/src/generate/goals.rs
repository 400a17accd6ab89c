//! The missing items that generated scenarios cover.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use crate::coverage::{
    CoverageEvent, CoverageKind, CoverageMap, CoverageSet, CoverageVerdict, DecisionCount, ItemKey,
    ModelReport, are_pair,
};

/// A missing item, or a vector of a multi-part condition that covers a part together with another vector.
#[derive(Clone, Debug)]
pub(super) struct CoverageGoal {
    key: ItemKey,
    vector: Option<String>,
    /// The state that has the item; empty for items without a state.
    state: String,
}

/// The goals of generated scenarios, by number.
pub(super) struct Goals<'m> {
    map: &'m CoverageMap,
    missing: BTreeSet<ItemKey>,
    all: Vec<CoverageGoal>,
    by_event: FxHashMap<CoverageEvent, Vec<u32>>,
    by_vector: BTreeMap<(ItemKey, String), u32>,
    /// The conditions with missing parts.
    open: BTreeSet<ItemKey>,
}

impl CoverageGoal {
    /// The goal, as a part of a title.
    pub(super) fn in_words(&self) -> String {
        let ItemKey { kind, name, .. } = &self.key;
        let place = match &*self.state {
            "" => String::new(),
            state => format!(" in {state}"),
        };
        match (&self.vector, name.rsplit_once('=')) {
            (Some(vector), _) => format!("condition {name} with {vector}"),
            (None, Some((name, value))) if *kind == CoverageKind::Conditions => {
                format!("condition {name} is {value}{place}")
            }
            (None, _) => format!("{} {name}{place}", kind.singular()),
        }
    }
}

impl<'m> Goals<'m> {
    /// The items of these kinds that a report lists as missing.
    pub(super) fn new(map: &'m CoverageMap, report: &ModelReport, kinds: &[CoverageKind]) -> Self {
        let is_missing = |verdict: CoverageVerdict<'_>| {
            matches!(verdict, CoverageVerdict::Missed | CoverageVerdict::Unknown)
        };
        let items = report.items.iter();
        let items =
            items.filter(|(key, count)| kinds.contains(&key.kind) && is_missing(count.verdict()));
        let missing: BTreeSet<ItemKey> = items.map(|(key, _)| key.clone()).collect();
        let mut shown: BTreeMap<&ItemKey, (&str, Vec<CoverageEvent>)> = BTreeMap::new();
        for (event, key, way) in map.shown_by() {
            if missing.contains(key) {
                let known = shown.entry(key).or_insert((way, Vec::new()));
                known.0 = known.0.min(way);
                known.1.push(event);
            }
        }
        let has_missing = |(key, decision): &(&ItemKey, &DecisionCount)| {
            decision.part_keys(key).any(|part| missing.contains(&part))
        };
        let open = report.decisions.iter().filter(has_missing);
        let mut goals = Self {
            map,
            all: Vec::new(),
            by_event: FxHashMap::default(),
            by_vector: BTreeMap::new(),
            open: open.map(|(key, _)| key.clone()).collect(),
            missing: BTreeSet::new(),
        };
        for (number, (key, (way, events))) in (0_u32..).zip(shown) {
            for event in events {
                goals.by_event.entry(event).or_default().push(number);
            }
            goals.all.push(CoverageGoal {
                key: key.clone(),
                vector: None,
                state: way.split(',').next().unwrap_or_default().to_owned(),
            });
        }
        goals.missing = missing;
        goals
    }

    /// Whether an event covers a goal, or can cover a part of a condition.
    pub(super) fn wants(&self, event: &CoverageEvent) -> bool {
        let is_open = |(key, _): (&ItemKey, String)| self.open.contains(key);
        self.by_event.contains_key(event)
            || !self.open.is_empty() && self.map.vector(event).is_some_and(is_open)
    }

    /// Chooses a pair of vectors for each missing part of a condition: the pair that dialogues reach first. `seen` has
    /// the events of the search, each with the number of its state.
    pub(super) fn add_vectors(
        &mut self,
        report: &ModelReport,
        seen: impl Iterator<Item = (CoverageEvent, u32)>,
    ) {
        let mut reached: BTreeMap<ItemKey, BTreeMap<String, u64>> = BTreeMap::new();
        for (event, state) in seen {
            if let Some((key, vector)) = self.map.vector(&event)
                && self.open.contains(key)
            {
                let cost = u64::from(state) + 1;
                let known = reached.entry(key.clone()).or_default();
                let known = known.entry(vector).or_insert(cost);
                *known = cost.min(*known);
            }
        }
        for (key, reached) in reached {
            let Some(decision) = report.decisions.get(&key) else {
                continue;
            };
            let mut costs = reached;
            costs.extend(decision.vectors.keys().map(|vector| (vector.clone(), 0)));
            for (part, item) in decision.part_keys(&key).enumerate() {
                if !self.missing.contains(&item) {
                    continue;
                }
                let pairs = costs.iter().flat_map(|one| {
                    let others = costs.range::<String, _>(one.0..).skip(1);
                    others.map(move |other| (one, other))
                });
                let pairs = pairs.filter(|(one, other)| are_pair(one.0, other.0, part));
                let best = pairs.min_by_key(|(one, other)| one.1 + other.1);
                let Some((one, other)) = best else { continue };
                for vector in [one.0.clone(), other.0.clone()] {
                    let Some(cost) = costs.get_mut(&vector) else {
                        continue;
                    };
                    if std::mem::take(cost) > 0 {
                        self.add_vector(&key, vector);
                    }
                }
            }
        }
    }

    fn add_vector(&mut self, key: &ItemKey, vector: String) {
        let number = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        self.by_vector.insert((key.clone(), vector.clone()), number);
        self.all.push(CoverageGoal {
            key: key.clone(),
            vector: Some(vector),
            state: String::new(),
        });
    }

    /// The number of goals.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn goal(&self, number: u32) -> Option<&CoverageGoal> {
        self.all.get(number as usize)
    }

    /// The items that an event covers.
    pub(super) fn items_of(&self, event: CoverageEvent) -> &[u32] {
        self.by_event.get(&event).map_or(&[], Vec::as_slice)
    }

    /// The goals that events cover.
    pub(super) fn of(&self, events: impl Iterator<Item = CoverageEvent>) -> BTreeSet<u32> {
        let mut found = BTreeSet::new();
        for event in events {
            found.extend(self.items_of(event));
            if !self.by_vector.is_empty()
                && let Some((key, vector)) = self.map.vector(&event)
            {
                found.extend(self.by_vector.get(&(key.clone(), vector)));
            }
        }
        found
    }

    /// The goals that a dialogue covers.
    pub(super) fn of_set(&self, set: &CoverageSet) -> BTreeSet<u32> {
        self.of(set.each().map(|(event, _)| event))
    }
}
