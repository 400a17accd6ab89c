//! Where a user's own files lie, outside of all projects.

use std::path::PathBuf;

/// A folder for files of a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserFolder {
    /// What the user has settled.
    Config,
    /// What is kept from run to run.
    State,
}

impl UserFolder {
    /// The folder of this program in it: below `$XDG_…_HOME`, where that is a whole path, else where the system has such files.
    /// Nothing, where the user has no home.
    pub fn path(self) -> Option<PathBuf> {
        let (variable, in_home) = match self {
            Self::Config => ("XDG_CONFIG_HOME", ".config"),
            Self::State => ("XDG_STATE_HOME", ".local/state"),
        };
        // A path that is not whole would lead into whatever folder the program was started in.
        let whole = |name: &str| {
            std::env::var_os(name)
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
        };
        let home = || std::env::home_dir().filter(|path| path.is_absolute());
        let folder = whole(variable).or_else(|| {
            if cfg!(windows) {
                whole(if self == Self::Config {
                    "APPDATA"
                } else {
                    "LOCALAPPDATA"
                })
            } else {
                Some(home()?.join(in_home))
            }
        });
        Some(folder?.join("fsmsim"))
    }
}
