//! Findings as editor diagnostics.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use gen_lsp_types::{DiagnosticRelatedInformation, DiagnosticSeverity, Location};

use super::file_uri::{tidy, uri_of};
use super::line_index::{ColumnUnit, LineIndex};
use fsmsim_syntax::diagnostic::{Diagnostic, FileId, Severity, SourceMap, Span, nearest};

/// The diagnostic features of an editor.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FindingStyle {
    /// The unit in which the editor counts columns.
    pub unit: ColumnUnit,
    /// Whether diagnostics can have related information.
    pub has_related: bool,
}

/// A small text change that fixes a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TextFix {
    /// The current text.
    pub old: String,
    /// The replacement.
    pub new: String,
}

/// A finding about a file, as an editor shows it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FileFinding {
    pub path: PathBuf,
    /// The diagnostic; its range comes from the primary label of the finding.
    pub shown: gen_lsp_types::Diagnostic,
    pub mending: Option<(gen_lsp_types::Range, TextFix)>,
}

impl FileFinding {
    /// Converts a finding; `None` if it has no file.
    fn of(finding: &Diagnostic, places: &FindingPlaces<'_>, style: FindingStyle) -> Option<Self> {
        let (path, range) = match finding.labels.first() {
            Some(label) => places.of(label.span)?,
            None => FindingPlaces::path_location(finding.path.as_deref()?)?,
        };
        let mut related = Vec::new();
        let mut message = finding.title.clone();
        if let Some(label) = finding
            .labels
            .first()
            .filter(|label| !label.text.is_empty())
        {
            message = format!("{message} ({})", label.text);
        }
        let labels = finding
            .labels
            .iter()
            .skip(1)
            .filter_map(|label| Some((places.of(label.span)?, label.text.clone())));
        let here = |text: &String| ((path.clone(), range), text.clone());
        let facts = finding
            .help
            .iter()
            .map(here)
            .chain(finding.notes.iter().map(here));
        for ((path, range), text) in facts.chain(labels).filter(|(_, text)| !text.is_empty()) {
            match uri_of(&path).filter(|_| style.has_related) {
                Some(uri) => {
                    let location = Location { uri, range };
                    related.push(DiagnosticRelatedInformation {
                        location,
                        message: text,
                    });
                }
                None => message = format!("{message}\n{text}"),
            }
        }
        let shown = gen_lsp_types::Diagnostic {
            range,
            severity: Some(match finding.severity {
                Severity::Error => DiagnosticSeverity::Error,
                Severity::Warning => DiagnosticSeverity::Warning,
                Severity::Note => DiagnosticSeverity::Information,
            }),
            code: Some(finding.code.to_string().into()),
            source: Some("fsmsim".to_owned()),
            message: message.into(),
            related_information: (!related.is_empty()).then_some(related),
            ..gen_lsp_types::Diagnostic::default()
        };
        Some(Self {
            path,
            shown,
            mending: places.suggested_fix(finding),
        })
    }
}

/// Converts source spans to editor ranges.
struct FindingPlaces<'s> {
    sources: &'s SourceMap,
    unit: ColumnUnit,
    /// The line indexes of the files with findings.
    lines: RefCell<BTreeMap<FileId, LineIndex>>,
}

impl FindingPlaces<'_> {
    fn range(&self, file: FileId, text: &str, at: &Range<usize>) -> gen_lsp_types::Range {
        let mut known = self.lines.borrow_mut();
        let lines = known.entry(file).or_insert_with(|| LineIndex::of(text));
        lines.range(at, text, self.unit)
    }

    fn of(&self, span: Span) -> Option<(PathBuf, gen_lsp_types::Range)> {
        let file = self
            .sources
            .file(span.file)
            .filter(|file| !file.is_invented())?;
        let at = span.start as usize..span.end as usize;
        let range = self.range(span.file, file.text(), &at);
        Some((absolute(file.path())?, range))
    }

    /// The location that `PATH` or `PATH:LINE` names: the start of the file or of the line.
    fn path_location(path: &str) -> Option<(PathBuf, gen_lsp_types::Range)> {
        let mut range = gen_lsp_types::Range::default();
        let (file, line) = match path.split_once(':').filter(|_| !Path::new(path).exists()) {
            Some((file, line)) => (
                file,
                line.split(':')
                    .next()
                    .and_then(|line| line.parse::<u32>().ok()),
            ),
            None => (path, None),
        };
        let line = line.unwrap_or(1).saturating_sub(1);
        range.start.line = line;
        range.end.line = line;
        Some((absolute(file)?, range))
    }

    /// The replacement that a finding suggests, and the range to replace.
    fn suggested_fix(&self, finding: &Diagnostic) -> Option<(gen_lsp_types::Range, TextFix)> {
        let (new, label) = finding.replacement.as_ref().zip(finding.labels.first())?;
        let file = self.sources.file(label.span.file)?;
        let written = self.sources.slice(label.span);
        let quotes = usize::from(written.starts_with(['"', '\'']));
        let start = label.span.start as usize + quotes;
        let old = written.trim_matches(['"', '\'']);
        // The label can cover more than the wrong name, so its text must be similar to the replacement.
        nearest(old, [new.as_str()])?;
        let range = self.range(label.span.file, file.text(), &(start..start + old.len()));
        Some((
            range,
            TextFix {
                old: old.to_owned(),
                new: new.clone(),
            },
        ))
    }
}

fn absolute(path: &str) -> Option<PathBuf> {
    let path = tidy(Path::new(path));
    path.is_absolute().then_some(path)
}

/// All findings from a run, as diagnostics.
pub(super) fn shown<'f>(
    findings: impl IntoIterator<Item = &'f Diagnostic>,
    sources: &SourceMap,
    style: FindingStyle,
) -> Vec<FileFinding> {
    let places = FindingPlaces {
        sources,
        unit: style.unit,
        lines: RefCell::default(),
    };
    findings
        .into_iter()
        .filter_map(|finding| FileFinding::of(finding, &places, style))
        .collect()
}
