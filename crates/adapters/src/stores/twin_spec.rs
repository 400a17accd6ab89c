//! Names of digital twins: a file and, in a database, a user.

use std::path::{Path, PathBuf};

use super::memory_twin::MemoryTwin;
#[cfg(feature = "sqlite")]
use super::twin_file::TwinFile;
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic};

/// The extensions of databases. Every other file is JSON.
const DATABASES: [&str; 3] = ["sqlite", "sqlite3", "db"];

/// The default user.
const DEFAULT_USER: &str = "default";

/// The name of a digital twin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TwinSpec {
    pub path: PathBuf,
    /// The user, if specified.
    pub user: Option<Box<str>>,
}

impl TwinSpec {
    /// Parses `FILE` or `FILE:USER`. The separator is the first colon after a known extension.
    pub fn parse(text: &str) -> Self {
        let parts = text
            .match_indices(':')
            .filter_map(|(at, _)| text.split_at_checked(at));
        let named =
            |file: &str| is_database(Path::new(file)) || has_extension(Path::new(file), &["json"]);
        match parts.into_iter().find(|(file, _)| named(file)) {
            Some((file, user)) => Self {
                path: file.into(),
                user: Some(user.trim_start_matches(':').into()),
            },
            None => Self {
                path: text.into(),
                user: None,
            },
        }
    }

    /// The name of the user in a database.
    pub fn user(&self) -> &str {
        self.user.as_deref().unwrap_or(DEFAULT_USER)
    }

    /// Whether the file is a database. Otherwise it is JSON.
    ///
    /// # Errors
    /// Returns a finding if the user name is empty, a JSON file has a user, or this build does not support databases.
    pub fn is_database(&self) -> Checked<bool> {
        let bad = |title: String, help: &str| {
            Diagnostic::error(Code::BadTwin, title)
                .about(self.path.display().to_string())
                .help(help)
                .fail()
        };
        match &self.user {
            Some(user) if user.trim().is_empty() => bad(
                "missing user name after the colon".to_owned(),
                "add the user name, or remove the colon",
            ),
            Some(user) if !is_database(&self.path) => bad(
                format!(
                    "cannot use the user `{user}` with a JSON file, which contains the data of only one user"
                ),
                "remove the user, or use a database: `.sqlite`, `.sqlite3` or `.db`",
            ),
            _ if is_database(&self.path) && !cfg!(feature = "sqlite") => bad(
                "this build does not support SQLite databases".to_owned(),
                "build fsmsim with the feature `sqlite`, or use a `.json` file",
            ),
            _ => Ok(is_database(&self.path)),
        }
    }

    /// An in-memory copy of the user's data. If a database does not respond, neither does the copy.
    pub fn copy(&self) -> Checked<MemoryTwin> {
        if self.is_database()? {
            #[cfg(feature = "sqlite")]
            return TwinFile::new(&self.path).copy(self.user());
        }
        MemoryTwin::load(&self.path)
    }
}

fn is_database(path: &Path) -> bool {
    has_extension(path, &DATABASES)
}

fn has_extension(path: &Path, known: &[&str]) -> bool {
    path.extension().is_some_and(|extension| {
        known
            .iter()
            .any(|known| extension.eq_ignore_ascii_case(known))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_follows_the_file() {
        let parts = |text: &str| {
            let name = TwinSpec::parse(text);
            (name.path.display().to_string(), name.user.map(String::from))
        };
        let of = |path: &str, user: Option<&str>| (path.to_owned(), user.map(str::to_owned));
        assert_eq!(parts("a.sqlite"), of("a.sqlite", None));
        assert_eq!(parts("a.DB:marina"), of("a.DB", Some("marina")));
        assert_eq!(parts("a.db:urn:x.db"), of("a.db", Some("urn:x.db")));
        assert_eq!(
            parts("C:\\a.sqlite3:Анна К."),
            of("C:\\a.sqlite3", Some("Анна К."))
        );
        assert_eq!(parts("a.db:"), of("a.db", Some("")));
        assert_eq!(parts("a.json:x"), of("a.json", Some("x")));
        assert_eq!(parts("a:b"), of("a:b", None));
        assert_eq!(parts(""), of("", None));
    }

    #[test]
    fn database_is_distinguished_from_json_and_needs_sqlite() {
        assert!(!TwinSpec::parse("a.json").is_database().unwrap());
        match TwinSpec::parse("a.sqlite:ann").is_database() {
            Ok(is_database) => assert!(is_database && cfg!(feature = "sqlite")),
            Err(finding) => {
                assert!(
                    finding.title.contains("does not support SQLite") && !cfg!(feature = "sqlite")
                );
            }
        }
    }
}
