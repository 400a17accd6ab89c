//! The number of threads of a command.

use std::fmt::Display;

use clap::Args;

use super::limits::MAX_JOBS;
use super::{CommandResult, refuse};
use fsmsim_adapters::llm::AnswererConfig;
use fsmsim_syntax::threads::Threads;

/// The number of threads that a command uses.
#[derive(Clone, Debug, Args)]
pub(super) struct JobsArgs {
    /// Use N threads [default: number of processors, or of concurrent requests to live providers]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MAX_JOBS))]
    jobs: Option<u16>,
}

impl JobsArgs {
    /// The threads of a command that calls no LLM.
    pub(super) fn threads(&self) -> CommandResult<Threads> {
        threads(self.jobs)
    }

    /// The threads of a run with these recognizers: the number of processors, or the number of concurrent requests to
    /// live LLMs.
    pub(super) fn threads_for(&self, answerers: Option<&AnswererConfig>) -> CommandResult<Threads> {
        match answerers.and_then(AnswererConfig::open_requests) {
            Some(open) if self.jobs.is_none() => started(Threads::waiting(open)),
            _ => self.threads(),
        }
    }
}

/// The requested number of threads; by default the number of processors.
pub(super) fn threads(jobs: Option<u16>) -> CommandResult<Threads> {
    started(Threads::new(jobs.map_or(0, usize::from)))
}

fn started<E: Display>(started: Result<Threads, E>) -> CommandResult<Threads> {
    started.or_else(|error| {
        let title = format!("cannot start threads: {error}");
        refuse(title, "set a smaller number with `--jobs N`")
    })
}
