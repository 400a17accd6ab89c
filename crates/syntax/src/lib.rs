//! Source positions, diagnostics, document trees with positions, files, terminal output and threads.

pub mod diagnostic;
pub mod document;
pub mod files;
pub mod limits;
pub mod shapes;
pub mod terminal;
pub mod threads;
