//! A URL with placeholders after its host.

use std::collections::BTreeSet;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::request_template::{check_placeholders, fill_text};
use super::subject_turn::TurnValues;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics};
use fsmsim_syntax::document::{Node, placeholders, text_of};

/// A URL with placeholders after its host.
#[derive(Clone, Debug)]
pub struct UrlTemplate {
    text: Box<str>,
}

impl UrlTemplate {
    /// Parses a URL. Returns `None`, with findings, if it is invalid.
    pub(super) fn read(
        node: &Node,
        known: &BTreeSet<String>,
        found: &mut Diagnostics,
    ) -> Option<Self> {
        let text = text_of(node, "url", found)?;
        let wrong = |title: &str, help: &str, found: &mut Diagnostics| {
            Diagnostic::error(Code::BadSubject, title)
                .at(node.span, "here")
                .help(help)
                .refuse(found)
        };
        let rest = text
            .strip_prefix("http://")
            .or_else(|| text.strip_prefix("https://"));
        let Some(rest) = rest else {
            return wrong(
                "invalid `url`",
                "start it with `http://` or `https://`",
                found,
            );
        };
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        if authority.is_empty() || text.contains(|c: char| c.is_whitespace() || c.is_control()) {
            return wrong(
                "invalid `url`",
                "write `http://HOST:PORT/PATH`, without spaces",
                found,
            );
        }
        if authority.contains('@') {
            let help = "put the secret under `headers`: `Authorization: {env: NAME}`";
            return wrong("`url` contains a user name or a password", help, found);
        }
        if placeholders(authority).next().is_some() || authority.contains(['{', '}']) {
            let help = "write the host itself: the user approves requests to this host";
            return wrong("cannot use a placeholder in the host of `url`", help, found);
        }
        check_placeholders(text, node.span, known, found);
        Some(Self { text: text.into() })
    }

    /// The URL as written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The URL for a turn.
    pub fn fill(&self, values: &TurnValues) -> String {
        fill_text(&self.text, |name| {
            utf8_percent_encode(&values.text(name), NON_ALPHANUMERIC).to_string()
        })
    }

    /// Whether the host is this machine, by name or by address.
    pub fn is_loopback(&self) -> bool {
        let authority = self
            .text
            .split_once("://")
            .map_or("", |(_, rest)| rest)
            .split(['/', '?', '#'])
            .next()
            .unwrap_or_default();
        let host = match authority.strip_prefix('[') {
            Some(inner) => inner.split(']').next().unwrap_or_default(),
            None => authority.split(':').next().unwrap_or_default(),
        };
        host.eq_ignore_ascii_case("localhost")
            || host
                .parse()
                .is_ok_and(|ip: std::net::IpAddr| ip.is_loopback())
    }
}
