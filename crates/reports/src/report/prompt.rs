//! What a model would be told, for people.

use std::io::{self, Write};

use fsmsim_harness::rehearsal::PreviewedPrompt;

/// Writes what a model would be told: how it is to answer, what it is to look at, and the schema of the answer.
pub fn write_prompt(shown: &PreviewedPrompt, out: &mut impl Write) -> io::Result<()> {
    let prompt = &shown.prompt;
    let place = shown
        .state
        .as_ref()
        .map(|state| format!(" in `{state}`"))
        .unwrap_or_default();
    writeln!(
        out,
        "=== {}{place}: system ===\n\n{}\n",
        shown.need.name(),
        prompt.system
    )?;
    writeln!(out, "=== user ===\n\n{}\n", prompt.user)?;
    writeln!(
        out,
        "=== schema of the answer ===\n\n{}",
        serde_json::to_string_pretty(&prompt.schema)?
    )
}
