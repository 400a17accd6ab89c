//! Analyzes the files of a workspace on a separate thread, so that requests do not wait for it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::case_places::case_places;
use super::file_format::FileFormat;
use super::file_index::FileIndex;
use super::file_uri::tidy;
use super::finding::{FileFinding, FindingStyle, shown};
use super::machine_places::machine_places;
use super::named_kind::NamedKind;
use super::project_map::{KnownModel, ProjectMap, project_folder};
use super::state_visits::VisitJob;
use super::workspace_scan::{DiskStamp, WorkspaceScan, stamp_of};
use fsmsim_harness::lint::Linter;
use fsmsim_harness::scenario::{CheckedFile, FileOpener, Runner};
use fsmsim_runtime::project::{ModelCache, Project};
use fsmsim_runtime::simulate::Persona;
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};
use fsmsim_syntax::document::{DEFINITION_LIMIT, documents, parse_yaml, read_file};
use fsmsim_syntax::threads::Mutex;

/// A request to analyze the open documents.
#[derive(Debug)]
pub(super) struct AnalysisJob {
    pub open: Vec<OpenText>,
    /// Whether files on disk might have changed.
    pub rescan: bool,
}

/// An open document with its unsaved text.
#[derive(Clone, Debug)]
pub(super) struct OpenText {
    pub path: PathBuf,
    pub text: Arc<str>,
    pub version: i32,
}

/// The result of an analysis.
#[derive(Debug)]
pub(super) struct Analysis {
    pub findings: BTreeMap<PathBuf, Vec<FileFinding>>,
    /// The versions of the analyzed documents.
    pub versions: BTreeMap<PathBuf, i32>,
    /// The index of the workspace.
    pub map: Arc<ProjectMap>,
    /// The scenarios to run for the models of open documents, if files on disk might have changed.
    pub visits: Option<VisitJob>,
}

/// Analyzes the workspace and caches loaded models.
#[derive(Debug)]
pub(super) struct Analyst {
    roots: Vec<PathBuf>,
    style: FindingStyle,
    scan: WorkspaceScan,
    is_scanned: bool,
    models: BTreeMap<PathBuf, (KnownModel, FileStamps)>,
}

/// Files, each with the stamp that it had when it was read.
type FileStamps = Vec<(PathBuf, Option<DiskStamp>)>;

struct AnalysisRun<'r> {
    open: &'r [OpenText],
    /// The open documents, which replace the files on disk.
    texts: SourceMap,
    indexes: BTreeMap<PathBuf, Arc<FileIndex>>,
    projects: BTreeMap<PathBuf, Project>,
    findings: BTreeMap<PathBuf, Vec<FileFinding>>,
    style: FindingStyle,
}

impl Analyst {
    pub(super) fn new(roots: Vec<PathBuf>, style: FindingStyle) -> Self {
        Self {
            roots,
            style,
            scan: WorkspaceScan::default(),
            is_scanned: false,
            models: BTreeMap::new(),
        }
    }

    /// Finds the problems of the open documents and of all files that belong to their models.
    pub(super) fn analyze(&mut self, job: &AnalysisJob) -> Analysis {
        let is_wider = self.widen(&job.open);
        if job.rescan || is_wider || !self.is_scanned {
            self.scan.refresh(&self.roots);
            self.is_scanned = true;
        }
        let mut run = AnalysisRun::new(job, self.style);
        run.indexes.extend(
            self.scan
                .indexes()
                .map(|(path, index)| (path.clone(), Arc::clone(index))),
        );
        let own = job.open.iter().filter_map(|open| {
            Some((
                open.path.clone(),
                Arc::new(FileIndex::of(&open.path, &open.text)?),
            ))
        });
        run.indexes.extend(own);
        let mut map = ProjectMap::default();
        self.place_played(&mut run, &mut map);
        let models = self.model_paths(&run, &map);
        self.models.retain(|path, _| models.contains(path));
        self.load_models(&mut run, models);
        for (model, _) in self.models.values() {
            machine_places(model, &mut run.indexes);
        }
        map.models = self
            .models
            .iter()
            .map(|(path, (model, _))| (path.clone(), model.clone()))
            .collect();
        for open in &job.open {
            // A document that belongs to a model has been checked with the model.
            if !map.models_of(&open.path).is_empty() && !is_played(&run, &open.path) {
                continue;
            }
            let root = self.project_root(&open.path);
            run.check_document(open, &root);
        }
        map.indexes = std::mem::take(&mut run.indexes);
        let visits = job.rescan.then(|| self.visits(&job.open, &map));
        Analysis {
            findings: run.findings,
            versions: job
                .open
                .iter()
                .map(|open| (open.path.clone(), open.version))
                .collect(),
            map: Arc::new(map),
            visits,
        }
    }

