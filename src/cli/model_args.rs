//! The model arguments of commands.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use super::command_line::CommandLine;
use super::context::profile_of;
use super::help;
use super::{CommandResult, Context};
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::Profile;
use fsmsim_runtime::project::{ModelCache, Project};
use fsmsim_syntax::diagnostic::Diagnostics;

/// How a command loads models.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct ModelArgs {
    /// Use this profile, whatever models, scenarios and dialogues specify
    #[arg(long, value_name = "NAME")]
    pub profile: Option<String>,
    #[arg(long, value_name = "DIR", help = help::CONFIG)]
    pub config: Option<PathBuf>,
}

/// The arguments of a command that uses one model.
#[derive(Debug, Args)]
pub(super) struct OneModelArgs {
    #[arg(id = "model", value_name = "MODEL", help = help::MODEL)]
    pub name: String,
    #[command(flatten)]
    pub options: ModelArgs,
}

impl ModelArgs {
    /// The profile that the option names, if it is given. An unknown name is a finding.
    pub(super) fn profile(&self, found: &mut Diagnostics) -> Option<Profile> {
        profile_of(self.profile.as_deref(), found)
    }

    /// An empty cache for the models of the project.
    pub(super) fn models(&self, project: &Project) -> ModelCache {
        ModelCache::new(project, self.config.clone())
    }

    /// Adds these options to a command line.
    pub(super) fn on(&self, line: CommandLine) -> CommandLine {
        line.option("profile", self.profile.as_ref())
            .option("config", self.config.as_ref().map(|path| path.display()))
    }

    /// Loads a model and reports the findings.
    pub(super) fn load(
        &self,
        model: &str,
        context: &mut Context,
    ) -> CommandResult<(Arc<Machine>, ModelCache)> {
        let mut models = self.models(&context.project);
        let machine = context.load(model, self.profile.as_deref(), &mut models)?;
        Ok((machine, models))
    }
}

impl OneModelArgs {
    /// Loads the model and reports the findings.
    pub(super) fn load(&self, context: &mut Context) -> CommandResult<(Arc<Machine>, ModelCache)> {
        self.options.load(&self.name, context)
    }
}
