//! The current project, and access checks for its folder.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use walkdir::WalkDir;

use super::author_answer::AuthorRefusal;
use crate::limits::MAX_FOLDER_ENTRIES;
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::Profile;
use fsmsim_runtime::project::{
    ModelCache, ModelName, Project, is_surely_definition, models_below, unknown_profile,
};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap};
use fsmsim_syntax::document::leads_out;
use fsmsim_syntax::files::{ReadSandbox, real_path};

/// The current project. No file outside its folder is read.
pub(super) struct FencedProject {
    /// The project of the working directory.
    pub project: Project,
    /// The configuration root; by default, the server searches for it.
    pub config: Option<PathBuf>,
    /// The canonical path of the project folder.
    root: PathBuf,
}

impl FencedProject {
    /// Loads the project from its current files.
    pub(super) fn open(config: Option<&Path>) -> Result<Self, AuthorRefusal> {
        let mut sources = SourceMap::default();
        let mut found = Diagnostics::default();
        let project = Project::at(Path::new("."), &mut sources, &mut found);
        if found.has_errors() {
            return Err(AuthorRefusal::of(&found, &sources));
        }
        Ok(Self {
            project,
            config: config.map(Path::to_path_buf),
            root: real_path(Path::new(".")),
        })
    }

    /// Checks a path from an assistant. Returns it relative to the project.
    pub(super) fn admit(&self, named: &str) -> Result<PathBuf, AuthorRefusal> {
        let path = Path::new(named);
        let steps_back = path.components().any(|part| part == Component::ParentDir);
        if named.is_empty() || steps_back || named.chars().any(char::is_control) {
            let help = match steps_back {
                true => "write the path without `..`",
                false if named.is_empty() => {
                    "name a file or a directory; `.` is the project directory"
                }
                false => "remove the control characters",
            };
            return Err(Diagnostic::error(
                Code::OutsideProject,
                format!("`{}` is not a path in the project", named.escape_debug()),
            )
            .help(help)
            .into());
        }
        let path = if path.is_absolute() {
            path.strip_prefix(&self.root).unwrap_or(path)
        } else {
            path
        };
        let path = self
            .project
            .resolve(&path.display().to_string(), Path::new(""))
            .map_err(|finding| {
                finding.help("use a project path that the tool `models` or `scenarios` lists")
            })?;
        // Reading a pipe would block.
        if path
            .metadata()
            .is_ok_and(|there| !there.is_file() && !there.is_dir())
        {
            return Err(Diagnostic::error(
                Code::OutsideProject,
                format!("`{named}` is not a regular file or a directory"),
            )
            .help("use a regular file in the project")
            .into());
        }
        let path: PathBuf = path
            .components()
            .filter(|part| *part != Component::CurDir)
            .collect();
        let path = self.named(&path);
        Ok(PathBuf::from(if path.is_empty() {
            ".".to_owned()
        } else {
            path
        }))
    }

    pub(super) fn named(&self, path: &Path) -> String {
        self.project
            .artifacts_in(&self.project.snapshots)
            .from_root(path)
    }

    /// The path and the profile of a model that an assistant named.
    pub(super) fn model(
        &self,
        named: &str,
        profile: Option<&str>,
    ) -> Result<(PathBuf, Profile), AuthorRefusal> {
        let mut found = Diagnostics::default();
        let name = ModelName::parse(named, &mut found);
        let wanted = profile.and_then(|name| {
            Profile::from_name(name).or_else(|| unknown_profile(name).refuse(&mut found))
        });
        let name = name
            .filter(|_| !found.has_errors())
            .ok_or_else(|| AuthorRefusal::of(&found, &SourceMap::default()))?;
        let path = self.admit(&name.path.to_string_lossy())?;
        Ok((
            path,
            wanted
                .or(name.profile)
                .or(self.project.profile)
                .unwrap_or_default(),
        ))
    }

    /// An empty model cache.
    pub(super) fn cache(&self) -> ModelCache {
        ModelCache::new(&self.project, self.config.clone())
    }

    /// Loads a model from its current files.
    pub(super) fn load(
        &self,
        path: &Path,
        profile: Profile,
    ) -> Result<Arc<Machine>, AuthorRefusal> {
        let mut models = self.cache();
        let machine = models.load(path, profile);
        Self::holds_all(models.sources())?;
        machine.ok_or_else(|| {
            let found = models
                .findings(path, profile)
                .map(Diagnostics::without_key_notes)
                .unwrap_or_default();
            AuthorRefusal::of(&found, models.sources())
        })
    }

    /// Loads the model that the common arguments of a tool call select.
    pub(super) fn machine(
        &self,
        named: &str,
        profile: Option<&str>,
    ) -> Result<Arc<Machine>, AuthorRefusal> {
        let (path, profile) = self.model(named, profile)?;
        self.load(&path, profile)
    }

    /// The models of the project, by relative path.
    pub(super) fn models(&self) -> Vec<String> {
        // Folders that cannot be read have no models.
        let all = models_below(Path::new("."), &mut Diagnostics::default());
        if all.is_empty() && is_surely_definition(Path::new(".")) {
            return vec![".".to_owned()];
        }
        let names = all
            .iter()
            .map(|path| path.to_string_lossy().replace('\\', "/"));
        names.filter(|name| self.admit(name).is_ok()).collect()
    }

    /// Checks that all files that were read are inside the project: a link in a folder can point anywhere.
    ///
    /// # Errors
    /// If a file is outside, returns an error that does not contain its content.
    pub(super) fn holds_all(sources: &SourceMap) -> Result<(), AuthorRefusal> {
        let mut read = sources
            .files()
            .filter(|file| !file.is_invented())
            .map(fsmsim_syntax::diagnostic::SourceFile::path);
        read.find(|path| !ReadSandbox::holds(Path::new(path)))
            .map_or(Ok(()), |path| Err(leads_out(Path::new(path)).into()))
    }

    /// The scenario files and folders to use; by default, the scenario folder of the project. Rejects links that point
    /// outside the project.
    pub(super) fn scenario_paths(
        &self,
        named: Vec<PathBuf>,
    ) -> Result<Vec<PathBuf>, AuthorRefusal> {
        let paths = if named.is_empty() {
            vec![self.project.scenarios.clone()]
        } else {
            named
        };
        for folder in paths.iter().filter(|path| path.is_dir()) {
            self.holds_links(folder)?;
        }
        Ok(paths)
    }

    /// Checks that no link in a folder points outside the project.
    fn holds_links(&self, folder: &Path) -> Result<(), AuthorRefusal> {
        let mut links = WalkDir::new(folder)
            .into_iter()
            .take(MAX_FOLDER_ENTRIES)
            .flatten()
            .filter(walkdir::DirEntry::path_is_symlink);
        links
            .find(|link| !real_path(link.path()).starts_with(&self.root))
            .map_or(Ok(()), |link| Err(leads_out(link.path()).into()))
    }
}
