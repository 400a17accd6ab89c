//! Runs many scenarios: plays them on several threads, and hands the results over in order.

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::files::{FILE_LIMIT, ScenarioFiles};
use super::pass_threshold::PassThreshold;
use super::runner::Runner;
use super::scenario::ScenarioText;
use super::scenario_outcome::ScenarioOutcome;
use super::scenario_result::{ScenarioEnd, ScenarioResult};
use super::scenario_run::TurnCollector;
use super::shared::{ScenarioLoader, is_defaults, is_shared};
use super::source::ScenarioSource;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Place, SourceMap, Span};
use crate::document::read_file;
use crate::project::{ArtifactClaims, Project};
use crate::snapshot::{NewSnapshot, SnapshotChecker, SnapshotHome, SnapshotLedger, SnapshotMode};
use crate::threads::{Next, Threads};

/// Documents of a file that are played before their results are handed over.
const PART: usize = 512;

/// Scenarios that are run together.
pub struct Suite<'s> {
    /// What they are played with.
    pub runner: Runner<'s>,
    /// Which of them are wanted.
    pub filter: ScenarioFilter,
    /// How often those that ask somebody are played, whatever they say.
    pub repeat: Option<u32>,
    /// Their snapshots.
    pub snapshots: SnapshotChecker,
}

/// Which scenarios are wanted: those with one of the texts in their title, and with one of the tags; of files of which
/// titles are named, these. An empty list takes all.
#[derive(Clone, Debug, Default)]
pub struct ScenarioFilter {
    /// Texts of titles.
    pub titles: Vec<String>,
    /// Tags.
    pub tags: Vec<String>,
    /// Of these files, only scenarios with these titles.
    pub addresses: Vec<(PathBuf, String)>,
}

/// The results of scenarios that stand in one file behind each other.
pub struct SuitePart<C> {
    /// The file.
    pub sources: Arc<SourceMap>,
    /// The results, with what was collected from the turns of those that were played.
    pub results: Vec<(ScenarioResult, Option<C>)>,
    /// These are the last of the file.
    pub ends_file: bool,
}

/// Scenarios that stand in one file behind each other.
struct FilePart {
    sources: Arc<SourceMap>,
    documents: Vec<ScenarioSource>,
    /// What stands for the file where it cannot be used at all.
    unusable: Option<ScenarioResult>,
    ends_file: bool,
}

/// The files that the scenarios of a run took for themselves.
#[derive(Default)]
struct SuiteClaims {
    cassettes: ArtifactClaims,
    snapshots: SnapshotLedger,
}

/// What came of a document.
enum SuiteItem<C> {
    /// It was not wanted: its title, where it has one.
    PassedOver(PathBuf, String),
    /// It was wanted.
    Met(Box<ScenarioResult>, Option<C>),
}

