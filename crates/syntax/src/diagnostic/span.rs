//! Byte ranges and positions in files.

/// The number of a file in a [`SourceMap`](super::SourceMap).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub(super) u32);

/// A range of bytes in one file, `start` inclusive and `end` exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    pub file: FileId,
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
}

impl Span {
    /// A placeholder for values that are read without positions. Positions are computed only for a report.
    pub const NOWHERE: Self = Self {
        file: FileId(0),
        start: 0,
        end: 0,
    };

    /// The range `start..end` of `file`; offsets past 4 GiB are clamped (no file that large is read).
    pub fn new(file: FileId, start: usize, end: usize) -> Self {
        let clamp = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Self {
            file,
            start: clamp(start),
            end: clamp(end),
        }
    }

    /// The first byte of the file: the location of findings about the entire file.
    pub fn start_of(file: FileId) -> Self {
        Self {
            file,
            start: 0,
            end: 0,
        }
    }

    /// Whether `other` is completely inside this range.
    pub fn contains(self, other: Self) -> bool {
        self.file == other.file && self.start <= other.start && other.end <= self.end
    }

    /// The range from the start of `self` to the end of `other`. Both must be in the same file.
    pub fn to(self, other: Self) -> Self {
        Self {
            end: other.end.max(self.end),
            ..self
        }
    }
}

/// A position in the form `path:line:column`. Lines and columns start at 1; columns count characters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The path that is displayed.
    pub path: String,
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

impl Place {
    /// The form `path:line`.
    pub fn line_place(&self) -> String {
        format!("{}:{}", self.path, self.line)
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.path, self.line, self.column)
    }
}
