//! The context of a command: the project, and the reporting of findings.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::exit::{CommandResult, Stop, refuse_as};
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::{Profile, Variant};
use fsmsim_harness::scenario::ModelKey;
use fsmsim_harness::suite::report_loaded;
use fsmsim_reports::report::{FindingLog, ReportedFinding};
use fsmsim_runtime::project::{ModelCache, ModelName, Project, unknown_profile};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Severity, SourceMap, render};
use fsmsim_syntax::terminal::{print_message, print_styled};

/// The context of a command.
#[derive(Clone)]
pub(super) struct Context {
    pub project: Project,
    /// Whether the user trusts all external services of the project.
    pub trusts: bool,
    /// Whether findings are colored.
    color: bool,
    /// Findings that were reported.
    reported: FindingLog,
    /// The code of the first error.
    first_error: Option<Code>,
    /// Path prefixes in findings, and the names that users see instead.
    names: Vec<(String, String)>,
    /// The arguments that can name files of the project.
    named: Vec<PathBuf>,
}

impl Context {
    /// The context of this process: the project of the named files, otherwise of the working directory.
    ///
    /// The second value is whether the project is valid.
    pub(super) fn new(color: ColourChoice, trusts: bool, named: Vec<PathBuf>) -> (Self, bool) {
        let mut diagnostics = Diagnostics::default();
        let mut sources = SourceMap::default();
        let paths = named.iter().map(PathBuf::as_path);
        let project = Project::find(paths, &mut sources, &mut diagnostics);
        let mut context = Self {
            project,
            trusts,
            color: color.resolve(std::io::stderr().is_terminal()),
            reported: FindingLog::default(),
            first_error: None,
            names: Vec::new(),
            named,
        };
        context.report(&diagnostics, &sources);
        (context, !diagnostics.has_errors())
    }

    /// Records findings for reports. Returns their text, or `None` if they are known.
    pub(super) fn record(
        &mut self,
        diagnostics: &Diagnostics,
        sources: &SourceMap,
    ) -> Option<String> {
        if diagnostics.is_empty() {
            return None;
        }
        let mut text = render(diagnostics, sources, self.color);
        for (begin, name) in &self.names {
            text = text.replace(begin, name);
        }
        let is_new = self.reported.note(diagnostics, sources, &text);
        is_new.then_some(text)
    }

    /// Reports findings on standard error, without duplicates.
    pub(super) fn report(&mut self, diagnostics: &Diagnostics, sources: &SourceMap) {
        if let Some(text) = self.record(diagnostics, sources) {
            let mut items = diagnostics.items().iter();
            let error = items.find(|item| item.severity == Severity::Error);
            self.first_error = self.first_error.or(error.map(|item| item.code));
            #[cfg(feature = "serve")]
            if fsmsim_server::http::LogFormat::is_for_programs() {
                diagnostics.items().iter().for_each(log_finding);
                return;
            }
            if self.color {
                print_styled(&text);
            } else {
                print_message(&text);
            }
        }
    }

    /// Prints the command that explains the first error, if standard error is a terminal.
    pub(super) fn suggest_explain(&self) {
        if let Some(code) = self.first_error
            && std::io::stderr().is_terminal()
        {
            let code = code.as_str();
            print_lines(&format!(
                "next: `fsmsim explain {code}` explains the first error\n"
            ));
        }
    }

    /// The reported findings; `from_root` makes their paths relative to the project.
    pub(super) fn take_findings(
        &mut self,
        from_root: &dyn Fn(&str) -> String,
    ) -> Vec<ReportedFinding> {
        self.reported.take(from_root)
    }

    /// Reloads the project, and forgets the reported findings.
    pub(super) fn restart(&mut self) {
        let mut found = Diagnostics::default();
        let mut sources = SourceMap::default();
        let paths = self.named.iter().map(PathBuf::as_path);
        let project = Project::find(paths, &mut sources, &mut found);
        self.reported.restart();
        self.report(&found, &sources);
        if !found.has_errors() {
            self.project = project;
        }
    }

    /// Adds replacements for path prefixes in findings.
    pub(super) fn rename(&mut self, names: &[(String, String)]) {
        self.names.extend_from_slice(names);
    }

