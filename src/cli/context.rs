//! What all commands share: the project, and how findings are reported.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::exit::{CommandResult, Stop, refuse};
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::{Profile, Variant};
use fsmsim_harness::scenario::ModelKey;
use fsmsim_harness::suite::tell_loaded;
use fsmsim_reports::report::{FindingLog, ReportedFinding};
use fsmsim_runtime::project::{ModelCache, ModelName, Project, unknown_profile};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Severity, SourceMap, render};
use fsmsim_syntax::terminal::{tell, tell_styled};

/// What all commands share.
#[derive(Clone)]
pub(super) struct Context {
    pub(super) project: Project,
    /// The user agrees to all that the project wants to reach.
    pub(super) trusts: bool,
    /// Whether findings are coloured.
    colour: bool,
    /// Findings that were reported.
    reported: FindingLog,
    /// The code of the first error.
    first_error: Option<Code>,
    /// Beginnings of paths in findings, and what people should see for them.
    names: Vec<(String, String)>,
}

impl Context {
    /// The context of this process: the project of the working directory.
    ///
    /// The second value tells whether the project can be used.
    pub(super) fn new(colour: ColourChoice, trusts: bool) -> (Self, bool) {
        let mut diagnostics = Diagnostics::default();
        let mut sources = SourceMap::default();
        let project = Project::find(&mut sources, &mut diagnostics);
        let mut context = Self {
            project,
            trusts,
            colour: colour.resolve(std::io::stderr().is_terminal()),
            reported: FindingLog::default(),
            first_error: None,
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
        if self.reported.note(diagnostics, sources, &text) {
            let mut items = diagnostics.items().iter();
            let error = items.find(|item| item.severity == Severity::Error);
            self.first_error = self.first_error.or(error.map(|item| item.code));
            #[cfg(feature = "serve")]
            if fsmsim_server::http::LogFormat::is_for_programs() {
                diagnostics.items().iter().for_each(log_finding);
                return;
            }
            if self.colour {
                tell_styled(&text);
            } else {
                tell(&text);
            }
        }
    }

    /// Names the command that explains the first error, to a person at a terminal.
    pub(super) fn suggest_explain(&self) {
        if let Some(code) = self.first_error
            && std::io::stderr().is_terminal()
        {
            let code = code.as_str();
            tell_lines(&format!(
                "next: `fsmsim explain {code}` explains the first error\n"
            ));
        }
    }

    /// The findings that were reported so far; `from_root` makes their paths those from the project.
    pub(super) fn take_findings(
        &mut self,
        from_root: &dyn Fn(&str) -> String,
    ) -> Vec<ReportedFinding> {
        self.reported.take(from_root)
    }

    /// Looks at the project anew, and forgets what was reported.
    pub(super) fn begin_anew(&mut self) {
        let (mut found, mut sources) = (Diagnostics::default(), SourceMap::default());
        let project = Project::find(&mut sources, &mut found);
        self.reported.begin_anew();
        self.report(&found, &sources);
        if !found.has_errors() {
            self.project = project;
        }
    }

    /// Reports findings from now on with other beginnings of paths.
    pub(super) fn rename(&mut self, names: &[(String, String)]) {
        self.names.extend_from_slice(names);
    }

    /// Reports what was found while loading a model.
    pub(super) fn report_model(
        &mut self,
        models: &ModelCache,
        path: &Path,
        variant: impl Into<Variant>,
    ) {
        if let Some(diagnostics) = models.findings(path, variant) {
            // Keys of somebody else are for who asks what is to be said of a model: `fsmsim lint`.
            self.report(&diagnostics.without_key_notes(), models.sources());
        }
    }

    /// Reports what was found while loading a mock.
    pub(super) fn report_mock(&mut self, models: &ModelCache, path: &Path) {
        if let Some(diagnostics) = models.mock_findings(path) {
            self.report(diagnostics, models.sources());
        }
    }

    /// Reports what was found while loading what scenarios name: models, and mocks. What holds of a model under its profile
    /// alone is left to `lint`.
    pub(super) fn report_loaded<'n>(
        &mut self,
        loaded: &mut ModelCache,
        models: impl IntoIterator<Item = &'n ModelKey>,
        mocks: impl IntoIterator<Item = &'n PathBuf>,
    ) {
        tell_loaded(loaded, models, mocks, &mut |found, sources| {
            self.report(found, sources);
        });
    }

