//! A word as a shell takes it.

/// A word of a command line; in quotation marks where the shell would take it apart.
pub fn quoted(word: &str) -> String {
    let plain =
        |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | ':' | '=' | '%');
    if word.starts_with(|c: char| c != '-') && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}
