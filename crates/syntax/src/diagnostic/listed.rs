//! Lists of names in a sentence.

/// The first `most` names in backticks, and the number of omitted names.
pub fn listed<'n>(names: impl ExactSizeIterator<Item = &'n str>, most: usize) -> String {
    let more = names.len().saturating_sub(most);
    let shown: Vec<String> = names.take(most).map(|name| format!("`{name}`")).collect();
    let rest = if more == 0 {
        String::new()
    } else {
        format!(" and {more} more")
    };
    format!("{}{rest}", shown.join(", "))
}