impl Suite<'_> {
    /// Runs the scenarios of `files` and hands the results to `each` as they come, in the order of the files and of the
    /// documents in them, whatever the number of threads. A file that cannot be used has a result too. Returns what was
    /// learnt of snapshots.
    pub fn run<C: TurnCollector>(
        &self,
        threads: &Threads,
        files: ScenarioFiles,
        each: &mut dyn FnMut(SuitePart<C>),
    ) -> SnapshotLedger {
        let mut claims = SuiteClaims::default();
        let ScenarioFiles { files, unusable, named, .. } = files;
        let unusable = unusable.into_iter().map(|(path, found)| vec![FilePart::unusable(&path, found)]);
        let mut opener = FileOpener::new(self.runner.project, &named);
        let mut parts = unusable.chain(files.iter().map(|path| opener.open(path))).flatten();
        let Ok(()) = threads.in_order(
            || parts.next().map_or(Next::End, Next::Item),
            |FilePart { sources, documents, unusable, ends_file }| {
                let items = threads.map(&documents, |source| self.play(source, &sources));
                let unusable = unusable.map(|result| SuiteItem::Met(Box::new(result), None));
                (sources, items.into_iter().chain(unusable).collect::<Vec<_>>(), ends_file)
            },
            |(sources, items, ends_file)| {
                let results = items.into_iter().filter_map(|item| self.settle(item, &mut claims)).collect();
                each(SuitePart { sources, results, ends_file });
                Ok::<(), Infallible>(())
            },
        );
        claims.snapshots
    }

    /// Plays the scenario of a document, where it is wanted.
    fn play<C: TurnCollector>(&self, source: &ScenarioSource, sources: &SourceMap) -> SuiteItem<C> {
        let mut result = ScenarioResult::at(sources.place(source.start(sources)));
        let mut collector = C::default();
        let document = source.document(sources, &mut result.found);
        if let Some((scenario, document)) =
            document.as_ref().and_then(|document| Some((ScenarioText::read(document, &mut result.found)?, document)))
        {
            if !self.filter.wants(&scenario, &source.path) && !source.has_broken_cases {
                return SuiteItem::PassedOver(source.path.clone(), scenario.name());
            }
            scenario.title.clone_into(&mut result.title);
            result.case = scenario.case.map(|case| case.name.clone());
            result.case_place = scenario.case.map(|case| sources.place(case.span));
            result.place = sources.place(scenario.span);
            result.tags = scenario.tags.iter().map(|tag| (*tag).to_owned()).collect();
            result.meta = scenario.meta();
            result.skip = scenario.skip.map(str::to_owned);
            result.mock = self.runner.mock_of(&scenario, &source.path);
            if scenario.skip.is_some() {
                scenario.check_skipped(&mut result.found);
            }
            // What is wrong with what it shares is told there.
            match &result.skip {
                _ if result.found.has_errors() || document.is_broken => {}
                Some(_) => result.end = ScenarioEnd::Skipped,
                None => self.play_scenario(&scenario, source, sources, &mut collector, &mut result),
            }
        }
        result.has_unknown_cases = source.has_broken_cases;
        let is_played = matches!(result.end, ScenarioEnd::Played(_));
        SuiteItem::Met(Box::new(result), is_played.then_some(collector))
    }

    fn play_scenario(
        &self,
        scenario: &ScenarioText<'_>,
        source: &ScenarioSource,
        sources: &SourceMap,
        collector: &mut impl TurnCollector,
        result: &mut ScenarioResult,
    ) {
        let prepared = match self.runner.prepare(scenario, &source.path, &mut result.found) {
            Ok(prepared) => prepared,
            Err(model) => {
                result.model = model;
                return;
            }
        };
        result.model = Some(prepared.model.clone());
        let threshold = self.threshold(scenario, prepared.answerers.is_some());
        let expects = prepared.turns.expects_something();
        if threshold.plays > 1 && !expects {
            let title = "the scenario is played several times and expects nothing";
            Diagnostic::error(Code::MissingKey, title)
                .at(scenario.span, "expects nothing")
                .help("add `expect` to a turn; a snapshot is only compared where there is one play")
                .add_to(&mut result.found);
            return;
        }
        // Where plays may differ, no one of them is what the scenario does.
        let snapshot = (threshold.plays == 1).then(|| self.snapshots.begin(expects)).flatten();
        prepared.play(ScenarioOutcome::new(threshold, expects), snapshot, collector, sources, result);
    }

    /// How often a scenario is played, and how many plays must pass.
    fn threshold(&self, scenario: &ScenarioText<'_>, asks: bool) -> PassThreshold {
        let wanted = scenario.require.unwrap_or(PassThreshold::ONCE);
        if asks { wanted.of(self.repeat.unwrap_or(wanted.plays)) } else { PassThreshold::ONCE }
    }

    /// Gives a scenario its files, and holds what it did against its snapshot. Nothing, where it was not wanted.
    fn settle<C>(&self, item: SuiteItem<C>, claims: &mut SuiteClaims) -> Option<(ScenarioResult, Option<C>)> {
        let (mut result, collector) = match item {
            SuiteItem::PassedOver(file, title) => {
                claims.snapshots.meet(&self.snapshots, &file, &title);
                return None;
            }
            SuiteItem::Met(result, collector) => (*result, collector),
        };
        let file = PathBuf::from(&result.place.path);
        if result.title.is_empty() || result.has_unknown_cases {
            claims.snapshots.pass_over(&self.snapshots, &file);
            return Some((result, collector));
        }
        let home = claims.snapshots.meet(&self.snapshots, &file, &result.name());
        // A scenario whose files cannot be looked at is not a pass.
        if let Err(finding) = self.settle_files(&mut result, &file, home, claims) {
            result.found.push(*finding);
            result.end = ScenarioEnd::Unusable;
        }
        Some((result, collector))
    }

    fn settle_files(
        &self,
        result: &mut ScenarioResult,
        file: &Path,
        home: SnapshotHome,
        claims: &mut SuiteClaims,
    ) -> Result<(), Box<Diagnostic>> {
        if let Some(cassette) = result.cassette.clone() {
            claims.cassettes.take(cassette, "cassette", &result.name(), &result.place)?;
        }
        if self.snapshots.mode() == SnapshotMode::Accept {
            let (former, path) = self.runner.cassettes_of(&result.name(), file);
            claims.snapshots.renew(former, path.clone()).map_err(|error| {
                let path = path.display().to_string();
                let title = format!("the cassette `{path}` cannot be written: {error}");
                Diagnostic::error(Code::CannotWrite, title).about(path).help("check the rights of the folder")
            })?;
        }
        let title = &*result.name();
        let ScenarioEnd::Played(outcome) = &mut result.end else { return Ok(()) };
        let Some(record) = outcome.snapshot.take() else { return Ok(()) };
        let place = &result.place;
        let (expects, passed) = (outcome.expects, !outcome.falls_short());
        let now = NewSnapshot { place, title, home, record, expects, passed };
        result.snapshot = self.snapshots.check(now, &mut claims.snapshots)?;
        Ok(())
    }
}

