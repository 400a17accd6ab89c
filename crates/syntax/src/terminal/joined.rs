//! Joins the strings of an iterator without collecting them in a list.

/// Joins the strings of an iterator.
pub trait Joined: Iterator<Item: AsRef<str>> + Sized {
    /// All strings, separated by `between`.
    fn joined(mut self, between: &str) -> String {
        let mut all = self
            .next()
            .map_or_else(String::new, |first| first.as_ref().to_owned());
        for text in self {
            all.push_str(between);
            all.push_str(text.as_ref());
        }
        all
    }
}

impl<I: Iterator<Item: AsRef<str>>> Joined for I {}
