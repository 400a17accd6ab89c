//! Numbers with their nouns, and texts that fit into a line.

pub(super) use fsmsim_syntax::diagnostic::plural;
pub(super) use fsmsim_syntax::terminal::shortened;
