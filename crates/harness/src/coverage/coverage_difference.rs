//! What differs between two reports of the same models.

use std::collections::BTreeMap;

use super::coverage_item::{CoverageVerdict, ItemCount, ItemKey};
use super::coverage_kind::CoverageKind;
use super::coverage_report::CoverageReport;

/// Items with the path of their model, by place.
type Items<'r> = Vec<(&'r str, &'r ItemKey)>;

/// What differs between a former report and a new one. Items are known again by what they are, what they are called, and the
/// states that have them, whatever line they moved to.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct CoverageDifference<'r> {
    /// Covered now, and not before or not there before.
    pub gained: Items<'r>,
    /// Covered before, and still there.
    pub lost: Items<'r>,
    /// Not there before, and not covered.
    pub added: Items<'r>,
}

/// What an item is known by, wherever it stands: model, kind, file, name, states, and its number among those alike.
type Identity<'r> = (&'r str, CoverageKind, &'r str, &'r str, Vec<&'r str>, usize);

impl<'r> CoverageDifference<'r> {
    /// What differs.
    pub fn between(former: &'r CoverageReport, now: &'r CoverageReport) -> Self {
        let before = identified(former);
        let mut difference = Self::default();
        for (identity, (key, count)) in identified(now) {
            let known = before.get(&identity).map(|(_, count)| count.hits > 0);
            let list = match (known, count.verdict()) {
                (Some(false) | None, CoverageVerdict::Covered) => &mut difference.gained,
                (Some(true), CoverageVerdict::Missed | CoverageVerdict::Unknown) => {
                    &mut difference.lost
                }
                (None, CoverageVerdict::Missed | CoverageVerdict::Unknown) => &mut difference.added,
                _ => continue,
            };
            list.push((identity.0, key));
        }
        for list in [
            &mut difference.gained,
            &mut difference.lost,
            &mut difference.added,
        ] {
            list.sort_by_key(|(model, key)| (*model, &key.file, key.line, key.column, *key));
        }
        difference
    }

    /// Whether nothing differs.
    pub fn is_empty(&self) -> bool {
        self.gained.is_empty() && self.lost.is_empty() && self.added.is_empty()
    }
}

fn identified(report: &CoverageReport) -> BTreeMap<Identity<'_>, (&ItemKey, &ItemCount)> {
    let mut found: BTreeMap<Identity<'_>, (&ItemKey, &ItemCount)> = BTreeMap::new();
    for (path, model) in &report.models {
        // Of those alike, the order is that of their places.
        for (key, count) in &model.items {
            let states: Vec<&str> = count.via.keys().map(String::as_str).collect();
            let mut identity = (&**path, key.kind, &*key.file, &*key.name, states, 0);
            while found.contains_key(&identity) {
                identity.5 += 1;
            }
            found.insert(identity, (key, count));
        }
    }
    found
}
