//! Statements of diagrams.

use super::arrow;
use super::diagram_syntax::DiagramSyntax;

/// A statement of a diagram. Names do not include style classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiagramLine<'t> {
    /// `A --> B: text`.
    Arrow {
        /// The source state; [`DiagramLine::POINT`] for an arrow from the initial point.
        from: &'t str,
        /// The target state; [`DiagramLine::POINT`] for an arrow to the end point.
        to: &'t str,
        /// The label.
        text: &'t str,
    },
    /// `state "text" as A <<kind>> {`.
    State {
        /// The name. Empty if the state has only a text.
        name: &'t str,
        text: Option<&'t str>,
        /// The kind in `<<…>>`, such as `choice`.
        kind: Option<&'t str>,
        /// Whether the line starts a composite state.
        opens: bool,
    },
    /// `A: text`.
    Text {
        state: &'t str,
        text: &'t str,
    },
    /// `A` alone.
    Name(&'t str),
    Note,
    /// `--`, between regions of a state.
    Divider,
    /// `}`.
    Close,
    /// A line that cannot be parsed.
    Unknown,
}

impl<'t> DiagramLine<'t> {
    /// The start or end point of a diagram or a composite state.
    pub const POINT: &'static str = "[*]";

    /// Parses a line that contains a statement.
    pub(super) fn read(line: &'t str, syntax: DiagramSyntax) -> Self {
        if line == "}" {
            return Self::Close;
        }
        let is_divider = |mark: char| line.len() > 1 && line.chars().all(|c| c == mark);
        if is_divider('-') || syntax == DiagramSyntax::PlantUml && is_divider('|') {
            return Self::Divider;
        }
        let arrow = arrow::split(line, syntax);
        if is_keyword(line, "state", syntax) && arrow.is_none() {
            return Self::state(line.get("state".len()..).unwrap_or_default().trim(), syntax);
        }
        if let Some((from, to, text)) = arrow {
            let from = bare(from);
            let to = bare(to);
            let is_end =
                |name: &str| name == Self::POINT || !name.is_empty() && !name.starts_with('[');
            let is_arrow = is_end(from) && is_end(to);
            return if is_arrow {
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

    /// Parses the text after `state`.
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
        // A `PlantUML` state can have a color.
        let text = match text.rsplit_once(" #") {
            Some((text, color)) if syntax == DiagramSyntax::PlantUml && !color.contains('"') => {
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
            return named(
                rest.trim().strip_prefix("as ").unwrap_or_default(),
                Some(label),
            );
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

/// Whether a line starts with a keyword, and is not the text of a state with this name. Mermaid ignores the case.
pub(super) fn is_keyword(line: &str, keyword: &str, syntax: DiagramSyntax) -> bool {
    let (first, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim_start();
    if first == keyword {
        return !rest.is_empty();
    }
    let is_same = syntax == DiagramSyntax::Mermaid && first.eq_ignore_ascii_case(keyword);
    is_same && !rest.is_empty() && !rest.starts_with(':')
}

/// A name without quotation marks and style class.
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
    fn a_state_has_a_name_a_text_and_a_kind() {
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
    fn other_lines_are_unknown() {
        assert_eq!(
            uml("A --> B[H]"),
            DiagramLine::Arrow {
                from: "A",
                to: "B[H]",
                text: ""
            }
        );
        assert_eq!(uml("A --> [H]"), DiagramLine::Unknown);
        assert_eq!(uml("this is not a statement"), DiagramLine::Unknown);
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
