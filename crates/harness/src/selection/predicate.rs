//! Predicates of filter expressions.

use super::name_pattern::NamePattern;

/// A predicate of a scenario.
#[derive(Clone, Debug)]
pub enum Predicate {
    /// It has a matching tag.
    Tag(NamePattern),
    /// Its title matches.
    Title(NamePattern),
    /// The path of its file, relative to the project, matches.
    Path(NamePattern),
    /// Its model matches: the path relative to the project, or the file name with or without the extension.
    Model(NamePattern),
    /// It covers a matching item: `state:close`.
    Covers(NamePattern),
    /// It has a turn of a matching class.
    Class(NamePattern),
    /// It can call a provider.
    Asks,
    /// It has changed since this revision, or its model has.
    Changed(Box<str>),
}

/// The names of all predicates.
pub(super) const PREDICATES: [&str; 8] = [
    "tag", "title", "path", "model", "covers", "class", "asks", "changed",
];

impl Predicate {
    /// The predicate with this name and this argument. `None` if the name is unknown.
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

    /// Whether it requires running the scenario.
    pub(super) fn needs_play(&self) -> bool {
        matches!(self, Self::Covers(_) | Self::Class(_) | Self::Changed(_))
    }
}
