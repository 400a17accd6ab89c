//! Coverage by line.

use std::collections::BTreeMap;

use strum::VariantArray;

use super::coverage_item::{ItemCount, ItemKey};
use super::coverage_kind::{CoverageKind, Share};
use super::coverage_report::{CoverageReport, ModelReport};

/// The coverage by file and line. A line that several models share is counted once.
#[derive(Debug, Default)]
pub struct LineCoverage<'r> {
    /// The lines with counted items.
    pub files: BTreeMap<&'r str, BTreeMap<u32, CoveredLine<'r>>>,
}

/// A line with counted items.
#[derive(Debug, Default)]
pub struct CoveredLine<'r> {
    /// The items, with their counts in all models.
    pub items: BTreeMap<(CoverageKind, u32, &'r str), ItemCount>,
}

/// How much of a line is covered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineTint {
    /// All items.
    Full,
    /// Some items.
    Part,
    /// No items.
    None,
    /// No item is reachable.
    Unreachable,
}

impl<'r> LineCoverage<'r> {
    /// The lines of all models.
    pub fn of(report: &'r CoverageReport) -> Self {
        let mut lines = Self::default();
        report.models.values().for_each(|model| lines.add(model));
        lines
    }

    /// The lines of one model.
    pub fn of_model(model: &'r ModelReport) -> Self {
        let mut lines = Self::default();
        lines.add(model);
        lines
    }

    fn add(&mut self, model: &'r ModelReport) {
        for (
            ItemKey {
                kind,
                file,
                line,
                column,
                name,
            },
            count,
        ) in &model.items
        {
            if *line > 0 && kind.has_lines() {
                let on_line = self
                    .files
                    .entry(file)
                    .or_default()
                    .entry(*line)
                    .or_default();
                match on_line.items.get_mut(&(*kind, *column, &**name)) {
                    Some(known) => known.merge(count.clone()),
                    None => {
                        on_line.items.insert((*kind, *column, name), count.clone());
                    }
                }
            }
        }
    }
}

impl CoveredLine<'_> {
    /// The number of turns of the item with the most turns.
    pub fn hits(&self) -> u64 {
        self.items
            .values()
            .map(|count| count.hits)
            .max()
            .unwrap_or(0)
    }

    /// Whether no item is reachable.
    pub fn is_unreachable(&self) -> bool {
        self.tint() == LineTint::Unreachable
    }

    /// How much of the line is covered. Unreachable items do not count.
    pub fn tint(&self) -> LineTint {
        let can = self.items.values().filter(|count| count.verdict().counts());
        let can: Vec<&ItemCount> = can.collect();
        let covered = can.iter().filter(|count| count.hits > 0).count();
        match (covered, can.len()) {
            (_, 0) => LineTint::Unreachable,
            (0, _) => LineTint::None,
            (covered, all) if covered == all => LineTint::Full,
            _ => LineTint::Part,
        }
    }
}

impl ModelReport {
    /// How much of each kind is covered, by name. Omits kinds without items.
    pub fn shares(&self) -> impl Iterator<Item = (&'static str, Share)> {
        CoverageKind::VARIANTS
            .iter()
            .map(move |kind| (kind.name(), self.share(*kind)))
            .filter(|(_, share)| share.all > 0)
    }

    /// How much of this kind is covered. Unreachable items do not count.
    pub fn share(&self, kind: CoverageKind) -> Share {
        let mut share = Share::default();
        if kind == CoverageKind::Lines {
            for line in LineCoverage::of_model(self)
                .files
                .values()
                .flat_map(BTreeMap::values)
            {
                if !line.is_unreachable() {
                    share.count(line.hits() > 0);
                }
            }
            return share;
        }
        for (_, count) in self.of(kind).filter(|(_, count)| count.verdict().counts()) {
            share.count(count.hits > 0);
        }
        share
    }
}
