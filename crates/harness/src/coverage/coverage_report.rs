//! What scenarios came to, as it is kept, merged and written.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::coverage_item::{ItemCount, ItemKey};
use super::coverage_kind::CoverageKind;
use super::decision::DecisionCount;

/// What scenarios came to, model by model. Reports of shards merge to the report of the whole.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoverageReport {
    /// The models, by path.
    pub models: BTreeMap<String, ModelReport>,
}

/// What scenarios came to in one model. Profiles of one model count together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelReport {
    /// What is counted.
    #[serde(with = "pairs")]
    pub items: BTreeMap<ItemKey, ItemCount>,
    /// The conditions with several parts.
    #[serde(with = "pairs", default, skip_serializing_if = "BTreeMap::is_empty")]
    pub decisions: BTreeMap<ItemKey, DecisionCount>,
}

impl CoverageReport {
    /// Adds what was counted elsewhere, of the same models.
    pub fn merge(&mut self, other: Self) {
        for (path, model) in other.models {
            self.models.entry(path).or_default().merge(model);
        }
    }
}

impl ModelReport {
    /// Adds what was counted elsewhere, of the same model.
    pub fn merge(&mut self, other: Self) {
        for (key, count) in other.items {
            match self.items.get_mut(&key) {
                Some(known) => known.merge(count),
                None => {
                    self.items.insert(key, count);
                }
            }
        }
        for (key, count) in other.decisions {
            match self.decisions.get_mut(&key) {
                Some(known) => known.merge(count),
                None => {
                    self.decisions.insert(key, count);
                }
            }
        }
        self.settle();
    }

    /// Works out anew which parts of conditions were shown: two turns do so together.
    pub(super) fn settle(&mut self) {
        for (decision, count) in &self.decisions {
            for (number, (shown, (line, column))) in
                count.shown().into_iter().zip(&count.parts).enumerate()
            {
                let name = super::coverage_map::part_name(&decision.name, number);
                let file = decision.file.clone();
                let key = ItemKey {
                    kind: CoverageKind::Mcdc,
                    file,
                    line: *line,
                    column: *column,
                    name,
                };
                if let Some(part) = self.items.get_mut(&key) {
                    part.hits = shown;
                }
            }
        }
    }

    pub fn of(&self, kind: CoverageKind) -> impl Iterator<Item = (&ItemKey, &ItemCount)> {
        self.items.iter().filter(move |(key, _)| key.kind == kind)
    }
}

/// Maps with keys of several fields, as lists of items that have those of key and value side by side.
mod pairs {
    use std::collections::BTreeMap;

    use serde::de::DeserializeOwned;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::ItemKey;

    #[derive(Serialize, Deserialize)]
    struct Pair<K, V> {
        #[serde(flatten)]
        key: K,
        #[serde(flatten)]
        value: V,
    }

    pub(super) fn serialize<V: Serialize, S: Serializer>(
        map: &BTreeMap<ItemKey, V>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.collect_seq(map.iter().map(|(key, value)| Pair { key, value }))
    }

    pub(super) fn deserialize<'d, V: DeserializeOwned, D: Deserializer<'d>>(
        from: D,
    ) -> Result<BTreeMap<ItemKey, V>, D::Error> {
        let pairs = Vec::<Pair<ItemKey, V>>::deserialize(from)?;
        Ok(pairs
            .into_iter()
            .map(|Pair { key, value }| (key, value))
            .collect())
    }
}
