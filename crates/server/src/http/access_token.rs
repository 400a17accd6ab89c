//! What lets a client in, and nobody else.

use std::io;

use subtle::ConstantTimeEq;

/// What a client has to say to be let in.
#[derive(Clone)]
pub struct AccessToken(String);

impl AccessToken {
    /// The token of this text.
    pub fn new(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// A token that nobody can guess.
    pub fn random() -> io::Result<Self> {
        random_name().map(Self)
    }

    /// As it stands in an address, or in a page once.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this is what was said. How long that takes tells nothing but the length.
    pub fn is(&self, said: &[u8]) -> bool {
        self.0.as_bytes().ct_eq(said).into()
    }
}

/// A name that nobody can guess: 128 random bits in hexadecimal.
pub fn random_name() -> io::Result<String> {
    let mut bits = [0; 16];
    getrandom::fill(&mut bits).map_err(io::Error::other)?;
    Ok(format!("{:032x}", u128::from_be_bytes(bits)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_itself_and_no_other() {
        let (one, other) = (
            AccessToken::random().unwrap(),
            AccessToken::random().unwrap(),
        );
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
