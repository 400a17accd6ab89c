//! The reference: explanations of single names, and the generated pages of `docs/src/reference`.

mod built_ins;
mod explained;
mod findings;
mod format_page;
mod markdown_page;
mod mutation_operators;
mod profile_switches;
mod reference_pages;
mod transition_tables;

pub use explained::{write_builtin, write_explained};
pub use markdown_page::MarkdownPage;
pub use reference_pages::reference_pages;
