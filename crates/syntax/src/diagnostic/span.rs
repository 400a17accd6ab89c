//! Where a piece of text stands.

/// The number of a file in a [`SourceMap`](super::SourceMap).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub(super) u32);

/// A range of bytes in one file, `start` inclusive and `end` exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The file the range lies in.
    pub file: FileId,
    /// Offset of the first byte.
    pub start: u32,
    /// Offset behind the last byte.
    pub end: u32,
}

impl Span {
    /// A place in no file, for what is read without places: they are worked out only where they are reported.
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

    /// The first byte of the file: the place of findings about a file as a whole.
    pub fn start_of(file: FileId) -> Self {
        Self {
            file,
            start: 0,
            end: 0,
        }
    }

    /// Whether `other` lies wholly inside.
    pub fn contains(self, other: Self) -> bool {
        self.file == other.file && self.start <= other.start && other.end <= self.end
    }

    /// From the start of `self` to the end of `other`, both in one file.
    pub fn to(self, other: Self) -> Self {
        Self {
            end: other.end.max(self.end),
            ..self
        }
    }
}

/// A position as people write it: `path:line:column`, both counted from 1, columns in characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The path as it was given or derived from what was given.
    pub path: String,
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.path, self.line, self.column)
    }
}
