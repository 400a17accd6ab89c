//! `:save`: what was played, kept as a scenario.

use std::path::Path;

use super::render::note;
use super::repl::Repl;
use fsmsim_harness::rehearsal::SavedFormat;
use fsmsim_syntax::files::write_whole;

impl Repl {
    /// Writes the dialogue so far as a scenario: a transcript where the file is markdown, else YAML.
    pub fn save(&self, rest: &str) -> Result<String, String> {
        let path = Path::new(rest);
        let Some(format) = SavedFormat::of(path) else {
            return Err(
                "`:save FILE` takes a file that ends in `.yaml`, or `.md` for a transcript"
                    .to_owned(),
            );
        };
        if path.symlink_metadata().is_ok() {
            return Err(format!(
                "`{rest}` is there already: give another name, so that nothing is lost"
            ));
        }
        let title = path
            .file_stem()
            .map(|stem| stem.to_string_lossy().replace(['_', '-'], " "))
            .unwrap_or_default();
        let text = self.rehearsal.to_scenario(&title, format)?;
        if let Some(folder) = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
        {
            std::fs::create_dir_all(folder)
                .map_err(|error| format!("`{}`: {error}", folder.display()))?;
        }
        write_whole(path, &text).map_err(|error| format!("`{rest}` cannot be written: {error}"))?;
        Ok(note(&format!(
            "`{rest}` is written; `fsmsim test {rest}` plays it again"
        )))
    }
}
