//! The files that were read. It maps a [`Span`] to a path, line and column.

use super::code::Code;
use super::diagnostic::Diagnostic;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use xxhash_rust::xxh3::Xxh3;

use super::span::{FileId, Place, Span};

/// A file: its displayed path, its text, and the offsets of its lines.
#[derive(Debug)]
pub struct SourceFile {
    path: String,
    text: Arc<str>,
    /// The number of the first line; more than 1 if the text is a part of a longer file.
    first_line: usize,
    line_starts: OnceLock<Vec<u32>>,
    /// Whether the text was generated while another file was read, so the user has no such file.
    is_invented: bool,
}

impl SourceFile {
    pub fn path(&self) -> &str {
        &self.path
    }

    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// Whether the text was generated while another file was read.
    pub fn is_invented(&self) -> bool {
        self.is_invented
    }

    fn line_starts(&self) -> &[u32] {
        self.line_starts.get_or_init(|| {
            let breaks = self
                .text
                .bytes()
                .enumerate()
                .filter(|(_, byte)| *byte == b'\n')
                .map(|(at, _)| u32::try_from(at + 1).unwrap_or(u32::MAX));
            std::iter::once(0).chain(breaks).collect()
        })
    }

    /// The line of the byte at `offset` (from 1, or from `first_line`), and the offset of the first byte of that line.
    pub fn line_of(&self, offset: u32) -> (usize, u32) {
        let starts = self.line_starts();
        let line = starts.partition_point(|start| *start <= offset).max(1);
        (
            line - 1 + self.first_line,
            starts.get(line - 1).copied().unwrap_or(0),
        )
    }
}

/// All files of a run. A clone is cheap because it shares the files.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<Arc<SourceFile>>,
    /// Texts that replace the content of files, by path.
    instead: Vec<(PathBuf, Arc<str>)>,
    /// The files that the current result was read from. The map can contain other files, too.
    used: Vec<FileId>,
}

impl SourceMap {
    /// Adds a file and returns its number.
    pub fn add(&mut self, path: impl Into<String>, text: impl Into<Arc<str>>) -> FileId {
        self.add_piece(path, text, 1)
    }

    /// Adds a text that was generated while another file was read.
    pub fn add_invented(&mut self, name: impl Into<String>, text: impl Into<Arc<str>>) -> FileId {
        self.add_file(name.into(), text.into(), 1, true)
    }

    /// Adds a part of a file that starts at this line.
    pub fn add_piece(
        &mut self,
        path: impl Into<String>,
        text: impl Into<Arc<str>>,
        first_line: usize,
    ) -> FileId {
        self.add_file(path.into(), text.into(), first_line, false)
    }

    fn add_file(
        &mut self,
        path: String,
        text: Arc<str>,
        first_line: usize,
        is_invented: bool,
    ) -> FileId {
        let id = FileId(u32::try_from(self.files.len()).unwrap_or(u32::MAX));
        self.files.push(Arc::new(SourceFile {
            path,
            text,
            first_line,
            line_starts: OnceLock::new(),
            is_invented,
        }));
        id
    }

    /// Starts a new result, which uses no files yet.
    pub fn begin_use(&mut self) {
        self.used.clear();
    }

    /// Adds a file that the current result uses.
    pub fn add_used(&mut self, path: impl Into<String>, text: impl Into<Arc<str>>) -> FileId {
        let file = self.add(path, text);
        self.used.push(file);
        file
    }

    /// Marks previously read files as used.
    pub fn use_again(&mut self, files: impl IntoIterator<Item = FileId>) {
        for file in files {
            if !self.used.contains(&file) {
                self.used.push(file);
            }
        }
    }

    /// The numbers of the files that the current result was read from.
    pub fn used(&self) -> &[FileId] {
        &self.used
    }

    /// The files that the current result was read from.
    pub fn used_files(&self) -> impl Iterator<Item = &SourceFile> {
        self.used
            .iter()
            .filter_map(|file| self.file(*file))
            .map(|file| &**file)
    }

