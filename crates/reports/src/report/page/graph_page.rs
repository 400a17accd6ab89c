//! The HTML page of a model.

use std::io;

use minijinja::{Value, context};

use super::page::Page;
use crate::report::graph::{
    NodeTransition, SvgUse, about_node, comes_from, mark_label, sections_of, ways_of, write_svg,
};
use fsmsim_harness::graph::{GraphDirection, GraphNode, GraphOverlay, MachineGraph};
use fsmsim_syntax::diagnostic::plural;
use fsmsim_syntax::terminal::{Joined, printable};

/// The page of a model: its diagram, and each state with its outgoing transitions.
#[derive(Debug)]
pub struct GraphPage<'g> {
    /// The complete model.
    pub graph: &'g MachineGraph,
    pub drawn: &'g MachineGraph,
    pub direction: GraphDirection,
    pub overlay: &'g GraphOverlay,
    /// The names of the overlaid traces, each with a description.
    pub traces: Vec<(String, String)>,
}

impl GraphPage<'_> {
    /// Renders the page.
    pub fn write(&self) -> io::Result<String> {
        let graph = self.graph;
        let title = printable(&format!(
            "{}: {}",
            graph.name,
            plural(graph.nodes.len(), "state")
        ));
        let overlay = self.overlay.passed_of(self.drawn);
        let sections = sections_of(graph).into_iter().map(|section| {
            let states: Vec<Value> = section
                .states
                .iter()
                .map(|(number, node)| self.state(*number, node))
                .collect();
            context! { title => printable(&section.title), states }
        });
        let sides = if self.traces.len() > 1 {
            ["A: ", "B: "]
        } else {
            [""; 2]
        };
        let sides = sides.into_iter().chain(std::iter::repeat(""));
        let traces = self.traces.iter().zip(sides).map(|((name, about), side)| {
            context! { name => printable(&format!("{side}{name}")), about }
        });
        let content = context! {
            about => printable(&graph.about),
            svg => write_svg(self.drawn, &overlay, self.direction, SvgUse::Inside)?,
            sections => sections.collect::<Value>(),
            traces => traces.collect::<Value>(),
        };
        let page = Page {
            title: &title,
            template: include_str!("graph.html"),
            script: include_str!("graph.js"),
            content,
            ..Page::default()
        };
        page.render(&())
    }

    fn state(&self, number: usize, node: &GraphNode) -> Value {
        let mark = self.overlay.states.get(&node.name);
        let ways = ways_of(self.graph, self.overlay, number);
        let comes = comes_from(self.graph, self.overlay, number)
            .into_iter()
            .map(|(sources, labels, passed)| {
                context! { ways => format!("⇐ {sources}: {}", labels.join(", ")), passed }
            });
        context! {
            number,
            name => printable(&node.name),
            about => about_node(node).join("; "),
            goal => printable(&node.goal),
            at => node.at.as_deref().map(printable),
            passed => mark.map(|mark| mark_label(&mark.passed, mark.coverage)),
            comes => comes.collect::<Value>(),
            ways => ways.iter().map(|way| self.way(way)).collect::<Value>(),
        }
    }

    fn way(&self, way: &NodeTransition<'_>) -> Value {
        let triggers = way.triggers.join(", ");
        // Without a trigger, the condition takes its place.
        let (takes, when) = if triggers.is_empty() {
            (way.when.clone(), "")
        } else {
            (triggers, &*way.when)
        };
        let notes = [when].into_iter().filter(|when| !when.is_empty());
        let to = way.to.and_then(|to| self.graph.nodes.get(to));
        context! {
            takes => printable(&takes),
            to => way.to,
            name => to.map(|node| printable(&node.name)),
            notes => printable(&notes.chain(way.kind).joined("; ")),
            passed => way.mark(),
        }
    }
}
