//! The items and condition vectors that scenarios have to cover.

use std::collections::BTreeSet;

use crate::coverage::{
    CoverageEvent, CoverageKind, CoverageMap, CoverageVerdict, DecisionCount, ItemKey, ModelReport,
};

/// Something that a scenario has to cover.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum CoverageGoal {
    Item(ItemKey),
    /// A vector of values of a multi-part condition. Two vectors together cover a part.
    Vector(ItemKey, String),
}

impl CoverageGoal {
    /// The goals that an event meets.
    pub(super) fn met_by(event: &CoverageEvent, map: &CoverageMap) -> Vec<Self> {
        let items = map.shown_by(event).cloned().map(Self::Item);
        let vector = map.vector_of(event);
        let vector = vector.map(|(key, vector)| Self::Vector(key.clone(), vector));
        items.chain(vector).collect()
    }

    /// The goal in a title, with the state that has the item.
    pub(super) fn name(&self, report: &ModelReport) -> String {
        match self {
            Self::Item(key) => {
                let ways = report.items.get(key).map(|count| &count.via);
                let way = ways.and_then(|ways| ways.keys().next());
                let way = way.filter(|way| !way.is_empty() && **way != key.name);
                let way = way.map_or(String::new(), |way| format!(" of `{way}`"));
                format!("{} `{}`{way}", key.kind.singular(), key.name)
            }
            Self::Vector(key, vector) => format!("condition `{}` as {vector}", key.name),
        }
    }
}

/// The items of these kinds that can be covered and are not.
pub(super) fn missing(report: &ModelReport, kinds: &BTreeSet<CoverageKind>) -> BTreeSet<ItemKey> {
    let items = report.items.iter();
    let missing = items.filter(|(key, count)| {
        kinds.contains(&key.kind)
            && matches!(
                count.verdict(),
                CoverageVerdict::Missed | CoverageVerdict::Unknown
            )
    });
    missing.map(|(key, _)| key.clone()).collect()
}

/// The goals for missing items. A part of a condition needs a pair of vectors: the pair with the fewest new
/// vectors, of those that dialogues can have.
pub(super) fn goals(
    report: &ModelReport,
    missing: &BTreeSet<ItemKey>,
    possible: &BTreeSet<CoverageGoal>,
) -> BTreeSet<CoverageGoal> {
    let items = missing.iter().filter(|key| key.kind != CoverageKind::Mcdc);
    let mut wanted: BTreeSet<CoverageGoal> = items.cloned().map(CoverageGoal::Item).collect();
    for (key, decision) in &report.decisions {
        let seen = possible.iter().filter_map(|known| match known {
            CoverageGoal::Vector(of, vector) if of == key => Some(vector),
            _ => None,
        });
        let mut vectors: BTreeSet<&String> = seen.collect();
        vectors.extend(decision.vectors.keys());
        for (part, item) in decision.part_keys(key).enumerate() {
            if !missing.contains(&item) {
                continue;
            }
            let is_new = |vector: &String| {
                let known = CoverageGoal::Vector(key.clone(), vector.clone());
                !decision.vectors.contains_key(vector) && !wanted.contains(&known)
            };
            let pairs = vectors.iter().flat_map(|one| {
                let others = vectors.range::<&String, _>(one..);
                others.map(move |other| (*one, *other))
            });
            let best = pairs
                .filter(|(one, other)| DecisionCount::is_covered_by(part, one, other))
                .min_by_key(|(one, other)| u8::from(is_new(one)) + u8::from(is_new(other)));
            let Some((one, other)) = best else { continue };
            for vector in [one, other] {
                if !decision.vectors.contains_key(vector) {
                    wanted.insert(CoverageGoal::Vector(key.clone(), vector.clone()));
                }
            }
        }
    }
    wanted
}
