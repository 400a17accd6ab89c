//! Diagrams of states as mermaid writes them: `stateDiagram-v2`.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::names::{Named, StateName};
use super::row::{Row, events};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use crate::document::Prose;

/// Moves through choices that lead to each other are followed so far.
const CHOICES: usize = 16;

/// A diagram of more moves than this is drawn by no hand.
const MOVES: usize = 20_000;

/// A diagram of states.
#[derive(Debug, Default)]
pub(super) struct Diagram {
    /// The moves between states.
    pub(super) rows: Vec<Row>,
    /// What stands beside `[*] -->`, where that is not inside of a state.
    pub(super) initial: Option<StateName>,
    /// What stands in front of `--> [*]`.
    pub(super) finals: Vec<StateName>,
    /// What is written in states, by their names.
    pub(super) labels: BTreeMap<String, String>,
    /// Where it stands.
    pub(super) span: Option<Span>,
}

/// A diagram as it is written, line by line.
#[derive(Debug, Default)]
struct DiagramReader {
    arrows: Vec<Arrow>,
    /// The states, and in which other state each is.
    inside: IndexMap<String, Option<String>, FxBuildHasher>,
    choices: FxHashSet<String>,
    labels: BTreeMap<String, String>,
    open: Vec<String>,
}

#[derive(Clone, Debug)]
struct Arrow {
    from: String,
    to: String,
    text: String,
    /// The state inside of which it is drawn.
    inside: Option<String>,
    span: Span,
}

/// The word by which such a diagram is known, in its first version too.
const KIND: &str = "stateDiagram";

/// Where a diagram begins and ends.
const POINT: &str = "[*]";

impl Diagram {
    /// Whether a block of code is such a diagram.
    pub(super) fn is_one(code: &Prose) -> bool {
        let mut lines = code.text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("%%"));
        let first = lines.next().unwrap_or_default();
        // A diagram may have front matter of its own.
        let first =
            if first == "---" { lines.skip_while(|line| *line != "---").nth(1).unwrap_or_default() } else { first };
        first.starts_with(KIND)
    }

    /// Reads a diagram. `text` is the whole file.
    pub(super) fn read(code: &Prose, text: &str, found: &mut Diagnostics) -> Self {
        let mut reader = DiagramReader::default();
        let mut at = code.span.start as usize;
        let raw = text.get(at..code.span.end as usize).unwrap_or_default();
        let (mut note, mut begun) = (false, false);
        for raw in raw.split_inclusive('\n') {
            let line = raw.trim();
            let start = at + raw.find(line).unwrap_or(0);
            at += raw.len();
            let span = Span::new(code.span.file, start, start + line.len());
            let first = line.split_whitespace().next().unwrap_or_default();
            match first {
                _ if !begun => begun = line.starts_with(KIND),
                _ if note => note = line != "end note",
                "note" => note = !line.contains(':'),
                "" | "direction" | "classDef" | "class" | "style" | "hide" | "scale" | "accTitle:" | "accDescr:"
                | "accTitle" | "accDescr" | "title" | "click" => {}
                _ if first.starts_with("%%") || first.starts_with("```") || first.starts_with("~~~") => {}
                "--" => {
                    Diagnostic::warning(Code::NotTaken, "states beside each other are taken as one after the other")
                        .at(span, "divided here")
                        .help("a document has one state at a time; write a flow with `fork` and `join`")
                        .add_to(found);
                }
                "}" => {
                    reader.open.pop();
                }
                _ => reader.line(line, span, found),
            }
        }
        reader.finish(code.span, found)
    }
}

