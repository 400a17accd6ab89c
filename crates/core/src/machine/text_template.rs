//! A text with places for what is known.

use super::SlotId;

/// A text with places for what is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextTemplate {
    pieces: Box<[TemplatePiece]>,
}

/// A piece of such a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemplatePiece {
    /// These words.
    Words(Box<str>),
    /// What a slot holds.
    Slot(SlotId),
}

impl TextTemplate {
    /// Reads a text in which `{{name}}` stands for something; `piece_of` says what for. What is no name between double braces
    /// is text.
    ///
    /// # Errors
    /// What `piece_of` cannot say.
    pub fn parse<'t, E>(
        text: &'t str,
        mut piece_of: impl FnMut(&'t str) -> Result<TemplatePiece, E>,
    ) -> Result<Self, E> {
        let (mut pieces, mut words, mut rest) = (Vec::new(), String::new(), text);
        while let Some((before, behind)) = rest.split_once("{{") {
            words.push_str(before);
            match behind
                .split_once("}}")
                .map(|(name, behind)| (name.trim(), behind))
                .filter(|(name, _)| is_name(name))
            {
                Some((name, behind)) => {
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
                    rest = behind;
                }
                None => {
                    words.push_str("{{");
                    rest = behind;
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

    /// The text with what is known; nothing where something of it is not known.
    pub fn fill(&self, known: impl Fn(SlotId) -> Option<String>) -> Option<String> {
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                TemplatePiece::Words(words) => text.push_str(words),
                TemplatePiece::Slot(slot) => text.push_str(&known(*slot)?),
            }
        }
        Some(text)
    }
}

/// Whether this is a name as placeholders have them: letters, digits and `_`.
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
    fn what_is_known_stands_where_its_name_stood() {
        assert_eq!(filled("{{a}} и {{ имя }}!"), Some("1 и Анна!".to_owned()));
        assert_eq!(
            filled("nothing but {{one}}"),
            Some("nothing but [word]".to_owned())
        );
        assert_eq!(filled(""), Some(String::new()));
    }

    #[test]
    fn what_is_not_known_cannot_be_said() {
        assert_eq!(filled("{{a}} {{gone}}"), None);
    }

    #[test]
    fn braces_that_hold_no_name_are_text() {
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
