//! Imports flows from other tools and exports them (docs/src/how-to/import-and-export-flows.md).
//!
//! A reader produces a [`Statechart`](statechart::Statechart) of nested states, the model of most tools. The chart is
//! flattened to a [`FlowPlan`](flow_plan::FlowPlan), which is written as YAML. Each part that a flow cannot represent
//! is reported as an [`Omission`].

mod cycle_check;
mod export;
mod flatten;
mod flow_plan;
mod flow_text;
mod mermaid;
mod names;
mod omission;
mod parallel_start;
mod rasa;
mod region_ends;
mod statechart;
mod transitions;
mod xstate;

use std::path::Path;

pub use export::{Exported, export_xstate};
pub use omission::Omission;

use self::omission::Omissions;
use self::statechart::Statechart;
use crate::dialect::unsupported_file;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, FileId, SourceMap, Span};
use fsmsim_syntax::document::{DEFINITION_LIMIT, Key, Node, read_file};

/// A format of another tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum ImportFormat {
    /// The JSON of an XState machine, version 4 or 5
    Xstate,
    /// A Mermaid diagram (`stateDiagram-v2` or `flowchart`), or the first one in a Markdown document
    Mermaid,
    /// A configuration of the Python library `transitions`, in JSON or YAML
    Transitions,
    /// The directory of a Rasa project with domain, stories, rules and tests, or a file with stories
    Rasa,
}

/// The result of an import.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The name of the imported file without its extension.
    pub name: String,
    /// The generated files. The flow is the first one.
    pub files: Vec<ImportedFile>,
    /// The omitted parts, in the order in which they occur in the file.
    pub left_out: Vec<Omission>,
}

/// A generated file.
#[derive(Clone, Debug)]
pub struct ImportedFile {
    /// The suffix that is appended to the name of the import.
    pub suffix: &'static str,
    pub text: String,
}

/// Reads the states of another tool.
type ChartReader = fn(&mut ForeignText<'_>) -> Option<Statechart>;

/// Imports a file of another tool as a flow. Returns `None`, with findings, if the file is invalid. `stem` is the name of
/// the files that will be written, if it differs from the name of the import.
pub fn import(
    format: ImportFormat,
    path: &Path,
    stem: Option<&str>,
    sources: &mut SourceMap,
    found: &mut Diagnostics,
) -> Option<Imported> {
    let (read, what): (ChartReader, _) = match format {
        ImportFormat::Xstate => (xstate::read, "the JSON of an XState machine"),
        ImportFormat::Mermaid => (mermaid::read, "a Mermaid state diagram"),
        ImportFormat::Transitions => (
            transitions::read,
            "`states` and `transitions`, in JSON or YAML",
        ),
        ImportFormat::Rasa => return rasa::read(path, stem, sources, found),
    };
    let file = read_file(path, DEFINITION_LIMIT, sources, found)?;
    let text = sources.file(file)?.text().clone();
    if text.trim().is_empty() {
        return Diagnostic::error(Code::EmptyFile, "file is empty")
            .at(Span::start_of(file), "no content")
            .help(format!("use a file with {what}"))
            .refuse(found);
    }
    // The words of a document can look like any format.
    if format != ImportFormat::Mermaid
        && let Some(finding) = unsupported_file(path, &text)
    {
        return finding.refuse(found);
    }
    let mut input = ForeignText {
        format,
        file,
        text: &text,
        name: names::of_file(path),
        left: Omissions::default(),
        found,
    };
    let origin = format!("{} ({})", file_name(path), <&str>::from(format));
    let chart = read(&mut input)?;
    if input.found.has_errors() {
        return None;
    }
    let plan = flatten::flatten(&chart, &mut input)?;
    if input.found.has_errors() {
        return None;
    }
    let text = flow_text::write(&plan, &origin);
    Some(input.imported(text))
}

/// The text of an imported file.
struct ForeignText<'t> {
    format: ImportFormat,
    file: FileId,
    text: &'t str,
    /// The name of the flow if the file does not set one.
    name: String,
    left: Omissions,
    found: &'t mut Diagnostics,
}

impl ForeignText<'_> {
    /// Reports an omitted part.
    fn leave(&mut self, span: Span, what: impl Into<String>) {
        self.left.add(span, what);
    }

    /// Reports unknown keys as omitted. `of` names the element that contains them.
    fn leave_keys(&mut self, entries: &[(Key, Node)], known: &[&str], of: &str) {
        for (key, _) in entries {
            if !known.contains(&&*key.text) {
                self.leave(key.span, format!("`{}`{of}", key.text));
            }
        }
    }

    /// Reports the initial state that is assumed because the machine does not set one.
    fn leave_beginning(&mut self, chart: &Statechart, missing: &str) {
        if let Some(first) = chart[Statechart::ROOT].children.first() {
            let first = &chart[*first];
            let what = format!(
                "no `{missing}`: the initial state is the first state, `{}`",
                first.name
            );
            self.leave(first.span, what);
        }
    }

    /// Reports an invalid part.
    fn refuse(&mut self, span: Span, title: impl Into<String>, help: &str) {
        unusable(title, span, "").help(help).add_to(self.found);
    }

    /// Finishes the import with the text of the flow.
    fn imported(self, flow: String) -> Imported {
        let flow = ImportedFile {
            suffix: ".yaml",
            text: flow,
        };
        Imported {
            name: self.name,
            files: vec![flow],
            left_out: self.left.all(),
        }
    }
}

/// The finding about a part that cannot be converted to a flow.
fn unusable(title: impl Into<String>, span: Span, label: &str) -> Diagnostic {
    Diagnostic::error(Code::ForeignFormat, title).at(span, label)
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}
