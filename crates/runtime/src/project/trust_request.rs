//! What a project wants to reach, and its user has to agree to.

use std::fmt::Write;

use sha2::{Digest, Sha256};

use fsmsim_adapters::llm::ReachLine;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, FileId, Place, SourceMap, Span};

/// The lines of a project that need its user's consent: of each link that reaches for more than this machine, its addresses
/// and its variables.
#[derive(Clone, Debug, Default)]
pub struct TrustRequest {
    links: Vec<Vec<(Place, String)>>,
}

impl TrustRequest {
    /// The lines of links in a file.
    pub(super) fn new(reach: &[Vec<ReachLine>], file: FileId, sources: &SourceMap) -> Self {
        let place = |line: &ReachLine| {
            let place = sources.place(Span::new(file, line.at.start, line.at.end));
            (place, line.text.clone())
        };
        let links = reach.iter().filter(|lines| !lines.is_empty());
        Self {
            links: links
                .map(|lines| lines.iter().map(place).collect())
                .collect(),
        }
    }

    /// Whether nothing needs consent.
    pub fn is_empty(&self) -> bool {
        self.links.is_empty()
    }

    /// The lines, each with its place.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        self.links
            .iter()
            .flatten()
            .map(|(place, text)| format!("{place}: {text}"))
    }

    /// A hash of what the lines say, wherever they stand. Nobody can find other lines that have the same.
    pub(super) fn hash(&self) -> String {
        // A variable goes to the addresses of its own link.
        let parts = self.links.iter().flat_map(|link| {
            std::iter::once("link\n").chain(link.iter().flat_map(|(_, text)| [text.as_str(), "\n"]))
        });
        hash_of(parts)
    }

    /// What subjects of scenarios reach for, each by its lines.
    pub fn of_subjects(subjects: impl Iterator<Item = Vec<(Place, String)>>) -> Self {
        Self {
            links: subjects.collect(),
        }
    }

    /// The finding about lines that nobody has agreed to.
    pub fn refusal(&self) -> Diagnostic {
        let title = "the project wants to reach what you have not agreed to";
        let place = self
            .links
            .iter()
            .flatten()
            .next()
            .map(|(place, _)| place.to_string());
        let finding = Diagnostic::error(Code::Untrusted, title).about(place.unwrap_or_default());
        self.lines()
            .fold(finding, Diagnostic::note)
            .help("look at these lines; then start it in a terminal, which asks once, or add `--trust` for this run")
    }
}

/// A hash of texts behind each other. Nobody can find others that have the same.
pub(super) fn hash_of<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    let mut hasher = Sha256::new();
    texts.into_iter().for_each(|text| hasher.update(text));
    let mut hash = String::new();
    for byte in hasher.finalize() {
        let _ = write!(hash, "{byte:02x}");
    }
    hash
}
