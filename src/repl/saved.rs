//! `:save` and `:export`: saves the dialogue as a scenario or a document.

use std::io::{self, ErrorKind};
use std::path::Path;

use super::render::note;
use super::repl::Repl;
use fsmsim_harness::interactive::SavedFormat;
use fsmsim_reports::report::ConversationReport;
use fsmsim_syntax::files::{write_new, write_whole};

impl Repl {
    /// `:save [--replace] FILE`.
    pub(super) fn save(&self, rest: &str) -> Result<String, String> {
        let replaced = rest.strip_prefix("--replace ").map(str::trim_start);
        let file = replaced.unwrap_or(rest).trim_matches('"');
        self.save_as(file, replaced.is_some()).map_err(|why| {
            if replaced.is_none() && Path::new(file).is_file() {
                format!("{why}, or use `:save --replace {file}`")
            } else {
                why
            }
        })
    }

    /// Writes the dialogue as a scenario: as a transcript if the file is Markdown, otherwise as YAML.
    pub fn save_as(&self, file: &str, replaces: bool) -> Result<String, String> {
        let path = Path::new(file);
        let Some(format) = SavedFormat::of(path) else {
            return Err(
                "`:save` requires a file that ends in `.yaml` (scenario) or `.md` (transcript)"
                    .to_owned(),
            );
        };
        let title = path
            .file_stem()
            .map(|stem| stem.to_string_lossy().replace(['_', '-'], " "))
            .unwrap_or_default();
        let text = self.interactive.to_scenario(&title, format)?;
        let written = if replaces {
            write_whole(path, &text)
        } else {
            write_new(path, &text)
        };
        written.map_err(|error| unwritten(path, &error))?;
        Ok(note(&format!(
            "wrote `{file}`; run it with `fsmsim test {file}`"
        )))
    }

    /// Writes the dialogue with an explanation of each turn, as HTML or Markdown.
    pub(super) fn export(&self, rest: &str) -> Result<String, String> {
        let path = Path::new(rest);
        let Some(kind) = ConversationReport::kind_of(path) else {
            return Err("`:export` requires a file that ends in `.html` or `.md`".to_owned());
        };
        let report = ConversationReport::of(&self.interactive)?;
        let mut text = Vec::new();
        report
            .write(kind, &mut text)
            .map_err(|error| format!("cannot write the dialogue: {error}"))?;
        write_new(path, &String::from_utf8_lossy(&text))
            .map_err(|error| unwritten(path, &error))?;
        Ok(note(&format!("wrote the dialogue to `{rest}`")))
    }
}

fn unwritten(path: &Path, error: &io::Error) -> String {
    let path = path.display();
    match error.kind() {
        ErrorKind::AlreadyExists => format!("`{path}` already exists: choose another name"),
        _ => format!("cannot write `{path}`: {error}"),
    }
}
