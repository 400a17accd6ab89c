//! Data of dialects that is built into the program.

use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};
use fsmsim_syntax::document::{Node, parse_yaml};

/// A file of data. Nothing in it is told to users, so it is in no source map of theirs.
pub(super) fn built_in(text: &str) -> Option<Node> {
    let file = SourceMap::default().add_invented("built in", text);
    parse_yaml(file, text, 0, &mut Diagnostics::default())
}
