//! A system under test that is a tool of an MCP server.

use std::collections::BTreeSet;

use super::header_spec::HeaderSpec;
use super::request_template::RequestTemplate;
use super::url_template::UrlTemplate;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use fsmsim_syntax::document::{Content, Fields, Node, text_of};

/// A system under test that is a tool of an MCP server. The tool is called once per turn.
#[derive(Clone, Debug)]
pub struct McpSpec {
    pub server: McpServerSpec,
    pub tool: Box<str>,
    /// The location of the tool name.
    pub tool_span: Span,
    /// The arguments: a map.
    pub arguments: RequestTemplate,
}

/// The connection to a server.
#[derive(Clone, Debug)]
pub enum McpServerSpec {
    /// A child process that is started with a command.
    Command {
        /// The program and its arguments.
        words: Vec<Box<str>>,
        /// The location of the command.
        span: Span,
    },
    /// A server over streamable HTTP.
    Url {
        url: UrlTemplate,
        /// The location of the URL.
        span: Span,
        headers: Vec<HeaderSpec>,
    },
}

impl McpSpec {
    /// Parses the keys of a system under test that belong to MCP.
    pub(super) fn read(fields: &mut Fields<'_, '_>, known: &BTreeSet<String>) -> Option<Self> {
        let [command, url, arguments] = fields.nodes(["command", "url", "arguments"]);
        let headers = fields.entries("headers");
        let tool = fields.required("tool");
        let span = fields.span();
        let found = fields.found();
        let server = match (command, url) {
            (Some(command), None) => {
                command_of(command, found).map(|words| McpServerSpec::Command {
                    words,
                    span: command.span,
                })
            }
            (None, Some(url)) => {
                let headers = headers
                    .iter()
                    .filter_map(|header| HeaderSpec::read(header, found))
                    .collect();
                // The connection is opened before the first turn, so placeholders have no values yet.
                let server = UrlTemplate::read(url, &BTreeSet::new(), found);
                server.map(|address| McpServerSpec::Url {
                    url: address,
                    span: url.span,
                    headers,
                })
            }
            (command, _) => {
                let (title, at) = match command {
                    Some(command) => ("cannot use `command` with `url`", command.span),
                    None => ("missing `command` or `url` in `mcp`", span),
                };
                let help = "write `command: [PROGRAM, ARGUMENT]` to start a server, or `url: URL` for a running one";
                Diagnostic::error(Code::BadSubject, title)
                    .at(at, "here")
                    .help(help)
                    .refuse(found)
            }
        };
        if let Some((key, _)) = headers.first().filter(|_| command.is_some()) {
            Diagnostic::error(Code::BadSubject, "cannot use `headers` with `command`")
                .at(key.span, "would not be sent")
                .help("remove `headers`: the process inherits the environment of fsmsim")
                .add_to(found);
        }
        let tool = tool.and_then(|tool| Some((text_of(tool, "tool", found)?, tool.span)));
        let arguments = match arguments {
            None => RequestTemplate::Map(Vec::new()),
            Some(arguments) if arguments.map().is_some() => {
                RequestTemplate::read(arguments, known, found)
            }
            Some(arguments) => {
                fsmsim_syntax::document::wrong_type(arguments, "`arguments` is a map", found);
                return None;
            }
        };
        let (tool, tool_span) = tool?;
        Some(Self {
            server: server?,
            tool: tool.into(),
            tool_span,
            arguments,
        })
    }
}

/// The words of a command: a list, or a string without quotes.
fn command_of(node: &Node, found: &mut Diagnostics) -> Option<Vec<Box<str>>> {
    let words: Vec<Box<str>> = match &node.content {
        Content::List(items) => items
            .iter()
            .filter_map(|item| text_of(item, "a word of `command`", found))
            .map(Into::into)
            .collect(),
        _ => {
            let text = text_of(node, "command", found)?;
            if text.contains(['"', '\'', '\\', '|', '>', '<', '&', ';', '$', '`', '*']) {
                return Diagnostic::error(Code::BadSubject, "cannot use shell syntax in `command`")
                    .at(node.span, "shell syntax")
                    .help("write a list: `command: [PROGRAM, \"AN ARGUMENT\"]`; to use a shell, `[sh, -c, \"…\"]`")
                    .refuse(found);
            }
            text.split_whitespace().map(Into::into).collect()
        }
    };
    if words.first().is_none_or(|program| program.is_empty())
        || words.iter().any(|word| word.contains('\0'))
    {
        return Diagnostic::error(Code::BadSubject, "expected a program in `command`")
            .at(node.span, "here")
            .help("write a list: `command: [PROGRAM, ARGUMENT]`")
            .refuse(found);
    }
    Some(words)
}
