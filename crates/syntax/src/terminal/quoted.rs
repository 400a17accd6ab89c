//! Shell quoting.

/// A word of a command line, in single quotes if a shell would split or expand it.
pub fn quoted(word: &str) -> String {
    let plain =
        |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | ':' | '=' | '%');
    if word.starts_with(|c: char| c != '-') && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}
