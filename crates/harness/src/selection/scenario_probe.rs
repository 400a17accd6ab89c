//! The result of running a scenario without external calls.

use std::collections::BTreeSet;

use xxhash_rust::xxh3::Xxh3;

use crate::coverage::CoverageSet;
use crate::scenario::TurnCollector;
use fsmsim_core::engine::RecordView;
use fsmsim_core::trace::RecordField;

/// The result of running a scenario without external calls.
#[derive(Default)]
pub(super) struct ScenarioProbe {
    /// The model's events that were covered.
    pub coverage: CoverageSet,
    /// The classes of the turns, both structural classes and those from a registry.
    pub classes: BTreeSet<String>,
    /// A hash of the records, without the line numbers of rules. Computed only for comparisons.
    records: Option<Box<Xxh3>>,
}

impl ScenarioProbe {
    /// Creates a probe whose records can be compared.
    pub(super) fn comparing() -> Self {
        Self {
            records: Some(Box::default()),
            ..Self::default()
        }
    }

    /// The hash of the records.
    pub(super) fn hash(&self) -> Option<u128> {
        self.records.as_ref().map(|hash| hash.digest128())
    }
}

impl TurnCollector for ScenarioProbe {
    fn turn(&mut self, line: &RecordView<'_>) {
        self.coverage.turn(line);
        let classes = [RecordField::Class.text(line), line.contract_class()];
        for class in classes
            .into_iter()
            .flatten()
            .filter(|class| !class.is_empty())
        {
            if !self.classes.contains(class) {
                self.classes.insert(class.to_owned());
            }
        }
        if let Some(hash) = &mut self.records {
            // Every edit above a rule changes its line number.
            let is_compared =
                |field: &&RecordField| !matches!(field, RecordField::Rule | RecordField::Rejected);
            for field in RecordField::ALL.iter().filter(is_compared) {
                hash.update(field.value(line).to_string().as_bytes());
                hash.update(b"\n");
            }
        }
    }

    fn join(&mut self, later: Self) {
        self.coverage.join(later.coverage);
        self.classes.extend(later.classes);
        if let Some((hash, later)) = self.records.as_mut().zip(later.records) {
            hash.update(&later.digest128().to_le_bytes());
        }
    }
}
