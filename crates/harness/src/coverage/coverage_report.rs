//! Scenario coverage, as it is stored, merged and written.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::coverage_item::{ItemCount, ItemKey};
use super::coverage_kind::CoverageKind;
use super::decision::DecisionCount;

/// The scenario coverage of all models. Reports from several shards can be merged.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoverageReport {
    /// The models, by path.
    pub models: BTreeMap<String, ModelReport>,
}

/// The scenario coverage of one model. All its profiles are counted together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelReport {
    /// The counted items.
    #[serde(with = "pairs")]
    pub items: BTreeMap<ItemKey, ItemCount>,
    /// The multi-part conditions.
    #[serde(with = "pairs", default, skip_serializing_if = "BTreeMap::is_empty")]
    pub decisions: BTreeMap<ItemKey, DecisionCount>,
    /// The result of a search of all dialogues, if they were searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<CoverageProof>,
}

/// The result of a search of all dialogues for the items of a model.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CoverageProof {
    /// The search is complete; contains the number of its states. Items that it does not reach are unattainable.
    Complete(usize),
    /// The search proves nothing, for this reason.
    Open(String),
}

impl CoverageReport {
    /// Adds another report of the same models.
    pub fn merge(&mut self, other: Self) {
        for (path, model) in other.models {
            self.models.entry(path).or_default().merge(model);
        }
    }
}

impl ModelReport {
    /// Adds another report of the same model.
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
        // A search that proves nothing in one shard proves nothing.
        self.proof = self.proof.take().max(other.proof);
        self.settle();
    }

    /// Recomputes which parts of conditions are covered, because the two turns that cover a part can come from
    /// different reports.
    pub(super) fn settle(&mut self) {
        for (decision, count) in &self.decisions {
            for (shown, key) in count.shown().into_iter().zip(count.part_keys(decision)) {
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

/// Stores maps with structured keys as lists of objects that combine the fields of key and value.
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
