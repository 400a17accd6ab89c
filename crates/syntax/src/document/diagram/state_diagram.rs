//! State diagrams.

use std::collections::VecDeque;
use std::ops::Range;

use super::diagram_line::{DiagramLine, is_keyword};
use super::diagram_syntax::DiagramSyntax;
use super::flowchart::Flowchart;

/// An iterator over the statements of a state diagram with their byte ranges. It stops at the end of the code block.
#[derive(Clone, Debug)]
pub struct StateDiagram<'t> {
    text: &'t str,
    at: usize,
    syntax: DiagramSyntax,
    /// Lines are skipped until one of these ends the comment, note or style block.
    until: &'static [&'static str],
    /// The next statements: those of a flowchart, or the second statement of a line.
    queue: VecDeque<(Range<usize>, DiagramLine<'t>)>,
    /// Whether the diagram is a flowchart that `fsmsim graph` drew.
    pub is_own_graph: bool,
}

/// The first word of a Mermaid state diagram, in both versions.
const MERMAID: &str = "stateDiagram";
/// The first and the last line of a `PlantUML` diagram.
const UML: [&str; 2] = ["@startuml", "@enduml"];
/// The languages of code blocks with `PlantUML`.
const UML_BLOCKS: [&str; 3] = ["plantuml", "puml", "uml"];
/// First words of lines that occur only in other kinds of `PlantUML` diagrams.
const OTHER_UML: [&str; 16] = [
    "participant",
    "actor",
    "class",
    "interface",
    "component",
    "usecase",
    "activate",
    "deactivate",
    "database",
    "node",
    "object",
    "package",
    "enum",
    "abstract",
    "start",
    "rectangle",
];
/// First words of lines that control the appearance of a diagram.
const LOOKS: [&str; 11] = [
    "direction",
    "classDef",
    "class",
    "style",
    "linkStyle",
    "click",
    "hide",
    "scale",
    "accTitle",
    "accDescr",
    "title",
];
/// Words of this kind that occur only in `PlantUML`.
const UML_LOOKS: [&str; 9] = [
    "skinparam",
    "show",
    "header",
    "footer",
    "caption",
    "page",
    "sprite",
    "mainframe",
    "allowmixing",
];

impl<'t> StateDiagram<'t> {
    /// The diagram in a code block, which includes the fences. Returns `None` if the block has no diagram.
    pub fn of_block(block: &'t str) -> Option<Self> {
        let mut lines = Lines { text: block, at: 0 };
        let mut is_uml = false;
        let mut is_front = false;
        while let Some((range, line)) = lines.next() {
            if range.start == 0 && is_fence(line) {
                let language = line
                    .trim_start_matches(['`', '~'])
                    .split_whitespace()
                    .next()
                    .unwrap_or_default();
                is_uml = UML_BLOCKS.contains(&&*language.to_lowercase());
                if is_uml {
                    break;
                }
                continue;
            }
            match line {
                // A diagram can start with front matter.
                "---" => is_front = !is_front,
                _ if is_front || line.is_empty() || line.starts_with("%%") => {}
                _ if line.starts_with(MERMAID) => {
                    return Some(Self::new(block, lines.at, DiagramSyntax::Mermaid));
                }
                _ if line.starts_with(UML[0]) => {
                    is_uml = true;
                    break;
                }
                _ => {
                    // Other flowcharts in a document are rarely state machines.
                    let chart = Self::new(block, lines.at, Self::begins_mermaid(line)?);
                    let is_machine = chart.is_own_graph || block.contains("__start__");
                    return is_machine.then_some(chart);
                }
            }
        }
        let diagram = Self::new(block, lines.at, DiagramSyntax::PlantUml);
        (is_uml && diagram.has_states()).then_some(diagram)
    }

    /// The diagram whose lines start at the byte `at`.
    pub fn new(text: &'t str, at: usize, syntax: DiagramSyntax) -> Self {
        let chart = if syntax == DiagramSyntax::Flowchart {
            let lines = Lines { text, at }.take_while(|(_, line)| !is_fence(line));
            Flowchart::read(lines, &LOOKS)
        } else {
            Flowchart::default()
        };
        Self {
            text,
            at,
            syntax,
            until: &[],
            queue: chart.lines,
            is_own_graph: chart.is_own,
        }
    }

    /// The syntax of a Mermaid diagram whose first line this is.
    pub fn begins_mermaid(line: &str) -> Option<DiagramSyntax> {
        if line == MERMAID || line.starts_with("stateDiagram-v2") {
            return Some(DiagramSyntax::Mermaid);
        }
        let (word, direction) = line.trim_end_matches(';').split_once(' ')?;
        let is_chart = ["flowchart", "graph"].contains(&word)
            && "TB TD BT RL LR"
                .split(' ')
                .any(|known| known == direction.trim());
        is_chart.then_some(DiagramSyntax::Flowchart)
    }

