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
    /// Parses the label of an arrow that `fsmsim graph` drew: `event if guard`, `event otherwise` or `any`.
    pub fn of_graph(text: &str) -> Self {
        let text = plain_label(text);
        let text = text.strip_suffix("otherwise").unwrap_or(&text).trim();
        let text = format!(" {text}");
        let (event, guard) = text.split_once(" if ").unwrap_or((text.as_str(), ""));
        let event = event.trim();
        Self {
            event: if event == "any" { "" } else { event }.to_owned(),
            guard: guard.to_owned(),
            ..Self::default()
        }
    }

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

/// A text without line breaks, HTML tags and character codes.
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
    let words = decoded(&out);
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Replaces character codes: `#91;` and `&nbsp;`.
fn decoded(text: &str) -> String {
    let text = text.replace("&nbsp;", " ");
    let mut parts = text.split('#');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let code = part.split_once(';');
        let code = code.and_then(|(code, rest)| Some((char::from_u32(code.parse().ok()?)?, rest)));
        let (character, rest) = code.unwrap_or(('#', part));
        out.push(character);
        out.push_str(rest);
    }
    out
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
        assert_eq!(
            ArrowLabel::read("&nbsp;#8470; 5 #2&nbsp;"),
            label("№ 5 #2", "", "")
        );
        assert_eq!(
            ArrowLabel::of_graph("pay if n #62; 1"),
            label("pay", "n > 1", "")
        );
        assert_eq!(ArrowLabel::of_graph("pay otherwise"), label("pay", "", ""));
        assert_eq!(ArrowLabel::read("[n < 5]"), label("", "n < 5", ""));
        assert_eq!(ArrowLabel::read("/ beep"), label("", "", "beep"));
    }
}
