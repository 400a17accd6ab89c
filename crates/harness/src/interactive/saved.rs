//! Saves the dialogue as a scenario.

use std::path::Path;

use super::interactive_dialogue::InteractiveDialogue;
use crate::scenario::ScenarioDraft;
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};

/// The format of a saved dialogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SavedFormat {
    /// A scenario as YAML.
    Yaml,
    /// A transcript as markdown.
    Markdown,
}

impl SavedFormat {
    /// The format that the extension of a file indicates; `None` if the extension is unknown.
    pub fn of(path: &Path) -> Option<Self> {
        let extension = path
            .extension()
            .map(|extension| extension.to_string_lossy().to_lowercase());
        match extension.as_deref() {
            Some("md") => Some(Self::Markdown),
            Some("yaml" | "yml") => Some(Self::Yaml),
            _ => None,
        }
    }
}

impl InteractiveDialogue {
    /// The dialogue so far as a scenario with this title.
    pub fn to_scenario(&self, title: &str, format: SavedFormat) -> Result<String, String> {
        if self.tree.at() == 0 {
            return Err("nothing to save: the dialogue has no turns".to_owned());
        }
        let mut sources = SourceMap::default();
        let mut found = Diagnostics::default();
        let machine = self.dialogue().machine();
        let draft = ScenarioDraft::of(
            &self.trace(),
            title,
            self.model(),
            machine,
            &mut sources,
            &mut found,
        );
        let unkept = |why| format!("cannot save the dialogue as a scenario: {why}");
        let Some(draft) = draft else {
            let why = found
                .items()
                .first()
                .map(|finding| finding.title.clone())
                .unwrap_or_default();
            return Err(unkept(why));
        };
        match format {
            // If YAML cannot express the dialogue either, its error is more specific.
            SavedFormat::Markdown => draft.to_markdown().map_err(|why| match draft.to_yaml() {
                Ok(_) => format!("{why}; save it as YAML instead"),
                Err(why) => unkept(why),
            }),
            SavedFormat::Yaml => draft.to_yaml().map_err(unkept),
        }
    }
}
