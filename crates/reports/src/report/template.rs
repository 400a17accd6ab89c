//! Text from templates.

use std::io;

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, Value};

use super::grid::escaped;

/// Renders a template. Values are inserted unchanged, unless the template uses a filter: `escaped` for text, `px` for
/// lengths. A line with only a block tag produces no output line.
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
