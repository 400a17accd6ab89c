//! The mutants of models, and whether scenarios notice them.

mod mutation_json;
mod mutation_lines;
mod mutation_page;
mod mutation_report;

pub use mutation_report::MutationReport;
