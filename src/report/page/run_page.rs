//! The page of a run.

use std::collections::BTreeMap;
use std::io;

use serde::Serialize;

use super::page::{Page, PageGraph};
use crate::graph::{Graph, GraphOverlay};
use crate::report::graph::{SvgUse, write_svg};

/// The page of a run: verdicts, causes, failures, and each dialogue that went wrong beside the picture of its model.
pub struct RunPage<'p, R> {
    /// What the run came to, in a sentence.
    pub title: &'p str,
    /// The report, as it is written as JSON.
    pub report: &'p R,
    /// The models by the names that the report gives them.
    pub graphs: &'p BTreeMap<String, Graph>,
    /// Lines of the files that causes name, by place.
    pub sources: &'p BTreeMap<String, SourceExcerpt>,
}

/// Lines of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SourceExcerpt {
    /// The number of the first.
    pub first: usize,
    /// The lines.
    pub lines: Vec<String>,
}

#[derive(Serialize)]
struct RunData<'p, R> {
    report: &'p R,
    sources: &'p BTreeMap<String, SourceExcerpt>,
}

impl<R: Serialize> RunPage<'_, R> {
    /// The page.
    ///
    /// # Errors
    /// Where the report cannot be written as JSON.
    pub fn render(&self) -> io::Result<String> {
        let picture = |graph: &Graph| write_svg(&graph.overview(), &GraphOverlay::default(), SvgUse::Inside);
        let graphs = self.graphs.iter().map(|(model, graph)| PageGraph { model, svg: picture(graph) }).collect();
        let page =
            Page { title: self.title, template: include_str!("run.html"), script: include_str!("run.js"), graphs };
        page.render(&RunData { report: self.report, sources: self.sources })
    }
}
