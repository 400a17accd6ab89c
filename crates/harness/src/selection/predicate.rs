//! Predicates in filter expressions.

use super::name_pattern::NamePattern;

/// A predicate for scenarios.
#[derive(Clone, Debug)]
pub enum Predicate {
    /// A tag of the scenario matches.
    Tag(NamePattern),
    /// The title matches.
    Title(NamePattern),
    /// The path of the file, relative to the project, matches.
    Path(NamePattern),
    /// The model matches: its path relative to the project, or its file name with or without extension.
    Model(NamePattern),
    /// The scenario covers a matching item: `state:close`.
    Covers(NamePattern),
    /// The scenario has a turn whose class matches.
    Class(NamePattern),
    /// The scenario can call a provider.
    Asks,
    /// The scenario or its model has changed since this revision.
    Changed(Box<str>),
}

/// The names of all predicates.
pub(super) const PREDICATES: [&str; 8] = [
    "tag", "title", "path", "model", "covers", "class", "asks", "changed",
];

impl Predicate {
    /// The predicate with this name and argument. `None` if the name is unknown.
    pub(super) fn read(name: &str, argument: &str) -> Result<Option<Self>, String> {
        let pattern = || NamePattern::parse(argument);
        Ok(Some(match name {
            "tag" => Self::Tag(pattern()?),
            "title" => Self::Title(pattern()?),
            "path" => Self::Path(pattern()?),
            "model" => Self::Model(pattern()?),
            "covers" => Self::Covers(pattern()?),
            "class" => Self::Class(pattern()?),
            "asks" if argument.trim().is_empty() => Self::Asks,
            "asks" => return Err("`asks()` takes no argument".to_owned()),
            "changed" if argument.trim().is_empty() => {
                return Err("missing revision in `changed()`".to_owned());
            }
            "changed" => Self::Changed(argument.trim().into()),
            _ => return Ok(None),
        }))
    }

    /// The kind of the tested names, and the pattern for them.
    pub(super) fn pattern(&self) -> Option<(&'static str, &NamePattern)> {
        Some(match self {
            Self::Tag(pattern) => ("tag", pattern),
            Self::Title(pattern) => ("title", pattern),
            Self::Path(pattern) => ("path", pattern),
            Self::Model(pattern) => ("model", pattern),
            Self::Covers(pattern) => ("item", pattern),
            Self::Class(pattern) => ("class", pattern),
            Self::Asks | Self::Changed(_) => return None,
        })
    }

    /// Whether it depends on the turns of a scenario.
    pub(super) const fn reads_turns(&self) -> bool {
        matches!(self, Self::Covers(_) | Self::Class(_) | Self::Changed(_))
    }

    /// The revision that the predicate names.
    pub(super) fn revision(&self) -> Option<&str> {
        match self {
            Self::Changed(revision) => Some(revision),
            _ => None,
        }
    }
}
