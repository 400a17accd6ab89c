//! The files that this process reads. A result must not overwrite them.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::real_path;
use super::whole_file::write_whole;

/// The files that this process has read completely, or will read.
#[derive(Debug)]
pub struct InputFiles;

impl InputFiles {
    // Texts, because paths are compared component by component.
    fn all() -> MutexGuard<'static, BTreeSet<OsString>> {
        static FILES: Mutex<BTreeSet<OsString>> = Mutex::new(BTreeSet::new());
        FILES.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records an input.
    pub fn add(path: &Path) {
        Self::all().insert(path.into());
    }

    /// Removes a file whose content was not used.
    pub fn remove(path: &Path) {
        Self::all().remove(path.as_os_str());
    }

    /// Checks that a file can be overwritten. Resolves symbolic links.
    ///
    /// # Errors
    /// Returns an error if the file is an input.
    pub fn check(output: &Path) -> io::Result<()> {
        let real = real_path(output);
        // A device, such as `/dev/stdout`, loses no data.
        let is_input = || {
            Self::all()
                .iter()
                .any(|input| real_path(Path::new(input)) == real)
        };
        if real.is_file() && is_input() {
            return Err(io::Error::other("the command reads this file"));
        }
        Ok(())
    }
}

/// Writes a file that a user names for a result, atomically.
///
/// # Errors
/// Returns an error if the file is an input, or if it cannot be written.
pub fn write_output(path: &Path, text: &str) -> io::Result<()> {
    InputFiles::check(path)?;
    write_whole(path, text)
}
