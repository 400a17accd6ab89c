//! What an author is served with.

use std::path::PathBuf;

/// What an author is served with. The project is that of the working directory.
#[derive(Clone, Debug, Default)]
pub struct AuthorService {
    /// The configuration root that is used instead of looking for one.
    pub config: Option<PathBuf>,
    /// Scenarios may be saved, below the folder of the project's scenarios.
    pub writes: bool,
    /// The user agrees to all that the project wants to reach.
    pub trusts: bool,
    /// The pages of the documentation: name and Markdown text.
    pub pages: &'static [(&'static str, &'static str)],
}
