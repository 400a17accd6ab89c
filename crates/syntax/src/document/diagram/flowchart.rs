//! Flowcharts of Mermaid as the states of a machine: each node is a state, and each arrow a transition.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::diagram_line::DiagramLine;

/// The shape of the frames around nodes, which have no effect on transitions.
const FRAME: &str = "subgraph";
/// The last node of `LangGraph`.
const END: &str = "__end__";
/// A node and the arrow after it.
static STEP: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(include_str!("flowchart.regex")).ok());

/// The statements of a flowchart.
#[derive(Debug, Default)]
pub(super) struct Flowchart<'t> {
    pub lines: VecDeque<(Range<usize>, DiagramLine<'t>)>,
    /// Whether `fsmsim graph` drew it. Its start is the node `begin`, and its labels list transitions.
    pub is_own: bool,
}

/// A node and the text of the arrow after it.
struct FlowStep<'t> {
    id: &'t str,
    shape: &'t str,
    text: Option<&'t str>,
}

impl<'t> Flowchart<'t> {
    /// `looks` contains the first words of lines without nodes.
    pub(super) fn read(
        lines: impl Iterator<Item = (Range<usize>, &'t str)>,
        looks: &[&str],
    ) -> Self {
        let mut shapes: BTreeMap<&str, &str> = BTreeMap::new();
        let mut parsed = Vec::new();
        for (range, line) in lines {
            let line = line.split("%%").next().unwrap_or_default().trim();
            let first = line.split([' ', ':', ';']).next().unwrap_or_default();
            let steps = steps(line.strip_prefix(FRAME).unwrap_or(line));
            for step in steps.iter().flatten() {
                let shape = if first == FRAME { FRAME } else { step.shape };
                if !shape.is_empty() {
                    shapes.entry(step.id).or_insert(shape);
                }
            }
            if first != FRAME && first != "end" && !looks.contains(&first) {
                parsed.push((range, steps));
            }
        }
        let shape = |id: &str| shapes.get(id).copied().unwrap_or_default();
        let is_own = shape("begin").starts_with("((");
        let is_start = |id: &str| id == "__start__" || is_own && id == "begin";
        // Frames are not states. `fsmsim graph` also draws parallel states, and the transitions of several states.
        let is_other = |id: &str| {
            let is_group = || id.starts_with("any") || shape(id).starts_with("[[");
            shape(id) == FRAME || is_own && is_group()
        };
        let is_state = |id: &str| !is_start(id) && id != END && !is_other(id);
        let label = |id: &str| {
            let is_around = |c: char| c.is_whitespace() || "[](){}/\\\"".contains(c);
            shape(id).trim_matches(is_around)
        };
        let name = |id: &'t str| if is_own { label(id) } else { id };
        let mut known = BTreeSet::new();
        let mut chart = VecDeque::new();
        for (range, steps) in parsed {
            let mut add = |line| chart.push_back((range.clone(), line));
            let mut before = None;
            if steps.is_none() {
                add(DiagramLine::Unknown);
            }
            for FlowStep { id, text, .. } in steps.into_iter().flatten() {
                if is_state(id) && known.insert(id) {
                    let text = Some(label(id));
                    add(DiagramLine::State {
                        name: name(id),
                        text: text.filter(|text| !text.is_empty() && *text != name(id)),
                        kind: (is_own && shape(id).starts_with('{')).then_some("choice"),
                        opens: false,
                    });
                }
                match std::mem::replace(&mut before, text.map(|text| (id, text))) {
                    Some((from, _)) if is_other(from) || is_other(id) => add(DiagramLine::Unknown),
                    Some((from, text)) => {
                        let point = DiagramLine::POINT;
                        let from = if is_start(from) { point } else { name(from) };
                        let to = if id == END { point } else { name(id) };
                        for text in text.split(if is_own { "<br/>" } else { "\n" }) {
                            add(DiagramLine::Arrow { from, to, text });
                        }
                    }
                    None => {}
                }
            }
        }
        Self {
            lines: chart,
            is_own,
        }
    }
}

/// The nodes of a line. Returns `None` if the line cannot be parsed.
fn steps(line: &str) -> Option<Vec<FlowStep<'_>>> {
    let mut steps = Vec::new();
    let mut rest = line;
    while !rest.is_empty() {
        let found = STEP.as_ref()?.captures(rest)?;
        let part = |name| found.name(name).map_or("", |part| part.as_str());
        let inner = part("inner");
        let text = if inner.is_empty() {
            part("text")
        } else {
            inner
        };
        steps.push(FlowStep {
            id: part("id"),
            shape: part("shape"),
            text: found.name("arrow").map(|_| text.trim_matches(['"', ' '])),
        });
        rest = rest.get(found.get(0)?.end()..)?;
    }
    let is_complete = steps.last().is_none_or(|step| step.text.is_none());
    is_complete.then_some(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrows(text: &str) -> Vec<String> {
        let lines = text.split('\n').map(|line| (0..0, line));
        let chart = Flowchart::read(lines, &["class"]);
        let shown = chart.lines.into_iter().filter_map(|(_, line)| match line {
            DiagramLine::Arrow { from, to, text } => Some(format!("{from} > {to} {text}")),
            DiagramLine::Unknown => Some("unknown".to_owned()),
            _ => None,
        });
        shown.collect()
    }

    #[test]
    fn links_of_all_kinds_are_read() {
        for line in [
            "A --> B",
            "A-->B;",
            "A[One] --> B(Two words)",
            "A -.-> B",
            "A ===> B",
            "A:::hot --> B:::cold",
            "A(((\"x (y)\"))) --> B{{\"Is it?\"}} %% remark",
        ] {
            assert_eq!(arrows(line), ["A > B "], "{line}");
        }
        for line in [
            "A -->|go| B",
            "A -- go --> B",
            "A == go ==> B",
            "A -. go .-> B",
            "A-->|\"go\"|B",
        ] {
            assert_eq!(arrows(line), ["A > B go"], "{line}");
        }
        assert_eq!(
            arrows("A --> B --> C; C --> A"),
            ["A > B ", "B > C ", "C > A "]
        );
        assert_eq!(arrows("a-b --> c.d"), ["a-b > c.d "]);
        assert_eq!(
            arrows("__start__([<p>__start__</p>]):::first --> ask(ask);"),
            ["[*] > ask "]
        );
        assert_eq!(
            arrows("subgraph S\nA --> B\nend\nS --> C"),
            ["A > B ", "unknown"]
        );
        for line in [
            "A -> B",
            "A --- B",
            "A <--> B",
            "A --",
            "A --> ",
            "A & B --> C",
        ] {
            assert_eq!(arrows(line), ["unknown"], "{line}");
        }
    }

    #[test]
    fn hostile_lines_cause_no_panic() {
        for line in ["", "[", "A[", "A -- é", "A &", "A@", "-->", "é|", "A -->|é"] {
            let _ = arrows(line);
            let _ = arrows(&line.repeat(500));
        }
    }
}