    /// Whether a `PlantUML` diagram is a state diagram. It must have a start point, an end point or a declared state,
    /// and no statement of other kinds of diagrams.
    fn has_states(&self) -> bool {
        let mut others = Lines {
            text: self.text,
            at: self.at,
        }
        .filter(|(_, line)| !line.contains("->") && !line.contains(':'));
        let is_other = others.any(|(_, line)| {
            line.split_whitespace()
                .next()
                .is_some_and(|word| OTHER_UML.contains(&word))
        });
        let shows_states = |line: DiagramLine<'_>| match line {
            DiagramLine::Arrow { from, to, .. } => {
                from == DiagramLine::POINT || to == DiagramLine::POINT
            }
            DiagramLine::State { .. } => true,
            _ => false,
        };
        !is_other && self.clone().any(|(_, line)| shows_states(line))
    }

    /// Whether a line without an arrow controls the appearance of the diagram.
    fn is_look(&self, first: &str, line: &str) -> bool {
        let is_uml_look = || {
            let is_text = line
                .get(first.len()..)
                .is_some_and(|rest| rest.trim_start().starts_with(':'));
            UML_LOOKS.contains(&first) && !is_text || line.ends_with(" direction")
        };
        LOOKS.contains(&first.trim_end_matches(':'))
            || LOOKS.iter().any(|look| is_keyword(line, look, self.syntax))
            || self.syntax == DiagramSyntax::PlantUml && is_uml_look()
    }

    /// The statement in a line, if there is one.
    fn line(&mut self, line: &'t str) -> Option<DiagramLine<'t>> {
        if !self.until.is_empty() {
            // Ends of comments and blocks can follow other text.
            if self
                .until
                .iter()
                .any(|end| line.eq_ignore_ascii_case(end) || end.len() < 3 && line.ends_with(end))
            {
                self.until = &[];
            }
            return None;
        }
        let line = match self.syntax {
            DiagramSyntax::PlantUml => line,
            _ => line.split_once("%%").map_or(line, |(line, _)| line),
        };
        let line = line.trim().trim_end_matches(';').trim_end();
        let first = line.split_whitespace().next().unwrap_or_default();
        let has_arrow = line.contains("->") || line.contains("<-");
        let is_uml = self.syntax == DiagramSyntax::PlantUml;
        match first {
            "" => return None,
            _ if !has_arrow
                && (["note", "legend"].contains(&first)
                    || is_keyword(line, "note", self.syntax)) =>
            {
                if !line.contains(':') && !line.contains('"') {
                    self.until = &["end note", "endnote", "end legend", "endlegend"];
                }
                return Some(DiagramLine::Note);
            }
            _ if is_uml && first.starts_with("/'") => {
                if !line.ends_with("'/") {
                    self.until = &["'/"];
                }
                return None;
            }
            _ if is_uml
                && (first.starts_with(['\'', '!'])
                    || UML.iter().any(|mark| first.starts_with(mark))) =>
            {
                return None;
            }
            "<style>" => {
                self.until = &["</style>"];
                return None;
            }
            _ if self.is_look(first, line) && !has_arrow => {
                if line.ends_with('{') {
                    self.until = &["}"];
                }
                return None;
            }
            _ => {}
        }
        Some(DiagramLine::read(line, self.syntax))
    }
}

impl<'t> Iterator for StateDiagram<'t> {
    type Item = (Range<usize>, DiagramLine<'t>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.syntax == DiagramSyntax::Flowchart || !self.queue.is_empty() {
            return self.queue.pop_front();
        }
        let mut lines = Lines {
            text: self.text,
            at: self.at,
        };
        loop {
            let (range, line) = lines
                .next()
                .filter(|(_, line)| !is_fence(line) && !line.starts_with(UML[1]))?;
            self.at = lines.at;
            let Some(mut statement) = self.line(line) else {
                continue;
            };
            if let DiagramLine::State { name, opens, .. } = &mut statement {
                // `state "text" as NAME : more text`.
                if let Some((state, text)) = (*name).split_once(':') {
                    let (state, text) = (state.trim(), text.trim());
                    *name = state;
                    let more = DiagramLine::Text { state, text };
                    self.queue.push_back((range.clone(), more));
                }
                // The brace can be on the next line.
                let mut rest = lines;
                let next = rest.find(|(_, line)| !line.is_empty() && !line.starts_with("%%"));
                if !*opens && next.is_some_and(|(_, line)| line == "{") {
                    *opens = true;
                    self.at = rest.at;
                }
            }
            return Some((range, statement));
        }
    }
}

fn is_fence(line: &str) -> bool {
    line.starts_with("```") || line.starts_with("~~~")
}

/// The trimmed lines of a text with their byte ranges.
struct Lines<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Iterator for Lines<'t> {
    type Item = (Range<usize>, &'t str);

    fn next(&mut self) -> Option<Self::Item> {
        let raw = self.text.get(self.at..)?.split_inclusive('\n').next()?;
        let line = raw.trim();
        let start = self.at + raw.find(line).unwrap_or(0);
        self.at += raw.len();
        Some((start..start + line.len(), line))
    }
}
