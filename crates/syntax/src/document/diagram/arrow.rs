//! Arrows in the lines of a diagram.

use super::diagram_syntax::DiagramSyntax;

/// Words in `PlantUML` arrows that control their layout.
const LAYOUT_WORDS: [&str; 12] = [
    "left", "right", "up", "down", "le", "ri", "do", "l", "r", "u", "d", "hidden",
];

/// The source, the target and the label of an arrow. Returns `None` if the line has no arrow. A reversed arrow
/// (`A <-- B`) also returns its source first.
pub(super) fn split(line: &str, syntax: DiagramSyntax) -> Option<(&str, &str, &str)> {
    if syntax == DiagramSyntax::Mermaid {
        let (from, rest) = line.split_once("-->")?;
        let (to, text) = target(rest);
        return Some((from, to, text));
    }
    let (head, text) = target(line);
    if let Some((before, to)) = head.split_once("->") {
        return Some((before_shaft(before), to, text));
    }
    let (to, after) = head.split_once("<-")?;
    Some((after_shaft(after), to, text))
}

/// A name and the label after its colon. Three colons start a Mermaid class.
fn target(rest: &str) -> (&str, &str) {
    let mut from = 0;
    while let Some(at) = rest
        .get(from..)
        .and_then(|rest| rest.find(':'))
        .map(|at| from + at)
    {
        if rest.get(at..).is_some_and(|rest| rest.starts_with(":::")) {
            from = at + 3;
            continue;
        }
        return (
            rest.get(..at).unwrap_or_default(),
            rest.get(at + 1..).unwrap_or_default(),
        );
    }
    (rest, "")
}

/// The text before an arrow, without the shaft: `A -left[#red]-`.
fn before_shaft(text: &str) -> &str {
    let mut text = text;
    loop {
        let bare = text.trim_end_matches('-');
        let style = bare
            .strip_suffix(']')
            .and_then(|rest| rest.rsplit_once('['));
        let words = bare.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let layout = bare
            .get(words.len()..)
            .filter(|layout| LAYOUT_WORDS.contains(layout));
        // Styles and layout words must follow a hyphen, or each other.
        text = match (style, layout) {
            (Some((rest, _)), _) if ends_in_shaft(rest) => rest,
            (None, Some(_)) if ends_in_shaft(words) => words,
            _ => return bare,
        };
    }
}

fn ends_in_shaft(text: &str) -> bool {
    text.ends_with('-')
        || text.ends_with(']')
            && text
                .rsplit_once('[')
                .is_some_and(|(rest, _)| rest.ends_with('-'))
        || {
            let words = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
            words.len() < text.len()
                && words.ends_with('-')
                && LAYOUT_WORDS.contains(&text.get(words.len()..).unwrap_or_default())
        }
}

/// The text after an arrow that points to the left, without the shaft: `<-left-[#red]- A`.
fn after_shaft(text: &str) -> &str {
    let mut text = text;
    loop {
        text = text.trim_start_matches('-');
        let style = text
            .strip_prefix('[')
            .and_then(|rest| rest.split_once(']'))
            .map(|(_, rest)| rest);
        let words = text.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        let layout = text
            .get(..text.len() - words.len())
            .filter(|layout| LAYOUT_WORDS.contains(layout));
        text = match (style.filter(|rest| rest.starts_with('-')), layout) {
            (Some(rest), _) => rest,
            (None, Some(_)) if words.starts_with(['-', '[']) => words,
            _ => return text,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(line: &str, syntax: DiagramSyntax) -> Option<(&str, &str, &str)> {
        split(line, syntax).map(|(from, to, text)| (from.trim(), to.trim(), text.trim()))
    }

    #[test]
    fn mermaid_has_only_one_kind_of_arrow() {
        let mermaid = |line| parts(line, DiagramSyntax::Mermaid);
        assert_eq!(mermaid("A --> B: go: now"), Some(("A", "B", "go: now")));
        assert_eq!(
            mermaid("A:::warm --> B:::cold : go"),
            Some(("A:::warm", "B:::cold", "go"))
        );
        assert_eq!(mermaid("A -> B"), None);
    }

    #[test]
    fn plantuml_arrows_contain_styles_and_layout_words() {
        let uml = |line| parts(line, DiagramSyntax::PlantUml);
        assert_eq!(uml("[*] --> A"), Some(("[*]", "A", "")));
        assert_eq!(uml("A-->B : a -> b"), Some(("A", "B", "a -> b")));
        assert_eq!(uml("A -left-> B"), Some(("A", "B", "")));
        assert_eq!(
            uml("A -[#red,dashed]-> [*] : end"),
            Some(("A", "[*]", "end"))
        );
        assert_eq!(uml("down -[bold]down-> up"), Some(("down", "up", "")));
        assert_eq!(uml("A <-- B : back"), Some(("B", "A", "back")));
        assert_eq!(uml("A <-up[#red]- B"), Some(("B", "A", "")));
        assert_eq!(uml("[*]->A"), Some(("[*]", "A", "")));
        assert_eq!(uml("A : x -> y"), None);
        assert_eq!(uml("-> "), Some(("", "", "")));
    }
}
