//! A file that other processes append to, rename or truncate.

use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::line_splitter::LineSplitter;

/// The number of bytes that are read in one step.
const CHUNK: usize = 1 << 16;

/// The number of bytes at the start of a file by which a truncated file is detected.
const START: usize = 64;

/// The time during which a process can still write to a file that was renamed.
const GRACE: Duration = Duration::from_millis(500);

/// A position in a growing file, after a complete line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilePosition {
    /// The device and the number of the file.
    identity: Option<(u64, u64)>,
    /// The number of bytes before the position.
    offset: u64,
    /// The number of lines before the position.
    line: usize,
    /// The number of bytes at the start of the file, and their hash.
    start: (usize, u64),
}

impl FilePosition {
    /// The start of a file.
    pub fn of(file: &Metadata) -> Self {
        Self {
            identity: identity(file),
            ..Self::default()
        }
    }
}

/// A file that other processes append to, rename or truncate. Lines of a renamed file are read to its end, then those of
/// the new file with the same path.
#[derive(Debug)]
pub struct GrowingFile {
    path: PathBuf,
    file: Option<File>,
    identity: Option<(u64, u64)>,
    /// The number of bytes that were read.
    read: u64,
    start: Vec<u8>,
    lines: LineSplitter,
    chunk: Vec<u8>,
    /// Whether the last step reached the end of the file.
    was_dry: bool,
}

impl GrowingFile {
    /// The file at this path from its start. It can be missing at first.
    pub fn new(path: &Path) -> Self {
        Self {
            path: path.to_path_buf(),
            file: None,
            identity: None,
            read: 0,
            start: Vec::new(),
            lines: LineSplitter::default(),
            chunk: vec![0; CHUNK],
            was_dry: false,
        }
    }

    /// The file from a position. If it was renamed, it is searched in its folder. `None` if the position no longer
    /// exists.
    pub fn resume(path: &Path, position: &FilePosition) -> Option<Self> {
        let mut growing = Self::new(path);
        if position.identity.is_none() {
            return Some(growing);
        }
        let entries = std::fs::read_dir(folder_of(path)).ok()?;
        let others = entries.flatten().map(|entry| entry.path());
        let file = std::iter::once(path.to_path_buf())
            .chain(others)
            .find_map(|path| {
                let is_it = |of: &Metadata| of.is_file() && identity(of) == position.identity;
                path.metadata().ok().filter(is_it)?;
                let mut file = File::open(path).ok()?;
                let length = file.metadata().ok()?.len();
                let start = start_of(&mut file, position.start.0).ok()?;
                let is_same = length >= position.offset && xxh3_64(&start) == position.start.1;
                file.seek(SeekFrom::Start(position.offset)).ok()?;
                is_same.then_some((file, start))
            });
        let (file, start) = file?;
        growing.file = Some(file);
        growing.identity = position.identity;
        growing.read = position.offset;
        growing.start = start;
        growing.lines.number = position.line;
        growing.was_dry = true;
        Some(growing)
    }

    /// The position after the last complete line.
    pub fn position(&self) -> FilePosition {
        FilePosition {
            identity: self.identity,
            offset: self.read - self.lines.rest() as u64,
            line: self.lines.number,
            start: (self.start.len(), xxh3_64(&self.start)),
        }
    }

    /// Reads some lines, each with its number. Returns whether there can be more now.
    ///
    /// # Errors
    /// Returns an error if the file system fails, or if a line is too long.
    pub fn read(&mut self, each: &mut dyn FnMut(usize, &[u8])) -> io::Result<bool> {
        let Some(file) = &mut self.file else {
            let path = self.path.clone();
            return self.open(&path);
        };
        if self.was_dry && start_of(file, self.start.len())? != self.start {
            return Ok(self.restart());
        }
        file.seek(SeekFrom::Start(self.read))?;
        let length = file.read(&mut self.chunk)?;
        let chunk = self.chunk.get(..length).unwrap_or_default();
        self.was_dry = length == 0;
        if length == 0 {
            return self.replaced(each);
        }
        let missing = START.saturating_sub(self.start.len());
        self.start.extend(chunk.iter().take(missing));
        self.read += length as u64;
        self.lines.push(chunk, each)?;
        Ok(true)
    }

    fn open(&mut self, path: &Path) -> io::Result<bool> {
        match File::open(path) {
            Ok(file) => {
                self.identity = identity(&file.metadata()?);
                self.file = Some(file);
                Ok(true)
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Continues at the end of the file: with its start if it was truncated, or with the next file.
    fn replaced(&mut self, each: &mut dyn FnMut(usize, &[u8])) -> io::Result<bool> {
        if let Ok(now) = self.path.metadata()
            && identity(&now) == self.identity
        {
            return if now.len() < self.read {
                Ok(self.restart())
            } else {
                Ok(false)
            };
        }
        let file = self.file.as_ref().map(File::metadata).transpose()?;
        let Some(written) = file.and_then(|file| file.modified().ok()) else {
            return Ok(false);
        };
        let next = self.next_path(written);
        let Some(next) = next.filter(|_| written.elapsed().is_ok_and(|time| time > GRACE)) else {
            return Ok(false);
        };
        self.lines.finish(each);
        *self = Self::new(&self.path);
        self.open(&next)
    }

    /// The file that was written after this one: the file at the path, or one that was renamed since then. The name of a
    /// renamed file continues the name of the path with a dot or a hyphen, and a digit.
    fn next_path(&self, written: SystemTime) -> Option<PathBuf> {
        let name = self.path.file_name()?.to_string_lossy().into_owned();
        let entries = std::fs::read_dir(folder_of(&self.path)).ok()?.flatten();
        let later = entries.filter_map(|entry| {
            let other = entry.file_name().to_string_lossy().into_owned();
            let rest = other.strip_prefix(&name)?;
            let number = rest.strip_prefix(['.', '-']).unwrap_or_default();
            let is_renamed = number.starts_with(|digit: char| digit.is_ascii_digit())
                && Path::new(number).extension().is_none_or(|end| end != "gz");
            let file = entry.metadata().ok()?;
            let time = file.modified().ok()?;
            let is_other = identity(&file) != self.identity && file.is_file();
            let is_next = is_other && (rest.is_empty() || is_renamed && time > written);
            is_next.then(|| (rest.is_empty(), time, entry.path()))
        });
        Some(later.min()?.2)
    }

    /// Continues with the start of a truncated file.
    fn restart(&mut self) -> bool {
        let file = self.file.take();
        let identity = self.identity;
        *self = Self::new(&self.path);
        self.file = file;
        self.identity = identity;
        true
    }
}

fn folder_of(path: &Path) -> &Path {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// The first bytes of a file.
fn start_of(file: &mut File, length: usize) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(0))?;
    let mut start = Vec::with_capacity(length);
    file.take(length as u64).read_to_end(&mut start)?;
    Ok(start)
}

/// The device and the number of a file.
#[cfg(unix)]
#[expect(
    clippy::unnecessary_wraps,
    reason = "other systems have no such numbers"
)]
fn identity(file: &Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((file.dev(), file.ino()))
}

/// The time of creation, because other systems have no numbers of files.
#[cfg(not(unix))]
fn identity(file: &Metadata) -> Option<(u64, u64)> {
    let created = file
        .created()
        .ok()?
        .duration_since(std::time::UNIX_EPOCH)
        .ok()?;
    Some((created.as_secs(), created.subsec_nanos().into()))
}
