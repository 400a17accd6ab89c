//! Finds JSON objects in the text of a model.

use serde_json::Value as Json;

/// The JSON objects in the text of a model. Excludes its reasoning, and ignores fences and text around the objects.
#[derive(Debug, Default, PartialEq)]
pub(super) struct AnswerObjects {
    /// The objects, in order of appearance.
    pub found: Vec<Json>,
    /// The text contains more than reasoning.
    pub has_words: bool,
    /// The error in text that starts like an object.
    pub flaw: ObjectFlaw,
    /// The last object is unfinished.
    pub ends_open: bool,
    /// The text contains reasoning.
    pub thought: bool,
}

/// The error in text that starts like an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ObjectFlaw {
    /// No error.
    #[default]
    None,
    /// The JSON is invalid.
    Broken,
    /// The object is truncated.
    CutOff,
}

/// The tags around the reasoning of models.
const TAGS: [&str; 4] = ["think", "thinking", "thought", "reasoning"];

/// The next part of the text.
enum NextWords<'w> {
    Object(&'w str),
    Thought(&'static str, &'w str),
    /// The end of reasoning without a start tag, and the text after it.
    Thinking(&'w str),
    Other,
}

impl AnswerObjects {
    /// Finds the objects in a text.
    pub(super) fn of(words: &str) -> Self {
        let mut objects = Self::default();
        let mut rest = words;
        while let Some(at) = rest.find(|c: char| !c.is_whitespace()) {
            rest = rest.get(at..).unwrap_or_default();
            rest = match next(rest) {
                NextWords::Object(text) => objects.object(text),
                NextWords::Thought(tag, after) => {
                    objects.thought = true;
                    // A model that does not end its reasoning has not answered.
                    closing(after, tag).unwrap_or_default()
                }
                NextWords::Thinking(after) => {
                    // Servers may omit the first start tag.
                    objects = Self {
                        thought: true,
                        ..Self::default()
                    };
                    after
                }
                NextWords::Other => {
                    objects.has_words = true;
                    let end = rest
                        .char_indices()
                        .skip(1)
                        .find(|(_, c)| matches!(c, '{' | '<'))
                        .map(|(at, _)| at);
                    end.and_then(|end| rest.get(end..)).unwrap_or_default()
                }
            };
        }
        objects
    }

    /// Parses the object at the start of a text. Returns the text after it.
    fn object<'w>(&mut self, text: &'w str) -> &'w str {
        self.has_words = true;
        let mut values = serde_json::Deserializer::from_str(text).into_iter::<Json>();
        match values.next() {
            Some(Ok(object)) => {
                self.found.push(object);
                text.get(values.byte_offset()..).unwrap_or_default()
            }
            failed => {
                let is_cut_off = matches!(failed, Some(Err(error)) if error.is_eof());
                self.flaw = self.flaw.max(if is_cut_off {
                    ObjectFlaw::CutOff
                } else {
                    ObjectFlaw::Broken
                });
                self.ends_open |= is_cut_off && is_begun(text);
                // Objects inside an invalid object are parts of an answer, but might look like complete answers.
                if is_begun(text) {
                    after_object(text)
                } else {
                    text.get(1..).unwrap_or_default()
                }
            }
        }
    }
}

/// Whether a text starts like a JSON object, not like words in braces.
fn is_begun(text: &str) -> bool {
    text.get(1..)
        .is_some_and(|inner| inner.trim_start().starts_with('"'))
}

/// The text after the brace that closes the first one.
fn after_object(text: &str) -> &str {
    let mut depth = 0_u32;
    let mut in_text = false;
    let mut is_escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if in_text => is_escaped = true,
            '"' => in_text = !in_text,
            '{' if !in_text => depth += 1,
            '}' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return text.get(at + 1..).unwrap_or_default();
        }
    }
    ""
}

fn next(text: &str) -> NextWords<'_> {
    if text.starts_with('{') {
        return NextWords::Object(text);
    }
    for tag in TAGS {
        if let Some(after) = tagged(text, "<", tag) {
            return NextWords::Thought(tag, after);
        }
        if let Some(after) = tagged(text, "</", tag) {
            return NextWords::Thinking(after);
        }
    }
    NextWords::Other
}

