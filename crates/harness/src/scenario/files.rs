//! Finds scenario files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use walkdir::{DirEntry, WalkDir};

use super::scenario_address::BEFORE_TITLE;
use super::scenario_text::ScenarioText;
use super::shared::{OtherContent, is_defaults};
use super::source::first_document;
use super::transcript::{is_markdown, is_transcript};
use crate::limits::MAX_SCENARIO_FILE;
use crate::scenario::shared::TURNS;
use fsmsim_runtime::project::Project;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, FileId, SourceMap, nearest};
use fsmsim_syntax::document::{Node, is_yaml, read_file, unreadable};
use fsmsim_syntax::files::{InputFiles, real_path};

/// The scenario files under some paths.
#[derive(Debug, Default)]
pub struct ScenarioFiles {
    /// The files, sorted by name: each named file, and every `.yaml` file, `.yml` file and transcript in the named
    /// directories. Each file occurs once, even if several paths lead to it.
    pub files: Vec<PathBuf>,
    /// The files and directories as the user named them, without titles.
    pub named: Vec<PathBuf>,
    /// Unreadable files and directories below the named ones, with the findings about them.
    pub invalid: Vec<(PathBuf, Diagnostics)>,
    /// The titles that the user named, for files of which only some scenarios are wanted.
    pub titles: Vec<(PathBuf, String)>,
    /// Whether these are all files of the project.
    pub is_project: bool,
    /// Whether some of the files are left out, so that the scenarios of the run are not all of the named ones.
    pub is_partial: bool,
    /// The real paths of files that were already found.
    seen: BTreeSet<PathBuf>,
}

impl ScenarioFiles {
    /// The files under `paths`, or all files of the project if `paths` is empty.
    pub fn of(project: &Project, paths: &[PathBuf], found: &mut Diagnostics) -> Self {
        let all = std::slice::from_ref(&project.scenarios);
        let files = Self::under(if paths.is_empty() { all } else { paths }, found);
        let mut folders = BTreeSet::new();
        let foreign = files.files.iter().find(|file| {
            folders.insert(file.parent().map(Path::to_path_buf)) && project.is_foreign(file)
        });
        if let Some(file) = foreign {
            let title = format!("`{}` belongs to another project", file.display());
            Diagnostic::error(Code::OtherProject, title)
                .help("run the command once for each project, for example with `-C DIRECTORY`")
                .add_to(found);
        }
        let folder = real_path(&project.scenarios);
        let mut named = files.named.iter();
        Self {
            is_project: named.any(|path| folder.starts_with(real_path(path))),
            ..files
        }
    }

    /// The number of files, including unreadable ones.
    pub fn count(&self) -> usize {
        self.files.len() + self.invalid.len()
    }

    /// Keeps only these files.
    pub fn retain(&mut self, wanted: impl Fn(&Path) -> bool) {
        let all = self.files.len();
        self.files.retain(|file| wanted(file));
        self.is_partial |= self.files.len() < all;
        self.is_project &= !self.is_partial;
    }

    /// The files that paths and scenario IDs (`FILE::TITLE`) refer to. Reports missing paths, and symbolic links that
    /// form a cycle.
    pub fn under(paths: &[PathBuf], found: &mut Diagnostics) -> Self {
        let mut files = Self::default();
        for path in paths {
            match (std::fs::metadata(path), address(path)) {
                (Ok(kind), _) => files.add(path, kind.is_dir(), found),
                (Err(_), Some((file, title))) if file.is_file() => {
                    files.add(&file, false, found);
                    files.titles.push((file, title));
                }
                (Err(error), _) => found.push(unreadable(path, &error)),
            }
        }
        // If a file is also named without a title, all its scenarios are wanted.
        let whole = paths
            .iter()
            .filter_map(|path| path.canonicalize().ok())
            .collect::<Vec<_>>();
        let is_named = |file: &Path| {
            file.canonicalize()
                .is_ok_and(|file| whole.iter().any(|path| file.starts_with(path)))
        };
        files.titles.retain(|(file, _)| !is_named(file));
        files
    }

    /// Whether a scenario is wanted. If titles are named for its file, only scenarios with these titles are.
    pub fn wants(&self, scenario: &ScenarioText<'_>) -> bool {
        is_addressed(&self.titles, scenario)
    }

    fn add(&mut self, path: &Path, is_folder: bool, found: &mut Diagnostics) {
        self.named.push(path.to_path_buf());
        if !is_folder {
            return self.push(path.to_path_buf());
        }
        let walk = WalkDir::new(path)
            .follow_links(true)
            .sort_by_file_name()
            .into_iter();
        for entry in walk.filter_entry(|entry| entry.depth() == 0 || !is_hidden(entry.path())) {
            match entry {
                Ok(entry) if is_scenario(&entry) => self.push(entry.into_path()),
                Ok(entry) if is_misnamed(&entry) => {
                    let why = "unsupported extension of the scenario file";
                    found.push(not_run(entry.path(), why, "use the extension `.yaml`"));
                }
                Ok(_) => {}
                Err(error) => self.fail(&error, found),
            }
        }
    }

