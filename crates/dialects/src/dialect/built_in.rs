//! Built-in data files of dialects.

use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};
use fsmsim_syntax::document::{Node, parse_yaml};

/// Parses a built-in data file. Its findings are not reported, so it is not in the source map.
pub(super) fn built_in(text: &str) -> Option<Node> {
    parse_yaml(
        SourceMap::default().add_invented("built in", text),
        text,
        0,
        &mut Diagnostics::default(),
    )
}
