//! What a lint of several models came to, in numbers.

/// What a lint of several models came to, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LintReport {
    /// Models.
    pub models: usize,
    /// Errors.
    pub errors: usize,
    /// Warnings.
    pub warnings: usize,
    /// Findings that loading only counted.
    pub dropped: usize,
    /// Some model could not be read at all.
    pub is_unreadable: bool,
}
