//! State diagrams in Mermaid and `PlantUML`.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::names::{Named, StateName};
use super::row::{Row, events};
use crate::limits::{MAX_CHOICES_IN_ROW, MAX_DOCUMENT_MOVES};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use fsmsim_syntax::document::{ArrowLabel, DiagramLine, Prose, StateDiagram, plain_label};

/// A state diagram.
#[derive(Debug, Default)]
pub(super) struct Diagram {
    /// The transitions between states.
    pub rows: Vec<Row>,
    /// The target of `[*] -->` outside of composite states.
    pub initial: Option<StateName>,
    /// The sources of `--> [*]`.
    pub finals: Vec<StateName>,
    /// Maps names of states to the texts inside these states.
    pub labels: BTreeMap<String, String>,
    pub span: Option<Span>,
}

/// The statements of a diagram.
#[derive(Debug, Default)]
struct DiagramReader {
    arrows: Vec<Arrow>,
    /// The states with their enclosing states.
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
    /// The composite state that contains the arrow.
    inside: Option<String>,
    span: Span,
}

impl Diagram {
    /// Reads the diagram in a code block. Returns `None` if the block has no diagram. `text` is the complete file.
    pub(super) fn read(code: &Prose, text: &str, found: &mut Diagnostics) -> Option<Self> {
        let start = code.span.start as usize;
        let lines = StateDiagram::of_block(text.get(start..code.span.end as usize)?)?;
        let mut reader = DiagramReader::default();
        for (range, line) in lines {
            let span = Span::new(code.span.file, start + range.start, start + range.end);
            reader.line(line, span, found);
        }
        Some(reader.finish(code.span, found))
    }
}

impl DiagramReader {
    fn line(&mut self, line: DiagramLine<'_>, span: Span, found: &mut Diagnostics) {
        match line {
            DiagramLine::Arrow { from, to, text } => {
                for state in [from, to] {
                    if state != DiagramLine::POINT {
                        self.declare(state);
                    }
                }
                self.arrows.push(Arrow {
                    from: from.to_owned(),
                    to: to.to_owned(),
                    text: plain(text),
                    inside: self.open.last().cloned(),
                    span,
                });
            }
            DiagramLine::State {
                name,
                text,
                kind,
                opens,
            } => self.state((name, text), kind, opens, span, found),
            DiagramLine::Text { state, text } => {
                self.declare(state);
                self.labels
                    .entry(state.to_owned())
                    .or_insert_with(|| plain(text));
            }
            DiagramLine::Name(name) => self.declare(name),
            DiagramLine::Note => {}
            DiagramLine::Close => {
                self.open.pop();
            }
            DiagramLine::Divider => {
                Diagnostic::warning(Code::NotTaken, "parallel states are treated as sequential")
                    .at(span, "parallel regions")
                    .help("write a flow with `fork` and `join`; a document has one current state")
                    .add_to(found);
            }
            DiagramLine::Unknown => unread(span, found),
        }
    }

    /// Reads `state "text" as name`, `state name {` or `state name <<choice>>`. The text is the default name.
    fn state(
        &mut self,
        (name, label): (&str, Option<&str>),
        kind: Option<&str>,
        opens: bool,
        span: Span,
        found: &mut Diagnostics,
    ) {
        let id = if name.is_empty() {
            label.unwrap_or_default()
        } else {
            name
        };
        if id.is_empty() {
            return unread(span, found);
        }
        let id = id.to_owned();
        self.declare(&id);
        if let Some(label) = label {
            self.labels.insert(id.clone(), plain(label));
        }
        match kind {
            Some("choice") => {
                self.choices.insert(id.clone());
            }
            Some("fork" | "join") => {
                Diagnostic::warning(
                    Code::NotTaken,
                    format!("fork or join `{id}` is treated as a state"),
                )
                .at(span, "not supported")
                .help("write a flow with `fork` and `join`; a document has one current state")
                .add_to(found);
            }
            _ => {}
        }
        if opens {
            self.open.push(id);
        }
    }

    fn declare(&mut self, state: &str) {
        let inside = self.open.last().filter(|open| *open != state).cloned();
        // The first occurrence of a state determines its enclosing state.
        self.inside.entry(state.to_owned()).or_insert(inside);
    }

