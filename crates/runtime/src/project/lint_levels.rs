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
    pub extra_keys: Arc<[Box<str>]>,
}

/// The only key of `[lint]` that is not a code.
const EXTRA_KEYS: &str = "extra_keys";

/// The parsed `[lint]` table.
pub(super) type RawLevels = BTreeMap<Spanned<String>, Spanned<toml::Value>>;

impl LintLevels {
    /// Reads the levels. Adds an error and its location for each invalid entry.
    pub(super) fn build(raw: &RawLevels, faults: &mut Vec<(Range<usize>, Diagnostic)>) -> Self {
        let mut levels = BTreeMap::new();
        let mut extra_keys = Arc::default();
        for (key, value) in raw {
            let name = key.get_ref();
            if name == EXTRA_KEYS {
                extra_keys = Self::keys(value, faults);
                continue;
            }
            let code = name.parse::<Code>().ok();
            if code.is_none() {
                let codes = Code::ALL.iter().map(|code| code.as_str());
                let near = nearest(&name.to_uppercase(), codes).or(nearest(name, [EXTRA_KEYS]));
                let fault = Diagnostic::error(
                    Code::BadProject,
                    format!("unknown key `{name}` in `[lint]`"),
                );
                faults.push((
                    key.span(),
                    fault.suggest(near, "run `fsmsim explain` to list all codes"),
                ));
            }
            let Some(word) = value.get_ref().as_str() else {
                let fault =
                    Diagnostic::error(Code::BadProject, format!("expected a level for `{name}`"))
                        .help("write `\"allow\"`, `\"warn\"` or `\"deny\"`");
                faults.extend(code.map(|_| (value.span(), fault)));
                continue;
            };
            let level = word.parse::<LintLevel>().ok();
            if level.is_none() {
                let levels = LintLevel::VARIANTS.iter().map(<&str>::from);
                let fault = Diagnostic::unknown(Code::BadProject, "level", word);
                faults.push((
                    value.span(),
                    fault.offer(word, "use one of these levels", levels),
                ));
            }
            if let (Some(code), Some(level)) = (code, level)
                && levels.insert(code, level).is_some()
            {
                let fault =
                    Diagnostic::error(Code::BadProject, format!("`{code}` is defined twice"));
                faults.push((key.span(), fault.help("remove one of them")));
            }
        }
        Self { levels, extra_keys }
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
                    format!("expected a list of names for `{EXTRA_KEYS}`"),
                );
                faults.push((
                    value.span(),
                    fault.help(format!("write `{EXTRA_KEYS} = [\"owner\", \"notes\"]`")),
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
