//! Which names are those of secrets.

/// Words in the names of headers, of parts of a query and of keys of a file whose values are secrets.
const WORDS: [&str; 7] = [
    "authorization",
    "key",
    "token",
    "secret",
    "password",
    "cookie",
    "credential",
];

/// Whether what has this name is probably a secret; whether one is named, in a whole line.
pub fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    WORDS.iter().any(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_hold_one_of_the_words_in_any_case() {
        for name in [
            "Authorization",
            "X-Api-Key",
            "apikey",
            "access_token",
            "Set-Cookie",
            "clientSecret",
        ] {
            assert!(is_secret_name(name), "{name}");
        }
        for name in ["accept", "x-title", "content-type", ""] {
            assert!(!is_secret_name(name), "{name}");
        }
    }
}
