//! Flows from other tools, and flows for them (docs/convert.md).
//!
//! What is read becomes a [`Chart`](chart::Chart), states within states as most tools have them; it is flattened into a
//! [`FlowPlan`](flow_plan::FlowPlan), and that is written as YAML. Whatever a flow has no place for is told as [`LeftOut`].

mod chart;
mod circles;
mod export;
mod flatten;
mod flow_plan;
mod flow_text;
mod import_format;
mod imported;
mod left_out;
mod mermaid;
mod names;
mod rasa;
mod region_ends;
mod transitions;
mod xstate;

use std::path::Path;

pub use export::{Exported, export_xstate};
pub use import_format::ImportFormat;
pub use imported::{Imported, ImportedFile};
pub use left_out::LeftOut;

use self::chart::Chart;
use self::left_out::Leftovers;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, FileId, SourceMap, Span};
use fsmsim_syntax::document::{DEFINITION_LIMIT, read_file};

/// Reads a file of another tool and makes a flow of it. `None`, with findings, where it cannot be used.
pub fn import(
    format: ImportFormat,
    path: &Path,
    sources: &mut SourceMap,
    found: &mut Diagnostics,
) -> Option<Imported> {
    let file = read_file(path, DEFINITION_LIMIT, sources, found)?;
    let text = sources.file(file)?.text().clone();
    if text.trim().is_empty() {
        return Diagnostic::error(Code::EmptyFile, "the file is empty")
            .at(Span::start_of(file), "nothing here")
            .help(format!("name a file with {}", format.what()))
            .refuse(found);
    }
    let mut input = ForeignText {
        file,
        text: &text,
        name: names::of_file(path),
        left: Leftovers::default(),
    };
    let origin = format!("{} ({})", file_name(path), format.name());
    let plan = match format {
        ImportFormat::Xstate => chart_to_plan(&xstate::read(&mut input, found)?, &mut input, found),
        ImportFormat::Mermaid => {
            chart_to_plan(&mermaid::read(&mut input, found)?, &mut input, found)
        }
        ImportFormat::Transitions => {
            chart_to_plan(&transitions::read(&mut input, found)?, &mut input, found)
        }
        ImportFormat::RasaStories => return rasa::read(&mut input, &origin, found),
    }?;
    let flow = ImportedFile {
        suffix: ".yaml",
        text: flow_text::write(&plan, &origin),
    };
    Some(Imported {
        name: input.name,
        files: vec![flow],
        left_out: input.left.all(),
    })
}

/// A file of another tool that is being read.
struct ForeignText<'t> {
    file: FileId,
    text: &'t str,
    /// The name of the flow, where the file does not give one.
    name: String,
    left: Leftovers,
}

fn chart_to_plan(
    chart: &Chart,
    input: &mut ForeignText<'_>,
    found: &mut Diagnostics,
) -> Option<flow_plan::FlowPlan> {
    if found.has_errors() {
        return None;
    }
    flatten::flatten(chart, &mut input.left, found).filter(|_| !found.has_errors())
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}
