//! Recognizers that an assistant selects for a dialogue.

use std::path::Path;
use std::sync::Arc;

use super::author_answer::AuthorRefusal;
use super::fenced_project::FencedProject;
use crate::mcp::argument_schema::shown;
use fsmsim_adapters::llm::{AnswererConfig, AnswererSettings, AnswererSpec};
use fsmsim_runtime::project::{ModelCache, TrustStore};
use fsmsim_syntax::diagnostic::{Code, Diagnostic};

/// Creates the recognizers that a call names. It cannot ask for consent, because the user does not see the call.
pub(super) struct NamedAnswerers<'w> {
    fenced: &'w FencedProject,
    /// Whether the user trusts all external services of the project.
    trusts: bool,
    models: ModelCache,
}

impl<'w> NamedAnswerers<'w> {
    /// The recognizers in a comma-separated list: `mock:FILE`, `examples`, `live`.
    pub(super) fn named(
        who: &str,
        fenced: &'w FencedProject,
        trusts: bool,
    ) -> Result<AnswererConfig, AuthorRefusal> {
        let mut ready = Self {
            fenced,
            trusts,
            models: fenced.cache(),
        };
        let mut all = Vec::new();
        let has_mocks = who.matches("mock:").count() > 1;
        for who in who.split(',') {
            match who.strip_prefix("mock:") {
                Some(path) => {
                    let path = fenced.admit(path)?;
                    all.push(ready.mock(&path, has_mocks.then_some(who))?);
                }
                None if who == "live" => all.extend(ready.live()?),
                None if who == "examples" => all.push(AnswererSpec::ExampleClassifier),
                None => {
                    return Err(Diagnostic::unknown_argument("recognizer", &shown(who))
                        .help("use `examples`, `mock:FILE` or `live`")
                        .into());
                }
            }
        }
        Ok(AnswererConfig::new(all))
    }

    fn mock(&mut self, path: &Path, name: Option<&str>) -> Result<AnswererSpec, AuthorRefusal> {
        let script = self.models.mock(path);
        FencedProject::holds_all(self.models.sources())?;
        let Some(script) = script else {
            let found = self.models.mock_findings(path).cloned().unwrap_or_default();
            return Err(AuthorRefusal::of(&found, self.models.sources()));
        };
        Ok(AnswererSpec::mock(script, name))
    }

    /// The provider chain of the project, if the user has agreed to its external services.
    fn live(&mut self) -> Result<Vec<AnswererSpec>, AuthorRefusal> {
        let project = &self.fenced.project;
        let chain = project.chain.clone();
        let request = &project.trust;
        if chain.answerers.is_empty() {
            return Err(Diagnostic::error(
                Code::MissingSetup,
                "no LLM provider is configured in the project",
            )
            .help("add `[[llm.chain]]` to `fsmsim.toml`; see docs/src/how-to/configure-llm-providers.md")
            .into());
        }
        let is_agreed = request.is_empty()
            || self.trusts
            || TrustStore::of(&project.root).map_or(Ok(false), |store| store.holds(request))?;
        if !is_agreed {
            let help = "ask the user to run `fsmsim run MODEL --llm live` in a terminal and agree once, or to start this \
                        server with `--trust`";
            return Err(request.refusal().help(help).into());
        }
        let budget = Arc::new(chain.budget());
        let mut all = Vec::new();
        for answerer in &chain.answerers {
            all.push(match answerer {
                AnswererSettings::Mock(path, name) => self.mock(path, name.as_deref())?,
                AnswererSettings::Live(provider) => {
                    AnswererSpec::live(provider, chain.seed, &budget)?
                }
                AnswererSettings::ExampleClassifier => AnswererSpec::ExampleClassifier,
            });
        }
        Ok(all)
    }
}
