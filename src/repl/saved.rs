//! What was played, kept as a scenario.

use std::path::Path;

use super::render::note;
use super::repl::Repl;
use crate::diagnostic::{Diagnostics, SourceMap};
use crate::files::write_whole;
use crate::scenario::ScenarioDraft;

impl Repl {
    /// Writes the dialogue so far as a scenario: a transcript where the file is markdown, else YAML.
    ///
    /// # Errors
    /// Why it is not written, in a sentence.
    pub fn save(&self, rest: &str) -> Result<String, String> {
        let path = Path::new(rest);
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        let is_markdown = match ending.as_deref() {
            Some("md") => true,
            Some("yaml" | "yml") => false,
            _ => return Err("`:save FILE` takes a file that ends in `.yaml`, or `.md` for a transcript".to_owned()),
        };
        if path.symlink_metadata().is_ok() {
            return Err(format!("`{rest}` is there already: give another name, so that nothing is lost"));
        }
        if self.tree.at() == 0 {
            return Err("no turn was played yet: there is nothing to keep".to_owned());
        }
        let title = path.file_stem().map(|stem| stem.to_string_lossy().replace(['_', '-'], " ")).unwrap_or_default();
        let (mut sources, mut found) = (SourceMap::default(), Diagnostics::default());
        let machine = self.dialogue().machine();
        let draft = ScenarioDraft::of(&self.trace(), &title, self.model(), machine, &mut sources, &mut found);
        let Some(draft) = draft else {
            let why = found.items().first().map(|finding| finding.title.clone()).unwrap_or_default();
            return Err(format!("the dialogue cannot be kept as a scenario: {why}"));
        };
        let text = if is_markdown {
            draft.to_markdown().map_err(|why| format!("{why}; `:save NAME.yaml` keeps it all the same"))?
        } else {
            draft.to_yaml()
        };
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(|error| format!("`{}`: {error}", folder.display()))?;
        }
        write_whole(path, &text).map_err(|error| format!("`{rest}` cannot be written: {error}"))?;
        Ok(note(&format!("`{rest}` is written; `fsmsim test {rest}` plays it again")))
    }
}
