//! A required percentage, as written, and a lookup of enum values by the names that options use.

use strum::VariantArray;

use fsmsim_syntax::diagnostic::nearest_or;
use fsmsim_syntax::document::named;
use fsmsim_syntax::terminal::Joined;

/// A required percentage, as written: `[NAME:]KIND=PERCENT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequiredShare<'t> {
    /// The name, if there is one.
    pub of: Option<&'t str>,
    pub kind: &'t str,
    percent: &'t str,
}

/// The enum value with this name, or a sentence that suggests the name most similar to `near`, or all names.
/// `kind` describes the values, such as "measure".
pub(crate) fn named_value<T: VariantArray + Copy + Into<&'static str>>(
    kind: &str,
    name: &str,
    near: &str,
) -> Result<T, String> {
    let known = named::<T>();
    let names = || known.iter().map(|(_, name)| *name);
    let value = known.iter().find(|(_, known)| *known == name);
    value.map(|(value, _)| *value).ok_or_else(|| {
        let all = || format!("{kind}s: {}", names().joined(", "));
        format!(
            "unknown {kind} `{name}`; {}",
            nearest_or(near, names(), all)
        )
    })
}

impl<'t> RequiredShare<'t> {
    /// Splits the text. `example` is shown in errors.
    pub fn split(text: &'t str, example: &str) -> Result<Self, String> {
        let (name, percent) = text
            .rsplit_once('=')
            .ok_or_else(|| format!("expected KIND=PERCENT, for example {example}"))?;
        let (of, kind) = match name.rsplit_once(':') {
            Some((of, kind)) => (Some(of), kind),
            None => (None, name),
        };
        Ok(Self { of, kind, percent })
    }

    /// The percentage.
    pub fn percent(self) -> Result<u32, String> {
        parse_percent(self.percent)
    }
}

/// Parses a percentage, such as `90%`.
///
/// # Errors
/// Returns an error if the text is not a whole percentage from 0 to 100.
pub fn parse_percent(text: &str) -> Result<u32, String> {
    let percent = text.strip_suffix('%').unwrap_or(text).parse().ok();
    let percent = percent.filter(|percent| *percent <= 100);
    percent.ok_or_else(|| "expected a whole percentage from 0 to 100".to_owned())
}
