//! The results of earlier runs: what each scenario and each comparison found about a machine.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::limits::{MAX_HISTORY, MAX_MUTANT_RESULTS};
use fsmsim_syntax::files::{ReadSandbox, make_ignored_folder, open_lock, write_whole};
use fsmsim_syntax::threads::Mutex;

/// How a scenario reacts to a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum MutantTrial {
    /// The scenario passes.
    Unnoticed,
    /// Only the snapshot differs.
    BySnapshot,
    /// An expectation fails, or the scenario is invalid.
    ByExpectation,
}

/// The result of the comparison of a mutant with its original.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum MutantProof {
    /// All turns are equal; contains the number of pairs of states.
    Equal(usize),
    /// No difference was found, for this reason.
    Open(String),
    /// A dialogue differs. Contains the scenario that kills the mutant, if an expectation can notice the difference.
    Differs(Option<String>),
}

/// A result that is kept for later runs.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum CachedResult {
    Trial(MutantTrial),
    Proof(MutantProof),
}

/// A line of the file.
#[derive(Debug, Serialize, Deserialize)]
struct CacheLine {
    key: String,
    result: CachedResult,
}

/// The results of earlier runs, in `.fsmsim/mutants.jsonl`. A key is a hash of the mutated machine, of the scenario or
/// the original, and of the version of the program. So no result is outdated.
#[derive(Debug)]
pub struct MutationCache {
    folder: PathBuf,
    known: BTreeMap<String, CachedResult>,
    /// The results that this run used, and whether they are new.
    used: Mutex<BTreeMap<String, (CachedResult, bool)>>,
}

impl MutationCache {
    /// Reads the results of the project at `root`. Invalid lines are ignored; an unreadable file counts as empty.
    pub fn of(root: &Path) -> Self {
        let mut cache = Self {
            folder: root.join(".fsmsim"),
            known: BTreeMap::new(),
            used: Mutex::default(),
        };
        let mut text = Vec::new();
        let read = ReadSandbox::open(&cache.file())
            .and_then(|file| file.take(MAX_HISTORY).read_to_end(&mut text));
        if read.is_ok() {
            let text = String::from_utf8_lossy(&text);
            let lines = text
                .lines()
                .filter_map(|line| serde_json::from_str(line).ok());
            cache.known = lines
                .map(|CacheLine { key, result }| (key, result))
                .collect();
        }
        cache
    }

    fn file(&self) -> PathBuf {
        self.folder.join("mutants.jsonl")
    }

    /// Whether an earlier run found this result.
    pub(super) fn has(&self, key: u128) -> bool {
        self.known.contains_key(&format!("{key:032x}"))
    }

    /// The result with this key, or else the computed one.
    pub(super) fn get(&self, key: u128, compute: impl FnOnce() -> CachedResult) -> CachedResult {
        let key = format!("{key:032x}");
        let known = self.known.get(&key).cloned();
        let is_new = known.is_none();
        let result = known.unwrap_or_else(compute);
        let mut used = self.used.lock();
        used.entry(key).or_insert((result.clone(), is_new));
        result
    }

    /// Saves the new results. If the file has become too large, only the results that this run used are kept.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn save(&self) -> io::Result<()> {
        let used = self.used.lock();
        let lines = |is_wanted: fn(bool) -> bool| {
            let used = used.iter().filter(|(_, (_, is_new))| is_wanted(*is_new));
            let lines = used.filter_map(|(key, (result, _))| {
                let (key, result) = (key.clone(), result.clone());
                serde_json::to_string(&CacheLine { key, result }).ok()
            });
            lines.map(|line| line + "\n").collect::<String>()
        };
        let new = lines(|is_new| is_new);
        if new.is_empty() {
            return Ok(());
        }
        make_ignored_folder(&self.folder)?;
        let lock = open_lock(&self.folder.join("mutants.lock"))?;
        lock.lock()?;
        let file = self.file();
        if file
            .metadata()
            .is_ok_and(|file| file.len() > MAX_MUTANT_RESULTS)
        {
            return write_whole(&file, &lines(|_| true));
        }
        let mut file = File::options().create(true).append(true).open(file)?;
        file.write_all(new.as_bytes())
    }
}
