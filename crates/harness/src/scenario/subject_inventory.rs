//! Collects the subjects of scenarios before a run.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::file_opener::FileOpener;
use super::files::ScenarioFiles;
use super::runner::Runner;
use super::scenario_selection::ScenarioSelection;
use super::scenario_text::ScenarioText;
use super::shared::DEFAULTS;
use fsmsim_adapters::subject::{SUBJECT, SubjectReach, SubjectSpec};
use fsmsim_syntax::diagnostic::{Diagnostics, Place};
use fsmsim_syntax::files::ReadSandbox;

/// The distinct subjects of scenarios, by the commands and addresses that they use, in the order of first use.
#[derive(Clone, Debug, Default)]
pub struct SubjectInventory {
    pub subjects: Vec<SubjectPlace>,
}

/// A subject, and where it is first used.
#[derive(Clone, Debug)]
pub struct SubjectPlace {
    pub reach: String,
    /// The lines of `reach`, each with its location in the file.
    pub lines: Vec<(Place, String)>,
}

impl SubjectInventory {
    /// The subjects of the selected scenarios. Errors in scenarios are not reported until they run. Files that cannot
    /// contain a subject are not opened.
    pub fn of(
        files: &ScenarioFiles,
        selection: &dyn ScenarioSelection,
        runner: &Runner<'_>,
    ) -> Self {
        let mut census = Self::default();
        let mut opener = FileOpener::new(runner.project, &files.named);
        let mut folders = BTreeMap::new();
        for path in files
            .files
            .iter()
            .filter(|path| mentions(path) || is_below_subject(path, &mut folders))
        {
            for part in opener.open(path) {
                for source in &part.documents {
                    let mut found = Diagnostics::default();
                    let Some(document) = source.document(&part.sources, &mut found) else {
                        continue;
                    };
                    let Some(scenario) = ScenarioText::read(&document, &mut found) else {
                        continue;
                    };
                    let Some(node) = scenario.subject.filter(|_| scenario.skip.is_none()) else {
                        continue;
                    };
                    let Some(spec) = SubjectSpec::read(node, &mut found) else {
                        continue;
                    };
                    if files.wants(&scenario) && selection.wants(&scenario, runner, &part.sources) {
                        let reach = SubjectReach::of(&spec);
                        let lines = reach
                            .lines
                            .iter()
                            .map(|(span, text)| (part.sources.place(*span), text.clone()));
                        census.add(SubjectPlace {
                            reach: reach.text(),
                            lines: lines.collect(),
                        });
                    }
                }
            }
        }
        census
    }

    /// Adds a subject, unless it was already added.
    pub fn add(&mut self, subject: SubjectPlace) {
        if !self
            .subjects
            .iter()
            .any(|known| known.reach == subject.reach)
        {
            self.subjects.push(subject);
        }
    }
}

/// Whether a file contains the key `subject`. Pipes are not read here, because they can be read only once.
fn mentions(path: &Path) -> bool {
    // An unreadable file is reported when it is run.
    let is_file = path.metadata().is_ok_and(|file| file.is_file());
    is_file
        && ReadSandbox::open(path)
            .and_then(|file| holds(file, SUBJECT.as_bytes()))
            .unwrap_or_default()
}

/// Whether a stream of any length contains a word.
fn holds(mut file: impl Read, word: &[u8]) -> io::Result<bool> {
    let mut shown = Vec::new();
    loop {
        // A word can start in one chunk and end in the next.
        let kept = shown.len().saturating_sub(word.len().saturating_sub(1));
        shown.drain(..kept);
        let read = (&mut file).take(PART).read_to_end(&mut shown)?;
        if shown.windows(word.len()).any(|part| part == word) {
            return Ok(true);
        }
        if read == 0 {
            return Ok(false);
        }
    }
}

/// The number of bytes to search at a time.
const PART: u64 = 1 << 16;

/// Whether directory defaults that apply to a file contain the key `subject`. Each directory is checked only once.
fn is_below_subject(path: &Path, folders: &mut BTreeMap<PathBuf, bool>) -> bool {
    let path = path.canonicalize().unwrap_or_default();
    let mut above = path.ancestors().skip(1);
    above.any(|folder| {
        *folders
            .entry(folder.to_path_buf())
            .or_insert_with(|| mentions(&folder.join(DEFAULTS)))
    })
}
