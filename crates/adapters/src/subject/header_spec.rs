//! Headers of requests. A secret is specified by the name of its environment variable.

use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use fsmsim_syntax::document::{Content, Fields, Key, Node, placeholders, text_of};
use fsmsim_syntax::shapes;
use fsmsim_syntax::terminal::is_secret_name;

/// A header of requests.
#[derive(Clone, Debug)]
pub struct HeaderSpec {
    pub name: Box<str>,
    pub value: HeaderValueSpec,
    /// The location of the value.
    pub span: Span,
}

/// The value of a header.
#[derive(Clone, Debug)]
pub enum HeaderValueSpec {
    /// A literal that is not a secret.
    Text(Box<str>),
    /// The value of an environment variable, with an optional prefix.
    Env {
        variable: Box<str>,
        /// The text before the value.
        prefix: Box<str>,
    },
}

impl HeaderSpec {
    /// Parses a header. Returns `None`, with findings, if it is invalid.
    pub(super) fn read((key, node): &(Key, Node), found: &mut Diagnostics) -> Option<Self> {
        let is_token =
            |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        if key.text.is_empty() || !key.text.bytes().all(is_token) {
            return Diagnostic::error(
                Code::BadSubject,
                format!("invalid header name `{}`", key.text),
            )
            .at(key.span, "header name")
            .help("use only letters, digits and `-`")
            .refuse(found);
        }
        let value = if let Content::Map(_) = &node.content {
            let mut fields = Fields::of(node, &shapes::HEADER_VARIABLE, found)?;
            let variable = fields.required_text("env");
            let prefix = fields.text("prefix");
            fields.finish();
            if let Some(prefix) = prefix {
                check_plain(prefix, node.span, found)?;
            }
            HeaderValueSpec::Env {
                variable: variable?.into(),
                prefix: prefix.unwrap_or_default().into(),
            }
        } else {
            let text = text_of(node, "a header", found)?;
            if is_secret_name(&key.text) {
                // The line is not shown, because it might contain a secret.
                return Diagnostic::error(
                    Code::BadSubject,
                    format!("the secret header `{}` is in plain text", key.text),
                )
                .at(Span::start_of(key.span.file), "the value is hidden")
                .help(format!(
                    "name the environment variable that contains the secret: `{}: {{env: NAME}}`",
                    key.text
                ))
                .refuse(found);
            }
            check_plain(text, node.span, found)?;
            HeaderValueSpec::Text(text.into())
        };
        Some(Self {
            name: key.text.clone(),
            value,
            span: node.span,
        })
    }
}

/// Rejects placeholders: headers are the same in all turns of a dialogue.
fn check_plain(text: &str, span: Span, found: &mut Diagnostics) -> Option<()> {
    let Some((_, name)) = placeholders(text).next() else {
        return Some(());
    };
    Diagnostic::error(
        Code::BadSubject,
        format!("cannot use `{{{{{name}}}}}` in a header"),
    )
    .at(span, "placeholder")
    .help("use it in `url`, `body` or `arguments`; for a secret, use `{env: NAME}`")
    .refuse(found)
}