    /// Replaces the first file, which the current result uses. The other files keep their numbers.
    pub fn put_first(&mut self, path: impl Into<String>, text: impl Into<Arc<str>>) -> FileId {
        self.add_file(path.into(), text.into(), 1, false);
        if self.files.len() > 1 {
            self.files.swap_remove(0);
        }
        self.use_again([FileId(0)]);
        FileId(0)
    }

    /// A map without files that keeps the replacement texts.
    #[must_use]
    pub fn unread(&self) -> Self {
        Self {
            instead: self.instead.clone(),
            ..Self::default()
        }
    }

    /// Replaces the content of the file at a path: later reads return this text.
    pub fn put_instead(&mut self, path: impl Into<PathBuf>, text: impl Into<Arc<str>>) {
        self.instead.push((path.into(), text.into()));
    }

    /// The text that replaces the content of the file at a path.
    pub fn instead(&self, path: &str) -> Option<Arc<str>> {
        // Paths are compared by components, so `a/./b` matches `a/b`.
        self.instead
            .iter()
            .find(|(known, _)| known == Path::new(path))
            .map(|(_, text)| Arc::clone(text))
    }

    /// The file with this number, if it belongs to this map.
    pub fn file(&self, id: FileId) -> Option<&Arc<SourceFile>> {
        self.files.get(usize::try_from(id.0).ok()?)
    }

    /// All files, in the order in which they were read.
    pub fn files(&self) -> impl Iterator<Item = &SourceFile> {
        self.files.iter().map(|file| &**file)
    }

    pub fn path(&self, id: FileId) -> &str {
        self.file(id).map_or("", |file| file.path())
    }

    /// The text of a file. Empty if it does not belong to this map.
    pub fn text(&self, id: FileId) -> Arc<str> {
        self.file(id)
            .map(|file| Arc::clone(&file.text))
            .unwrap_or_default()
    }

    /// A hash of the texts of the used files, in the order of their paths. It does not depend on their directory.
    pub fn fingerprint(&self) -> String {
        let mut hash = Xxh3::new();
        let mut files: Vec<&SourceFile> = self.used_files().collect();
        files.sort_by_key(|file| file.path());
        for file in files {
            hash.update(&file.text.len().to_le_bytes());
            hash.update(file.text.as_bytes());
        }
        format!("{:032x}", hash.digest128())
    }

    /// The last file that was added with this path.
    pub fn named(&self, path: &str) -> Option<&SourceFile> {
        self.files
            .iter()
            .rev()
            .find(|file| file.path == path)
            .map(|file| &**file)
    }

    /// The code, title and location of a finding. They identify it even if its file was read more than once.
    pub fn identity(&self, finding: &Diagnostic) -> (Code, String, String) {
        let place = match finding.labels.first() {
            Some(label) => self.place(label.span).to_string(),
            None => finding.path.clone().unwrap_or_default(),
        };
        (finding.code, finding.title.clone(), place)
    }

    /// The position of the first character of `span`.
    pub fn place(&self, span: Span) -> Place {
        let Some(file) = self.file(span.file) else {
            return Place {
                path: String::new(),
                line: 1,
                column: 1,
            };
        };
        let (line, start) = file.line_of(span.start);
        let before = file
            .text
            .get(start as usize..span.start as usize)
            .unwrap_or_default();
        Place {
            path: file.path.clone(),
            line,
            column: before.chars().count() + 1,
        }
    }

    pub fn slice(&self, span: Span) -> &str {
        self.file(span.file)
            .and_then(|file| file.text.get(span.start as usize..span.end as usize))
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_not_bytes() {
        let mut map = SourceMap::default();
        let file = map.add("a.yaml", "цель: да\nшаг: нет\n");
        let second = "цель: да\nшаг: ".len();
        let place = map.place(Span::new(file, second, second + 6));
        assert_eq!(place.to_string(), "a.yaml:2:6");
        assert_eq!(map.slice(Span::new(file, second, second + 6)), "нет");
    }

    #[test]
    fn the_end_of_a_file_has_a_position() {
        let mut map = SourceMap::default();
        let file = map.add("a.yaml", "x");
        assert_eq!(map.place(Span::new(file, 1, 1)).to_string(), "a.yaml:1:2");
        let empty = map.add("b.yaml", "");
        assert_eq!(map.place(Span::start_of(empty)).to_string(), "b.yaml:1:1");
    }
}
