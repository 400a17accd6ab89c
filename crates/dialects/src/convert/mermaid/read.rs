//! Reads a diagram line by line.

use std::collections::BTreeMap;

use super::forks::{Bars, join_forks};
use crate::convert::names::{GivenNames, word};
use crate::convert::statechart::{
    ChartEdge, ChartTrigger, GuardTerm, NodeId, NodeKind, Statechart,
};
use crate::convert::{ForeignText, unusable};
use crate::limits::MAX_DEPTH;
use fsmsim_syntax::diagnostic::Span;
use fsmsim_syntax::document::{ArrowLabel, DiagramLine, DiagramSyntax, StateDiagram, plain_label};

/// Reads a diagram as a statechart.
pub(in crate::convert) fn read(input: &mut ForeignText<'_>) -> Option<Statechart> {
    let (diagram, span, title) = diagram(input)?;
    let mut chart = Statechart::new(title.as_deref().unwrap_or(&input.name), span);
    chart.has_flat_names = true;
    let mut reader = MermaidReader {
        chart,
        input,
        is_own_graph: diagram.is_own_graph,
        known: BTreeMap::new(),
        names: GivenNames::default(),
        open: Vec::new(),
        bars: Bars::default(),
        choices: Vec::new(),
        arrows: Vec::new(),
    };
    for (range, line) in diagram {
        let span = Span::new(reader.input.file, range.start, range.end);
        reader.line(line, span);
    }
    Some(reader.finish())
}

/// The first state diagram, otherwise the first flowchart, with its first line and its title. Lists the other diagrams.
fn diagram<'t>(input: &mut ForeignText<'t>) -> Option<(StateDiagram<'t>, Span, Option<String>)> {
    let mut at = 0;
    let mut title = None;
    let mut diagrams = Vec::new();
    for raw in input.text.split_inclusive('\n') {
        let line = raw.trim();
        let span = Span::new(input.file, at, at + raw.trim_end().len());
        at += raw.len();
        if let Some(text) = line.strip_prefix("title:") {
            title = Some(plain_label(text)).filter(|title| !title.is_empty());
        }
        if let Some(syntax) = StateDiagram::begins_mermaid(line) {
            diagrams.push((syntax, span, at, title.take()));
        }
    }
    let first = diagrams
        .iter()
        .position(|one| one.0 == DiagramSyntax::Mermaid);
    if diagrams.is_empty() {
        let start = Span::start_of(input.file);
        let label = "no line `stateDiagram-v2` or `flowchart`";
        return unusable("cannot find a state diagram", start, label)
            .help("start the diagram with `stateDiagram-v2` or `flowchart LR`; other Mermaid diagrams are not supported")
            .refuse(input.found);
    }
    let (syntax, span, body, title) = diagrams.remove(first.unwrap_or_default());
    for (_, span, ..) in diagrams {
        input.leave(span, "another diagram: copy it to a separate file");
    }
    Some((StateDiagram::new(input.text, body, syntax), span, title))
}

/// An arrow between two states.
struct MermaidArrow {
    from: NodeId,
    to: NodeId,
    label: ArrowLabel,
    span: Span,
}

struct MermaidReader<'r, 't> {
    chart: Statechart,
    input: &'r mut ForeignText<'t>,
    /// Whether `fsmsim graph` drew the diagram.
    is_own_graph: bool,
    /// The states by name. Names are global.
    known: BTreeMap<String, NodeId>,
    /// All names, including generated ones.
    names: GivenNames,
    /// The states with an open brace, each with the position of its brace.
    open: Vec<(NodeId, Span)>,
    bars: Bars,
    choices: Vec<NodeId>,
    arrows: Vec<MermaidArrow>,
}

impl MermaidReader<'_, '_> {
    /// The composite state that contains the current line, or the last region of a parallel state.
    fn scope(&self) -> NodeId {
        let around = self.open.last().map_or(Statechart::ROOT, |(node, _)| *node);
        self.chart[around]
            .children
            .last()
            .copied()
            .filter(|_| self.chart.is_parallel(around))
            .unwrap_or(around)
    }

    fn line(&mut self, line: DiagramLine<'_>, span: Span) {
        match line {
            DiagramLine::Note => self.input.leave(span, "a note"),
            DiagramLine::Close => {
                if self.open.pop().is_none() {
                    self.input.refuse(
                        span,
                        "closing brace without an opening brace",
                        "remove the brace",
                    );
                }
            }
            DiagramLine::Divider => self.next_region(span),
            DiagramLine::State {
                name,
                text,
                kind,
                opens,
            } => self.declare(name, text, kind, opens, span),
            DiagramLine::Arrow { from, to, text } => self.arrow(from, to, text, span),
            DiagramLine::Text { state, text } if is_name(state) => {
                let node = self.node(state, span);
                self.goal(node, text);
            }
            DiagramLine::Name(name) if is_name(name) => {
                self.node(name, span);
            }
            DiagramLine::Text { .. } | DiagramLine::Name(_) | DiagramLine::Unknown => {
                self.input.refuse(
                    span,
                    "unsupported line in a diagram",
                    "write `A --> B: event`, or `state A { … }`; in a flowchart, `A -->|event| B` between nodes",
                );
            }
        }
    }

