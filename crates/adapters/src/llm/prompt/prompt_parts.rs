//! The parts of what a model is told, in their order.

/// The parts of what a model is told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PromptParts {
    /// The same for all turns of a dialogue, as far as the need allows it.
    pub(super) fixed: String,
    /// What changes from turn to turn.
    pub(super) changing: String,
    /// What was said, in delimiters.
    pub(super) said: String,
}

impl PromptParts {
    /// What a model is to look at: what changes, and what was said.
    pub(super) fn user(&self) -> String {
        match (&*self.changing, &*self.said) {
            ("", said) => said.trim_end().to_owned(),
            (changing, "") => changing.trim_end().to_owned(),
            (changing, said) => format!("{}\n{}", changing.trim_end(), said.trim_end()),
        }
    }
}

/// Adds a line with a title, unless there is nothing behind it.
pub(super) fn told(text: &mut String, title: &str, what: &str) {
    if !what.is_empty() {
        text.push_str(title);
        text.push_str(": ");
        text.push_str(what);
        text.push('\n');
    }
}

/// Adds items below a title, unless there are none.
pub(super) fn listed(text: &mut String, title: &str, items: impl IntoIterator<Item = String>) {
    let mut is_first = true;
    for item in items {
        if std::mem::take(&mut is_first) {
            text.push_str(title);
            text.push_str(":\n");
        }
        text.push_str("- ");
        text.push_str(&item);
        text.push('\n');
    }
}
