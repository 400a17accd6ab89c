//! Unique dialogue names for scenarios.

use std::collections::BTreeSet;
use std::path::Path;

/// Unique dialogue names for scenarios: the title or, if the title is already taken, the title with the file.
#[derive(Debug, Default)]
pub(super) struct Titles {
    taken: BTreeSet<String>,
}

impl Titles {
    /// A unique name for the scenario with this title in this file.
    pub(super) fn name(&mut self, title: &str, file: &Path) -> String {
        let with_file = format!("{title} ({})", file.display());
        let numbered = (2_u32..).map(|number| format!("{title} ({} #{number})", file.display()));
        let mut names = [title.to_owned(), with_file].into_iter().chain(numbered);
        let name = names
            .find(|name| !self.taken.contains(name))
            .unwrap_or_default();
        self.taken.insert(name.clone());
        name
    }
}