impl DiagramReader {
    fn line(&mut self, line: &str, span: Span, found: &mut Diagnostics) {
        if let Some(rest) = line.strip_prefix("state ") {
            self.state(rest.trim(), span, found);
        } else if let Some((from, rest)) = line.split_once("-->") {
            let (to, text) = rest.split_once(':').filter(|(to, _)| !to.trim().is_empty()).unwrap_or((rest, ""));
            let (to, text) = match rest.split_once(":::") {
                Some((to, class)) => (to, class.split_once(':').map_or("", |(_, text)| text)),
                None => (to, text),
            };
            let (from, to) = (name(from), name(to));
            if from.is_empty() || to.is_empty() {
                return unread(span, found);
            }
            for state in [&from, &to].into_iter().filter(|state| *state != POINT) {
                self.declare(state);
            }
            let inside = self.open.last().cloned();
            self.arrows.push(Arrow { from, to, text: plain(text), inside, span });
        } else if let Some((state, text)) = line.split_once(':') {
            let state = name(state);
            self.declare(&state);
            self.labels.entry(state).or_insert_with(|| plain(text.trim_start_matches(':')));
        } else if line.split_whitespace().count() == 1 {
            self.declare(&name(line));
        } else {
            unread(span, found);
        }
    }

    /// `state "text" as name`, `state name {`, `state name <<choice>>`.
    fn state(&mut self, rest: &str, span: Span, found: &mut Diagnostics) {
        let opens = rest.ends_with('{');
        let rest = rest.trim_end_matches('{').trim();
        let (rest, kind) = match rest.find(['<', '[']) {
            Some(at) => (rest.get(..at).unwrap_or_default().trim(), rest.get(at..).unwrap_or_default()),
            None => (rest, ""),
        };
        let quoted = rest.strip_prefix('"').and_then(|rest| rest.split_once('"'));
        let (label, id) = match quoted {
            Some((label, rest)) => (Some(label), rest.trim().strip_prefix("as ").unwrap_or(label)),
            None => (None, rest),
        };
        let id = name(id);
        if id.is_empty() {
            return unread(span, found);
        }
        self.declare(&id);
        if let Some(label) = label {
            self.labels.insert(id.clone(), plain(label));
        }
        if kind.contains("choice") {
            self.choices.insert(id.clone());
        } else if kind.contains("fork") || kind.contains("join") {
            Diagnostic::warning(Code::NotTaken, format!("`{id}` is taken as a state"))
                .at(span, "divides a dialogue, or brings it together")
                .help("a document has one state at a time; write a flow with `fork` and `join`")
                .add_to(found);
        }
        if opens {
            self.open.push(id);
        }
    }

    fn declare(&mut self, state: &str) {
        let inside = self.open.last().filter(|open| *open != state).cloned();
        // A state belongs where it is drawn first.
        self.inside.entry(state.to_owned()).or_insert(inside);
    }

