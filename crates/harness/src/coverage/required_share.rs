//! A required percentage, as written.

/// A required percentage, as written: `[NAME:]KIND=PERCENT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequiredShare<'t> {
    /// The name, if there is one.
    pub of: Option<&'t str>,
    pub kind: &'t str,
    percent: &'t str,
}

impl<'t> RequiredShare<'t> {
    /// Splits the text. `example` is shown in errors.
    pub fn split(text: &'t str, example: &str) -> Result<Self, String> {
        let (name, percent) = text
            .rsplit_once('=')
            .ok_or_else(|| format!("write KIND=PERCENT, such as {example}"))?;
        let (of, kind) = match name.rsplit_once(':') {
            Some((of, kind)) => (Some(of), kind),
            None => (None, name),
        };
        Ok(Self { of, kind, percent })
    }

    /// The percentage.
    pub fn percent(self) -> Result<u32, String> {
        let percent = self
            .percent
            .strip_suffix('%')
            .unwrap_or(self.percent)
            .parse()
            .ok();
        let percent = percent.filter(|percent| *percent <= 100);
        percent.ok_or_else(|| "the share is a whole number of percent, from 0 to 100".to_owned())
    }
}
