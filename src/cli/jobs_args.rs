//! How many threads a command has.

use clap::Args;

use super::context::{cannot_start, threads};
use super::exit::Stop;
use fsmsim_adapters::llm::AnswererConfig;
use fsmsim_syntax::threads::Threads;

/// How many threads a command has.
#[derive(Clone, Debug, Args)]
pub(super) struct JobsArgs {
    /// Threads; as many as there are processors, if not said, and where live models are asked as many as they take requests at a
    /// time
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: Option<u16>,
}

impl JobsArgs {
    /// The threads of a command that asks no model.
    pub(super) fn threads(&self) -> Result<Threads, Stop> {
        threads(self.jobs)
    }

    /// The threads of a run that asks these: as many as there are processors, or as many as live models take requests at a time.
    pub(super) fn threads_for(&self, answerers: Option<&AnswererConfig>) -> Result<Threads, Stop> {
        match answerers
            .and_then(AnswererConfig::open_requests)
            .filter(|_| self.jobs.is_none())
        {
            Some(open) => Threads::waiting(open).map_err(|error| cannot_start(open, &error)),
            None => self.threads(),
        }
    }
}