    /// Adds the folders of documents that are outside all workspace folders. Returns whether it added any.
    fn widen(&mut self, open: &[OpenText]) -> bool {
        let before = self.roots.len();
        for open in open {
            if !self.roots.iter().any(|root| open.path.starts_with(root)) {
                let folder = project_folder(&open.path).or(open.path.parent());
                self.roots.extend(folder.map(Path::to_path_buf));
            }
        }
        self.roots.len() > before
    }

    fn visits(&self, open: &[OpenText], map: &ProjectMap) -> VisitJob {
        let models = open
            .iter()
            .flat_map(|open| map.models_of(&open.path))
            .map(Path::to_path_buf);
        let mut job = VisitJob {
            models: models.collect(),
            ..VisitJob::default()
        };
        for (file, models) in &map.played {
            let is_scenario = map
                .indexes
                .get(file)
                .is_some_and(|index| index.format == FileFormat::Scenario);
            if is_scenario && !models.is_disjoint(&job.models) {
                job.files
                    .entry(self.project_root(file))
                    .or_default()
                    .push(file.clone());
            }
        }
        job
    }

    /// The project folder of a file: the nearest one with an `fsmsim.toml`, otherwise the workspace folder.
    fn project_root(&self, file: &Path) -> PathBuf {
        let root = self
            .roots
            .iter()
            .filter(|root| file.starts_with(root))
            .max_by_key(|root| root.components().count());
        let above = file
            .ancestors()
            .skip(1)
            .take_while(|folder| root.is_none_or(|root| folder.starts_with(root)));
        let own = above
            .into_iter()
            .find(|folder| folder.join("fsmsim.toml").is_file());
        let folder = own.or(root.map(PathBuf::as_path)).or(file.parent());
        folder.map(Path::to_path_buf).unwrap_or_default()
    }

    /// Records the models that each scenario file runs, and the targets of paths in files.
    fn place_played(&self, run: &mut AnalysisRun<'_>, map: &mut ProjectMap) {
        let indexes: Vec<(PathBuf, Arc<FileIndex>)> = run
            .indexes
            .iter()
            .map(|(path, index)| (path.clone(), Arc::clone(index)))
            .collect();
        for (file, index) in &indexes {
            let root = self.project_root(file);
            for place in index
                .places
                .iter()
                .filter(|place| matches!(place.kind, NamedKind::Model | NamedKind::File))
            {
                let written = place.name.split('@').next().unwrap_or_default();
                let named = match index.format {
                    // Interviews name files in their own folder.
                    FileFormat::Interview => file.parent().map(|folder| folder.join(written)),
                    _ => run.project(&root).resolve(written, file).ok(),
                };
                let named = named
                    .map(|named| tidy(&named))
                    .filter(|named| named.exists());
                map.named
                    .extend(named.map(|named| ((file.clone(), place.name.clone()), named)));
            }
        }
        let is_scenario = |index: &FileIndex| {
            matches!(index.format, FileFormat::Scenario | FileFormat::Transcript)
        };
        for (file, index) in indexes.iter().filter(|(_, index)| is_scenario(index)) {
            let models = self.models_named(file, index, run, map);
            let files: Vec<PathBuf> = map.files_named(file, index, NamedKind::File).collect();
            run.index_cases(&files, index);
            for file in files.into_iter().chain([file.clone()]) {
                map.played
                    .entry(file)
                    .or_default()
                    .extend(models.iter().cloned());
            }
        }
    }

    /// The models that the scenarios in a file name. Without any, the default model of the folder or the project.
    fn models_named(
        &self,
        file: &Path,
        index: &FileIndex,
        run: &mut AnalysisRun<'_>,
        map: &mut ProjectMap,
    ) -> BTreeSet<PathBuf> {
        let own: BTreeSet<PathBuf> = map.files_named(file, index, NamedKind::Model).collect();
        if !own.is_empty() {
            return own;
        }
        for folder in file.ancestors().skip(1) {
            let defaults = folder.join("_defaults.yaml");
            if let Some(index) = run.indexes.get(&defaults) {
                let given: BTreeSet<PathBuf> = map
                    .files_named(&defaults, index, NamedKind::Model)
                    .collect();
                if !given.is_empty() {
                    map.played
                        .entry(defaults)
                        .or_default()
                        .extend(given.iter().cloned());
                    return given;
                }
            }
        }
        let root = self.project_root(file);
        let project = run.project(&root);
        let default = project
            .model
            .as_deref()
            .and_then(|model| project.resolve(model, &root.join("fsmsim.toml")).ok());
        default.map(|path| tidy(&path)).into_iter().collect()
    }

