//! A required coverage percentage.

use std::str::FromStr;

use super::coverage_kind::CoverageKind;
use super::required_share::{RequiredShare, named_value};

/// A required coverage percentage: `classes=100%`, or for one model `bant:states=80`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoverageRequirement {
    /// The model, by its path or its file name without extensions. `None` for every model.
    pub model: Option<String>,
    /// The kind of items.
    pub kind: CoverageKind,
    /// The required percentage.
    pub percent: u32,
}

impl CoverageRequirement {
    /// Whether it applies to the model at this path.
    pub fn is_about(&self, path: &str) -> bool {
        let last = || {
            path.rsplit('/')
                .next()
                .map(|name| name.split_once('.').map_or(name, |(stem, _)| stem))
        };
        self.model
            .as_deref()
            .is_none_or(|model| model == path || Some(model) == last())
    }

    /// Whether it applies to one of these models.
    pub fn is_about_any<'p>(&self, mut paths: impl Iterator<Item = &'p str>) -> bool {
        self.model.is_none() || paths.any(|path| self.is_about(path))
    }
}

impl FromStr for CoverageRequirement {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let required = RequiredShare::split(text, "classes=100%")?;
        let name = required.kind;
        let plural = CoverageKind::from_singular(name).map_or(name, |kind| kind.name());
        Ok(Self {
            model: required.of.map(str::to_owned),
            kind: named_value("coverage kind", name, plural)?,
            percent: required.percent()?,
        })
    }
}