    /// The state with this name. A new state belongs to the current scope, and moves inward if a nested scope refers to
    /// it.
    fn node(&mut self, name: &str, span: Span) -> NodeId {
        let scope = self.scope();
        match self.known.get(name).copied() {
            Some(node) => {
                let parent = self.chart[node].parent;
                let deeper = parent != Some(scope)
                    && parent.is_some_and(|parent| self.chart.is_inside(scope, parent));
                if deeper && !self.chart.is_inside(scope, node) {
                    self.chart.adopt(node, scope);
                }
                node
            }
            None => {
                self.names.give(name);
                let node = self.chart.add(name, span, scope);
                self.known.insert(name.to_owned(), node);
                node
            }
        }
    }

    fn goal(&mut self, node: NodeId, text: &str) {
        let text = plain_label(text);
        let goal = &mut self.chart[node].goal;
        *goal = match goal.take() {
            Some(before) => Some(format!("{before}. {text}")),
            None => Some(text).filter(|text| !text.is_empty()),
        };
    }

    /// Declares a state (`state NAME`) with its description and kind.
    fn declare(
        &mut self,
        name: &str,
        goal: Option<&str>,
        kind: Option<&str>,
        opens: bool,
        span: Span,
    ) {
        let name = if name.is_empty() {
            goal.map(word).unwrap_or_default()
        } else {
            name.to_owned()
        };
        if !is_name(&name) {
            self.input.refuse(
                span,
                "missing name of a state",
                "write `state NAME`, or `state \"What it is\" as NAME`",
            );
            return;
        }
        let node = self.node(&name, span);
        if let Some(goal) = goal {
            self.goal(node, goal);
        }
        match kind {
            Some("choice") => self.choices.push(node),
            Some("fork") => self.bars.forks.push(node),
            Some("join") => self.bars.joins.push(node),
            Some(_) => self.input.refuse(
                span,
                "unknown kind of state",
                "use `choice`, `fork` or `join`",
            ),
            None => {}
        }
        if opens {
            if self.open.len() >= MAX_DEPTH {
                let title = format!("states are nested too deeply: limit {MAX_DEPTH} levels");
                self.input.refuse(span, title, "flatten the diagram");
                return;
            }
            self.open.push((node, span));
        }
    }

    /// Starts the next region of a state, after a line `--`.
    fn next_region(&mut self, span: Span) {
        let Some((node, _)) = self.open.last().copied() else {
            self.input.refuse(
                span,
                "cannot use `--` outside a state",
                "move it between the braces of a state",
            );
            return;
        };
        if !self.chart.is_parallel(node) {
            let name = self.names.give(&format!("{}_1", self.chart[node].name));
            self.chart.wrap(node, &name, span);
            self.chart[node].kind = NodeKind::Parallel;
        }
        let name = format!(
            "{}_{}",
            self.chart[node].name,
            self.chart[node].children.len() + 1
        );
        let name = self.names.give(&name);
        self.chart.add(&name, span, node);
    }

    /// Reads an arrow: `A --> B: label`.
    fn arrow(&mut self, from: &str, to: &str, label: &str, span: Span) {
        let label = if self.is_own_graph {
            ArrowLabel::of_graph(label)
        } else {
            ArrowLabel::read(label)
        };
        if !label.action.is_empty() {
            self.input
                .leave(span, format!("the action `{}`", label.action));
        }
        if [from, to]
            .into_iter()
            .any(|name| name != DiagramLine::POINT && !is_name(name))
        {
            self.input.refuse(
                span,
                "expected one state on each side of an arrow",
                "write `A --> B: event`",
            );
            return;
        }
        if from == DiagramLine::POINT {
            let to = self.node(to, span);
            let scope = self.scope();
            if self.chart[scope]
                .initial
                .is_some_and(|initial| initial != to)
            {
                self.input.leave(
                    span,
                    format!("a second initial state, `{}`", self.chart[to].name),
                );
            } else if !is_silent(&label) {
                self.input.leave(span, "the label of the initial arrow");
            }
            self.chart[scope].initial.get_or_insert(to);
            return;
        }
        let from = self.node(from, span);
        let to = if to == DiagramLine::POINT {
            self.end(span)
        } else {
            self.node(to, span)
        };
        self.arrows.push(MermaidArrow {
            from,
            to,
            label,
            span,
        });
    }

    /// The final state of the current scope.
    fn end(&mut self, span: Span) -> NodeId {
        let scope = self.scope();
        let ends = |child: &&NodeId| self.chart[**child].kind == NodeKind::Final;
        if let Some(end) = self.chart[scope].children.iter().find(ends) {
            return *end;
        }
        let name = if scope == Statechart::ROOT {
            "end".to_owned()
        } else {
            format!("{}_end", self.chart[scope].name)
        };
        let name = self.names.give(&name);
        let end = self.chart.add(&name, span, scope);
        self.chart[end].kind = NodeKind::Final;
        end
    }

