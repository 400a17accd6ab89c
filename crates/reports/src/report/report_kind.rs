//! The kinds of reports.

use fsmsim_syntax::terminal::Escaping;
use strum::IntoStaticStr;

/// The kind of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum ReportKind {
    /// Human-readable text
    Text,
    /// One JSON object
    Json,
    /// A self-contained HTML page
    Html,
    /// Test cases in JUnit XML
    Junit,
    /// Test Anything Protocol: one line per scenario
    Tap,
    /// Annotations for GitHub workflows
    Github,
    /// Problems as a code quality report for GitLab
    Gitlab,
    /// Markdown for a comment on a pull request
    Markdown,
    /// Findings for viewers of static analysis
    Sarif,
    /// Coverage in LCOV format
    Lcov,
    /// Coverage in Cobertura format
    Cobertura,
    /// Coverage as an HTML page with the sources
    Coverage,
}

impl ReportKind {
    /// The reports of a scenario run, which `fsmsim test` and `fsmsim merge` write.
    pub const RUN: [Self; 10] = [
        Self::Json,
        Self::Html,
        Self::Junit,
        Self::Tap,
        Self::Github,
        Self::Gitlab,
        Self::Markdown,
        Self::Lcov,
        Self::Cobertura,
        Self::Coverage,
    ];

    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Whether the report contains coverage.
    pub fn is_about_coverage(self) -> bool {
        matches!(self, Self::Lcov | Self::Cobertura | Self::Coverage)
    }

    /// Whether the report contains the source texts of the models.
    pub fn shows_sources(self) -> bool {
        self == Self::Coverage
    }

    /// The escaping of the report on standard output.
    pub fn escaping(self) -> Escaping {
        match self {
            Self::Text => Escaping::of_text(),
            Self::Json | Self::Sarif | Self::Gitlab => Escaping::Json,
            Self::Html
            | Self::Junit
            | Self::Tap
            | Self::Github
            | Self::Markdown
            | Self::Lcov
            | Self::Cobertura
            | Self::Coverage => Escaping::Plain,
        }
    }

    /// Whether the report follows the text on standard output instead of replacing it.
    pub(super) fn follows_text(self) -> bool {
        self == Self::Github
    }
}