    /// The models of the workspace: definitions in folders and files, and the models that scenarios name.
    fn model_paths(&self, run: &AnalysisRun<'_>, map: &ProjectMap) -> BTreeSet<PathBuf> {
        let mut models: BTreeSet<PathBuf> = self.scan.folders.clone();
        models.extend(map.played.values().flatten().cloned());
        let is_inside = |file: &Path, models: &BTreeSet<PathBuf>| {
            file.ancestors()
                .skip(1)
                .any(|folder| models.contains(folder))
        };
        let is_definition = |index: &FileIndex| {
            matches!(
                index.format,
                FileFormat::Flow | FileFormat::Contract | FileFormat::Interview | FileFormat::Cycle
            )
        };
        for (file, _) in run.indexes.iter().filter(|(_, index)| is_definition(index)) {
            let is_skipped = file
                .file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with('_'));
            if !is_skipped && !is_inside(file, &models) && file.is_file() {
                models.insert(file.clone());
            }
        }
        models.retain(|path| path.exists());
        models
    }

    /// Loads models whose files have changed, and checks those with open documents.
    fn load_models(&mut self, run: &mut AnalysisRun<'_>, models: BTreeSet<PathBuf>) {
        let mut by_project: BTreeMap<PathBuf, Vec<(PathBuf, bool)>> = BTreeMap::new();
        for path in models {
            let known = self.models.get(&path);
            let has_open = run.has_open(&path)
                || known.is_none_or(|(model, _)| model.files.iter().any(|file| run.has_open(file)));
            let is_fresh = known.is_some_and(|(_, stamps)| {
                stamps.iter().all(|(file, stamp)| stamp_of(file) == *stamp)
            });
            if has_open || !is_fresh {
                let root = self.project_root(&path);
                by_project.entry(root).or_default().push((path, has_open));
            }
        }
        for (root, models) in by_project {
            let project = run.project(&root).clone();
            let cache = ModelCache::new(&project, None).reading(&run.texts);
            let mut linter = Linter::new(&project, cache, None, false);
            let mut loaded = Vec::new();
            let mut findings = Vec::new();
            let mut open_files = BTreeSet::new();
            for (path, has_open) in models {
                let Some(name) = path.to_str() else { continue };
                let found = linter.look_at(name).unwrap_or_default();
                let sources = linter.models.sources();
                let files: BTreeSet<PathBuf> = sources
                    .used_files()
                    .filter(|file| !file.is_invented())
                    .map(|file| tidy(Path::new(file.path())))
                    .filter(|file| file.is_absolute())
                    .collect();
                // Whether an open document belongs to the model is known only after all files of the model are loaded.
                if has_open && files.iter().any(|file| run.has_open(file)) {
                    open_files.extend(files.iter().cloned());
                }
                findings.extend(shown(&found, sources, run.style));
                loaded.push((path, files));
            }
            // A file can belong to several models. Its findings are reported once, whichever of these models is open.
            findings.retain(|finding| open_files.contains(&finding.path));
            run.add(findings);
            let mut cache = linter.models;
            for (path, files) in loaded {
                let machine = cache.load(&path, project.profile.unwrap_or_default());
                let stamps = files
                    .iter()
                    .map(|file| (file.clone(), stamp_of(file)))
                    .collect();
                let before = self.models.remove(&path).map(|(model, _)| model);
                let (before_files, before_machine) =
                    before.map_or_else(Default::default, |model| (model.files, model.machine));
                // The last valid machine stays until the model is valid again.
                let files = if machine.is_some() || files.is_superset(&before_files) {
                    files
                } else {
                    before_files
                };
                let is_current = machine.is_some();
                let model = KnownModel {
                    path: path.clone(),
                    files,
                    machine: machine.or(before_machine),
                    is_current,
                };
                self.models.insert(path, (model, stamps));
            }
        }
    }
}

/// Whether a document is used in test runs.
fn is_played(run: &AnalysisRun<'_>, file: &Path) -> bool {
    run.indexes
        .get(file)
        .is_some_and(|index| index.format.is_played())
}

