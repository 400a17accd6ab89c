//! A project without a model, and the templates for new projects.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use strum::VariantArray;

use super::operation::read;
use super::refusal::Refusal;
use super::studio_state::StudioState;
use fsmsim_runtime::project::ProjectTemplate;
use fsmsim_syntax::files::real_path;

/// Starts a dialogue on the model of the project. Returns `None` until the project has a model.
pub type BenchOpener = Box<dyn FnMut() -> Result<Option<StudioState>, String>>;

/// A project without a model.
pub struct EmptyProject {
    pub folder: PathBuf,
    /// Whether writing project files is forbidden.
    pub is_ci: bool,
    pub opener: BenchOpener,
}

/// The project as the page shows it.
#[derive(Debug, Serialize)]
pub(super) struct EmptyProjectView {
    /// The folder of the project.
    project: String,
    templates: Vec<TemplateView>,
    /// Why the new model is invalid.
    error: Option<String>,
}

#[derive(Debug, Serialize)]
struct TemplateView {
    language: &'static str,
    title: &'static str,
    files: Vec<&'static str>,
}

/// The template of a new project.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CreateBody {
    language: String,
}

impl EmptyProject {
    /// Starts a dialogue if the project has a model now.
    pub(super) fn open(&mut self) -> Result<Option<StudioState>, Refusal> {
        Ok((self.opener)()?)
    }

    /// Creates a project from a template, and starts a dialogue on its model.
    pub(super) fn create(&mut self, body: &[u8]) -> Result<StudioState, Refusal> {
        let CreateBody { language } = read(body)?;
        let template: ProjectTemplate = language.parse().map_err(|_| {
            Refusal::bad(format!("unknown template `{language}`"), "use `en` or `ru`")
        })?;
        if self.is_ci {
            return Err(Refusal::in_ci("create the project on your own computer"));
        }
        template.create(&self.folder)?;
        self.open()?
            .ok_or_else(|| Refusal::from("the project was created, but has no model".to_owned()))
    }

    pub(super) fn view(&self, error: Option<Refusal>) -> EmptyProjectView {
        let folder = real_path(&self.folder);
        let project = folder.file_name().unwrap_or_default();
        let templates = ProjectTemplate::VARIANTS
            .iter()
            .map(|template| TemplateView {
                language: template.language(),
                title: template.title(),
                files: template.paths().collect(),
            });
        EmptyProjectView {
            project: project.to_string_lossy().into_owned(),
            templates: templates.collect(),
            error: error.map(|refusal| refusal.error),
        }
    }
}