    /// Reports what was found about something that the command needs. It cannot go on where that is not there, or where
    /// anything is wrong with it.
    pub(super) fn usable<T>(
        &mut self,
        something: Option<T>,
        found: &Diagnostics,
        sources: &SourceMap,
    ) -> CommandResult<T> {
        self.report(found, sources);
        something.filter(|_| !found.has_errors()).ok_or(Stop::Told)
    }

    /// Reads something that the command needs, and reports what is found about it, as [`usable`](Self::usable) does.
    pub(super) fn read<T>(
        &mut self,
        read: impl FnOnce(&mut SourceMap, &mut Diagnostics) -> Option<T>,
    ) -> CommandResult<T> {
        let (mut sources, mut found) = (SourceMap::default(), Diagnostics::default());
        let something = read(&mut sources, &mut found);
        self.usable(something, &found, &sources)
    }

    /// Reports what was found about arguments. The command cannot go on where anything is wrong with them.
    pub(super) fn no_errors(&mut self, found: &Diagnostics) -> CommandResult<()> {
        self.usable(Some(()), found, &SourceMap::default())
    }

    /// The profile that a command names, if any.
    pub(super) fn profile(&mut self, name: Option<&str>) -> CommandResult<Option<Profile>> {
        self.read(|_, found| Some(profile_of(name, found)))
    }

    /// A path as reports name it: from the root of the project.
    pub(super) fn path_from_root(&self, path: impl AsRef<Path>) -> String {
        let layout = self.project.artifacts_in(&self.project.snapshots);
        layout.from_root(path.as_ref())
    }

    /// Loads the one model that a command names, and reports what is found about it.
    pub(super) fn load(
        &mut self,
        model: &str,
        profile: Option<&str>,
        models: &mut ModelCache,
    ) -> CommandResult<Arc<Machine>> {
        let (profile, model) = self.read(|_, found| {
            let model = ModelName::parse(model, found);
            Some((profile_of(profile, found), model?))
        })?;
        let profile = profile
            .or(model.profile)
            .or(self.project.profile)
            .unwrap_or_default();
        self.load_model(&model.path, profile, models)
    }

    /// Loads a model, and reports what is found about it.
    pub(super) fn load_model(
        &mut self,
        path: &Path,
        profile: Profile,
        models: &mut ModelCache,
    ) -> CommandResult<Arc<Machine>> {
        let machine = models.load(path, profile);
        self.report_model(models, path, profile);
        machine.ok_or(Stop::Told)
    }

    /// Reports one finding.
    pub(super) fn report_one(&mut self, finding: Diagnostic) {
        self.report(&Diagnostics::of(finding), &SourceMap::default());
    }
}

/// Says a finding as a server says all else, where that is for programs.
#[cfg(feature = "serve")]
fn log_finding(finding: &Diagnostic) {
    let severity: &str = finding.severity.into();
    let help = finding
        .help
        .as_ref()
        .map(|help| format!(": {help}"))
        .unwrap_or_default();
    fsmsim_server::http::log(&format!("{severity}: {}{help}", finding.title));
}

/// Says lines that are no findings, each of them as a server says all else where that is for programs.
pub(super) fn tell_lines(text: &str) {
    #[cfg(feature = "serve")]
    if fsmsim_server::http::LogFormat::is_for_programs() {
        text.lines()
            .filter(|line| !line.trim().is_empty())
            .for_each(fsmsim_server::http::log);
        return;
    }
    tell(text);
}

/// Refuses to write what belongs to the project where `CI` is set.
pub(super) fn may_write(what: &str, how: &str) -> CommandResult<()> {
    if !in_ci() {
        return Ok(());
    }
    let help = format!("{how} at home, look at them, and commit them");
    refuse(format!("{what} where `CI` is set"), help)
}

/// Whether this is a run of continuous integration: nothing that belongs to the project is written then.
pub(super) fn in_ci() -> bool {
    let is_no =
        |value: &str| value.is_empty() || value == "0" || value.eq_ignore_ascii_case("false");
    std::env::var_os("CI").is_some_and(|value| !is_no(&value.to_string_lossy()))
}

/// The profile of a name given as an argument, if any; a finding where there is no such profile.
pub(super) fn profile_of(name: Option<&str>, found: &mut Diagnostics) -> Option<Profile> {
    let name = name?;
    Profile::from_name(name).or_else(|| unknown_profile(name).refuse(found))
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
            Self::Auto => {
                terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
            }
        }
    }
}
