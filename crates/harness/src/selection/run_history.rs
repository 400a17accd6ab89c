//! The results of a project's scenarios in the last run of each.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::limits::{MAX_HISTORY, MAX_HISTORY_GROWTH};
use crate::scenario::ScenarioVerdict;
use fsmsim_syntax::files::{ReadSandbox, make_ignored_folder, open_lock, write_whole};

/// The results of a project's scenarios in the last run of each. They are stored as JSON Lines in
/// `.fsmsim/results.jsonl`, to which runs append. If a run stopped early, the scenarios that it did not reach count as
/// not run.
#[derive(Debug, Default)]
pub struct RunHistory {
    folder: PathBuf,
    /// The verdicts by ID, each with the hash of the files of the scenario.
    verdicts: BTreeMap<String, (ScenarioVerdict, u64)>,
    /// The IDs of scenarios whose last result the user rejected.
    rejected: BTreeSet<String>,
    /// The name of the current run, if the run is recorded.
    own: Option<String>,
}

/// A line in the history file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum HistoryLine<'l> {
    Verdict {
        id: Cow<'l, str>,
        verdict: ScenarioVerdict,
        /// 0 in files of earlier versions.
        #[serde(default)]
        hash: u64,
    },
    Begin {
        begin: String,
        under: Vec<String>,
    },
    End {
        end: String,
    },
    Reject {
        reject: Cow<'l, str>,
    },
}

impl RunHistory {
    /// Reads the history of the project at `root`. Invalid lines are ignored.
    pub fn of(root: &Path) -> Self {
        let mut history = Self::unread(root);
        history.read();
        history
    }

    /// The history of the project at `root`, to which results are only added.
    pub fn unread(root: &Path) -> Self {
        Self {
            folder: root.join(".fsmsim"),
            ..Self::default()
        }
    }

    fn read(&mut self) {
        // An unreadable file counts as empty. Only the first `MAX_HISTORY` bytes are read.
        let Ok(file) = ReadSandbox::open(&self.file()) else {
            return;
        };
        // The last run that started, as long as no end of it is recorded, and the scenarios that it reached.
        let mut open: Option<(String, Vec<String>, BTreeSet<String>)> = None;
        let lines = BufReader::new(file.take(MAX_HISTORY)).split(b'\n');
        for line in lines.map_while(Result::ok) {
            match serde_json::from_slice(&line) {
                Ok(HistoryLine::Verdict { id, verdict, hash }) => {
                    let id = id.into_owned();
                    if let Some((_, _, reached)) = &mut open {
                        reached.insert(id.clone());
                    }
                    self.rejected.remove(&id);
                    self.verdicts.insert(id, (verdict, hash));
                }
                Ok(HistoryLine::Begin { begin, under }) => {
                    open = Some((begin, under, BTreeSet::new()));
                }
                Ok(HistoryLine::End { end }) => {
                    open.take_if(|(begun, ..)| *begun == end);
                }
                Ok(HistoryLine::Reject { reject }) => {
                    self.rejected.insert(reject.into_owned());
                }
                Err(_) => {}
            }
        }
        if let Some((_, under, reached)) = open {
            let is_wanted = |id: &str| under.iter().any(|path| id.starts_with(path.as_str()));
            self.verdicts.retain(|id, (verdict, _)| {
                !verdict.is_well() || reached.contains(id) || !is_wanted(id)
            });
        }
    }

    pub fn is_empty(&self) -> bool {
        self.verdicts.is_empty()
    }

    /// Whether a scenario failed in its last run, was not run, or has other files than then. `hash` computes the
    /// current hash of its files.
    pub fn is_open(&self, address: &str, hash: impl FnOnce() -> u64) -> bool {
        match self.verdicts.get(address) {
            Some((verdict, then)) if verdict.is_well() => *then != 0 && *then != hash(),
            _ => true,
        }
    }

    /// The verdict on a scenario in its last run.
    pub fn verdict(&self, address: &str) -> Option<ScenarioVerdict> {
        self.verdicts.get(address).map(|(verdict, _)| *verdict)
    }

    /// Whether a scenario failed in its last run, and the user has not rejected the result.
    pub fn is_pending(&self, address: &str) -> bool {
        self.verdict(address) == Some(ScenarioVerdict::Failed) && !self.rejected.contains(address)
    }

    /// Records that the user rejected the last results of scenarios.
    pub fn reject(&self, addresses: &[String]) -> io::Result<()> {
        let line = |id: &String| HistoryLine::Reject {
            reject: id.clone().into(),
        };
        self.append(addresses.iter().map(line))
    }

