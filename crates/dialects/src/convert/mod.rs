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
mod left_out;
mod mermaid;
mod names;
mod rasa;
mod region_ends;
mod transitions;
mod xstate;

use std::path::Path;

pub use export::{Exported, export_xstate};
pub use left_out::LeftOut;

use self::chart::Chart;
use self::left_out::Leftovers;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, FileId, SourceMap, Span};
use fsmsim_syntax::document::{DEFINITION_LIMIT, Key, Node, read_file};

/// A format of another tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum ImportFormat {
    /// The JSON of an XState machine, version 4 or 5
    Xstate,
    /// A Mermaid diagram, `stateDiagram-v2`; of a markdown document, its first one
    Mermaid,
    /// A configuration of Python's `transitions`, in JSON or YAML
    Transitions,
    /// Stories, rules and test stories of Rasa
    RasaStories,
}

/// What became of a file of another tool.
#[derive(Clone, Debug)]
pub struct Imported {
    /// What it is called: the name of its file without the ending.
    pub name: String,
    /// The files it became, the flow first.
    pub files: Vec<ImportedFile>,
    /// What a flow has no place for, in the order of the file.
    pub left_out: Vec<LeftOut>,
}

/// A file that an import makes.
#[derive(Clone, Debug)]
pub struct ImportedFile {
    /// What its name has behind that of the import.
    pub suffix: &'static str,
    /// What it holds.
    pub text: String,
}

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
        let what = match format {
            ImportFormat::Xstate => "the JSON of an XState machine",
            ImportFormat::Mermaid => "a Mermaid diagram of states",
            ImportFormat::Transitions => "`states` and `transitions`, in JSON or YAML",
            ImportFormat::RasaStories => "`stories:` of Rasa",
        };
        return Diagnostic::error(Code::EmptyFile, "the file is empty")
            .at(Span::start_of(file), "nothing here")
            .help(format!("name a file with {what}"))
            .refuse(found);
    }
    let mut input = ForeignText {
        file,
        text: &text,
        name: names::of_file(path),
        left: Leftovers::default(),
        found,
    };
    let origin = format!("{} ({})", file_name(path), <&str>::from(format));
    let chart = match format {
        ImportFormat::Xstate => xstate::read(&mut input)?,
        ImportFormat::Mermaid => mermaid::read(&mut input)?,
        ImportFormat::Transitions => transitions::read(&mut input)?,
        ImportFormat::RasaStories => return rasa::read(input, &origin),
    };
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

/// A file of another tool that is being read.
struct ForeignText<'t> {
    file: FileId,
    text: &'t str,
    /// The name of the flow, where the file does not give one.
    name: String,
    left: Leftovers,
    found: &'t mut Diagnostics,
}

impl ForeignText<'_> {
    /// Notes what a flow has no place for.
    fn leave(&mut self, span: Span, what: impl Into<String>) {
        self.left.add(span, what);
    }

    /// Notes the keys that are not known, as keys of something.
    fn leave_keys(&mut self, entries: &[(Key, Node)], known: &[&str], of: &str) {
        for (key, _) in entries {
            if !known.contains(&&*key.text) {
                self.leave(key.span, format!("`{}`{of}", key.text));
            }
        }
    }

    /// Notes with which state a machine begins that does not say it.
    fn leave_beginning(&mut self, chart: &Chart, missing: &str) {
        if let Some(first) = chart[Chart::ROOT].children.first() {
            let first = &chart[*first];
            let what = format!(
                "a beginning: there is no `{missing}`, so it is `{}`, the first state",
                first.name
            );
            self.leave(first.span, what);
        }
    }

    /// Refuses what cannot be read.
    fn refuse(&mut self, span: Span, title: impl Into<String>, help: &str) {
        unusable(title, span, "").help(help).add_to(self.found);
    }

    /// What it became.
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

/// The finding about something of which no flow can be made.
fn unusable(title: impl Into<String>, span: Span, label: &str) -> Diagnostic {
    Diagnostic::error(Code::ForeignFormat, title).at(span, label)
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}
