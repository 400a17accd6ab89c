//! The differences between two coverage reports on the same models.

use std::collections::BTreeMap;

use super::coverage_item::{CoverageVerdict, ItemCount, ItemKey};
use super::coverage_kind::CoverageKind;
use super::coverage_report::CoverageReport;

/// Items, each with the path of its model, sorted by location.
type Items<'r> = Vec<(&'r str, &'r ItemKey)>;

/// The differences between an earlier report and a new one. Items are matched by kind, name and states, so they can move
/// to another line.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct CoverageDifference<'r> {
    /// Items that are covered now, and were not covered or did not exist.
    pub gained: Items<'r>,
    /// Items that were covered, still exist, and are not covered now.
    pub lost: Items<'r>,
    /// New items that are not covered.
    pub added: Items<'r>,
}

/// The identity of an item, independent of its line: model, kind, file, name, states, and its index among equal items.
type Identity<'r> = (&'r str, CoverageKind, &'r str, &'r str, Vec<&'r str>, usize);

impl<'r> CoverageDifference<'r> {
    /// Compares two reports.
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

    pub fn is_empty(&self) -> bool {
        self.gained.is_empty() && self.lost.is_empty() && self.added.is_empty()
    }
}

fn identified(report: &CoverageReport) -> BTreeMap<Identity<'_>, (&ItemKey, &ItemCount)> {
    let mut found: BTreeMap<Identity<'_>, (&ItemKey, &ItemCount)> = BTreeMap::new();
    for (path, model) in &report.models {
        // Equal items are numbered by location.
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
