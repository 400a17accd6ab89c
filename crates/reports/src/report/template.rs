//! Markup that is written by a template.

use std::io;

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, Value};

use super::grid::escaped;

/// The text that a template makes of this. Values stand as they are, unless the template passes them through a filter:
/// `escaped` for texts, `px` for lengths. A line with nothing but a block leaves nothing, so that the lines of a template are
/// those of the text.
pub(super) fn rendered(template: &str, content: Value) -> io::Result<String> {
    let mut syntax = SyntaxConfig::builder();
    syntax
        .trim_blocks(true)
        .lstrip_blocks(true)
        .keep_trailing_newline(true);
    let mut templates = Environment::new();
    templates.set_syntax(syntax.build().map_err(io::Error::other)?);
    templates.add_filter("escaped", |text: &str| escaped(text));
    templates.add_filter("px", |length: f64| format!("{length:.1}"));
    templates
        .render_str(template, content)
        .map_err(io::Error::other)
}
