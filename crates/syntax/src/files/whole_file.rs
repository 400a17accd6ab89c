//! A file that is there whole or not at all.

use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::limits::MAX_TRIES;

/// The folder in which a file is made, beside the place where it belongs; it is gone when nobody makes one.
const WORKSHOP: &str = ".fsmsim-tmp";

/// Writes a file whole or not at all: under a name of its own, synced, renamed. Of several who write the same file the
/// last one wins. A link in the place of the file is replaced, and not written through. What a run that was killed has
/// left is removed, and git does not see it.
///
/// # Errors
/// Those of the file system; the file is then as it was.
pub fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    write_whole_with(path, &mut |out| out.write_all(text.as_bytes()))
}

/// Writes a file that does not exist yet, whole or not at all, with the folders that it needs. Of several who write the same
/// file, the first one wins.
///
/// # Errors
/// `AlreadyExists` if anything has the path, also a link that leads nowhere. All other errors leave no file.
pub fn write_new(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    {
        std::fs::create_dir_all(folder).map_err(|error| match error.kind() {
            // It is not the file that exists, but a file in the place of its folder.
            ErrorKind::AlreadyExists => ErrorKind::NotADirectory.into(),
            _ => error,
        })?;
    }
    // An empty file reserves the name first: a rename would replace a file that another process has just written.
    drop(File::create_new(path)?);
    write_whole(path, text).inspect_err(|_| {
        // The error that matters is the first one.
        let _ = std::fs::remove_file(path);
    })
}

/// Does what `write_whole` does, for a file that need not be in the memory as a whole: `content` writes it, perhaps more than once.
///
/// # Errors
/// Those of the file system and of `content`; the file is then as it was.
pub fn write_whole_with(
    path: &Path,
    content: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    if path
        .metadata()
        .is_ok_and(|found| !found.is_file() && !found.is_dir())
    {
        // A device or a pipe, which is there to be written to.
        return content(&mut File::options().write(true).open(path)?);
    }
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let workshop = folder.join(WORKSHOP);
    // A link would lead elsewhere.
    if workshop
        .symlink_metadata()
        .is_ok_and(|found| !found.is_dir())
    {
        return Err(io::Error::new(
            ErrorKind::AlreadyExists,
            format!("`{WORKSHOP}` beside it is no folder"),
        ));
    }
    let written = (0..MAX_TRIES).find_map(|_| match write_in(&workshop, path, content) {
        // Somebody cleared away what seemed to be left over.
        Err(error) if error.kind() == ErrorKind::NotFound && folder.is_dir() => None,
        done => Some(done),
    });
    clear(&workshop);
    written.unwrap_or_else(|| {
        Err(io::Error::other(
            "other processes clear away what is written",
        ))
    })
}

fn write_in(
    workshop: &Path,
    path: &Path,
    content: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let (unfinished, file) = begin(workshop)?;
    let mut out = BufWriter::new(file);
    let done = content(&mut out)
        .and_then(|()| out.flush())
        .and_then(|()| out.get_ref().sync_all())
        // Held until it has its name, so that nobody takes it for a left-over.
        .and_then(|()| std::fs::rename(&unfinished, path));
    if done.is_err() {
        // Nothing is left behind; the error that matters is the first one.
        let _ = std::fs::remove_file(&unfinished);
    }
    done
}

/// A new file in the workshop, held by this process.
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
    // The number of a process that was killed may come again.
    match std::fs::remove_file(&unfinished) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let file = File::create_new(&unfinished)?;
    file.lock()?;
    Ok((unfinished, file))
}

/// Removes what nobody holds any more, and the workshop where nobody is in it.
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
