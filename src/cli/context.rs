//! What all commands share: the project, and how findings are reported.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::exit::Exit;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap, render};
use crate::engine::Machine;
use crate::machine::Profile;
use crate::project::{ModelCache, ModelName, Project, unknown_profile};
use crate::scenario::ModelKey;

/// What all commands share.
pub(super) struct Context {
    /// The project.
    pub(super) project: Project,
    /// Whether findings are coloured.
    colour: bool,
    /// Findings that were reported already, by their text.
    reported: std::collections::BTreeSet<String>,
    /// Beginnings of paths in findings, and what people should see for them.
    names: Vec<(String, String)>,
}

impl Context {
    /// The context of this process: the project of the working directory.
    ///
    /// The second value tells whether the project can be used.
    pub(super) fn new(colour: ColourChoice) -> (Self, bool) {
        let mut diagnostics = Diagnostics::default();
        let mut sources = SourceMap::default();
        let project = Project::find(&mut sources, &mut diagnostics);
        let mut context = Self {
            project,
            colour: colour.resolve(std::io::stderr().is_terminal()),
            reported: std::collections::BTreeSet::new(),
            names: Vec::new(),
        };
        context.report(&diagnostics, &sources);
        (context, !diagnostics.has_errors())
    }

    /// Reports findings on standard error; none twice.
    pub(super) fn report(&mut self, diagnostics: &Diagnostics, sources: &SourceMap) {
        if diagnostics.is_empty() {
            return;
        }
        let mut text = render(diagnostics, sources, self.colour);
        for (begin, name) in &self.names {
            text = text.replace(begin, name);
        }
        if self.reported.insert(text.clone()) {
            // Where standard error is closed there is nobody to tell.
            let _ = std::io::stderr().write_all(text.as_bytes());
        }
    }

    /// Reports findings from now on with other beginnings of paths.
    pub(super) fn rename(&mut self, names: &[(String, String)]) {
        self.names.extend_from_slice(names);
    }

    /// Reports what was found while loading a model.
    pub(super) fn report_model(&mut self, models: &ModelCache, path: &Path, profile: Profile) {
        if let Some(diagnostics) = models.findings(path, profile) {
            self.report(diagnostics, models.sources());
        }
    }

    /// Reports what was found while loading a mock.
    pub(super) fn report_mock(&mut self, models: &ModelCache, path: &Path) {
        if let Some(diagnostics) = models.mock_findings(path) {
            self.report(diagnostics, models.sources());
        }
    }

    /// Reports what was found while loading what scenarios name: models, and mocks.
    pub(super) fn report_loaded<'n>(
        &mut self,
        loaded: &ModelCache,
        models: impl IntoIterator<Item = &'n ModelKey>,
        mocks: impl IntoIterator<Item = &'n PathBuf>,
    ) {
        for ModelKey { path, profile } in models {
            self.report_model(loaded, path, *profile);
        }
        for path in mocks {
            self.report_mock(loaded, path);
        }
    }

    /// As many threads as were asked for, or as there are processors. `None`, once told, where they cannot be started.
    pub(super) fn threads(&mut self, jobs: Option<u16>) -> Option<rayon::ThreadPool> {
        let threads = jobs.map_or(0, usize::from);
        match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
            Ok(pool) => Some(pool),
            Err(error) => {
                let title = format!("{threads} threads cannot be started: {error}");
                self.fail(Diagnostic::error(Code::BadArguments, title).help("give a smaller number"));
                None
            }
        }
    }

    /// Loads the one model that a command names, and reports what is found about it. `None` where it cannot be used.
    pub(super) fn load(&mut self, model: &str, profile: Option<&str>, models: &mut ModelCache) -> Option<Arc<Machine>> {
        let mut diagnostics = Diagnostics::default();
        let model = ModelName::parse(model, &mut diagnostics);
        let profile = profile.and_then(|name| profile_of(name, &mut diagnostics));
        self.report(&diagnostics, &SourceMap::default());
        let model = model.filter(|_| !diagnostics.has_errors())?;
        let profile = profile.or(model.profile).or(self.project.profile).unwrap_or_default();
        self.load_model(&model.path, profile, models)
    }

    /// Loads a model, and reports what is found about it. `None` where it cannot be used.
    pub(super) fn load_model(
        &mut self,
        path: &Path,
        profile: Profile,
        models: &mut ModelCache,
    ) -> Option<Arc<Machine>> {
        let machine = models.load(path, profile);
        self.report_model(models, path, profile);
        machine
    }

    /// Refuses to write what belongs to the project where `CI` is set. `true`, once told, where it is.
    pub(super) fn refuses_to_write(&mut self, what: &str, how: &str) -> bool {
        if !in_ci() {
            return false;
        }
        let finding = Diagnostic::error(Code::BadArguments, format!("{what} where `CI` is set"));
        self.fail(finding.help(format!("{how} at home, look at them, and commit them")));
        true
    }

    /// Reports one finding.
    pub(super) fn report_one(&mut self, finding: Diagnostic) {
        let mut diagnostics = Diagnostics::default();
        diagnostics.push(finding);
        self.report(&diagnostics, &SourceMap::default());
    }

    /// What came of something, unless it is a finding, which is reported.
    pub(super) fn checked<T>(&mut self, result: Result<T, Box<Diagnostic>>) -> Option<T> {
        result.map_err(|finding| self.report_one(*finding)).ok()
    }

    /// Reports one finding and gives up.
    pub(super) fn fail(&mut self, finding: Diagnostic) -> Exit {
        self.report_one(finding);
        Exit::Unusable
    }
}

/// Whether this is a run of continuous integration: nothing that belongs to the project is written then.
pub(super) fn in_ci() -> bool {
    std::env::var_os("CI").is_some_and(|value| !value.is_empty())
}

/// The profile of a name given as an argument, or a finding.
pub(super) fn profile_of(name: &str, diagnostics: &mut Diagnostics) -> Option<Profile> {
    Profile::from_name(name).or_else(|| unknown_profile(name).refuse(diagnostics))
}

/// When to colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ColourChoice {
    /// On a terminal, unless `NO_COLOR` is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl ColourChoice {
    /// Whether to colour what goes to a terminal or not.
    pub fn resolve(self, terminal: bool) -> bool {
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
        }
    }
}
