//! What a line of a diagram says.

use super::arrow;
use super::diagram_syntax::DiagramSyntax;

/// What a line of a diagram says. Names stand as they are written, without what is said of how they look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiagramLine<'t> {
    /// `A --> B: text`.
    Arrow {
        /// What is left; [`DiagramLine::POINT`] where it begins.
        from: &'t str,
        /// What is gone to; [`DiagramLine::POINT`] where it ends.
        to: &'t str,
        /// What stands on it.
        text: &'t str,
    },
    /// `state "text" as A <<kind>> {`.
    State {
        /// Its name; empty where it has only a text.
        name: &'t str,
        text: Option<&'t str>,
        /// What kind of state it says that it is.
        kind: Option<&'t str>,
        /// Other states are drawn inside of it, from here on.
        opens: bool,
    },
    /// `A: text`.
    Text {
        state: &'t str,
        /// What it says.
        text: &'t str,
    },
    /// `A` alone.
    Name(&'t str),
    Note,
    /// `--`, between regions of a state.
    Divider,
    /// `}`.
    Close,
    /// Nothing that is understood.
    Unknown,
}

impl<'t> DiagramLine<'t> {
    /// Where a diagram, or what is inside of a state, begins and ends.
    pub const POINT: &'static str = "[*]";

    /// Reads a line that says something.
    pub(super) fn read(line: &'t str, syntax: DiagramSyntax) -> Self {
        if line == "}" {
            return Self::Close;
        }
        let is_divider = |mark: char| line.len() > 1 && line.chars().all(|c| c == mark);
        if is_divider('-') || syntax == DiagramSyntax::PlantUml && is_divider('|') {
            return Self::Divider;
        }
        let first = line.split_whitespace().next().unwrap_or_default();
        let arrow = arrow::split(line, syntax);
        if first == "state" && line.len() > "state".len() && arrow.is_none() {
            return Self::state(line.get("state".len()..).unwrap_or_default().trim(), syntax);
        }
        if let Some((from, to, text)) = arrow {
            let (from, to) = (bare(from), bare(to));
            let is_end =
                |name: &str| name == Self::POINT || !name.is_empty() && !name.starts_with('[');
            let is_one = is_end(from) && is_end(to);
            return if is_one {
                Self::Arrow {
                    from,
                    to,
                    text: text.trim(),
                }
            } else {
                Self::Unknown
            };
        }
        let is_word = |name: &str| !name.is_empty() && !name.contains(char::is_whitespace);
        match line
            .split_once(':')
            .filter(|(_, text)| !text.starts_with("::"))
        {
            Some((state, text)) if is_word(state.trim()) => Self::Text {
                state: bare(state),
                text: text.trim(),
            },
            None if is_word(bare(line)) => Self::Name(bare(line)),
            _ => Self::Unknown,
        }
    }

    /// What stands behind `state`.
    fn state(text: &'t str, syntax: DiagramSyntax) -> Self {
        let (text, opens) = match text.strip_suffix('{') {
            Some(text) => (text.trim(), true),
            None => (text, false),
        };
        let (text, kind) = match text.split_once("<<").or_else(|| text.split_once("[[")) {
            Some((text, kind)) => (
                text.trim(),
                Some(kind.split(['>', ']']).next().unwrap_or_default().trim()),
            ),
            None => (text, None),
        };
        // The colour of a state of PlantUML.
        let text = match text.rsplit_once(" #") {
            Some((text, colour)) if syntax == DiagramSyntax::PlantUml && !colour.contains('"') => {
                text.trim().trim_end_matches(" #").trim()
            }
            _ => text,
        };
        let named = |name: &'t str, text: Option<&'t str>| Self::State {
            name: bare(name),
            text,
            kind,
            opens,
        };
        if let Some((label, rest)) = text.strip_prefix('"').and_then(|rest| rest.split_once('"')) {
            let name = rest.trim().strip_prefix("as ").unwrap_or_default();
            return named(name, Some(label));
        }
        if let Some((name, label)) = text.split_once(" as ") {
            return named(name, Some(label.trim().trim_matches('"')));
        }
        match text
            .split_once(':')
            .filter(|(_, label)| !label.starts_with("::"))
        {
            Some((name, label)) => named(name, Some(label.trim())),
            None => named(text, None),
        }
    }
}

/// A name without its quotation marks, and without the class that says how it looks.
fn bare(name: &str) -> &str {
    name.split(":::")
        .next()
        .unwrap_or_default()
        .trim()
        .trim_matches(['"', '`'])
        .trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uml(line: &str) -> DiagramLine<'_> {
        DiagramLine::read(line, DiagramSyntax::PlantUml)
    }

    #[test]
    fn a_state_says_its_name_its_text_and_its_kind() {
        let state = |name, text, kind, opens| DiagramLine::State {
            name,
            text,
            kind,
            opens,
        };
        assert_eq!(
            uml("state \"Not paid\" as Open"),
            state("Open", Some("Not paid"), None, false)
        );
        assert_eq!(
            uml("state Open as \"Not paid\" {"),
            state("Open", Some("Not paid"), None, true)
        );
        assert_eq!(
            uml("state Way <<choice>>"),
            state("Way", None, Some("choice"), false)
        );
        assert_eq!(
            uml("state Open #pink : waits"),
            state("Open", None, None, false)
        );
        assert_eq!(
            uml("state Open ##[dashed]red {"),
            state("Open", None, None, true)
        );
        assert_eq!(
            uml("state Open : waits"),
            state("Open", Some("waits"), None, false)
        );
        assert_eq!(
            DiagramLine::read("state A:::warm {", DiagramSyntax::Mermaid),
            state("A", None, None, true)
        );
    }

    #[test]
    fn lines_that_say_something_else_are_not_guessed() {
        assert_eq!(
            uml("A --> B[H]"),
            DiagramLine::Arrow {
                from: "A",
                to: "B[H]",
                text: ""
            }
        );
        assert_eq!(uml("A --> [H]"), DiagramLine::Unknown);
        assert_eq!(uml("this is no line"), DiagramLine::Unknown);
        assert_eq!(
            uml("A : b"),
            DiagramLine::Text {
                state: "A",
                text: "b"
            }
        );
        assert_eq!(uml("||"), DiagramLine::Divider);
        assert_eq!(
            DiagramLine::read("||", DiagramSyntax::Mermaid),
            DiagramLine::Name("||")
        );
    }
}
