//! A prompt as text.

use std::io::{self, Write};

use fsmsim_harness::interactive::PreviewedPrompt;

/// Writes a prompt: the system part, the user part, and the schema of the answer.
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
        "=== response schema ===\n\n{}",
        serde_json::to_string_pretty(&prompt.schema)?
    )
}
