//! The path of a new scenario. A name from a page or an assistant cannot refer to a file outside the scenario folder.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::limits::MAX_PATH_LENGTH;
use fsmsim_harness::scenario::DEFAULTS;
use fsmsim_runtime::project::Project;
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic};
use fsmsim_syntax::files::{write_new, write_whole};

/// The extensions of scenario files.
const EXTENSIONS: [&str; 2] = ["yaml", "md"];
/// Device names of Windows, with any extension.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];

/// A scenario file inside the scenario folder that may be written.
#[derive(Debug)]
pub struct ScenarioPath {
    pub path: PathBuf,
    /// Whether an existing file is overwritten.
    replaces: bool,
}

impl ScenarioPath {
    /// A new file, relative to the scenario folder.
    ///
    /// # Errors
    /// Returns a finding if the name is invalid, points outside the folder, or exists.
    pub fn new(named: &str, project: &Project) -> Checked<Self> {
        let place = Self::replacing(named, project)?;
        if place.path.symlink_metadata().is_ok() {
            return there_already(named).fail();
        }
        Ok(Self {
            replaces: false,
            ..place
        })
    }

    /// As `new`, but an existing regular file is overwritten. Links are rejected.
    pub fn replacing(named: &str, project: &Project) -> Checked<Self> {
        let is_usual = named.len() <= MAX_PATH_LENGTH
            && Path::new(named)
                .extension()
                .is_some_and(|extension| EXTENSIONS.iter().any(|known| extension == *known))
            && named.split('/').all(is_usual);
        if !is_usual {
            let title = format!(
                "invalid name of a scenario file: `{}`",
                named.escape_debug()
            );
            let help =
                "use letters and digits, `_`, `-`, `.` and `/`, and the extension `.yaml` or `.md`";
            return refused(title, help).fail();
        }
        if Path::new(named)
            .file_name()
            .is_some_and(|name| name.eq_ignore_ascii_case(DEFAULTS))
        {
            let title = format!("`{named}` is reserved for the defaults of its directory");
            let help = "use another name";
            return refused(title, help).fail();
        }
        let path = project.scenarios.join(named);
        let folder = nearest(&project.scenarios);
        let is_inside = nearest(project.folder())
            .zip(folder.clone())
            .is_some_and(|(root, folder)| folder.starts_with(root))
            && nearest(&path)
                .zip(folder)
                .is_some_and(|(path, folder)| path.starts_with(folder));
        if !is_inside {
            let title = format!("`{named}` is outside the scenario directory");
            return refused(
                title,
                "use a path without links that lead out of the directory",
            )
            .fail();
        }
        if path.symlink_metadata().is_ok_and(|there| !there.is_file()) {
            return refused(
                format!("`{named}` is not a regular file"),
                "use another name",
            )
            .fail();
        }
        Ok(Self {
            path,
            replaces: true,
        })
    }

    /// Writes the file atomically. A file that another process has created in the meantime is overwritten only if
    /// `replaces` is set.
    pub fn write(&self, text: &str) -> Checked {
        let unwritten = |error: io::Error| {
            let title = format!("cannot write `{}`: {error}", self.path.display());
            Box::new(refused(
                title,
                "check the permissions and the free space of its directory",
            ))
        };
        if let Some(folder) = self.path.parent() {
            std::fs::create_dir_all(folder).map_err(|error| match error.kind() {
                ErrorKind::AlreadyExists | ErrorKind::NotADirectory => {
                    let folder = folder.display();
                    let title = format!(
                        "cannot create the directory `{folder}`: a part of the path is a file"
                    );
                    Box::new(refused(title, "use another name, or move the file"))
                }
                _ => unwritten(error),
            })?;
        }
        if self.replaces {
            return write_whole(&self.path, text).map_err(unwritten);
        }
        write_new(&self.path, text).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => Box::new(there_already(&self.path.display().to_string())),
            _ => unwritten(error),
        })
    }
}

fn refused(title: String, help: &str) -> Diagnostic {
    Diagnostic::error(Code::CannotWrite, title).help(help)
}

fn there_already(named: &str) -> Diagnostic {
    let title = format!("`{named}` already exists");
    refused(title, "use another name, or replace the file")
}