impl<'r> AnalysisRun<'r> {
    fn new(job: &'r AnalysisJob, style: FindingStyle) -> Self {
        let mut texts = SourceMap::default();
        for open in &job.open {
            texts.put_instead(open.path.clone(), Arc::clone(&open.text));
        }
        // An editor clears old findings only if it receives an empty list.
        let findings = job
            .open
            .iter()
            .map(|open| (open.path.clone(), Vec::new()))
            .collect();
        Self {
            open: &job.open,
            texts,
            indexes: BTreeMap::new(),
            projects: BTreeMap::new(),
            findings,
            style,
        }
    }

    fn has_open(&self, file: &Path) -> bool {
        self.open.iter().any(|open| open.path == file)
    }

    /// The project in a folder. Its findings are reported once.
    fn project(&mut self, root: &Path) -> &Project {
        if !self.projects.contains_key(root) {
            let mut sources = self.texts.unread();
            let mut found = Diagnostics::default();
            let project = Project::at(root, &mut sources, &mut found);
            self.add(shown(found.items(), &sources, self.style));
            self.projects.insert(root.to_path_buf(), project);
        }
        self.projects.entry(root.to_path_buf()).or_default()
    }

    fn add(&mut self, findings: Vec<FileFinding>) {
        for finding in findings {
            let known = self.findings.entry(finding.path.clone()).or_default();
            if !known.contains(&finding) {
                known.push(finding);
            }
        }
    }

    /// Indexes the names in the case tables that a scenario names.
    fn index_cases(&mut self, files: &[PathBuf], scenario: &FileIndex) {
        for file in files
            .iter()
            .filter(|file| file.extension().is_some_and(|end| end == "csv"))
        {
            let Some(mut index) = case_places(file, &scenario.parameters) else {
                continue;
            };
            if let Some(known) = self.indexes.get(file) {
                index.places.extend(known.places.iter().cloned());
                index
                    .places
                    .sort_by_key(|place| (place.at.start, place.at.end, place.kind));
                index
                    .places
                    .dedup_by(|one, other| one.at == other.at && one.kind == other.kind);
            }
            self.indexes.insert(file.clone(), Arc::new(index));
        }
    }

    /// Checks a document that does not belong to a model.
    fn check_document(&mut self, open: &OpenText, root: &Path) {
        let format = self
            .indexes
            .get(&open.path)
            .map_or(FileFormat::of(&open.path, None), |index| index.format);
        let project = self.project(root).clone();
        match format {
            FileFormat::Scenario | FileFormat::Transcript => {
                self.check_scenarios(&open.path, &project);
            }
            FileFormat::Markdown | FileFormat::Other
                if open.path.starts_with(&project.scenarios) =>
            {
                self.check_scenarios(&open.path, &project);
            }
            FileFormat::Mock => {
                let mut cache = ModelCache::new(&project, None).reading(&self.texts);
                cache.mock(&open.path);
                let found = cache.mock_findings(&open.path).cloned().unwrap_or_default();
                self.add(shown(found.items(), cache.sources(), self.style));
            }
            FileFormat::Cases | FileFormat::Markdown | FileFormat::Config | FileFormat::Other => {}
            _ => self.check_text(open, format),
        }
    }

    /// Checks the syntax of a single document, and the content if it is a persona.
    fn check_text(&mut self, open: &OpenText, format: FileFormat) {
        let mut sources = self.texts.unread();
        let mut found = Diagnostics::default();
        let Some(file) = read_file(&open.path, DEFINITION_LIMIT, &mut sources, &mut found) else {
            return;
        };
        let is_lines = format == FileFormat::Turns;
        for range in documents(&open.text).into_iter().filter(|_| !is_lines) {
            let part = open.text.get(range.clone()).unwrap_or_default();
            let node = parse_yaml(file, part, range.start, &mut found);
            if let Some(node) = node.filter(|_| format == FileFormat::Persona) {
                Persona::read(&node, &mut found);
            }
        }
        self.add(shown(found.items(), &sources, self.style));
    }

    /// Checks the scenarios of a document without running them.
    fn check_scenarios(&mut self, path: &Path, project: &Project) {
        let named = [path.to_path_buf()];
        let models = Mutex::new(ModelCache::new(project, None).reading(&self.texts));
        let runner = Runner::new(project, &models);
        let mut opener = FileOpener::new(project, &named).reading(&self.texts);
        let checked = CheckedFile::of(path, &mut opener, &runner);
        for (sources, found) in &checked.found {
            self.add(shown(found.items(), sources, self.style));
        }
        drop(runner);
        let models = models.into_inner();
        for mock in &checked.mocks {
            let found = models.mock_findings(mock).cloned().unwrap_or_default();
            self.add(shown(found.items(), models.sources(), self.style));
        }
    }
}
