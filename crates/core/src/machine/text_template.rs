//! A text with placeholders.

use super::SlotId;
use crate::limits::MAX_FILLED_BYTES;

/// A text with placeholders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextTemplate {
    pieces: Box<[TemplatePiece]>,
}

/// A piece of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemplatePiece {
    /// Literal text.
    Words(Box<str>),
    /// The value of a slot.
    Slot(SlotId),
}

impl TextTemplate {
    /// Parses a text with placeholders `{{name}}`; `piece_of` resolves each name. Double braces around anything else
    /// are literal text.
    ///
    /// # Errors
    /// Returns the error of `piece_of` for the first name that it cannot resolve.
    pub fn parse<'t, E>(
        text: &'t str,
        mut piece_of: impl FnMut(&'t str) -> Result<TemplatePiece, E>,
    ) -> Result<Self, E> {
        let mut pieces = Vec::new();
        let mut words = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("{{") {
            words.push_str(before);
            match after
                .split_once("}}")
                .map(|(name, after)| (name.trim(), after))
                .filter(|(name, _)| is_name(name))
            {
                Some((name, after)) => {
                    match piece_of(name)? {
                        TemplatePiece::Words(more) => words.push_str(&more),
                        slot @ TemplatePiece::Slot(_) => {
                            if !words.is_empty() {
                                pieces
                                    .push(TemplatePiece::Words(std::mem::take(&mut words).into()));
                            }
                            pieces.push(slot);
                        }
                    }
                    rest = after;
                }
                None => {
                    words.push_str("{{");
                    rest = after;
                }
            }
        }
        words.push_str(rest);
        if !words.is_empty() {
            pieces.push(TemplatePiece::Words(words.into()));
        }
        Ok(Self {
            pieces: pieces.into(),
        })
    }

    /// The slots whose values the text contains.
    pub fn slots(&self) -> impl Iterator<Item = SlotId> {
        self.pieces.iter().filter_map(|piece| match piece {
            TemplatePiece::Slot(slot) => Some(*slot),
            TemplatePiece::Words(_) => None,
        })
    }

    /// The text with all values filled in; `None` if a value is unknown. In a long text, values are shortened.
    pub fn fill(&self, known: impl Fn(SlotId) -> Option<String>) -> Option<String> {
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                TemplatePiece::Words(words) => text.push_str(words),
                TemplatePiece::Slot(slot) => {
                    let value = known(*slot)?;
                    let room = MAX_FILLED_BYTES.saturating_sub(text.len());
                    let shown = value.get(..value.floor_char_boundary(room));
                    text.push_str(shown.unwrap_or_default());
                    if room < value.len() {
                        text.push('…');
                    }
                }
            }
        }
        Some(text)
    }
}

/// Whether this is a valid placeholder name: letters, digits and `_`.
fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Id;

    fn filled(text: &str) -> Option<String> {
        let slot = |name: &str| {
            let at = ["a", "имя", "gone"].iter().position(|known| *known == name);
            at.map_or_else(
                || Ok::<_, ()>(TemplatePiece::Words("[word]".into())),
                |at| Ok(TemplatePiece::Slot(SlotId::from_index(at))),
            )
        };
        let known = |slot: SlotId| {
            [Some("1"), Some("Анна"), None]
                .get(slot.index())
                .copied()?
                .map(str::to_owned)
        };
        TextTemplate::parse(text, slot).unwrap().fill(known)
    }

    #[test]
    fn fill_replaces_placeholders_with_values() {
        assert_eq!(filled("{{a}} и {{ имя }}!"), Some("1 и Анна!".to_owned()));
        assert_eq!(
            filled("nothing but {{one}}"),
            Some("nothing but [word]".to_owned())
        );
        assert_eq!(filled(""), Some(String::new()));
    }

    #[test]
    fn fill_returns_nothing_if_a_value_is_unknown() {
        assert_eq!(filled("{{a}} {{gone}}"), None);
    }

    #[test]
    fn braces_without_a_name_are_literal_text() {
        assert_eq!(
            filled("{a} {{ {{}} {{a-b}} {{a}"),
            Some("{a} {{ {{}} {{a-b}} {{a}".to_owned())
        );
        let first = |name| {
            if name == "a" {
                Ok(TemplatePiece::Words("x".into()))
            } else {
                Err(name)
            }
        };
        assert_eq!(TextTemplate::parse("{{a}} {{b}}", first), Err("b"));
    }
}