    /// Reports the findings from loading a model.
    pub(super) fn report_model(
        &mut self,
        models: &ModelCache,
        path: &Path,
        variant: impl Into<Variant>,
    ) {
        if let Some(diagnostics) = models.findings(path, variant) {
            // Notes about extra keys are only for `fsmsim lint`.
            self.report(&diagnostics.without_key_notes(), models.sources());
        }
    }

    /// Reports the findings from loading a mock.
    pub(super) fn report_mock(&mut self, models: &ModelCache, path: &Path) {
        if let Some(diagnostics) = models.mock_findings(path) {
            self.report(diagnostics, models.sources());
        }
    }

    /// Reports the findings from loading the models and mocks of scenarios. Only `lint` reports findings that depend on
    /// the profile.
    pub(super) fn report_loaded<'n>(
        &mut self,
        loaded: &mut ModelCache,
        models: impl IntoIterator<Item = &'n ModelKey>,
        mocks: impl IntoIterator<Item = &'n PathBuf>,
    ) {
        report_loaded(loaded, models, mocks, &mut |found, sources| {
            self.report(found, sources);
        });
    }

    /// Reports the findings about an input of the command. Returns an error if the input is missing or has errors.
    pub(super) fn usable<T>(
        &mut self,
        something: Option<T>,
        found: &Diagnostics,
        sources: &SourceMap,
    ) -> CommandResult<T> {
        self.report(found, sources);
        something.filter(|_| !found.has_errors()).ok_or(Stop::Told)
    }

    /// Reads an input of the command, and reports the findings as [`usable`](Self::usable) does.
    pub(super) fn read<T>(
        &mut self,
        read: impl FnOnce(&mut SourceMap, &mut Diagnostics) -> Option<T>,
    ) -> CommandResult<T> {
        let mut sources = SourceMap::default();
        let mut found = Diagnostics::default();
        let something = read(&mut sources, &mut found);
        self.usable(something, &found, &sources)
    }

    /// Reports findings about arguments. Returns an error if there are errors.
    pub(super) fn no_errors(&mut self, found: &Diagnostics) -> CommandResult<()> {
        self.usable(Some(()), found, &SourceMap::default())
    }

    /// The profile that an option names, if the option is given.
    pub(super) fn profile(&mut self, name: Option<&str>) -> CommandResult<Option<Profile>> {
        self.read(|_, found| Some(profile_of(name, found)))
    }

    /// A path relative to the project root.
    pub(super) fn path_from_root(&self, path: impl AsRef<Path>) -> String {
        let layout = self.project.artifacts_in(&self.project.snapshots);
        layout.from_root(path.as_ref())
    }

    /// Loads the model of a command, and reports the findings.
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

    /// Loads a model, and reports the findings.
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

/// Writes a finding to the machine-readable log of a server.
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

/// Prints lines that are not findings. A server with a machine-readable log writes them to its log.
pub(super) fn print_lines(text: &str) {
    #[cfg(feature = "serve")]
    if fsmsim_server::http::LogFormat::is_for_programs() {
        text.lines()
            .filter(|line| !line.trim().is_empty())
            .for_each(fsmsim_server::http::log);
        return;
    }
    print_message(text);
}

/// Returns an error if `CI` is set: no project file may be written then.
pub(super) fn may_write(verb: &str, what: &str) -> CommandResult<()> {
    if !in_ci() {
        return Ok(());
    }
    let help = format!("{verb} them locally and commit the result");
    let title = format!("cannot {verb} {what} if `CI` is set");
    refuse_as(Code::ForbiddenInCi, title, help)
}

/// Whether the program runs in continuous integration, where it must not write project files.
pub(super) fn in_ci() -> bool {
    let is_no =
        |value: &str| value.is_empty() || value == "0" || value.eq_ignore_ascii_case("false");
    std::env::var_os("CI").is_some_and(|value| !is_no(&value.to_string_lossy()))
}

/// The profile that an option names, if the option is given. An unknown name is a finding.
pub(super) fn profile_of(name: Option<&str>, found: &mut Diagnostics) -> Option<Profile> {
    let name = name?;
    Profile::from_name(name).or_else(|| unknown_profile(name).refuse(found))
}

/// When to color the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ColourChoice {
    /// Color on a terminal, unless `NO_COLOR` is set
    #[default]
    Auto,
    /// Always color
    Always,
    /// Never color
    Never,
}

impl ColourChoice {
    /// Whether to color the output; `terminal` is whether it goes to a terminal.
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
