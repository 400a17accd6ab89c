//! The arguments of `fsmsim run`.

use std::path::{Path, PathBuf};

use clap::Args;

use super::command_line::CommandLine;
use super::model_args::ModelArgs;
use crate::repl::ReplFormat;

/// Arguments of `run`.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct RunArgs {
    /// The model: a folder with `flow.yaml` or with states in markdown, or a file (a flow, an interview, a contract, a cycle; a
    /// document with a table of transitions); `PATH@PROFILE` fixes the profile. Default: the model of `--from`, else `model` of
    /// `fsmsim.toml`
    #[arg(default_value = "", hide_default_value = true)]
    pub(super) model: String,
    #[command(flatten)]
    pub(super) options: ModelArgs,
    /// The name under which the dialogue is kept, in `.fsmsim/sessions.sqlite` of the project: it goes on where it was, also
    /// in the middle of a turn. At a terminal it gets one of its own, if nothing is said
    #[arg(long, value_name = "NAME")]
    pub(super) session: Option<String>,
    /// How the dialogue starts, as under `start` of a scenario: `{state: close, flags: {circular_flow: true}}`
    #[arg(long, value_name = "YAML", default_value = "", conflicts_with = "from")]
    pub(super) start: String,
    /// Play a scenario first, or a dialogue of a trace, and go on from there: `FILE::TITLE`, or `FILE` where it holds only one;
    /// with `@3` its first three turns
    #[arg(long, value_name = "SCENARIO[@TURN]")]
    pub(super) from: Option<String>,
    /// What is written for a line: `text` for people, or `jsonl`, the records of the turns as JSON lines
    #[arg(long, value_enum, default_value = "text")]
    pub(super) format: ReplFormat,
    /// Take moves that the state does not declare, and mark them; for sets of states, as `{permissive: true}` of `--start`.
    /// States that are missing play as stubs
    #[arg(long)]
    pub(super) permissive: bool,
    /// The store of the user's data: a database (`.sqlite`, `.sqlite3`, `.db`), created where there is none, in which what
    /// the dialogue writes stays, and the user in it; or a JSON file, which is only read
    #[arg(long, value_name = "FILE[:USER]")]
    pub(super) twin: Option<String>,
    /// A JSON object with the data that the user has at first; only for a user who has none yet
    #[arg(long, value_name = "FILE", requires = "twin")]
    pub(super) twin_from: Option<PathBuf>,
    /// The memory of a cycle, and its audit: a database, created where there is none, which all tasks share that name it. A
    /// dialogue with `--session` has one in `.fsmsim/memory.sqlite` of the project, if nothing is said
    #[arg(long, value_name = "FILE")]
    pub(super) memory: Option<PathBuf>,
    /// Who reads plain text: `mock:FILE`; `bank`, the examples of the model; `live`, the models of the project;
    /// `link:NAME`, one of them; `record:FILE`, the same and kept in a cassette; or `replay:FILE`, the cassette and nobody else
    #[arg(long, value_name = "WHO")]
    pub(super) llm: Option<String>,
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
            .flag("permissive", self.permissive)
            .option("twin", self.twin.as_ref())
            .option("twin-from", shown(&self.twin_from))
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
