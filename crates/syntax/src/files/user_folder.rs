//! Folders for files of the user, outside of projects.

use std::path::PathBuf;

/// A folder for files of a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserFolder {
    /// Configuration.
    Config,
    /// State that persists between runs.
    State,
}

impl UserFolder {
    /// The subfolder of this program: in `$XDG_…_HOME` if that is an absolute path, otherwise in the default folder of
    /// the system. `None` if the user has no home directory.
    pub fn path(self) -> Option<PathBuf> {
        let (variable, in_home) = match self {
            Self::Config => ("XDG_CONFIG_HOME", ".config"),
            Self::State => ("XDG_STATE_HOME", ".local/state"),
        };
        // A relative path would depend on the current directory.
        let absolute = |name: &str| {
            std::env::var_os(name)
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
        };
        let home = || std::env::home_dir().filter(|path| path.is_absolute());
        let folder = absolute(variable).or_else(|| {
            if cfg!(windows) {
                absolute(if self == Self::Config {
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
