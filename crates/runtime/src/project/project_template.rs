//! New projects.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use strum::{EnumString, IntoStaticStr, VariantArray};

use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic};
use fsmsim_syntax::files::{write_new, write_whole};

/// A sample project: a dialogue that books a table, its scenarios and its settings, in one of these languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum ProjectTemplate {
    En,
    Ru,
}

/// The path of a file in a new project, and its content.
type TemplateFile = (&'static str, &'static str);

/// The files for git. They can exist: then only their missing lines are added.
const GIT_FILES: [TemplateFile; 2] = [
    (".gitignore", "*.snap.new\n*.jsonl.new\n"),
    // Snapshots and cassettes are compared byte by byte.
    (
        ".gitattributes",
        "*.snap text eol=lf\n*.jsonl text eol=lf\n",
    ),
];

impl ProjectTemplate {
    /// The language code, for example `en`.
    pub fn language(self) -> &'static str {
        self.into()
    }

    /// The English name of the language.
    pub fn language_name(self) -> &'static str {
        match self {
            Self::En => "English",
            Self::Ru => "Russian",
        }
    }

    /// The topic of the dialogue, in its language.
    pub fn title(self) -> &'static str {
        match self {
            Self::En => "A guest books a table",
            Self::Ru => "Гость бронирует столик",
        }
    }

    /// The paths of the files, relative to the project.
    pub fn paths(self) -> impl Iterator<Item = &'static str> {
        let files = self.files().into_iter().chain(GIT_FILES);
        files.map(|(path, _)| path)
    }

    fn files(self) -> [TemplateFile; 4] {
        let (project, flow, scenarios, talk) = match self {
            Self::En => (
                include_str!("../../templates/en/fsmsim.toml"),
                include_str!("../../templates/en/flow.yaml"),
                include_str!("../../templates/en/scenario.yaml"),
                include_str!("../../templates/en/transcript.md"),
            ),
            Self::Ru => (
                include_str!("../../templates/ru/fsmsim.toml"),
                include_str!("../../templates/ru/flow.yaml"),
                include_str!("../../templates/ru/scenario.yaml"),
                include_str!("../../templates/ru/transcript.md"),
            ),
        };
        [
            ("fsmsim.toml", project),
            ("flows/booking.yaml", flow),
            ("scenarios/booking.yaml", scenarios),
            ("scenarios/booking_talk.md", talk),
        ]
    }

    /// Creates the project in a directory. Returns the paths of the written files.
    ///
    /// # Errors
    /// Returns an error if a file of the project exists or cannot be written. No new file remains then. If only a file
    /// for git cannot be written, the project remains.
    pub fn create(self, folder: &Path) -> Checked<Vec<PathBuf>> {
        let files = self.files().map(|(path, text)| (folder.join(path), text));
        for (path, _) in &files {
            match path.symlink_metadata() {
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(Diagnostic::unwritten(path, &error).into()),
                Ok(_) => return Err(not_created(path, &ErrorKind::AlreadyExists.into())),
            }
        }
        let mut created = Vec::new();
        // The settings come last: they name the model, so if they exist, all other files exist.
        for (path, text) in files.iter().rev() {
            if let Err(error) = write_new(path, text) {
                for path in &created {
                    // Only the error that caused the cleanup is reported.
                    let _ = std::fs::remove_file(path);
                }
                return Err(not_created(path, &error));
            }
            created.push(path.clone());
        }
        created.reverse();
        // These files come last, because a project that is created at the same time also needs them.
        for (path, lines) in GIT_FILES {
            let path = folder.join(path);
            match add_lines(&path, lines) {
                Ok(true) => created.push(path),
                Ok(false) => {}
                Err(error) => return Err(Diagnostic::unwritten(&path, &error).into()),
            }
        }
        Ok(created)
    }
}

/// Adds lines that a file lacks. Returns whether it lacked any.
fn add_lines(path: &Path, lines: &str) -> io::Result<bool> {
    let mut text = match std::fs::read_to_string(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
        known => known?,
    };
    let has = |line: &str| text.lines().any(|known| known.trim_end() == line);
    let missing: Vec<&str> = lines.lines().filter(|line| !has(line)).collect();
    if missing.is_empty() {
        return Ok(false);
    }
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    for line in missing {
        text.push_str(line);
        text.push('\n');
    }
    write_whole(path, &text).map(|()| true)
}

fn not_created(path: &Path, error: &io::Error) -> Box<Diagnostic> {
    if error.kind() != ErrorKind::AlreadyExists {
        return Diagnostic::unwritten(path, error).into();
    }
    let path = path.display().to_string();
    Diagnostic::error(Code::CannotWrite, format!("`{path}` already exists"))
        .about(path)
        .help("choose another directory; nothing was written")
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_creation_leaves_no_files() {
        let folder = tempfile::tempdir().unwrap();
        // The settings are written last, and this folder cannot become one of their parents.
        let below = folder.path().join("project");
        std::fs::create_dir_all(below.join("flows")).unwrap();
        std::fs::write(below.join("scenarios"), "a file").unwrap();
        assert!(ProjectTemplate::En.create(&below).is_err());
        assert!(!below.join("fsmsim.toml").exists());
        assert!(!below.join("flows/booking.yaml").exists());
        std::fs::remove_file(below.join("scenarios")).unwrap();
        let created = ProjectTemplate::Ru.create(&below).unwrap();
        let paths = ProjectTemplate::Ru.paths().map(|path| below.join(path));
        assert_eq!(created, paths.collect::<Vec<_>>());
    }

    #[test]
    fn only_one_of_two_concurrent_creations_succeeds() {
        let folder = tempfile::tempdir().unwrap();
        let results: Vec<bool> = std::thread::scope(|scope| {
            let create = |template: ProjectTemplate| {
                let folder = folder.path();
                scope.spawn(move || template.create(folder).is_ok())
            };
            let both = [ProjectTemplate::En, ProjectTemplate::Ru].map(create);
            both.map(|thread| thread.join().unwrap()).to_vec()
        });
        assert_eq!(
            results.iter().filter(|done| **done).count(),
            1,
            "{results:?}"
        );
        let text = |path| std::fs::read_to_string(folder.path().join(path)).unwrap();
        let of = |template: ProjectTemplate| template.files().map(|(path, _)| text(path));
        let is = |template: ProjectTemplate| {
            of(template) == template.files().map(|(_, text)| text.to_owned())
        };
        assert!(
            is(ProjectTemplate::En) || is(ProjectTemplate::Ru),
            "the files of both templates are mixed"
        );
    }
}
