//! Of which shards a report is.

use std::collections::BTreeMap;

use super::merge_error::{MergeError, Misfit};
use fsmsim_syntax::threads::Shard;

/// Puts shards together, which must be all: none are left then. Each part has the file that it comes from.
///
/// # Errors
/// Where a shard is missing or there twice, shards of different runs are together, or something whole is beside a shard.
pub(super) fn union(parts: &[(String, Vec<Shard>)]) -> Result<Vec<Shard>, MergeError> {
    if let [(_, only)] = parts
        && only.is_empty()
    {
        return Ok(Vec::new());
    }
    let mut seen: BTreeMap<Shard, &str> = BTreeMap::new();
    for (file, shards) in parts {
        let misfit = |misfit| {
            Err(MergeError {
                file: Some(file.clone()),
                misfit,
            })
        };
        if shards.is_empty() {
            return misfit(Misfit::Whole);
        }
        for shard in shards {
            if let Some((other, file)) = seen
                .first_key_value()
                .filter(|(other, _)| other.of() != shard.of())
            {
                return misfit(Misfit::OtherNumber(*shard, *other, (*file).to_owned()));
            }
            if let Some(other) = seen.insert(*shard, file) {
                return misfit(Misfit::Repeated(*shard, other.to_owned()));
            }
        }
    }
    let of = seen.keys().next().map_or(0, |shard| shard.of());
    let missing: Vec<Shard> = Shard::all(of)
        .filter(|shard| !seen.contains_key(shard))
        .collect();
    if missing.is_empty() {
        Ok(Vec::new())
    } else {
        Err(MergeError {
            file: None,
            misfit: Misfit::Missing(missing),
        })
    }
}
