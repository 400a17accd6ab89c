//! A store as people name it: a file and, in a database, whose data in it.

use std::path::{Path, PathBuf};

use super::memory_twin::MemoryTwin;
#[cfg(feature = "sqlite")]
use super::twin_file::TwinFile;
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic};

/// Extensions of databases; every other file is JSON.
const DATABASES: [&str; 3] = ["sqlite", "sqlite3", "db"];

/// Whose data it is where nobody says.
const DEFAULT_USER: &str = "default";

/// A store as people name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TwinSpec {
    /// The file.
    pub path: PathBuf,
    /// The user, where one is named.
    pub user: Option<Box<str>>,
}

impl TwinSpec {
    /// Reads `FILE` or `FILE:USER`. A colon separates the two where the name of a store's file ends before it.
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

    /// The user's name in a database.
    pub fn user(&self) -> &str {
        self.user.as_deref().unwrap_or(DEFAULT_USER)
    }

    /// Whether it is a database; else it is JSON.
    ///
    /// # Errors
    /// The finding about a user that cannot be: one without a name, or one of a JSON file, which is of one user; and about
    /// any database in a build without them.
    pub fn is_database(&self) -> Checked<bool> {
        let bad = |title: String, help: &str| {
            Diagnostic::error(Code::BadTwin, title)
                .about(self.path.display().to_string())
                .help(help)
                .fail()
        };
        match &self.user {
            Some(user) if user.trim().is_empty() => bad(
                "the user of the twin has no name".to_owned(),
                "name the user, or leave the colon out too",
            ),
            Some(user) if !is_database(&self.path) => bad(
                format!(
                    "there is no user `{user}` in JSON: such a file holds the data of one user"
                ),
                "leave the user out, or give a database: `.sqlite`, `.sqlite3` or `.db`",
            ),
            _ if is_database(&self.path) && !cfg!(feature = "sqlite") => bad(
                "this program was built without SQLite, so it knows no databases".to_owned(),
                "build it with the feature `sqlite`, or name a file called `.json`",
            ),
            _ => Ok(is_database(&self.path)),
        }
    }

    /// A copy of the user's data in memory. A database that is one of this program but does not answer is a store that does
    /// not.
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
    fn the_user_stands_behind_the_file() {
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
    fn a_database_is_told_from_json_and_needs_sqlite() {
        assert!(!TwinSpec::parse("a.json").is_database().unwrap());
        match TwinSpec::parse("a.sqlite:ann").is_database() {
            Ok(is_database) => assert!(is_database && cfg!(feature = "sqlite")),
            Err(finding) => {
                assert!(finding.title.contains("without SQLite") && !cfg!(feature = "sqlite"));
            }
        }
    }
}
