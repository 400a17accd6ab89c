//! The project as its files are now, and the fence around it.

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
use fsmsim_syntax::files::{ReadFence, real_path};

/// The project as its files are now. Nothing outside its folder is looked at.
pub(super) struct FencedProject {
    /// The project of the working directory.
    pub(super) project: Project,
    /// The configuration root that is used instead of looking for one.
    pub(super) config: Option<PathBuf>,
    /// Its folder, links resolved.
    root: PathBuf,
}

impl FencedProject {
    /// The project as its file is now.
    pub(super) fn open(config: Option<&Path>) -> Result<Self, AuthorRefusal> {
        let (mut sources, mut found) = (SourceMap::default(), Diagnostics::default());
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

    /// A path from the project, as an assistant named it.
    pub(super) fn admit(&self, named: &str) -> Result<PathBuf, AuthorRefusal> {
        let path = Path::new(named);
        let steps_back = path.components().any(|part| part == Component::ParentDir);
        if named.is_empty() || steps_back || named.chars().any(char::is_control) {
            let title = format!("`{}` is no path from the project", named.escape_debug());
            let help = match steps_back {
                true => "write it without `..`",
                false if named.is_empty() => {
                    "name a file or a folder; `.` is the folder of the project"
                }
                false => "write it without signs that move a cursor",
            };
            return Err(Diagnostic::error(Code::OutsideProject, title)
                .help(help)
                .into());
        }
        let path = if path.is_absolute() {
            path.strip_prefix(&self.root).unwrap_or(path)
        } else {
            path
        };
        let path = self.project.resolve(&path.display().to_string(), Path::new("")).map_err(|finding| {
            finding.help("nothing outside the project is read: name a path in it, as `models` and `scenarios` do")
        })?;
        // A pipe would be waited for.
        if path
            .metadata()
            .is_ok_and(|there| !there.is_file() && !there.is_dir())
        {
            let title = format!("`{named}` is neither a file nor a folder");
            return Err(Diagnostic::error(Code::OutsideProject, title)
                .help("name a file of the project")
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

    /// A model as an assistant named it, and the profile with which it is meant.
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

    /// Models that are not read yet.
    pub(super) fn cache(&self) -> ModelCache {
        ModelCache::new(&self.project, self.config.clone())
    }

    /// A model as its files are now.
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

    /// The model of a call, by the arguments that every tool has for it.
    pub(super) fn machine(
        &self,
        named: &str,
        profile: Option<&str>,
    ) -> Result<Arc<Machine>, AuthorRefusal> {
        let (path, profile) = self.model(named, profile)?;
        self.load(&path, profile)
    }

    /// The models of the project, by path from it.
    pub(super) fn models(&self) -> Vec<String> {
        // What cannot be looked at is none.
        let all = models_below(Path::new("."), &mut Diagnostics::default());
        if all.is_empty() && is_surely_definition(Path::new(".")) {
            return vec![".".to_owned()];
        }
        let names = all
            .iter()
            .map(|path| path.to_string_lossy().replace('\\', "/"));
        names.filter(|name| self.admit(name).is_ok()).collect()
    }

    /// Refuses files that were read from outside: a link in a folder may lead anywhere.
    ///
    /// # Errors
    /// That one was; nothing of it is told.
    pub(super) fn holds_all(sources: &SourceMap) -> Result<(), AuthorRefusal> {
        let mut read = sources
            .files()
            .filter(|file| !file.is_invented())
            .map(fsmsim_syntax::diagnostic::SourceFile::path);
        read.find(|path| !ReadFence::holds(Path::new(path)))
            .map_or(Ok(()), |path| Err(leads_out(Path::new(path)).into()))
    }

    /// Files and folders of scenarios: the folder of the project's where none are named. None of them has a link that leads out.
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

    /// Refuses a folder in which a link leads out of the project.
    fn holds_links(&self, folder: &Path) -> Result<(), AuthorRefusal> {
        let links = WalkDir::new(folder)
            .into_iter()
            .take(MAX_FOLDER_ENTRIES)
            .flatten();
        let mut links = links.filter(walkdir::DirEntry::path_is_symlink);
        links
            .find(|link| !real_path(link.path()).starts_with(&self.root))
            .map_or(Ok(()), |link| Err(leads_out(link.path()).into()))
    }
}