    fn push(&mut self, file: PathBuf) {
        if self
            .seen
            .insert(file.canonicalize().unwrap_or_else(|_| file.clone()))
        {
            self.files.push(file);
        }
    }

    /// Records a file or directory that cannot be read.
    fn fail(&mut self, error: &walkdir::Error, found: &mut Diagnostics) {
        let path = error.path().unwrap_or(Path::new("."));
        if let Some(above) = error.loop_ancestor() {
            let path = path.display().to_string();
            let above = above.display();
            return Diagnostic::warning(
                Code::LinkLoop,
                format!("the link `{path}` points back to `{above}`"),
            )
            .about(path)
            .help("remove the link, or ignore this warning: the target is already searched")
            .add_to(found);
        }
        let is_a_link = path.symlink_metadata().is_ok_and(|kind| kind.is_symlink());
        if is_a_link && path.extension().is_some() && !is_yaml(path) && !is_markdown(path) {
            return;
        }
        let finding = match error.io_error() {
            Some(error) if is_a_link && error.kind() == std::io::ErrorKind::NotFound => {
                let shown = path.display().to_string();
                Diagnostic::error(
                    Code::FileUnreadable,
                    format!("the link `{shown}` is broken"),
                )
                .about(shown)
                .help("fix the link, or remove it")
            }
            Some(error) => unreadable(path, error),
            None => return,
        };
        self.invalid
            .push((path.to_path_buf(), Diagnostics::of(finding)));
    }
}

/// The scenario files under paths. Reports files and directories that cannot be read.
pub fn scenario_files(paths: &[PathBuf], found: &mut Diagnostics) -> Vec<PathBuf> {
    let ScenarioFiles { files, invalid, .. } = ScenarioFiles::under(paths, found);
    for (_, unread) in invalid {
        found.extend(unread);
    }
    files
}

/// The file and the title in a scenario ID.
pub(super) fn address(path: &Path) -> Option<(PathBuf, String)> {
    let (file, title) = path.to_str()?.split_once(BEFORE_TITLE)?;
    Some((PathBuf::from(file), title.trim().to_owned()))
}

/// Whether a scenario is wanted if `titles` are named. A title without a case stands for all cases.
pub(super) fn is_addressed(titles: &[(PathBuf, String)], scenario: &ScenarioText<'_>) -> bool {
    let of_file = titles.iter().filter(|(named, _)| named == scenario.file);
    let mut titles = of_file.peekable();
    let is_it = |title: &str| {
        title == scenario.title || (scenario.case.is_some() && title == scenario.name())
    };
    titles.peek().is_none() || titles.any(|(_, title)| is_it(title))
}

fn is_hidden(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| name.to_string_lossy().starts_with('.'))
}

fn is_scenario(entry: &DirEntry) -> bool {
    let path = entry.path();
    let has_name = is_yaml(path) && !is_defaults(path);
    entry.file_type().is_file() && (has_name || (is_markdown(path) && is_transcript(path)))
}

/// Whether a file in a scenario directory contains a scenario, but is not run because of its extension.
fn is_misnamed(entry: &DirEntry) -> bool {
    let path = entry.path();
    let end = path.extension().unwrap_or_default().to_string_lossy();
    let is_typo = || !end.ends_with('~') && nearest(&end, ["yaml", "yml"]).is_some();
    let may_be = matches!(&*end, "json" | "txt") || is_typo();
    if !(may_be && entry.file_type().is_file()) {
        return false;
    }
    let holds = holds_scenarios(path);
    if !holds {
        // It can be the report of an earlier run, which is overwritten.
        InputFiles::remove(path);
    }
    holds
}

/// The warning about a file in a scenario directory that has no effect.
pub(super) fn not_run(path: &Path, why: &str, help: &str) -> Diagnostic {
    let shown = path.display().to_string();
    Diagnostic::warning(Code::NotRun, format!("{why} `{shown}`"))
        .about(shown)
        .help(help)
}

/// Whether a file in a scenario directory is not run itself, because it contains defaults, shared turns or a model.
pub fn is_not_run(file: FileId, path: &Path, sources: &SourceMap) -> bool {
    is_defaults(path)
        || sources
            .file(file)
            .is_some_and(|source| OtherContent::of(path, file, source.text()).is_some())
}

/// Whether a file contains scenarios, according to its first document.
pub fn holds_scenarios(path: &Path) -> bool {
    if is_markdown(path) {
        return is_transcript(path);
    }
    if is_defaults(path) {
        return false;
    }
    let mut sources = SourceMap::default();
    let mut found = Diagnostics::default();
    let Some(file) = read_file(path, MAX_SCENARIO_FILE, &mut sources, &mut found) else {
        return false;
    };
    let first = first_document(file, path, &sources, &mut found);
    let keys = ["scenario", TURNS];
    let holds = |node: &Node| keys.iter().any(|key| node.get(key).is_some());
    first.is_some_and(|first| first.items().iter().any(holds))
}
