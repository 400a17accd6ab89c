//! The dialogues of one side of a comparison, one after the other.

use std::collections::{BTreeSet, VecDeque};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use crate::diagnostic::{Diagnostics, SourceMap};
use crate::diff::TracedScenario;
use crate::document::{read_file, unreadable};
use crate::scenario::{FILE_LIMIT, ModelKey, Runner, ScenarioSource, ScenarioText, scenario_files};
use crate::trace::{TraceReader, TracedDialogue};

/// The names of dialogues that come from scenarios: their titles; of the second scenario of a title, with its file.
#[derive(Debug, Default)]
pub struct Titles {
    taken: BTreeSet<String>,
}

impl Titles {
    /// The name of the scenario of this title in this file.
    pub fn name(&mut self, title: &str, file: &Path) -> String {
        let with_file = format!("{title} ({})", file.display());
        let numbered = (2_u32..).map(|number| format!("{title} ({} #{number})", file.display()));
        let mut names = [title.to_owned(), with_file].into_iter().chain(numbered);
        let name = names.find(|name| !self.taken.contains(name)).unwrap_or_default();
        self.taken.insert(name.clone());
        name
    }
}

/// The dialogues of one side.
pub enum DialogueStream<'r> {
    /// Read from a trace.
    Trace(Box<TraceReader<Box<dyn BufRead>>>),
    /// Played.
    Scenarios(Box<Scenarios<'r>>),
}

/// Scenarios that are played one after the other.
pub struct Scenarios<'r> {
    runner: &'r Runner<'r>,
    folder: PathBuf,
    files: VecDeque<PathBuf>,
    waiting: VecDeque<ScenarioSource>,
    titles: Titles,
    /// Models of scenarios that could not be played.
    pub models: Vec<ModelKey>,
    /// Mocks that scenarios name.
    pub mocks: BTreeSet<PathBuf>,
    /// Scenarios that could not be played.
    pub unplayable: usize,
    /// Nobody read what was said in some turn.
    pub unread: bool,
}

impl<'r> DialogueStream<'r> {
    /// The dialogues of a trace; `-` is standard input. `None`, with a finding, where the file cannot be opened.
    pub fn trace(path: &Path, found: &mut Diagnostics) -> Option<Self> {
        if path == Path::new("-") {
            let input: Box<dyn BufRead> = Box::new(io::stdin().lock());
            return Some(Self::Trace(Box::new(TraceReader::new(input, "standard input"))));
        }
        match std::fs::File::open(path) {
            Ok(file) => {
                let input: Box<dyn BufRead> = Box::new(BufReader::with_capacity(1 << 18, file));
                Some(Self::Trace(Box::new(TraceReader::new(input, &path.display().to_string()))))
            }
            Err(error) => {
                found.push(unreadable(path, &error));
                None
            }
        }
    }

    /// The dialogues of the scenarios of a file or folder.
    pub fn scenarios(path: &Path, runner: &'r Runner<'r>, found: &mut Diagnostics) -> Self {
        let files = scenario_files(&[path.to_path_buf()], found);
        Self::Scenarios(Box::new(Scenarios {
            runner,
            folder: path.to_path_buf(),
            files: files.into(),
            waiting: VecDeque::new(),
            titles: Titles::default(),
            models: Vec::new(),
            mocks: BTreeSet::new(),
            unplayable: 0,
            unread: false,
        }))
    }

    /// The next dialogue; nothing behind the last one.
    pub fn next(&mut self, found: &mut Diagnostics, sources: &mut SourceMap) -> Option<TracedDialogue> {
        match self {
            Self::Trace(reader) => reader.read(found, sources),
            Self::Scenarios(scenarios) => scenarios.next(found, sources),
        }
    }

    /// What findings call it.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Trace(reader) => reader.name().to_owned(),
            Self::Scenarios(scenarios) => scenarios.folder.display().to_string(),
        }
    }
}

impl Scenarios<'_> {
    fn next(&mut self, found: &mut Diagnostics, sources: &mut SourceMap) -> Option<TracedDialogue> {
        loop {
            let Some(source) = self.waiting.pop_front() else {
                let path = self.files.pop_front()?;
                if let Some(file) = read_file(&path, FILE_LIMIT, sources, found) {
                    self.waiting = ScenarioSource::all(file, &path, sources).into();
                }
                continue;
            };
            match self.play(&source, found, sources) {
                Some(dialogue) => return Some(dialogue),
                None => self.unplayable += 1,
            }
        }
    }

    fn play(
        &mut self,
        source: &ScenarioSource,
        found: &mut Diagnostics,
        sources: &SourceMap,
    ) -> Option<TracedDialogue> {
        let node = source.node(sources, found)?;
        let scenario = ScenarioText::read(&node, found)?;
        self.mocks.extend(self.runner.mock_of(&scenario, &source.path));
        let prepared = match self.runner.prepare(&scenario, &source.path, found) {
            Ok(prepared) => prepared,
            Err(key) => {
                self.models.extend(key);
                return None;
            }
        };
        let file = source.path.strip_prefix(&self.folder).unwrap_or(&source.path);
        let name = self.titles.name(scenario.title, file);
        let played = TracedScenario::of(&prepared, &name, None, found);
        self.unread |= played.unread.is_some();
        Some(played.dialogue)
    }
}
