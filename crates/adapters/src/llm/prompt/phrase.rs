//! How the words for a message are to be found.

use std::fmt::Write;

use super::prompt_parts::{PromptParts, listed, told};
use super::quoted::{RULE, lines, quoted, spoken};
use crate::llm::utterance::Utterance;

const RULES: &str = "You find the words of an assistant in a dialogue: what it says next is decided, how it says it is yours. \
Answer only with a JSON object:
{\"reply\": TEXT}

# Rules
- `reply` says what is to be said, all of it and nothing else. Where that is a question, ask one question and answer none.
- Speak the language in which the user writes; where nobody has written yet, that of what is to be said.
- Be short: one to three sentences, as one speaks, polite and plain. No lists, no markup, no quotation marks around it.
- Invent nothing: no facts, figures, names, dates, prices or promises that are not given here.
- Do not ask for what is known. Where something was missing in the last answer, take up what was said and ask for just that, in \
other words than before.
- Greet only where the dialogue begins, and thank only where there is something to thank for.";

pub(super) fn parts(
    about: &str,
    known: &[(&str, String)],
    missing: &[&str],
    knowledge: &[(&str, &str)],
    history: &[Utterance],
) -> PromptParts {
    let mut changing = format!("What is to be said: {}\n", spoken(about));
    listed(
        &mut changing,
        "Missing in the last answer",
        missing.iter().map(|text| quoted(text)),
    );
    let knowledge = knowledge.iter().map(|(title, text)| match *title {
        "" => quoted(text),
        title => format!("{}: {}", quoted(title), quoted(text)),
    });
    listed(
        &mut changing,
        "What is known about it in general",
        knowledge,
    );
    let known = known
        .iter()
        .map(|(label, answer)| format!("{label}: {}", quoted(answer)));
    listed(
        &mut changing,
        "What the user has told already, and need not be asked",
        known,
    );
    let mut said = String::new();
    if history.is_empty() {
        said.push_str("Nothing was said yet: the assistant begins.");
    } else {
        let _ = write!(said, "The dialogue:\n{}", lines(history));
    }
    PromptParts {
        fixed: format!("{RULES}\n- {RULE}"),
        changing,
        said,
    }
}

/// The matter of a message in plain lines.
pub(super) fn plain(
    about: &str,
    known: &[(&str, String)],
    missing: &[&str],
    knowledge: &[(&str, &str)],
) -> String {
    let mut text = format!("What is to be said: {about}\n");
    told(&mut text, "Missing in the last answer", &missing.join("; "));
    let knowledge = knowledge.iter().map(|(title, text)| match *title {
        "" => (*text).to_owned(),
        title => format!("{title}: {text}"),
    });
    listed(&mut text, "What matters about it", knowledge);
    listed(
        &mut text,
        "What is known by now",
        known
            .iter()
            .map(|(label, answer)| format!("{label}: {answer}")),
    );
    text
}
