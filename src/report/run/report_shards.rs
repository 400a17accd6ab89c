//! Of which shards a report is.

use std::collections::BTreeSet;

use super::merge_error::MergeError;
use crate::threads::Shard;

/// Puts shards together, which must be all: none are left then.
///
/// # Errors
/// Where a shard is missing or there twice, shards of different runs are together, or something whole is beside a shard.
pub(super) fn union(parts: &[Vec<Shard>]) -> Result<Vec<Shard>, MergeError> {
    if let [only] = parts
        && only.is_empty()
    {
        return Ok(Vec::new());
    }
    let mut seen: BTreeSet<Shard> = BTreeSet::new();
    for part in parts {
        if part.is_empty() {
            return Err(MergeError::Whole);
        }
        for shard in part {
            if let Some(other) = seen.first().filter(|other| other.of() != shard.of()) {
                return Err(MergeError::OtherNumber(*other, *shard));
            }
            if !seen.insert(*shard) {
                return Err(MergeError::Repeated(*shard));
            }
        }
    }
    let of = seen.first().map_or(0, |shard| shard.of());
    let missing: Vec<Shard> = Shard::all(of).filter(|shard| !seen.contains(shard)).collect();
    if missing.is_empty() { Ok(Vec::new()) } else { Err(MergeError::Missing(missing)) }
}
