//! Regular expressions as people write them.

/// Why a text is no regular expression, in a sentence without its beginning and end.
pub fn why_no_pattern(error: &regex::Error) -> String {
    // The last line says what is wrong; those before it draw the pattern.
    let text = error.to_string();
    let last = text.lines().last().unwrap_or_default().trim();
    last.trim_start_matches("error: ").to_owned()
}
