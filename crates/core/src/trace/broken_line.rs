//! What is wrong with a line of a trace.

use fsmsim_syntax::diagnostic::{Code, Diagnostic, Place, SourceMap, Span};

/// What a trace is that we wrote.
pub(super) const OURS: &str = "a trace is what `fsmsim trace` writes: a header a dialogue, a JSON object a turn, and a line that ends it";

/// The finding about a line of a trace that cannot be read, with its place in bytes.
pub fn broken_line(
    reason: &str,
    at: usize,
    text: &str,
    line: usize,
    name: &str,
    help: &'static str,
    sources: &mut SourceMap,
) -> Diagnostic {
    let at = (0..=at.min(text.len()))
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0);
    let span = Span::new(sources.add_piece(name, text, line), at, at + 1);
    // A dialogue may stand on several lines.
    let Place { line, column, .. } = sources.place(span);
    Diagnostic::error(
        Code::BadTrace,
        format!("line {line}, column {column} cannot be read: {reason}"),
    )
    .at(span, "")
    .help(help)
}
