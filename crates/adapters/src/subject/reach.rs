//! What a subject reaches for, as whoever runs it has to agree to.

use super::header_spec::{HeaderSpec, HeaderValueSpec};
use super::mcp_spec::McpServerSpec;
use super::subject_spec::{SubjectKind, SubjectSpec};
use fsmsim_syntax::diagnostic::Span;
use fsmsim_syntax::terminal::quoted;

/// What a subject reaches for, line by line, each with its place: the command that is run or the address where things are
/// sent, and the variables of the environment whose content goes there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubjectReach {
    pub lines: Vec<(Span, String)>,
}

impl SubjectReach {
    pub fn of(spec: &SubjectSpec) -> Self {
        let (first, headers): (_, &[HeaderSpec]) = match &spec.kind {
            SubjectKind::Http(http) => (
                (http.url_span, format!("sends to {}", http.url.text())),
                &http.headers,
            ),
            SubjectKind::Mcp(mcp) => match &mcp.server {
                McpServerSpec::Command { words, span } => {
                    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
                    ((*span, format!("runs {}", words.join(" "))), &[])
                }
                McpServerSpec::Url { url, span, headers } => {
                    ((*span, format!("sends to {}", url.text())), headers)
                }
            },
        };
        let variables = headers.iter().filter_map(|header| match &header.value {
            HeaderValueSpec::Text(_) => None,
            HeaderValueSpec::Env { variable, .. } => {
                Some((header.span, format!("reads the variable {variable}")))
            }
        });
        Self {
            lines: std::iter::once(first).chain(variables).collect(),
        }
    }

    /// What the lines say, wherever they stand: what is agreed to.
    pub fn text(&self) -> String {
        self.lines
            .iter()
            .flat_map(|(_, text)| [text.as_str(), "\n"])
            .collect()
    }
}
