//! Severity levels of findings: `[lint]` of `fsmsim.toml`.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use strum::{EnumString, IntoStaticStr, VariantArray};
use toml::Spanned;

use fsmsim_syntax::diagnostic::{Code, Diagnostic, Severity, nearest};

/// The level of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum LintLevel {
    /// The finding is not reported.
    Allow,
    Warn,
    /// The finding is an error.
    Deny,
}

/// The levels of findings by code. Other codes keep their default.
#[derive(Clone, Debug, Default)]
pub struct LintLevels {
    levels: BTreeMap<Code, LintLevel>,
    /// Custom keys of definitions that the project declares.
    pub known_keys: Arc<[Box<str>]>,
}

/// The only key of `[lint]` that is not a code.
const KNOWN_KEYS: &str = "known_keys";

/// The parsed `[lint]` table.
pub(super) type RawLevels = BTreeMap<Spanned<String>, Spanned<toml::Value>>;

impl LintLevels {
    /// The levels, with the errors of invalid entries and their locations.
    pub(super) fn build(raw: &RawLevels, faults: &mut Vec<(Range<usize>, Diagnostic)>) -> Self {
        let mut levels = BTreeMap::new();
        let mut known_keys = Arc::default();
        for (key, value) in raw {
            let name = key.get_ref();
            if name == KNOWN_KEYS {
                known_keys = Self::keys(value, faults);
                continue;
            }
            let Some(word) = value.get_ref().as_str() else {
                let fault =
                    Diagnostic::error(Code::BadProject, format!("the level of `{name}` is a word"));
                faults.push((
                    value.span(),
                    fault.help("write `\"allow\"`, `\"warn\"` or `\"deny\"`"),
                ));
                continue;
            };
            let code = name.parse::<Code>().ok();
            let level = word.parse::<LintLevel>().ok();
            if code.is_none() {
                let codes = Code::ALL.iter().map(|code| code.as_str());
                let near = nearest(&name.to_uppercase(), codes).or(nearest(name, [KNOWN_KEYS]));
                let fault =
                    Diagnostic::error(Code::BadProject, format!("there is no code `{name}`"));
                faults.push((
                    key.span(),
                    fault.suggest(near, "`fsmsim explain` lists the codes"),
                ));
            }
            if level.is_none() {
                let levels = LintLevel::VARIANTS.iter().map(<&str>::from);
                let fault =
                    Diagnostic::error(Code::BadProject, format!("there is no level `{word}`"));
                faults.push((value.span(), fault.offer(word, "levels", levels)));
            }
            if let (Some(code), Some(level)) = (code, level)
                && levels.insert(code, level).is_some()
            {
                let fault = Diagnostic::error(Code::BadProject, format!("`{code}` is given twice"));
                faults.push((key.span(), fault.help("remove one of the two")));
            }
        }
        Self { levels, known_keys }
    }

    /// The custom keys that a project declares.
    fn keys(
        value: &Spanned<toml::Value>,
        faults: &mut Vec<(Range<usize>, Diagnostic)>,
    ) -> Arc<[Box<str>]> {
        let items = value.get_ref().as_array();
        let names: Option<Vec<Box<str>>> = items.and_then(|items| {
            items
                .iter()
                .map(|item| item.as_str().map(Into::into))
                .collect()
        });
        names.map_or_else(
            || {
                let fault = Diagnostic::error(
                    Code::BadProject,
                    format!("`{KNOWN_KEYS}` is a list of names"),
                );
                faults.push((
                    value.span(),
                    fault.help(format!("write `{KNOWN_KEYS} = [\"owner\", \"notes\"]`")),
                ));
                Arc::default()
            },
            Into::into,
        )
    }

    /// Applies the levels. Returns `None` if the finding is not reported. Load errors keep their severity, because the
    /// model is unusable.
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
