//! Interview commands: the question topics and the completed questionnaire.

use std::path::Path;

use super::repl::Repl;
use fsmsim_core::engine::policy::inquiry::Questionnaire;
use fsmsim_reports::report::{questionnaire_json, write_points, write_questionnaire};
use fsmsim_syntax::files::write_output;
use fsmsim_syntax::terminal::printable;

impl Repl {
    pub(super) fn show_points(&self) -> Result<String, String> {
        let questionnaire = self.questionnaire()?;
        written(|out| write_points(&questionnaire, out).map_err(|error| error.to_string()))
    }

    /// Shows the completed questionnaire, or writes it to a file.
    pub(super) fn show_questionnaire(&self, file: &str) -> Result<String, String> {
        let questionnaire = self.questionnaire()?;
        let is_json = Path::new(file)
            .extension()
            .is_some_and(|extension| extension == "json");
        let text = if is_json {
            format!("{:#}\n", questionnaire_json(&questionnaire))
        } else {
            written(|out| {
                write_questionnaire(&questionnaire, out).map_err(|error| error.to_string())
            })?
        };
        if file.is_empty() {
            return Ok(text);
        }
        let shown = printable(file);
        write_output(Path::new(file), &text)
            .map_err(|error| format!("cannot write `{shown}`: {error}"))?;
        Ok(format!("wrote {} to {shown}\n", questionnaire.id))
    }

    fn questionnaire(&self) -> Result<Questionnaire, String> {
        let machine = self.dialogue().machine();
        let session = self.dialogue().session();
        let questionnaire = Questionnaire::of(machine, session, &self.interactive().session_name());
        questionnaire.ok_or_else(|| "only interviews have points".to_owned())
    }
}

/// Returns the text that a function writes.
fn written(write: impl FnOnce(&mut Vec<u8>) -> Result<(), String>) -> Result<String, String> {
    let mut out = Vec::new();
    write(&mut out)?;
    Ok(String::from_utf8_lossy(&out).into_owned())
}