/// Whether a part of a path is a valid file name on every system.
fn is_usual(part: &str) -> bool {
    let stem = part
        .split('.')
        .next()
        .unwrap_or_default()
        .trim_end()
        .to_lowercase();
    let numbered = |name: &str| {
        stem.strip_prefix(name)
            .is_some_and(|rest| rest.chars().count() == 1)
    };
    let is_device = DEVICES.contains(&&*stem) || numbered("com") || numbered("lpt");
    !part.is_empty()
        && !part.starts_with('.')
        && !part.ends_with('.')
        && part
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
        && !is_device
}

/// The canonical path. For a path that does not exist, the canonical path of its nearest existing parent, followed by
/// the rest.
fn nearest(path: &Path) -> Option<PathBuf> {
    let path = std::path::absolute(path).ok()?;
    // A dangling link counts as existing, because its target is elsewhere.
    let there = path
        .ancestors()
        .find(|ancestor| ancestor.symlink_metadata().is_ok())?;
    Some(
        there
            .canonicalize()
            .ok()?
            .join(path.strip_prefix(there).ok()?),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};

    fn project(folder: &Path) -> Project {
        Project::at(
            folder,
            &mut SourceMap::default(),
            &mut Diagnostics::default(),
        )
    }

    #[test]
    fn only_new_files_inside_the_scenario_folder_are_written() {
        let folder = tempfile::tempdir().unwrap();
        let project = project(folder.path());
        let path = ScenarioPath::new("studio/full_sale-1.yaml", &project).unwrap();
        path.write("a").unwrap();
        assert_eq!(std::fs::read_to_string(&path.path).unwrap(), "a");
        assert!(path.write("b").is_err(), "the file must not be overwritten");
        assert!(ScenarioPath::new("studio/full_sale-1.yaml", &project).is_err());
        ScenarioPath::replacing("studio/full_sale-1.yaml", &project)
            .unwrap()
            .write("c")
            .unwrap();
        assert_eq!(std::fs::read_to_string(&path.path).unwrap(), "c");
        std::fs::create_dir(project.scenarios.join("folder.yaml")).unwrap();
        assert!(ScenarioPath::replacing("folder.yaml", &project).is_err());
        assert!(ScenarioPath::new("продажа.md", &project).is_ok());
        for hostile in [
            "",
            "/",
            ".yaml",
            "a",
            "a.txt",
            "a.YAML",
            "../a.yaml",
            "a/../b.yaml",
            ".yaml/../../x",
            "./a.yaml",
            "/etc/a.yaml",
            "a//b.yaml",
            "a/.git/b.yaml",
            "C:/a.yaml",
            "C:a.yaml",
            "\\\\server\\a.yaml",
            "a\\..\\b.yaml",
            "con.yaml",
            "NUL.yaml",
            "a/com1.yaml",
            "lpt9.x.yaml",
            "aux /a.yaml",
            "_defaults.yaml",
            "a/_Defaults.yaml",
            "a\0.yaml",
            "a\n.yaml",
            "a:b.yaml",
            "a b.yaml",
            "x\u{202e}y.yaml",
            "x$(id).yaml",
            "#x.yaml",
            "%2e%2e/x.yaml",
            "x`.yaml",
            "a./b.yaml",
            "a /b.yaml",
            "~/a.yaml\0",
            &format!("{}.yaml", "a".repeat(300)),
        ] {
            assert!(ScenarioPath::new(hostile, &project).is_err(), "{hostile:?}");
            assert!(
                ScenarioPath::replacing(hostile, &project).is_err(),
                "{hostile:?}"
            );
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_out_of_the_scenario_folder_are_rejected() {
        use std::os::unix::fs::symlink;
        let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let project = project(folder.path());
        std::fs::create_dir(&project.scenarios).unwrap();
        symlink(outside.path(), project.scenarios.join("out")).unwrap();
        symlink(
            outside.path().join("new.yaml"),
            project.scenarios.join("hanging.yaml"),
        )
        .unwrap();
        for hostile in ["out/a.yaml", "out/b/c.yaml", "hanging.yaml"] {
            assert!(ScenarioPath::new(hostile, &project).is_err(), "{hostile}");
            assert!(
                ScenarioPath::replacing(hostile, &project).is_err(),
                "{hostile}"
            );
        }
        std::fs::remove_dir_all(&project.scenarios).unwrap();
        symlink(outside.path(), &project.scenarios).unwrap();
        assert!(
            ScenarioPath::new("a.yaml", &project).is_err(),
            "the scenario folder must not be a link"
        );
    }
}
