//! Access tokens: a client without the token is rejected.

use std::io;

use subtle::ConstantTimeEq;

/// The secret that a client must send.
#[derive(Clone)]
pub struct AccessToken(String);

impl AccessToken {
    pub fn new(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// A token that cannot be guessed.
    pub fn random() -> io::Result<Self> {
        random_name().map(Self)
    }

    /// The token as text, for a URL or a page.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether `given` is the token. The comparison takes constant time: it reveals only the length.
    pub fn is(&self, given: &[u8]) -> bool {
        self.0.as_bytes().ct_eq(given).into()
    }
}

/// A name that cannot be guessed: 128 random bits in hexadecimal.
pub fn random_name() -> io::Result<String> {
    let mut bits = [0; 16];
    getrandom::fill(&mut bits).map_err(io::Error::other)?;
    Ok(format!("{:032x}", u128::from_be_bytes(bits)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_equals_only_itself() {
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