    fn finish(mut self) -> Statechart {
        if let Some((_, span)) = self.open.last().copied() {
            self.input.refuse(
                span,
                "opening brace is never closed",
                "add `}` on a separate line",
            );
        }
        if self.chart[Statechart::ROOT].initial.is_none() {
            self.input.leave_beginning(&self.chart, "[*] -->");
        }
        let arrows = std::mem::take(&mut self.arrows);
        let mut silent: BTreeMap<NodeId, usize> = BTreeMap::new();
        for arrow in arrows.iter().filter(|arrow| is_silent(&arrow.label)) {
            *silent.entry(arrow.from).or_default() += 1;
        }
        for arrow in &arrows {
            self.edge(
                arrow,
                silent.get(&arrow.from).is_none_or(|count| *count < 2),
            );
        }
        for choice in &self.choices {
            // The branch without a guard comes last.
            self.chart[*choice]
                .edges
                .sort_by_key(|edge| edge.guard.is_empty());
        }
        join_forks(&mut self.chart, &self.bars, self.input.found);
        self.chart
    }

    /// Converts an arrow to an edge. `is_only` means that the state has no other arrow without a label.
    fn edge(&mut self, arrow: &MermaidArrow, is_only: bool) {
        let MermaidArrow {
            from,
            to,
            label,
            span,
        } = arrow;
        let (trigger, guard) = if self.choices.contains(from) {
            let text = if label.guard.is_empty() {
                &label.event
            } else {
                &label.guard
            };
            let is_else = text.is_empty()
                || ["else", "otherwise", "default"].contains(&&*text.to_lowercase());
            (ChartTrigger::Always, if is_else { "" } else { &**text })
        } else if self.bars.forks.contains(from) || self.bars.joins.contains(from) {
            if !is_silent(label) {
                self.input
                    .leave(*span, "the label of an arrow after a fork or join");
            }
            (ChartTrigger::Done, "")
        } else if label.event.is_empty()
            && (self.chart.is_parallel(*from) || self.chart.has_end(*from))
        {
            (ChartTrigger::Done, &*label.guard)
        } else if !label.event.is_empty() {
            (
                ChartTrigger::Event(self.intent(&label.event)),
                &*label.guard,
            )
        } else if is_only || !label.guard.is_empty() {
            (ChartTrigger::Any, &*label.guard)
        } else {
            let event = format!("to_{}", self.chart[*to].name);
            let what = format!(
                "an arrow of `{}` without a label: its intent is `{event}`",
                self.chart[*from].name
            );
            self.input.leave(*span, what);
            (ChartTrigger::Event(event), "")
        };
        let guard = if guard.is_empty() {
            Vec::new()
        } else {
            let name = guard_name(guard);
            if name != guard {
                self.input.leave(
                    *span,
                    format!(
                        "the guard `{guard}`: the transition applies if the slot `{name}` is true"
                    ),
                );
            }
            vec![GuardTerm::holds(name)]
        };
        self.chart[*from].edges.push(ChartEdge {
            trigger,
            guard,
            target: Some(*to),
            span: *span,
        });
    }

    /// Converts the label of an arrow to an intent of one word. The original text becomes the description.
    fn intent(&mut self, text: &str) -> String {
        let name = word(text);
        if name.is_empty() {
            return text.to_owned();
        }
        if name != text {
            self.chart
                .meanings
                .entry(name.clone())
                .or_insert_with(|| text.to_owned());
        }
        name
    }
}

/// Whether an arrow has neither an event nor a guard.
fn is_silent(label: &ArrowLabel) -> bool {
    label.event.is_empty() && label.guard.is_empty()
}

/// Whether a text can be the name of a state.
fn is_name(text: &str) -> bool {
    !text.is_empty() && !text.contains(['{', '}', '"', '[', ']', '<', '>', ' '])
}

/// Converts a guard to the name of a slot. Comparison operators become words.
pub(super) fn guard_name(text: &str) -> String {
    const SIGNS: [(&str, &str); 9] = [
        ("<=", "at_most"),
        (">=", "at_least"),
        ("!=", "is_not"),
        ("===", "is"),
        ("==", "is"),
        ("=", "is"),
        ("<", "less_than"),
        (">", "more_than"),
        ("!", "not"),
    ];
    let mut text = text.to_owned();
    for (sign, words) in SIGNS {
        text = text.replace(sign, &format!(" {words} "));
    }
    let name = word(&text);
    if name.is_empty() {
        "guard".to_owned()
    } else {
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comparison_becomes_a_name() {
        assert_eq!(guard_name("n >= 0"), "n_at_least_0");
        assert_eq!(guard_name("if x == 'a'"), "if_x_is_a");
        assert_eq!(guard_name("!paid"), "not_paid");
    }
}
