//! The arguments of `fsmsim run`.

use std::path::{Path, PathBuf};

use clap::Args;

use super::command_line::CommandLine;
use super::help;
use super::mapped_log::LogArgs;
use super::model_args::ModelArgs;
use super::twin::TwinArgs;
use crate::repl::ReplFormat;

/// Arguments of `run`.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct RunArgs {
    #[arg(
        help = format!("{} [default: the model of `--from`, or `model` in `fsmsim.toml`]", help::MODEL),
        default_value = "",
        hide_default_value = true
    )]
    pub model: String,
    #[command(flatten)]
    pub options: ModelArgs,
    #[arg(long, value_name = "NAME", help = help::SESSION)]
    pub session: Option<String>,
    #[arg(long, value_name = "YAML", help = help::START, default_value = "", conflicts_with = "from")]
    pub start: String,
    #[arg(long, value_name = "SCENARIO[@TURN]", help = help::FROM)]
    pub from: Option<String>,
    #[command(flatten)]
    pub log: LogArgs,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    pub format: ReplFormat,
    #[arg(long, help = help::PERMISSIVE)]
    pub permissive: bool,
    #[command(flatten)]
    pub twins: TwinArgs,
    #[arg(long, value_name = "FILE", help = help::MEMORY)]
    pub memory: Option<PathBuf>,
    #[arg(long, value_name = "PROVIDER", help = help::LLM, long_help = help::LLM_OF_DIALOGUES)]
    pub llm: Option<String>,
}

impl RunArgs {
    /// The command that starts the same dialogue and records missing answers to a cassette.
    pub(super) fn command(&self, cassette: &Path) -> String {
        let shown = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
        // With `--from`, the scenario determines the start.
        let start = Some(&self.start).filter(|_| self.from.is_none());
        CommandLine::new("run", &[&self.model])
            .option("profile", self.options.profile.as_ref())
            .option("start", start)
            .option("from", self.from.as_ref())
            .option("map", shown(&self.log.map))
            .flag("permissive", self.permissive)
            .option("twin", self.twins.twin.as_ref())
            .option("twin-from", shown(&self.twins.twin_from))
            .option("memory", shown(&self.memory))
            .option("config", shown(&self.options.config))
            .option(
                "llm",
                Some(format!("record-missing:{}", cassette.display())),
            )
            .text()
    }
}

#[cfg(feature = "serve")]
impl RunArgs {
    /// A dialogue of a model, optionally with a session name.
    pub(super) fn of_model(
        model: String,
        session: Option<String>,
        config: Option<PathBuf>,
    ) -> Self {
        Self {
            model,
            session,
            options: ModelArgs {
                config,
                profile: None,
            },
            ..Self::default()
        }
    }
}
