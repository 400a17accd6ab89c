//! The traces that lie over the picture of a model.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::context::Context;
use super::exit::Stop;
use fsmsim_core::trace::TraceReader;
use fsmsim_harness::graph::{GraphOverlay, MachineGraph, PassedWays};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap, listed, plural};
use fsmsim_syntax::document::InputStream;

/// So many unknown states are named.
const MOST_NAMED: usize = 5;

/// What lies over a picture, and what the traces hold of which it comes.
#[derive(Default)]
pub(super) struct GraphTraces {
    /// What lies over the picture.
    pub(super) overlay: GraphOverlay,
    /// The traces by name, each with how many dialogues it holds.
    pub(super) names: Vec<(String, String)>,
}

impl GraphTraces {
    /// Reads traces. States that the model does not have are told.
    pub(super) fn read(
        paths: &[PathBuf],
        graph: &MachineGraph,
        context: &mut Context,
    ) -> Result<Self, Stop> {
        if paths
            .iter()
            .filter(|path| path.as_path() == Path::new("-"))
            .count()
            > 1
        {
            let finding =
                Diagnostic::bad_arguments("only one trace can be read from standard input");
            return Err(finding.help("name a file for the other").into());
        }
        let mut traces = Vec::new();
        let mut names = Vec::new();
        for path in paths {
            let (input, name) = InputStream::open(path)?;
            let (mut found, mut sources) = (Diagnostics::default(), SourceMap::default());
            let mut reader = TraceReader::new(input, &name);
            let mut passed = PassedWays::default();
            let mut dialogues = 0;
            while let Some(dialogue) = reader.read(&mut found, &mut sources) {
                let Some(turns) = dialogue.turns(&name, &mut found, &mut sources) else {
                    break;
                };
                passed.add(&turns);
                dialogues += 1;
            }
            if dialogues == 0 && !found.has_errors() {
                let finding =
                    Diagnostic::error(Code::EmptyTrace, format!("`{name}` holds no dialogue"))
                        .about(&*name);
                found.push(finding.help("write one with `fsmsim trace`"));
            }
            tell_strangers(&passed, &name, graph, &mut found);
            context.usable(Some(()), &found, &sources)?;
            names.push((name, plural(dialogues, "dialogue")));
            traces.push(passed);
        }
        Ok(Self {
            overlay: GraphOverlay::passed(&traces),
            names,
        })
    }
}

/// Tells which states of a trace the model does not have: of these nothing can be shown.
pub(super) fn tell_strangers(
    passed: &PassedWays,
    name: &str,
    graph: &MachineGraph,
    found: &mut Diagnostics,
) {
    let strangers: BTreeSet<&str> = passed
        .states()
        .filter(|state| graph.node_of(state).is_none())
        .collect();
    if strangers.is_empty() {
        return;
    }
    let all = strangers.len();
    let title = format!(
        "`{name}` passes {}, which the model does not have",
        listed(strangers.into_iter(), MOST_NAMED)
    );
    let what = if all == 1 { "it is" } else { "they are" };
    let finding = Diagnostic::remark(Code::UnknownState, title).about(name);
    found.push(finding.help(format!(
        "{what} not drawn; is it a trace of this model? `fsmsim verify` tells"
    )));
}
