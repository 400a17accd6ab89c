//! Labels of arrows: `event [guard] / action`.

/// The parts of the label of an arrow.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ArrowLabel {
    pub event: String,
    /// The condition, without square brackets.
    pub guard: String,
    pub action: String,
}

impl ArrowLabel {
    /// Parses the label of an arrow.
    pub fn read(text: &str) -> Self {
        let text = plain_label(text);
        let (text, action) = match text
            .strip_prefix('/')
            .map(|action| ("", action))
            .or_else(|| text.split_once(" /"))
        {
            Some((text, action)) => (text, action.trim()),
            None => (&*text, ""),
        };
        let (event, guard) = match text.split_once('[') {
            Some((event, rest)) => (event, rest.split_once(']').map_or(rest, |(guard, _)| guard)),
            None => (text, ""),
        };
        Self {
            event: event.trim().to_owned(),
            guard: guard.trim().to_owned(),
            action: action.to_owned(),
        }
    }
}

/// A text without line breaks and HTML tags.
pub fn plain_label(text: &str) -> String {
    let text = text.replace("\\n", " ");
    let mut out = String::new();
    let mut rest = &*text;
    while let Some((before, after)) = rest.split_once('<') {
        let tag = after.split_once('>').filter(|(tag, _)| {
            let tag = tag.trim_matches('/').trim();
            !tag.is_empty()
                && tag.len() < 20
                && tag.starts_with(|letter: char| letter.is_ascii_alphabetic())
        });
        out.push_str(before);
        match tag {
            Some((_, after_tag)) => {
                out.push(' ');
                rest = after_tag;
            }
            None => {
                out.push('<');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(event: &str, guard: &str, action: &str) -> ArrowLabel {
        ArrowLabel {
            event: event.to_owned(),
            guard: guard.to_owned(),
            action: action.to_owned(),
        }
    }

    #[test]
    fn a_label_has_an_event_a_guard_and_an_action() {
        assert_eq!(
            ArrowLabel::read("coin [enough] / beep"),
            label("coin", "enough", "beep")
        );
        assert_eq!(
            ArrowLabel::read("coin<br/>inserted"),
            label("coin inserted", "", "")
        );
        assert_eq!(ArrowLabel::read("yes/no"), label("yes/no", "", ""));
        assert_eq!(ArrowLabel::read("[n < 5]"), label("", "n < 5", ""));
        assert_eq!(ArrowLabel::read("/ beep"), label("", "", "beep"));
    }
}
