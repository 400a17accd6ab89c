//! The project: `fsmsim.toml`, and the base directory of paths in files.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;

use super::artifact_layout::{ArtifactLayout, full};
use super::explore_settings::ExploreSettings;
use super::key_places::KeyPlaces;
use super::lint_levels::{LintLevels, RawLevels};
use super::project_boundary::ProjectBoundary;
use super::test_settings::TestSettings;
use super::trust_request::TrustRequest;
use fsmsim_adapters::llm::{ChainFault, ChainSettings, RawChain, TaskKind};
use fsmsim_core::machine::Profile;
use fsmsim_core::trace::RecordField;
use fsmsim_dialects::dialect::NamedPaths;
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic, Diagnostics, SourceMap, Span, nearest};
use fsmsim_syntax::document::{DEFINITION_LIMIT, read_file};
use fsmsim_syntax::terminal::is_secret_name;

/// The name of the project file.
pub(super) const PROJECT_FILE: &str = "fsmsim.toml";

/// A project. Without `fsmsim.toml`, it is the working directory with default settings.
#[derive(Clone, Debug, Default)]
pub struct Project {
    /// The base directory of paths in files. Empty is the working directory.
    pub root: PathBuf,
    /// The default model of scenarios.
    pub model: Option<String>,
    /// The default profile of dialogues.
    pub profile: Option<Profile>,
    /// Names that scenarios may use although no model defines them.
    pub foreign: Vec<String>,
    /// The directory of the scenarios.
    pub scenarios: PathBuf,
    /// The directory of the snapshots.
    pub snapshots: PathBuf,
    /// The directory of the cassettes.
    pub cassettes: PathBuf,
    /// Directories whose models are not listed.
    pub excluded: Vec<PathBuf>,
    /// The fields that a snapshot contains. `None` means the default fields.
    pub snapshot_fields: Option<Vec<RecordField>>,
    /// The names of scenario files are transliterated to ASCII.
    pub ascii_names: bool,
    /// The memory file of agent cycles, if configured.
    pub memory: Option<PathBuf>,
    /// The providers of `--llm live`.
    pub chain: ChainSettings,
    /// The addresses and variables of the providers that require the consent of the user.
    pub trust: TrustRequest,
    /// The systems under test that the user has approved. Callers must add them before use.
    pub subjects: AgreedSubjects,
    /// The levels of findings.
    pub lint: LintLevels,
    /// The coverage thresholds.
    pub coverage: Vec<CoverageThreshold>,
    /// The options of test runs.
    pub test: TestSettings,
    /// The options of explorations.
    pub explore: ExploreSettings,
    fence: ProjectBoundary,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ProjectFile {
    model: Option<String>,
    profile: Option<String>,
    foreign: Vec<String>,
    paths: Paths,
    snapshot: Snapshot,
    llm: RawChain,
    lint: RawLevels,
    cycle: CycleDefaults,
    test: TestSettings,
    explore: ExploreSettings,
    coverage: BTreeMap<Spanned<String>, toml::Value>,
}

/// A coverage threshold of `fsmsim.toml`.
#[derive(Clone, Debug)]
pub struct CoverageThreshold {
    /// The kind of coverage, or the model and the kind.
    pub key: String,
    /// The percentage as written.
    pub percent: String,
    /// The location in the project file.
    pub place: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct CycleDefaults {
    memory: Option<Spanned<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Paths {
    scenarios: Option<Spanned<String>>,
    snapshots: Option<Spanned<String>>,
    cassettes: Option<Spanned<String>>,
    exclude: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Snapshot {
    fields: Option<Spanned<Vec<Spanned<String>>>>,
    ascii_names: bool,
}

impl Project {
    /// The project of the first of these paths that is in a project, otherwise of the working directory: the nearest
    /// `fsmsim.toml` in the path or above it.
    pub fn find<'p>(
        named: impl IntoIterator<Item = &'p Path>,
        sources: &mut SourceMap,
        found: &mut Diagnostics,
    ) -> Self {
        let here = Path::new("");
        let folder = named.into_iter().chain([here]).find_map(project_folder);
        match folder {
            Some(folder) => Self::read(path_from(&full(here), &folder), sources, found),
            None => Self::default().with_paths(Paths::default(), |_, _| ()),
        }
    }

    /// Whether a file is in a project of its own, and not in this one.
    pub fn is_foreign(&self, file: &Path) -> bool {
        project_folder(file).is_some_and(|folder| folder != full(&self.root))
    }

    /// The path of the project in its git repository, with `/`. Empty at the root, and without a repository.
    pub fn path_in_repository(&self) -> String {
        path_in_repository(&self.root, &self.root).unwrap_or_default()
    }

    /// The prefix of paths in the project, relative to the working directory: empty, or with `/` at its end.
    pub fn prefix(&self) -> String {
        let root = self.root.display().to_string().replace('\\', "/");
        if root.is_empty() { root } else { root + "/" }
    }

    /// The project in this directory, with or without an `fsmsim.toml`.
    pub fn at(folder: &Path, sources: &mut SourceMap, found: &mut Diagnostics) -> Self {
        let root = if folder == Path::new(".") {
            PathBuf::new()
        } else {
            folder.to_path_buf()
        };
        if folder.join(PROJECT_FILE).is_file() {
            return Self::read(root, sources, found);
        }
        Self {
            root,
            ..Self::default()
        }
        .with_paths(Paths::default(), |_, _| ())
    }

    fn read(root: PathBuf, sources: &mut SourceMap, found: &mut Diagnostics) -> Self {
        let project = Self {
            root,
            ..Self::default()
        };
        let path = project.file();
        let Some(file) = read_file(&path, DEFINITION_LIMIT, sources, found) else {
            return project.with_paths(Paths::default(), |_, _| ());
        };
        let span_of = |range: Range<usize>| Span::new(file, range.start, range.end);
        let text = sources
            .file(file)
            .map(|file| file.text().clone())
            .unwrap_or_default();
        let parsed = match toml::from_str::<ProjectFile>(&text) {
            Ok(parsed) => parsed,
            Err(error) => {
                let span = error.span().map_or(Span::start_of(file), span_of);
                let title = format!("invalid project file: {}", in_plain_words(error.message()));
                let finding = Diagnostic::error(Code::BadProject, title);
                let at = error.span().map_or(0, |range| range.start);
                let before = text
                    .get(..at)
                    .unwrap_or_default()
                    .lines()
                    .next_back()
                    .unwrap_or_default();
                let after = text
                    .get(at..)
                    .unwrap_or_default()
                    .lines()
                    .next()
                    .unwrap_or_default();
                found.push(if is_secret_name(&[before, after].concat()) {
                    // The line is not shown, because it might contain a secret.
                    let place = sources.place(span);
                    finding
                        .about(format!("{}:{}", place.path, place.line))
                        .help(
                            "name the environment variable that contains the secret: `api_key_env = \"NAME\"`",
                        )
                } else {
                    let near = near_key(error.message());
                    finding
                        .at(span, "")
                        .suggest(near, "see docs/src/reference/formats/config.md for the keys of `fsmsim.toml`")
                });
                ProjectFile::default()
            }
        };
        let profile = parsed.profile.as_deref().and_then(|name| {
            Profile::from_name(name).or_else(|| {
                unknown_profile(name)
                    .about(path.display().to_string())
                    .refuse(found)
            })
        });
        let mut faults = Vec::new();
        let mut raw = parsed.llm;
        let prompts = std::mem::take(&mut raw.prompts);
        let mut chain =
            ChainSettings::build(raw, &|file| project.inside(file, &path).ok(), &mut faults);
        let places = (!faults.is_empty()).then(|| KeyPlaces::of(&text));
        for ChainFault {
            at,
            key,
            text: fault,
        } in faults
        {
            let of_key = places
                .as_ref()
                .zip(key)
                .and_then(|(places, key)| places.of_llm(at.as_ref(), &key));
            // Only the line number is shown, because the line might contain a secret.
            let place = match of_key.or(at) {
                Some(at) => {
                    let place = sources.place(span_of(at));
                    format!("{}:{}", place.path, place.line)
                }
                None => path.display().to_string(),
            };
            Diagnostic::error(Code::BadProject, fault)
                .about(place)
                .help("see docs/src/how-to/configure-llm-providers.md for `[llm]` and `[[llm.chain]]`")
                .add_to(found);
        }
        for (need, template) in prompts {
            let Some(kind) = TaskKind::from_name(need.get_ref()) else {
                let needs = TaskKind::ALL.iter().map(|kind| kind.name());
                let name = need.get_ref();
                let span = span_of(need.span());
                Diagnostic::not_among(Code::BadProject, "need", name, span, needs).add_to(found);
                continue;
            };
            match project.inside(template.get_ref(), &path) {
                Ok(template) => chain.prompts.push((kind, template)),
                Err(finding) => found.push(finding.at(span_of(template.span()), "")),
            }
        }
        let trust = TrustRequest::new(&chain.reach, file, sources);
        let mut faults = Vec::new();
        let lint = LintLevels::build(&parsed.lint, &mut faults);
        let place_of = |at: Range<usize>| {
            let place = sources.place(span_of(at));
            format!("{}:{}", place.path, place.line)
        };
        let mut of_test = parsed.test;
        let inside = |file: &Path| {
            let file = project.root.join(file);
            project.fence.admit(file, &project.root, &path)
        };
        of_test.resolve(&inside, &place_of, &mut faults);
        let mut explore = parsed.explore;
        explore.resolve(&inside, &place_of, &mut faults);
        faults.sort_by_key(|(at, _)| at.start);
        for (at, fault) in faults {
            found.push(fault.at(span_of(at), ""));
        }
        let memory = parsed.cycle.memory.and_then(|memory| {
            let at = span_of(memory.span());
            project
                .inside(memory.get_ref(), &path)
                .map_err(|finding| found.push(finding.at(at, "")))
                .ok()
        });
        let coverage = parsed.coverage.into_iter().map(|(key, percent)| {
            let place = place_of(key.span());
            let percent = percent
                .as_str()
                .map_or_else(|| percent.to_string(), str::to_owned);
            CoverageThreshold {
                key: key.into_inner(),
                percent,
                place,
            }
        });
        let coverage = coverage.collect();
        let Snapshot {
            fields,
            ascii_names,
        } = parsed.snapshot;
        let snapshot_fields = fields.and_then(|fields| snapshot_fields(&fields, span_of, found));
        Self {
            model: parsed.model,
            profile,
            foreign: parsed.foreign,
            snapshot_fields,
            ascii_names,
            memory,
            chain,
            trust,
            lint,
            coverage,
            test: of_test,
            explore,
            ..project
        }
        .with_paths(parsed.paths, |at, finding| {
            found.push(finding.at(span_of(at), ""));
        })
    }

    /// Sets the directories. Reports a directory outside the project, and uses its default instead.
    fn with_paths(self, paths: Paths, mut report: impl FnMut(Range<usize>, Diagnostic)) -> Self {
        let mut folder = |given: Option<Spanned<String>>, default: &str| {
            given
                .and_then(|given| {
                    let span = given.span();
                    self.inside(given.get_ref(), &self.file())
                        .map_err(|finding| report(span, *finding))
                        .ok()
                })
                .unwrap_or_else(|| self.root.join(default))
        };
        let scenarios = folder(paths.scenarios, "scenarios");
        let snapshots = folder(paths.snapshots, "snapshots");
        let cassettes = folder(paths.cassettes, "cassettes");
        let excluded = paths
            .exclude
            .iter()
            .map(|path| self.root.join(path))
            .collect();
        Self {
            scenarios,
            snapshots,
            cassettes,
            excluded,
            ..self
        }
    }

    fn inside(&self, path: &str, file: &Path) -> Checked<PathBuf> {
        self.fence.admit(self.root.join(path), &self.root, file)
    }

    /// The project file, which might not exist.
    pub fn file(&self) -> PathBuf {
        self.root.join(PROJECT_FILE)
    }

    /// The project directory as a path that the operating system accepts: `.` for the working directory.
    pub fn folder(&self) -> &Path {
        if self.root.as_os_str().is_empty() {
            Path::new(".")
        } else {
            &self.root
        }
    }

    /// The directories from the project to the file, each with its path relative to the project. For a file outside of
    /// the project, only its directory.
    pub fn folders_of(&self, file: &Path) -> Vec<(PathBuf, Option<PathBuf>)> {
        let folder = file.parent().unwrap_or(Path::new(""));
        match full(folder).strip_prefix(full(&self.root)) {
            Ok(inner) => {
                let inner = inner.ancestors().map(Path::to_path_buf);
                let mut folders: Vec<_> = inner
                    .map(|inner| (self.root.join(&inner), Some(inner)))
                    .collect();
                folders.reverse();
                folders
            }
            Err(_) => vec![(folder.to_path_buf(), None)],
        }
    }

    /// The layout of a directory with one file per scenario.
    pub fn artifacts_in(&self, folder: &Path) -> ArtifactLayout {
        ArtifactLayout::new(folder, &self.scenarios, &self.root).in_ascii(self.ascii_names)
    }

    /// Resolves a path in a file: relative to the project or, if it starts with `./`, relative to the file.
    ///
    /// # Errors
    /// Returns the finding, without its location, if the path leads out of the project.
    pub fn resolve(&self, path: &str, file: &Path) -> Checked<PathBuf> {
        let path = match path.strip_prefix("./") {
            Some(relative) => file.parent().unwrap_or(Path::new("")).join(relative),
            None => return self.inside(path, file),
        };
        self.fence.admit(path, &self.root, file)
    }
}

/// The path of a file from the root of the git repository that contains `folder`, with `/`. `None` if the file is
/// outside, or without a repository.
pub fn path_in_repository(file: &Path, folder: &Path) -> Option<String> {
    let [file, folder] = [file, folder].map(full);
    let mut above = folder.ancestors();
    let top = above.find(|folder| folder.join(".git").exists())?;
    let inner = file.strip_prefix(top).ok()?;
    Some(inner.display().to_string().replace('\\', "/"))
}

/// The nearest directory with an `fsmsim.toml`: the path or a directory above it.
fn project_folder(path: &Path) -> Option<PathBuf> {
    let path = full(path);
    let mut folders = path.ancestors();
    folders
        .find(|folder| folder.join(PROJECT_FILE).is_file())
        .map(Path::to_path_buf)
}

/// The relative path between two absolute directories. If they have only the root in common, the path is absolute.
fn path_from(here: &Path, folder: &Path) -> PathBuf {
    let both = here.components().zip(folder.components());
    let shared = both.take_while(|(one, other)| one == other).count();
    if shared < 2 {
        return folder.to_path_buf();
    }
    let up = here.components().skip(shared).map(|_| Component::ParentDir);
    up.chain(folder.components().skip(shared)).collect()
}

impl NamedPaths for Project {
    fn resolve(&self, path: &str, file: &Path) -> Checked<PathBuf> {
        Self::resolve(self, path, file)
    }

    fn admit(&self, path: PathBuf, file: &Path) -> Checked<PathBuf> {
        self.fence.admit(path, &self.root, file)
    }
}

/// Reads the fields that snapshots contain. Reports unknown names, and a list without a result of the turn, because
/// such snapshots are always the same. The number and the input are part of every snapshot.
fn snapshot_fields(
    names: &Spanned<Vec<Spanned<String>>>,
    span_of: impl Fn(Range<usize>) -> Span,
    found: &mut Diagnostics,
) -> Option<Vec<RecordField>> {
    let errors = found.error_count();
    let known = || RecordField::of_outcome().chain([RecordField::Input]);
    let mut fields = Vec::new();
    for name in names.get_ref() {
        let (name, span) = (name.get_ref(), span_of(name.span()));
        match known().find(|field| field.name() == name) {
            Some(RecordField::Turn | RecordField::Input) => {}
            Some(field) => fields.push(field),
            None => {
                let known = known().map(RecordField::name);
                Diagnostic::not_among(Code::BadProject, "field", name, span, known).add_to(found);
            }
        }
    }
    if fields.is_empty() && found.no_errors_since(errors) {
        let title = "`fields` of `[snapshot]` contains no result of a turn";
        return Diagnostic::error(Code::BadProject, title)
            .at(span_of(names.span()), "nothing is compared")
            .help("add a result, for example `fields = [\"state\", \"replies\"]`, or remove the key to use the default fields")
            .refuse(found);
    }
    Some(fields)
}

/// The known key that is most similar to an unknown key. `message` contains both in backticks.
fn near_key(message: &str) -> Option<&str> {
    let quoted = message.split('`').skip(1).step_by(2);
    let mut quoted = message.starts_with("unknown field").then_some(quoted)?;
    nearest(quoted.next()?, quoted)
}

/// Replaces names of number types in a TOML error message.
fn in_plain_words(message: &str) -> String {
    let Some((before, wanted)) = message.split_once("expected ") else {
        return message.to_owned();
    };
    let wanted = match wanted.trim_end() {
        "f32" | "f64" => "a number",
        "u8" | "u16" | "u32" | "u64" | "usize" => "an integer from 0",
        "a nonzero u32" => "an integer from 1",
        "i8" | "i16" | "i32" | "i64" | "isize" => "an integer",
        other => other,
    };
    format!("{before}expected {wanted}")
}

/// The finding for an unknown profile.
pub fn unknown_profile(name: &str) -> Diagnostic {
    Diagnostic::unknown(Code::UnknownProfile, "profile", name).offer(
        name,
        "use one of these profiles",
        Profile::ALL.map(Profile::name),
    )
}

/// The systems under test that the user has approved, identified by their addresses and commands. Empty by default, so
/// that nothing is started or sent without consent.
#[derive(Clone, Debug, Default)]
pub struct AgreedSubjects {
    reaches: BTreeSet<String>,
}

impl AgreedSubjects {
    /// Records the consent of the user.
    pub fn add(&mut self, reach: String) {
        self.reaches.insert(reach);
    }

    /// Whether the user has approved the system.
    pub fn has(&self, reach: &str) -> bool {
        self.reaches.contains(reach)
    }
}
