//! The commands, addresses and variables of a system under test that need the consent of the user.

use super::header_spec::{HeaderSpec, HeaderValueSpec};
use super::mcp_spec::McpServerSpec;
use super::subject_spec::{SubjectKind, SubjectSpec};
use fsmsim_syntax::diagnostic::Span;
use fsmsim_syntax::terminal::quoted;

/// The settings of a system under test that need the consent of the user, as lines with locations. They are the command
/// or address, and the environment variables whose values are sent.
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

    /// The text of all lines, without locations. The user consents to this text.
    pub fn text(&self) -> String {
        self.lines
            .iter()
            .flat_map(|(_, text)| [text.as_str(), "\n"])
            .collect()
    }
}
