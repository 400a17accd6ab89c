//! Where an arrow stands in a line.

use super::diagram_syntax::DiagramSyntax;

/// Words in arrows of `PlantUML` that say where they are drawn.
const WAYS: [&str; 12] = [
    "left", "right", "up", "down", "le", "ri", "do", "l", "r", "u", "d", "hidden",
];

/// What is left, and all that stands behind the arrow: the target, perhaps with a text. Nothing where the line has no arrow.
/// Of an arrow that is drawn the other way round (`A <-- B`) the target comes third, and the text is what is behind it.
pub(super) fn split(line: &str, syntax: DiagramSyntax) -> Option<(&str, &str, &str)> {
    if syntax == DiagramSyntax::Mermaid {
        let (from, rest) = line.split_once("-->")?;
        let (to, text) = target(rest);
        return Some((from, to, text));
    }
    let (head, text) = target(line);
    if let Some((before, to)) = head.split_once("->") {
        return Some((shaft_before(before), to, text));
    }
    let (to, behind) = head.split_once("<-")?;
    Some((shaft_behind(behind), to, text))
}

/// A name, and the text behind its colon. Three colons are a class of mermaid.
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

/// What stands in front of an arrow, of which the shaft comes last: `A -left[#red]-`.
fn shaft_before(text: &str) -> &str {
    let mut text = text;
    loop {
        let bare = text.trim_end_matches('-');
        let style = bare
            .strip_suffix(']')
            .and_then(|rest| rest.rsplit_once('['));
        let words = bare.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let way = bare.get(words.len()..).filter(|way| WAYS.contains(way));
        // Style and way stand between strokes, or between a stroke and each other.
        text = match (style, way) {
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
                && WAYS.contains(&text.get(words.len()..).unwrap_or_default())
        }
}

/// What stands behind an arrow that points to the left: `<-left-[#red]- A`.
fn shaft_behind(text: &str) -> &str {
    let mut text = text;
    loop {
        text = text.trim_start_matches('-');
        let style = text
            .strip_prefix('[')
            .and_then(|rest| rest.split_once(']'))
            .map(|(_, rest)| rest);
        let words = text.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        let way = text
            .get(..text.len() - words.len())
            .filter(|way| WAYS.contains(way));
        text = match (style.filter(|rest| rest.starts_with('-')), way) {
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
    fn arrows_of_mermaid_have_one_shape() {
        let mermaid = |line| parts(line, DiagramSyntax::Mermaid);
        assert_eq!(mermaid("A --> B: go: now"), Some(("A", "B", "go: now")));
        assert_eq!(
            mermaid("A:::warm --> B:::cold : go"),
            Some(("A:::warm", "B:::cold", "go"))
        );
        assert_eq!(mermaid("A -> B"), None);
    }

    #[test]
    fn arrows_of_plantuml_say_how_they_are_drawn() {
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
