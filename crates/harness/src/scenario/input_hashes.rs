//! Hashes of the files that scenarios are read from.

use std::collections::BTreeMap;
use std::path::PathBuf;

use xxhash_rust::xxh3::xxh3_64;

use super::model_key::ModelKey;
use crate::limits::MAX_SCENARIO_FILE;
use fsmsim_runtime::project::ModelCache;
use fsmsim_syntax::diagnostic::SourceMap;
use fsmsim_syntax::document::read_bytes;

/// Hashes of the files that scenarios are read from. Each file and each model is hashed once, because thousands of
/// scenarios can share them.
#[derive(Debug, Default)]
pub struct InputHashes {
    /// By path, as in findings. The hash of a missing file is 0.
    pub files: BTreeMap<String, u64>,
    models: BTreeMap<ModelKey, u64>,
}

impl InputHashes {
    /// The hash of all files of a scenario: those that it shares with the scenarios of its file, its own, and those of
    /// its model. It does not depend on their order, because other runs can read shared files in another order.
    pub fn of(
        &mut self,
        shared: &SourceMap,
        own: &[PathBuf],
        model: Option<&ModelKey>,
        models: &mut ModelCache,
    ) -> u64 {
        let mut sum = 0_u64;
        for file in shared.used_files() {
            let hash = self.files.entry(file.path().to_owned());
            sum = sum.wrapping_add(*hash.or_insert_with(|| xxh3_64(file.text().as_bytes())));
        }
        for path in own {
            let read = || read_bytes(path, MAX_SCENARIO_FILE).map_or(0, |bytes| xxh3_64(&bytes));
            let hash = self.files.entry(path.display().to_string());
            sum = sum.wrapping_add(*hash.or_insert_with(read));
        }
        if let Some(key) = model {
            let hash = self.models.entry(key.clone()).or_insert_with(|| {
                let machine = models.load(&key.path, key.variant);
                machine.map_or(0, |machine| xxh3_64(machine.files.fingerprint().as_bytes()))
            });
            sum = sum.wrapping_add(*hash);
        }
        sum
    }
}