    /// Builds the transitions. A transition to a composite state leads to its first child; a transition from it starts
    /// in all its children.
    ///
    /// A machine has no nested states. If `Open` contains `New` and `Seen`, `A --> Open` becomes `A --> New`, and `Open
    /// --> Z` becomes `New --> Z` and `Seen --> Z`. The nesting is followed at most [`MAX_CHOICES_IN_ROW`] levels,
    /// because a mistake can nest two states in each other.
    fn finish(self, span: Span, found: &mut Diagnostics) -> Diagram {
        let holds: FxHashSet<&String> = self.inside.values().flatten().collect();
        let mut firsts: FxHashMap<&String, &String> = FxHashMap::default();
        for arrow in self
            .arrows
            .iter()
            .filter(|arrow| arrow.from == DiagramLine::POINT)
        {
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
            for _ in 0..MAX_CHOICES_IN_ROW {
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
            for _ in 0..MAX_CHOICES_IN_ROW {
                let Some(outer) = self.inside.get(inner).and_then(Option::as_ref) else {
                    break;
                };
                leaves.entry(outer).or_default().push(leaf);
                inner = outer;
            }
        }
        // The sources of an arrow: a state, or all children of a composite state.
        let sources_of = |arrow: &Arrow| -> Vec<String> {
            if holds.contains(&arrow.from) {
                leaves
                    .get(&arrow.from)
                    .into_iter()
                    .flatten()
                    .map(|state| (*state).clone())
                    .collect()
            } else {
                vec![arrow.from.clone()]
            }
        };
        let mut diagram = Diagram {
            span: Some(span),
            ..Diagram::default()
        };
        let mut ways: Vec<Arrow> = Vec::new();
        for arrow in self.ways() {
            if arrow.to == DiagramLine::POINT {
                // The end point of a composite state has no effect.
                if arrow.inside.is_none() {
                    let sources = sources_of(&arrow);
                    let ends = sources.iter().map(|end| StateName::new(end, arrow.span));
                    diagram.finals.extend(ends);
                    // With a text, the arrow is also a transition.
                    let sources = sources.into_iter().filter(|_| !arrow.text.is_empty());
                    ways.extend(sources.map(|from| Arrow {
                        from,
                        ..arrow.clone()
                    }));
                }
            } else if arrow.from == DiagramLine::POINT {
                if arrow.inside.is_none() && diagram.initial.is_none() {
                    diagram.initial = Some(StateName::new(&enters(&arrow.to), arrow.span));
                }
            } else {
                let to = enters(&arrow.to);
                ways.extend(sources_of(&arrow).into_iter().map(|from| Arrow {
                    from,
                    to: to.clone(),
                    ..arrow.clone()
                }));
            }
            if ways.len() > MAX_DOCUMENT_MOVES {
                Diagnostic::error(Code::BadTransition, "diagram has too many transitions")
                    .at(span, "exceeds the limit")
                    .help(format!(
                        "split the diagram: limit {MAX_DOCUMENT_MOVES} transitions"
                    ))
                    .add_to(found);
                ways.clear();
                break;
            }
        }
        let rows = ways.into_iter().map(|arrow| {
            let ArrowLabel { event, guard, .. } = ArrowLabel::read(&arrow.text);
            // `a / b` are alternatives. After a guard, the slash precedes an action.
            let event = if guard.is_empty() && !event.is_empty() {
                arrow.text.clone()
            } else {
                event
            };
            let state = |name: &str| Named::States(vec![StateName::new(name, arrow.span)]);
            Row {
                from: state(&arrow.from),
                to: if arrow.to == DiagramLine::POINT {
                    Named::Outside
                } else {
                    state(&arrow.to)
                },
                events: events(&arrow.text, &event, std::iter::empty()),
                condition: arrow.text,
                span: arrow.span,
                whole: arrow.span,
            }
        });
        diagram.rows.extend(rows);
        diagram.labels = self.labels;
        diagram
    }

    /// Removes choices: an arrow to a choice and an arrow from the choice become one transition.
    fn ways(&self) -> Vec<Arrow> {
        let mut ways = Vec::new();
        let mut onward: FxHashMap<&str, Vec<&Arrow>> = FxHashMap::default();
        for arrow in self
            .arrows
            .iter()
            .filter(|arrow| self.choices.contains(&arrow.from))
        {
            onward.entry(&arrow.from).or_default().push(arrow);
        }
        for arrow in self
            .arrows
            .iter()
            .filter(|arrow| !self.choices.contains(&arrow.from))
        {
            let mut open = vec![(arrow.clone(), 0)];
            while let Some((arrow, passed)) = open.pop() {
                if !self.choices.contains(&arrow.to) {
                    ways.push(arrow);
                } else if passed < MAX_CHOICES_IN_ROW
                    && ways.len() + open.len() <= MAX_DOCUMENT_MOVES
                {
                    let joined = onward.get(&*arrow.to).into_iter().flatten().map(|onward| {
                        let text = match (&*arrow.text, &*onward.text) {
                            (text, "") | ("", text) => text.to_owned(),
                            (event, guard) => {
                                format!("{event} [{}]", guard.trim_matches(['[', ']']))
                            }
                        };
                        (
                            Arrow {
                                from: arrow.from.clone(),
                                text,
                                ..(*onward).clone()
                            },
                            passed + 1,
                        )
                    });
                    // The stack is processed from the end, so the order is reversed.
                    open.extend(joined.collect::<Vec<_>>().into_iter().rev());
                }
            }
        }
        ways
    }
}

fn unread(span: Span, found: &mut Diagnostics) {
    Diagnostic::warning(Code::NotTaken, "unsupported line in a diagram")
        .at(span, "ignored")
        .help("write `A --> B: text`, `state \"text\" as A`, `A: text` or `[*] --> A`")
        .add_to(found);
}

fn plain(text: &str) -> String {
    plain_label(text).trim_matches(['"', ';']).to_owned()
}