    /// The moves: those that lead to a state with others in it lead to the first of them, those from it lead from all.
    fn finish(self, span: Span, found: &mut Diagnostics) -> Diagram {
        let holds: FxHashSet<&String> = self.inside.values().flatten().collect();
        let mut firsts: FxHashMap<&String, &String> = FxHashMap::default();
        for arrow in self.arrows.iter().filter(|arrow| arrow.from == POINT) {
            if let Some(inside) = &arrow.inside {
                firsts.entry(inside).or_insert(&arrow.to);
            }
        }
        for (state, inside) in &self.inside {
            if let Some(inside) = inside {
                firsts.entry(inside).or_insert(state);
            }
        }
        let enters = |state: &String| {
            let mut state = state.clone();
            for _ in 0..CHOICES {
                match firsts.get(&state).filter(|_| holds.contains(&state)) {
                    Some(first) => state.clone_from(first),
                    None => break,
                }
            }
            state
        };
        let mut leaves: FxHashMap<&String, Vec<&String>> = FxHashMap::default();
        for leaf in self.inside.keys().filter(|state| !holds.contains(state)) {
            let mut inner = leaf;
            for _ in 0..CHOICES {
                let Some(outer) = self.inside.get(inner).and_then(Option::as_ref) else { break };
                leaves.entry(outer).or_default().push(leaf);
                inner = outer;
            }
        }
        let all_in = |state: &String| leaves.get(state).cloned().unwrap_or_default();
        let named = |text: &str, span: Span| StateName { text: text.into(), span, initial: false, is_final: false };
        let mut diagram = Diagram { span: Some(span), ..Diagram::default() };
        let mut ways: Vec<Arrow> = Vec::new();
        for arrow in self.ways() {
            if arrow.to == POINT {
                // The end of a state inside of another is only where its arrows lead from.
                if arrow.inside.is_none() {
                    let ends = if holds.contains(&arrow.from) { all_in(&arrow.from) } else { vec![&arrow.from] };
                    diagram.finals.extend(ends.into_iter().map(|end| named(end, arrow.span)));
                }
            } else if arrow.from == POINT {
                if arrow.inside.is_none() && diagram.initial.is_none() {
                    diagram.initial = Some(named(&enters(&arrow.to), arrow.span));
                }
            } else {
                let to = enters(&arrow.to);
                let from = if holds.contains(&arrow.from) { all_in(&arrow.from) } else { vec![&arrow.from] };
                ways.extend(from.into_iter().map(|from| Arrow { from: from.clone(), to: to.clone(), ..arrow.clone() }));
            }
            if ways.len() > MOVES {
                Diagnostic::error(Code::BadTransition, "the diagram has too many moves")
                    .at(span, "this diagram")
                    .help(format!("at most {MOVES} are taken; divide it"))
                    .add_to(found);
                ways.clear();
                break;
            }
        }
        for Arrow { from, to, text, span, .. } in ways {
            let event = text.split('[').next().unwrap_or_default().split(" / ").next().unwrap_or_default().trim();
            let events = events(&text, event, std::iter::empty());
            let (from, to) = (Named::States(vec![named(&from, span)]), Named::States(vec![named(&to, span)]));
            diagram.rows.push(Row { from, to, events, condition: text, span, whole: span });
        }
        diagram.labels = self.labels;
        diagram
    }

    /// The arrows, with choices passed through: what leads to one and what leads from it is one move.
    fn ways(&self) -> Vec<Arrow> {
        let mut ways = Vec::new();
        let mut onward: FxHashMap<&str, Vec<&Arrow>> = FxHashMap::default();
        for arrow in self.arrows.iter().filter(|arrow| self.choices.contains(&arrow.from)) {
            onward.entry(&arrow.from).or_default().push(arrow);
        }
        for arrow in self.arrows.iter().filter(|arrow| !self.choices.contains(&arrow.from)) {
            let mut open = vec![(arrow.clone(), 0)];
            while let Some((arrow, passed)) = open.pop() {
                if !self.choices.contains(&arrow.to) {
                    ways.push(arrow);
                } else if passed < CHOICES && ways.len() + open.len() <= MOVES {
                    let joined = onward.get(&*arrow.to).into_iter().flatten().map(|onward| {
                        let text = match (&*arrow.text, &*onward.text) {
                            (text, "") | ("", text) => text.to_owned(),
                            (event, guard) => format!("{event} [{}]", guard.trim_matches(['[', ']'])),
                        };
                        (Arrow { from: arrow.from.clone(), text, ..(*onward).clone() }, passed + 1)
                    });
                    // The last one is taken first, so they are put the other way round.
                    open.extend(joined.collect::<Vec<_>>().into_iter().rev());
                }
            }
        }
        ways
    }
}

fn unread(span: Span, found: &mut Diagnostics) {
    Diagnostic::warning(Code::NotTaken, "a line of the diagram is not taken")
        .at(span, "not understood")
        .help("write `A --> B: text`, `state \"text\" as A`, `A: text` or `[*] --> A`")
        .add_to(found);
}

/// The name of a state, without what a diagram says about how it is drawn.
fn name(text: &str) -> String {
    let text = text.split(":::").next().unwrap_or_default().trim();
    if text == POINT { text.to_owned() } else { text.trim_matches(['"', '`', ';']).trim().to_owned() }
}

fn plain(text: &str) -> String {
    let text = text.replace("<br/>", " ").replace("<br>", " ").replace("\\n", " ");
    text.split_whitespace().collect::<Vec<_>>().join(" ").trim_matches(['"', ';']).to_owned()
}
