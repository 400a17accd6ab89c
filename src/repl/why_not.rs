//! `:why-not` in words.

use std::fmt::Write;

use colored::Colorize;

use super::render::note;
use super::repl::Repl;
use fsmsim_harness::rehearsal::{Detour, WhyNotReply};
use fsmsim_syntax::terminal::printable;

impl Repl {
    /// Tells what could have been typed instead of the last turn to go to a state, or to an action.
    pub(super) fn show_why_not(&self, name: &str) -> Result<String, String> {
        let asked = self.rehearsal.why_not(name)?;
        let mut text = note(&asked.told());
        if let WhyNotReply::Searched(Detour::Found(lines)) = &asked.answer {
            let back = asked.goes_back.then_some(":undo");
            for line in back.into_iter().chain(lines.iter().map(String::as_str)) {
                let _ = writeln!(text, "    {}", printable(line).bold());
            }
        }
        Ok(text)
    }
}
