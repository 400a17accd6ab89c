//! Text in an SVG.

use std::fmt::Write;

use crate::report::grid::escaped;

/// Lines of text one below the other, the first with its foot at `y`; each with its class.
pub(super) fn write_lines<'t>(
    out: &mut String,
    x: f64,
    mut y: f64,
    height: f64,
    lines: impl IntoIterator<Item = (&'t str, &'t str)>,
) {
    for (line, class) in lines {
        let class = if class.is_empty() {
            String::new()
        } else {
            format!(" class=\"{class}\"")
        };
        let _ = writeln!(
            out,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\"{class}>{}</text>",
            escaped(line)
        );
        y += height;
    }
}
