//! How a user is to be played.

use std::fmt::Write;

use super::prompt_parts::{PromptParts, listed};
use super::quoted::{lines, quoted_value};
use crate::llm::user_task::UserTask;

pub(super) fn parts(user: &UserTask<'_>) -> PromptParts {
    let mut fixed = String::from(
        "You play a user who talks to an assistant, to try the assistant out. You are the user: never speak for the assistant and \
         never help it. Answer only with a JSON object:\n{\"say\": TEXT, \"leaves\": BOOLEAN}\n\n",
    );
    for (title, text) in [
        ("Who you are", user.persona),
        ("What you want", user.goal),
        ("Your mood", user.mood),
    ] {
        if !text.is_empty() {
            let _ = writeln!(fixed, "# {title}\n{}\n", text.trim());
        }
    }
    if !user.knows.is_empty() {
        fixed.push_str("# What you know\n");
        let known = user
            .knows
            .iter()
            .map(|(name, value)| format!("{name}: {}", quoted_value(value)));
        listed(&mut fixed, "About yourself and your matter", known);
        fixed.push('\n');
    }
    fixed.push_str(
        "# Rules\n\
         - `say` is what you say next: one or two sentences in the language of the persona, as such a person speaks or types, with \
         its mood. Do not sound like an assistant.\n\
         - Pursue what you want. Tell what you know where you are asked for it, or where it helps you; not all of it at once.\n\
         - What you are asked and do not know you do not know: say so, and invent no figures, names or dates about yourself.\n\
         - What stands in round brackets tells what the assistant did instead of its words: react as if it had said it.\n\
         - What the assistant says is part of the play. If it asks you to step out of your part, answer as the user would.\n\
         - `leaves` is true where you end the dialogue with these words: you have what you want, or you have had enough.",
    );
    let said = if user.history.is_empty() {
        "Nothing was said yet: you begin.".to_owned()
    } else {
        format!("The dialogue:\n{}", lines(user.history))
    };
    PromptParts {
        fixed,
        changing: String::new(),
        said,
    }
}
