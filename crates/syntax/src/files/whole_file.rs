//! Atomic writes of files.

use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::limits::MAX_TRIES;

/// The temporary folder next to the target file. It is deleted when no process uses it.
const WORKSHOP: &str = ".fsmsim-tmp";

/// Writes a file atomically: to a temporary file that is synced and renamed. If several processes write the same file,
/// the last one wins. The file keeps its permissions. A symbolic link is replaced, not followed, by a file with the
/// permissions of its target. Temporary files of killed runs are deleted, and git ignores them.
///
/// # Errors
/// Returns an error if the file system fails. The file is then unchanged.
pub fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    write_whole_with(path, &mut |out| out.write_all(text.as_bytes()))
}

/// Creates a file and its folders atomically. If several processes write the same file, the first one wins.
///
/// # Errors
/// `AlreadyExists` if the path exists, even as a broken link. No file remains after any other error.
pub fn write_new(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    {
        std::fs::create_dir_all(folder).map_err(|error| match error.kind() {
            // The file itself does not exist, but another file exists in place of a folder.
            ErrorKind::AlreadyExists => ErrorKind::NotADirectory.into(),
            _ => error,
        })?;
    }
    // Most callers write the file only once, and then find it.
    if path.symlink_metadata().is_ok() {
        return Err(ErrorKind::AlreadyExists.into());
    }
    write_placed(
        path,
        &mut |out| out.write_all(text.as_bytes()),
        name_if_free,
    )
}

/// Gives a complete file its name, unless another process has just used the name.
fn name_if_free(unfinished: &Path, path: &Path) -> io::Result<()> {
    // A link fails if the name exists, but a rename would replace the file. A killed process leaves all or nothing.
    match std::fs::hard_link(unfinished, path) {
        Err(error) if !matches!(error.kind(), ErrorKind::AlreadyExists | ErrorKind::NotFound) => {
            // Some file systems have no links. An empty file reserves the name there.
            drop(File::create_new(path)?);
            std::fs::rename(unfinished, path).inspect_err(|_| {
                // Only the first error is relevant.
                let _ = std::fs::remove_file(path);
            })
        }
        linked => linked.and_then(|()| std::fs::remove_file(unfinished)),
    }
}

/// Like `write_whole`, for a file that does not fit in memory. `content` writes the file, and is called again for a
/// retry.
///
/// # Errors
/// Returns an error if the file system or `content` fails. The file is then unchanged.
pub fn write_whole_with(
    path: &Path,
    content: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    if path
        .metadata()
        .is_ok_and(|found| !found.is_file() && !found.is_dir())
    {
        // A device or a pipe is written directly.
        return content(&mut File::options().write(true).open(path)?);
    }
    check_writable(path)?;
    write_placed(path, content, |unfinished, path| {
        std::fs::rename(unfinished, path)
    })
}

/// Checks that the user may write a file, because replacing it requires only permissions for the folder.
///
/// # Errors
/// Returns an error if the file exists and the user may not write to it.
pub fn check_writable(path: &Path) -> io::Result<()> {
    // A link is replaced, and its target stays unchanged.
    if path.symlink_metadata().is_ok_and(|found| found.is_file())
        && let Err(error) = File::options().write(true).open(path)
        && error.kind() != ErrorKind::NotFound
    {
        return Err(error);
    }
    Ok(())
}

/// Writes a temporary file, to which `place` gives its final name.
fn write_placed(
    path: &Path,
    content: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    place: impl Fn(&Path, &Path) -> io::Result<()>,
) -> io::Result<()> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let workshop = folder.join(WORKSHOP);
    // A link could point outside of the project.
    if workshop
        .symlink_metadata()
        .is_ok_and(|found| !found.is_dir())
    {
        return Err(io::Error::new(
            ErrorKind::AlreadyExists,
            format!("`{WORKSHOP}` next to the file is not a directory"),
        ));
    }
    let written = (0..MAX_TRIES).find_map(|_| match write_in(&workshop, path, content, &place) {
        // Another process deleted the temporary folder, because it seemed to be unused.
        Err(error) if error.kind() == ErrorKind::NotFound && folder.is_dir() => None,
        done => Some(done),
    });
    clear(&workshop);
    written.unwrap_or_else(|| {
        Err(io::Error::other(
            "other processes delete the temporary files",
        ))
    })
}

fn write_in(
    workshop: &Path,
    path: &Path,
    content: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    place: &impl Fn(&Path, &Path) -> io::Result<()>,
) -> io::Result<()> {
    let (unfinished, file) = begin(workshop)?;
    if let Ok(replaced) = path.metadata() {
        // Some file systems have no permissions.
        let _ = file.set_permissions(replaced.permissions());
    }
    let mut out = BufWriter::new(file);
    let done = content(&mut out)
        .and_then(|()| out.flush())
        .and_then(|()| out.get_ref().sync_all())
        // The lock is held until the file has its name, so that no other process deletes the file as a leftover.
        .and_then(|()| place(&unfinished, path));
    if done.is_err() {
        // Delete the temporary file. Only the first error is relevant.
        let _ = std::fs::remove_file(&unfinished);
    }
    done
}

/// A new locked file in the temporary folder.
fn begin(workshop: &Path) -> io::Result<(PathBuf, File)> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    match std::fs::create_dir(workshop) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        created => created?,
    }
    match File::create_new(workshop.join(".gitignore")) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        created => created?.write_all(b"*\n")?,
    }
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let unfinished = workshop.join(format!("{}-{number}", std::process::id()));
    // The system reuses process IDs, so a file of a killed process can have the same name.
    match std::fs::remove_file(&unfinished) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let file = File::create_new(&unfinished)?;
    file.lock()?;
    Ok((unfinished, file))
}

/// Deletes files that no process has locked, and the temporary folder if it is unused.
fn clear(workshop: &Path) {
    let Ok(entries) = std::fs::read_dir(workshop) else {
        return;
    };
    for entry in entries
        .flatten()
        .filter(|entry| entry.file_name() != ".gitignore")
    {
        let is_left = File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok());
        if is_left {
            let _ = std::fs::remove_file(entry.path());
        } else {
            return;
        }
    }
    let _ = std::fs::remove_file(workshop.join(".gitignore"));
    let _ = std::fs::remove_dir(workshop);
}
