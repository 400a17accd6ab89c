//! The answers of searches about all dialogues: of one model, and of a run over several models.

mod exploration_page;
mod exploration_report;
mod exploration_run;

pub use exploration_report::ExplorationReport;
pub use exploration_run::ExplorationRun;
