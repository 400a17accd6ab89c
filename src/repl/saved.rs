//! `:save` and `:export`: what was played, kept as a scenario or for people.

use std::io::ErrorKind;
use std::path::Path;

use super::render::note;
use super::repl::Repl;
use fsmsim_harness::rehearsal::SavedFormat;
use fsmsim_reports::report::ConversationReport;
use fsmsim_syntax::files::write_new;

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
        let title = path
            .file_stem()
            .map(|stem| stem.to_string_lossy().replace(['_', '-'], " "))
            .unwrap_or_default();
        let text = self.rehearsal.to_scenario(&title, format)?;
        create(path, &text)?;
        Ok(note(&format!(
            "`{rest}` is written; `fsmsim test {rest}` plays it again"
        )))
    }
    /// Writes the dialogue so far for people, with the reasons of each turn: as a page, or as Markdown.
    pub(super) fn export(&self, rest: &str) -> Result<String, String> {
        let path = Path::new(rest);
        let Some(kind) = ConversationReport::kind_of(path) else {
            return Err("`:export FILE` takes a file that ends in `.html` or `.md`".to_owned());
        };
        let report = ConversationReport::of(&self.rehearsal)?;
        let mut text = Vec::new();
        report
            .write(kind, &mut text)
            .map_err(|error| format!("the dialogue cannot be written: {error}"))?;
        create(path, &String::from_utf8_lossy(&text))?;
        Ok(note(&format!("the dialogue is written to `{rest}`")))
    }
}

/// Writes a file that does not exist yet.
fn create(path: &Path, text: &str) -> Result<(), String> {
    let shown = path.display();
    write_new(path, text).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => {
            format!("`{shown}` is there already: give another name, so that nothing is lost")
        }
        _ => format!("`{shown}` cannot be written: {error}"),
    })
}
