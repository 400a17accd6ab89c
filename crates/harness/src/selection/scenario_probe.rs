//! What a scenario comes to, played with nobody outside.

use std::collections::BTreeSet;

use xxhash_rust::xxh3::Xxh3;

use crate::coverage::CoverageSet;
use crate::scenario::TurnCollector;
use fsmsim_core::engine::RecordView;
use fsmsim_core::trace::RecordField;

/// What a scenario comes to, played with nobody outside.
#[derive(Default)]
pub(super) struct ScenarioProbe {
    /// What of its model.
    pub coverage: CoverageSet,
    /// The classes of its turns, structural ones and those of a registry.
    pub classes: BTreeSet<String>,
    /// What its records say, but for the lines of rules; only where somebody wants to compare it.
    records: Option<Box<Xxh3>>,
}

impl ScenarioProbe {
    /// The same, which can be compared.
    pub(super) fn comparing() -> Self {
        Self {
            records: Some(Box::default()),
            ..Self::default()
        }
    }

    /// What its records say, as a number.
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
            // Lines move with every edit above them.
            let told =
                |field: &&RecordField| !matches!(field, RecordField::Rule | RecordField::Rejected);
            for field in RecordField::ALL.iter().filter(told) {
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