/// The text after a tag at the start.
fn tagged<'w>(text: &'w str, opening: &str, tag: &str) -> Option<&'w str> {
    let rest = text.strip_prefix(opening)?;
    let (name, after) = rest.split_at_checked(tag.len())?;
    name.eq_ignore_ascii_case(tag)
        .then(|| after.strip_prefix('>'))?
}

/// The text after the end of reasoning.
fn closing<'w>(text: &'w str, tag: &str) -> Option<&'w str> {
    text.match_indices("</")
        .find_map(|(at, _)| tagged(text.get(at..)?, "</", tag))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn found(words: &str) -> Vec<Json> {
        AnswerObjects::of(words).found
    }

    #[test]
    fn objects_are_found_between_fences_and_words() {
        let words =
            "Sure {not json}! ```json\n{\"a\": 1}\n```, or {\"a\": {\"b\": \"}{\"}} maybe { ";
        assert_eq!(found(words), [json!({"a": 1}), json!({"a": {"b": "}{"}})]);
        assert_eq!(found("[1, {\"a\": 1}]"), [json!({"a": 1})]);
        assert_eq!(AnswerObjects::of("  \n "), AnswerObjects::default());
        assert!(AnswerObjects::of("Nothing.").has_words);
    }

    #[test]
    fn reasoning_is_not_an_answer() {
        for words in [
            "<think>{\"a\": 0}</think>{\"a\": 1}",
            "<think>\n{\"a\": 0} <b> {\n</think>\n\n{\"a\": 1}",
            "{\"a\": 0} hm, no.</think> {\"a\": 1}",
            "<Thinking>{\"a\": 0}</THINKING>{\"a\": 1}<think>or {\"a\": 2}",
            "<thought>{\"a\": 0}</thought>```{\"a\": 1}```",
        ] {
            let objects = AnswerObjects::of(words);
            assert_eq!(objects.found, [json!({"a": 1})], "{words}");
            assert!(objects.thought, "{words}");
        }
        let endless = AnswerObjects::of("<think>it may be {\"a\": 1}");
        assert_eq!(
            (endless.found.len(), endless.has_words, endless.thought),
            (0, false, true)
        );
        // Tags inside a value are quoted text.
        assert_eq!(found("{\"a\": \"<think>\"} {\"a\": \"</think>\"}").len(), 2);
    }

    #[test]
    fn truncated_object_is_distinguished_from_invalid_one() {
        let flaw = |words: &str| AnswerObjects::of(words).flaw;
        assert_eq!(flaw("{\"a\": 1"), ObjectFlaw::CutOff);
        assert_eq!(flaw("{\"a\": 1]"), ObjectFlaw::Broken);
        assert_eq!(flaw("{\"a\": {\"b\": 1}, \"c"), ObjectFlaw::CutOff);
        assert_eq!(flaw("{\"a\": 1}"), ObjectFlaw::None);
        let is_open = |words: &str| AnswerObjects::of(words).ends_open;
        assert!(is_open("{\"a\": 1} no: {\"a\": 2, ") && is_open("{\"a\": \"}"));
        assert!(
            !is_open("{\"a\": 1} {b}")
                && !is_open("{\"a\": 1} maybe { ")
                && !is_open("{\"a\": 1]} {\"a\": 2}")
        );
    }

    #[test]
    fn part_of_an_answer_is_ignored() {
        for words in [
            "{\"a\": 1, \"b\": [{\"a\": 2}, {\"a\": 3}",
            "{\"a\": 1,, \"b\": {\"a\": \"}\"}}",
            "{\"a\": '1', \"b\": {\"a\": 2}} then {\"a\"",
        ] {
            assert!(found(words).is_empty(), "{words}");
        }
        assert_eq!(
            found("{\"a\": 1,, \"b\": {\"a\": 2}} {\"a\": 3}"),
            [json!({"a": 3})]
        );
    }

    proptest! {
        #[test]
        fn any_text_is_accepted_and_its_last_object_is_found(words in "[{}<>/a-z \"\\\\:,think]{0,80}") {
            AnswerObjects::of(&words);
            let objects = found(&format!("{words}</think>{{\"last\": 1}}"));
            let is_last = objects.last() == Some(&json!({"last": 1}));
            prop_assert!(is_last || words.contains(['<', '{']), "{:?}", objects);
        }
    }
}
