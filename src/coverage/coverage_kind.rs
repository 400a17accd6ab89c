//! What is counted, and which share of it must be covered.

use std::str::FromStr;

use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::diagnostic::nearest;

/// Something of which a share must be covered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum CoverageKind {
    /// States that are the model's.
    States,
    /// Classes of transitions.
    Classes,
}

/// A share that must be covered: `classes=100%`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoverageRequirement {
    /// Of what.
    pub kind: CoverageKind,
    /// The share, in percent.
    pub percent: u32,
}

/// How many there are, and how many of them were covered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Covered.
    pub covered: usize,
    /// All.
    pub all: usize,
}

impl CoverageKind {
    /// The name in options and results.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

impl FromStr for CoverageRequirement {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, percent) = text.split_once('=').ok_or("write KIND=PERCENT, such as classes=100%")?;
        let names = CoverageKind::VARIANTS.iter().map(|kind| kind.name());
        let kind = name.parse().map_err(|_| match nearest(name, names) {
            Some(near) => format!("`{name}` is not counted; did you mean {near}?"),
            None => format!("`{name}` is not counted; states and classes are"),
        })?;
        let percent = percent.strip_suffix('%').unwrap_or(percent).parse().ok();
        let percent = percent.filter(|percent| *percent <= 100);
        Ok(Self { kind, percent: percent.ok_or("the share is a whole number of percent, from 0 to 100")? })
    }
}

impl Share {
    /// Whether at least this share is covered, in percent.
    pub fn reaches(self, percent: u32) -> bool {
        self.covered * 100 >= self.all * percent as usize
    }

    /// The share in percent, rounded down.
    pub fn percent(self) -> usize {
        (self.covered * 100).checked_div(self.all).unwrap_or(100)
    }
}
