//! What lets the page in, and nobody else.

use std::fmt::Write;

use subtle::ConstantTimeEq;

/// What lets the page in: whoever started the studio has seen it, and nobody else can guess it.
#[derive(Clone)]
pub(super) struct StudioToken(String);

impl StudioToken {
    /// A new one, of 128 bits.
    pub(super) fn new() -> std::io::Result<Self> {
        let mut bits = [0; 16];
        getrandom::fill(&mut bits).map_err(std::io::Error::other)?;
        let mut text = String::new();
        for byte in bits {
            // Text takes all that is written to it.
            let _ = write!(text, "{byte:02x}");
        }
        Ok(Self(text))
    }

    /// As it stands in an address, or in a page once.
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether somebody says it. How much of it is right does not show in how long that takes.
    pub(super) fn is(&self, said: &[u8]) -> bool {
        self.0.as_bytes().ct_eq(said).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_itself_and_no_other() {
        let (one, other) = (StudioToken::new().unwrap(), StudioToken::new().unwrap());
        assert_eq!(one.as_str().len(), 32);
        assert!(one.is(one.as_str().as_bytes()));
        for wrong in [
            other.as_str(),
            "",
            &one.as_str()[1..],
            &format!("{}0", one.as_str()),
        ] {
            assert!(!one.is(wrong.as_bytes()), "{wrong}");
        }
    }
}
