//! The options of test runs in `fsmsim.toml`: `[test]` and `[test.ci]`.

use std::num::NonZeroU32;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;

use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic};

/// The options of `fsmsim test` that a project sets. Options of the command line override them.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TestSettings {
    pub reports: Option<Vec<ReportSetting>>,
    /// The revision with which models are compared.
    pub since: Option<String>,
    pub require_snapshots: Option<bool>,
    /// The time limit of a scenario, in seconds.
    pub timeout: Option<NonZeroU32>,
    /// The time after which a scenario is slow, in seconds.
    pub slow: Option<NonZeroU32>,
    pub retries: Option<u8>,
    ci: Option<Box<CiSettings>>,
}

/// The `[test.ci]` table.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "TestSettings")]
struct CiSettings(TestSettings);

impl TryFrom<TestSettings> for CiSettings {
    type Error = &'static str;

    fn try_from(settings: TestSettings) -> Result<Self, Self::Error> {
        match settings.ci {
            Some(_) => Err("unknown field `ci` in `[test.ci]`"),
            None => Ok(Self(settings)),
        }
    }
}

/// A report to write in each run: `KIND=FILE`, or `KIND` for standard output.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "Spanned<String>")]
pub struct ReportSetting {
    pub kind: String,
    pub file: Option<PathBuf>,
    /// The location in the project file, as `FILE:LINE`.
    pub place: String,
    span: Range<usize>,
}

impl From<Spanned<String>> for ReportSetting {
    fn from(text: Spanned<String>) -> Self {
        let span = text.span();
        let text = text.into_inner();
        let (kind, file) = text
            .split_once('=')
            .map_or((&*text, None), |(kind, file)| (kind, Some(file.into())));
        Self {
            kind: kind.to_owned(),
            file,
            place: String::new(),
            span,
        }
    }
}

impl TestSettings {
    /// The settings in continuous integration, where the keys of `[test.ci]` replace the others.
    #[must_use]
    pub fn in_ci(self) -> Self {
        let Some(ci) = self.ci else { return self };
        let CiSettings(ci) = *ci;
        Self {
            reports: ci.reports.or(self.reports),
            since: ci.since.or(self.since),
            require_snapshots: ci.require_snapshots.or(self.require_snapshots),
            timeout: ci.timeout.or(self.timeout),
            slow: ci.slow.or(self.slow),
            retries: ci.retries.or(self.retries),
            ci: None,
        }
    }

    /// Resolves the files of reports with `inside`, and their locations with `place`. Adds an error and its location
    /// for each file outside the project, and for each file that git uses.
    pub(super) fn resolve(
        &mut self,
        inside: &dyn Fn(&Path) -> Checked<PathBuf>,
        place: &dyn Fn(Range<usize>) -> String,
        faults: &mut Vec<(Range<usize>, Diagnostic)>,
    ) {
        for report in self.reports.iter_mut().flatten() {
            report.place = place(report.span.clone());
            let Some(file) = &mut report.file else {
                continue;
            };
            let mut parts = file.components();
            let fault = if parts.any(|part| part.as_os_str().eq_ignore_ascii_case(".git")) {
                let title = "cannot write a report to the directory `.git`";
                Diagnostic::error(Code::BadProject, title).help("use another file")
            } else {
                match inside(file) {
                    Ok(path) => {
                        *file = path;
                        continue;
                    }
                    Err(fault) => *fault,
                }
            };
            faults.push((report.span.clone(), fault));
        }
        if let Some(ci) = &mut self.ci {
            ci.0.resolve(inside, place, faults);
        }
    }
}