    fn file(&self) -> PathBuf {
        self.folder.join("results.jsonl")
    }

    /// Starts recording a run of the scenarios under these paths, which are relative to the project.
    pub fn begin(&mut self, under: Vec<String>) -> io::Result<()> {
        let name = uuid::Uuid::new_v4().simple().to_string();
        let lock = self.lock()?;
        if self
            .file()
            .metadata()
            .is_ok_and(|file| file.len() > MAX_HISTORY_GROWTH)
        {
            let mut known = Self {
                folder: self.folder.clone(),
                ..Self::default()
            };
            known.read();
            let kept = known
                .verdicts
                .iter()
                .map(|(id, (verdict, hash))| HistoryLine::Verdict {
                    id: id.into(),
                    verdict: *verdict,
                    hash: *hash,
                });
            let rejected = known
                .rejected
                .iter()
                .map(|id| HistoryLine::Reject { reject: id.into() });
            write_whole(&self.file(), &text_of(kept.chain(rejected)))?;
        }
        drop(lock);
        self.append([HistoryLine::Begin {
            begin: name.clone(),
            under,
        }])?;
        self.own = Some(name);
        Ok(())
    }

    /// Adds the verdicts on scenarios, each with the ID of the scenario and the hash of its files.
    pub fn add<'v>(
        &self,
        verdicts: impl IntoIterator<Item = (&'v str, ScenarioVerdict, u64)>,
    ) -> io::Result<()> {
        if self.own.is_none() {
            return Ok(());
        }
        let lines = verdicts
            .into_iter()
            .map(|(id, verdict, hash)| HistoryLine::Verdict {
                id: id.into(),
                verdict,
                hash,
            });
        self.append(lines)
    }

    /// Records that the run reached all of its scenarios.
    pub fn finish(&mut self) -> io::Result<()> {
        match self.own.take() {
            Some(end) => self.append([HistoryLine::End { end }]),
            None => Ok(()),
        }
    }

    /// Locks the history, so that other processes cannot write to it.
    fn lock(&self) -> io::Result<File> {
        make_ignored_folder(&self.folder)?;
        let lock = open_lock(&self.folder.join("results.lock"))?;
        lock.lock()?;
        Ok(lock)
    }

    /// Appends lines while the history is locked.
    fn append<'l>(&self, lines: impl IntoIterator<Item = HistoryLine<'l>>) -> io::Result<()> {
        let text = text_of(lines);
        let _lock = self.lock()?;
        let mut file = File::options()
            .create(true)
            .append(true)
            .open(self.file())?;
        file.write_all(text.as_bytes())
    }
}

fn text_of<'l>(lines: impl IntoIterator<Item = HistoryLine<'l>>) -> String {
    let mut text = Vec::new();
    for line in lines {
        // Writing to memory cannot fail.
        let _ = serde_json::to_writer(&mut text, &line);
        text.push(b'\n');
    }
    String::from_utf8(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenario_is_open_if_a_stopped_run_missed_it() {
        let folder = tempfile::tempdir().unwrap();
        let of = |titles: &[&'static str], verdict| {
            titles
                .iter()
                .map(|title| (*title, verdict, 7))
                .collect::<Vec<_>>()
        };
        let mut run = RunHistory::of(folder.path());
        assert!(run.is_empty() && run.is_open("a", || 7));
        run.begin(vec!["a".to_owned(), String::new()]).unwrap();
        run.add(of(&["a", "b", "c"], ScenarioVerdict::Passed))
            .unwrap();
        run.add(of(&["d"], ScenarioVerdict::Failed)).unwrap();
        run.finish().unwrap();
        let open = |history: &RunHistory| {
            ["a", "b", "c", "d", "e"].map(|title| history.is_open(title, || 7))
        };
        assert!(RunHistory::of(folder.path()).is_open("a", || 8));
        assert_eq!(
            open(&RunHistory::of(folder.path())),
            [false, false, false, true, true]
        );
        let mut stopped = RunHistory::of(folder.path());
        stopped.begin(vec![String::new()]).unwrap();
        stopped.add(of(&["a"], ScenarioVerdict::Passed)).unwrap();
        assert_eq!(
            open(&RunHistory::of(folder.path())),
            [false, true, true, true, true]
        );
        let mut other = RunHistory::of(folder.path());
        other.begin(vec!["b".to_owned()]).unwrap();
        assert_eq!(
            open(&RunHistory::of(folder.path())),
            [false, true, false, true, true]
        );
    }
}
