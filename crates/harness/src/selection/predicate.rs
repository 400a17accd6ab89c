//! What may be asked of a scenario.

use super::name_pattern::NamePattern;

/// Something that may be asked of a scenario.
#[derive(Clone, Debug)]
pub enum Predicate {
    /// It has a tag like this.
    Tag(NamePattern),
    /// Its title is like this.
    Title(NamePattern),
    /// The path of its file, from the project, is like this.
    Path(NamePattern),
    /// Its model is like this: the path from the project, or its last name, with or without the ending.
    Model(NamePattern),
    /// It comes to something like this: `state:close`.
    Covers(NamePattern),
    /// It has a turn of a class like this.
    Class(NamePattern),
    /// Somebody is asked what its turns do not say.
    Asks,
    /// What it plays, or itself, is not as in this revision.
    Changed(Box<str>),
}

/// The names of all.
pub(super) const PREDICATES: [&str; 8] = [
    "tag", "title", "path", "model", "covers", "class", "asks", "changed",
];

impl Predicate {
    /// The predicate of this name, of what stands between its brackets. Nothing where there is none of this name.
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
            "asks" => return Err("`asks()` takes nothing".to_owned()),
            "changed" if argument.trim().is_empty() => {
                return Err("name a revision: `changed(main)`".to_owned());
            }
            "changed" => Self::Changed(argument.trim().into()),
            _ => return Ok(None),
        }))
    }

    /// Whether it can only be told by playing.
    pub(super) fn needs_play(&self) -> bool {
        matches!(self, Self::Covers(_) | Self::Class(_) | Self::Changed(_))
    }
}
