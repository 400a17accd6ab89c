//! What is known about the points of an interview in general: sections of the documents that its file names.

/// A section of a document: a heading, and what stands below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnowledgeSection {
    /// The headings that lead to it, from the uppermost on; empty where it has none.
    pub title: Box<str>,
    /// What stands below them, in one line.
    pub text: Box<str>,
}
