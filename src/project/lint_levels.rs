//! How seriously findings are taken: `[lint]` of `fsmsim.toml`.

use std::collections::BTreeMap;
use std::ops::Range;

use strum::{EnumString, IntoStaticStr, VariantArray};
use toml::Spanned;

use crate::diagnostic::{Code, Diagnostic, Severity, nearest};

/// How seriously a finding is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum LintLevel {
    /// It is not told.
    Allow,
    /// It is a warning.
    Warn,
    /// It is an error.
    Deny,
}

/// The levels of findings by code; a code that is not named keeps its own.
#[derive(Clone, Debug, Default)]
pub struct LintLevels {
    levels: BTreeMap<Code, LintLevel>,
}

/// `[lint]` as it is written.
pub(super) type RawLevels = BTreeMap<Spanned<String>, Spanned<String>>;

impl LintLevels {
    /// The levels as they are written, and what cannot be understood of them, each with its place.
    pub(super) fn build(raw: &RawLevels, faults: &mut Vec<(Range<usize>, Diagnostic)>) -> Self {
        let mut levels = BTreeMap::new();
        for (key, value) in raw {
            let (name, word) = (key.get_ref(), value.get_ref());
            let code = name.parse::<Code>().ok();
            let level = word.parse::<LintLevel>().ok();
            if code.is_none() {
                let codes = Code::ALL.iter().map(|code| code.as_str());
                let near = nearest(&name.to_uppercase(), codes);
                let fault = Diagnostic::error(Code::BadProject, format!("there is no code `{name}`"));
                faults.push((key.span(), fault.suggest(near, "`fsmsim explain` lists the codes")));
            }
            if level.is_none() {
                let levels = LintLevel::VARIANTS.iter().map(<&str>::from);
                let fault = Diagnostic::error(Code::BadProject, format!("there is no level `{word}`"));
                faults.push((value.span(), fault.offer(word, "levels", levels)));
            }
            if let (Some(code), Some(level)) = (code, level)
                && levels.insert(code, level).is_some()
            {
                let fault = Diagnostic::error(Code::BadProject, format!("`{code}` is given twice"));
                faults.push((key.span(), fault.help("remove one of the two")));
            }
        }
        Self { levels }
    }

    /// The finding as it is to be told, or nothing. An error of loading stays one, since the model cannot be used.
    pub fn apply(&self, mut finding: Diagnostic) -> Option<Diagnostic> {
        if finding.severity != Severity::Error {
            match self.levels.get(&finding.code) {
                Some(LintLevel::Allow) => return None,
                _ if finding.severity == Severity::Note => {}
                Some(LintLevel::Deny) => finding.severity = Severity::Error,
                Some(LintLevel::Warn) | None => {}
            }
        }
        Some(finding)
    }
}
