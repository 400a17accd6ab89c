//! Names of secrets.

/// Words in the names of headers, query parameters and file keys whose values are secrets.
const WORDS: [&str; 7] = [
    "authorization",
    "key",
    "token",
    "secret",
    "password",
    "cookie",
    "credential",
];

/// Whether a value with this name is probably a secret. For a complete line: whether the line names a secret.
pub fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    WORDS.iter().any(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_name_contains_one_of_the_words_in_any_case() {
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