impl FilePart {
    /// What stands for a file, or a folder, that cannot be used.
    fn unusable(path: &Path, found: Diagnostics) -> Self {
        Self::with_sources(path, found, SourceMap::default())
    }

    fn with_sources(path: &Path, found: Diagnostics, sources: SourceMap) -> Self {
        let place = Place { path: path.display().to_string(), line: 1, column: 1 };
        let mut result = ScenarioResult::at(place);
        (result.found, result.is_whole_file) = (found, true);
        Self { sources: Arc::new(sources), documents: Vec::new(), unusable: Some(result), ends_file: true }
    }
}

/// Opens files of scenarios, one behind the other, with what they share.
struct FileOpener<'o> {
    loader: ScenarioLoader<'o>,
    /// What is shared; the first file of it gives way to the one that is opened.
    shared: SourceMap,
    /// The files and folders that were named.
    named: &'o [PathBuf],
}

impl<'o> FileOpener<'o> {
    fn new(project: &'o Project, named: &'o [PathBuf]) -> Self {
        Self { loader: ScenarioLoader::new(project), shared: SourceMap::default(), named }
    }

    /// The scenarios of a file, in parts.
    fn open(&mut self, path: &Path) -> Vec<FilePart> {
        let (mut own, mut found) = (SourceMap::default(), Diagnostics::default());
        let Some(file) = read_file(path, FILE_LIMIT, &mut own, &mut found) else {
            return vec![FilePart::with_sources(path, found, own)];
        };
        let text = own.file(file).map(|source| Arc::clone(source.text())).unwrap_or_default();
        // What stands for others in a folder of scenarios is left alone; who names it wants it to be run.
        let is_named = self.named.iter().any(|named| named == path);
        let not_run = match path {
            path if is_defaults(path) => Some("the file holds the defaults of its folder, and no scenario"),
            _ if is_shared(path, file, &text) => Some("the file holds turns for scenarios to use, and is none itself"),
            _ => None,
        };
        if let Some(title) = not_run {
            if !is_named {
                return vec![FilePart {
                    sources: Arc::default(),
                    documents: Vec::new(),
                    unusable: None,
                    ends_file: true,
                }];
            }
            let finding = Diagnostic::error(Code::EmptyFile, title).at(Span::start_of(file), "named to be run");
            found.push(finding.help("name the scenarios, or their folder"));
            return vec![FilePart::with_sources(path, found, own)];
        }
        let file = self.shared.put_first(path.display().to_string(), text);
        let documents = ScenarioSource::all(file, path, &mut self.shared, &mut self.loader);
        let sources = Arc::new(self.shared.clone());
        let faults = self.loader.take_faults();
        let mut parts: Vec<FilePart> =
            faults.into_iter().map(|(path, found)| FilePart::with_sources(&path, found, self.shared.clone())).collect();
        if documents.is_empty() {
            let finding = Diagnostic::error(Code::EmptyFile, "the file holds no scenario");
            let help = "write a scenario, or remove the file: a file that tests nothing is not a pass";
            found.push(finding.at(Span::start_of(file), "nothing here").help(help));
            parts.push(FilePart::with_sources(path, found, self.shared.clone()));
            return parts;
        }
        parts.extend(documents.chunks(PART).map(|documents| FilePart {
            sources: Arc::clone(&sources),
            documents: documents.to_vec(),
            unusable: None,
            ends_file: false,
        }));
        if let Some(last) = parts.last_mut() {
            last.ends_file = true;
        }
        parts
    }
}

impl ScenarioFilter {
    /// Whether a scenario of this file is wanted.
    pub fn wants(&self, scenario: &ScenarioText<'_>, file: &Path) -> bool {
        let any =
            |wanted: &[String], has: &dyn Fn(&str) -> bool| wanted.is_empty() || wanted.iter().any(|text| has(text));
        let mut addresses = self.addresses.iter().filter(|(addressed, _)| addressed == file).peekable();
        let is_addressed =
            |title: &str| title == scenario.title || (scenario.case.is_some() && title == scenario.name());
        (addresses.peek().is_none() || addresses.any(|(_, title)| is_addressed(title)))
            && any(&self.titles, &|text| scenario.title.contains(text))
            && any(&self.tags, &|tag| scenario.tags.contains(&tag))
    }
}
