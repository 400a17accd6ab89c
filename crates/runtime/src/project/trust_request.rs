//! The addresses and variables in a project that require the consent of the user.

use std::fmt::Write;

use sha2::{Digest, Sha256};

use fsmsim_adapters::llm::ReachLine;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, FileId, Place, SourceMap, Span};

/// The lines of a project that require the consent of the user: the addresses and variables of each provider outside
/// this computer.
#[derive(Clone, Debug, Default)]
pub struct TrustRequest {
    links: Vec<Vec<(Place, String)>>,
}

impl TrustRequest {
    /// The lines about the providers in a file.
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

    pub fn is_empty(&self) -> bool {
        self.links.is_empty()
    }

    /// The lines, each with its location.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        self.links
            .iter()
            .flatten()
            .map(|(place, text)| format!("{place}: {text}"))
    }

    /// A cryptographic hash of the lines, independent of their locations.
    pub(super) fn hash(&self) -> String {
        // A variable is sent to the addresses of its own provider only.
        let parts = self.links.iter().flat_map(|link| {
            std::iter::once("link\n").chain(link.iter().flat_map(|(_, text)| [text.as_str(), "\n"]))
        });
        hash_of(parts)
    }

    /// The lines about systems under test, one list per system.
    pub fn of_subjects(subjects: impl Iterator<Item = Vec<(Place, String)>>) -> Self {
        Self {
            links: subjects.collect(),
        }
    }

    /// The finding for lines without consent.
    pub fn refusal(&self) -> Diagnostic {
        let title = "the project requests access that you have not approved";
        let place = self
            .links
            .iter()
            .flatten()
            .next()
            .map(|(place, _)| place.to_string());
        let finding = Diagnostic::error(Code::Untrusted, title).about(place.unwrap_or_default());
        self.lines()
            .fold(finding, Diagnostic::note)
            .help("check these lines, then run the command in a terminal to approve them once, or add `--trust` for this run")
    }
}

/// A cryptographic hash of the concatenated texts.
pub(super) fn hash_of<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    let mut hasher = Sha256::new();
    texts.into_iter().for_each(|text| hasher.update(text));
    let mut hash = String::new();
    for byte in hasher.finalize() {
        let _ = write!(hash, "{byte:02x}");
    }
    hash
}
