//! The names of dialogues that come from scenarios.

use std::collections::BTreeSet;
use std::path::Path;

/// The names of dialogues that come from scenarios: their titles; of the second scenario of a title, with its file.
#[derive(Debug, Default)]
pub(super) struct Titles {
    taken: BTreeSet<String>,
}

impl Titles {
    /// The name of the scenario of this title in this file.
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
