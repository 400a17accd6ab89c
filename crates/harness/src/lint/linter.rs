//! Checks models one after the other.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::lint;
use fsmsim_core::machine::Profile;
use fsmsim_runtime::project::{ModelCache, ModelName, Project};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Severity};
use fsmsim_syntax::document::DocumentReading;

/// Checks each model once and reports each finding once. A finding that several models share is reported with the first
/// model.
pub struct Linter<'l> {
    project: &'l Project,
    /// The loaded models, including the texts that findings refer to.
    pub models: ModelCache,
    /// The profile to use instead of the profiles of the models.
    profile: Option<Profile>,
    /// Ignores transitions that no state declares.
    permissive: bool,
    seen: BTreeSet<(PathBuf, Profile)>,
    /// The reported findings, by code, title and location.
    reported: BTreeSet<(Code, String, String)>,
    /// The counts for all models so far.
    pub report: LintReport,
}

/// The counts of a lint run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LintReport {
    pub models: usize,
    pub errors: usize,
    pub warnings: usize,
    /// Findings that loading counted but did not store.
    pub dropped: usize,
    /// Whether a model could not be read at all.
    pub is_unreadable: bool,
}

impl<'l> Linter<'l> {
    pub fn new(
        project: &'l Project,
        models: ModelCache,
        profile: Option<Profile>,
        permissive: bool,
    ) -> Self {
        Self {
            project,
            models,
            profile,
            permissive,
            seen: BTreeSet::new(),
            reported: BTreeSet::new(),
            report: LintReport::default(),
        }
    }

    /// The new findings about a model, with the severities that the project sets. `None` if the model was checked
    /// before.
    pub fn look_at(&mut self, name: &str) -> Option<Vec<Diagnostic>> {
        let mut diagnostics = Diagnostics::default();
        let Some(model) = ModelName::parse(name, &mut diagnostics) else {
            self.report.is_unreadable = true;
            return Some(self.count_new(diagnostics.items().to_vec()));
        };
        let profile = self
            .profile
            .or(model.profile)
            .or(self.project.profile)
            .unwrap_or_default();
        if !self.seen.insert((model.path.clone(), profile)) {
            return None;
        }
        let machine = self.models.load_with_errors(&model.path, profile);
        self.models.check_roots(&mut diagnostics);
        let mut all = diagnostics.items().to_vec();
        if let Some(loaded) = self.models.findings(&model.path, profile) {
            all.extend_from_slice(loaded.items());
            self.report.dropped += loaded.dropped();
        }
        self.report.is_unreadable |= all
            .iter()
            .any(|finding| finding.severity == Severity::Error && finding.code.is_unreadable());
        all.extend(
            machine
                .iter()
                .flat_map(|machine| lint(machine, self.permissive)),
        );
        if profile != Profile::default() {
            self.note_profile(&model.path, profile, &mut all);
        }
        // Sort by file and line. At the same location, keep the order of the rules.
        all.sort_by_key(Diagnostic::order);
        Some(
            self.count_new(
                all.into_iter()
                    .filter_map(|finding| self.project.lint.apply(finding))
                    .collect(),
            ),
        )
    }

    /// Adds a note to each finding that the default profile does not produce.
    fn note_profile(&mut self, path: &Path, profile: Profile, all: &mut [Diagnostic]) {
        let machine = self.models.load(path, Profile::default());
        let mut others: Vec<Diagnostic> = machine
            .iter()
            .flat_map(|machine| lint(machine, self.permissive))
            .collect();
        others.extend(
            self.models
                .findings(path, Profile::default())
                .iter()
                .flat_map(|found| found.items().iter().cloned()),
        );
        let identity = |finding: &Diagnostic| self.models.sources().identity(finding);
        let others: BTreeSet<_> = others.iter().map(identity).collect();
        for finding in all
            .iter_mut()
            .filter(|finding| !others.contains(&identity(finding)))
        {
            finding.notes.push(format!(
                "reported only under the profile `{}`",
                profile.name()
            ));
        }
    }

    /// Explains which parts of a document are read, from where, and which parts are not. `None` if the model is not a
    /// document.
    pub fn explain(&mut self, name: &str) -> Option<DocumentReading> {
        let model = ModelName::parse(name, &mut Diagnostics::default())?;
        self.models.explain(&model.path)
    }

    /// Counts a model and its new findings. Returns these findings.
    fn count_new(&mut self, mut findings: Vec<Diagnostic>) -> Vec<Diagnostic> {
        findings.retain(|finding| {
            self.reported
                .insert(self.models.sources().identity(finding))
        });
        let count = |severity| {
            findings
                .iter()
                .filter(|finding| finding.severity == severity)
                .count()
        };
        self.report.models += 1;
        self.report.errors += count(Severity::Error);
        self.report.warnings += count(Severity::Warning);
        findings
    }

    /// The models that could be loaded, each with a hash of all its files.
    pub fn fingerprints(&mut self) -> Vec<(PathBuf, String)> {
        let loaded = self.seen.iter().filter_map(|(path, profile)| {
            let machine = self.models.load(path, *profile)?;
            Some((path.clone(), machine.files.fingerprint()))
        });
        loaded.collect()
    }
}
