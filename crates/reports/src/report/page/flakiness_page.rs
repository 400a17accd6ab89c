//! The page of what does not always come out the same.

use std::io;

use minijinja::Value;

use super::page::Page;

/// The page of what does not always come out the same.
#[derive(Debug)]
pub(in crate::report) struct FlakinessPage {
    /// What it comes to, in a sentence.
    pub(in crate::report) title: String,
    /// What it shows.
    pub(in crate::report) content: Value,
}

impl FlakinessPage {
    /// The page.
    ///
    /// # Errors
    /// Where the template cannot be filled.
    pub(in crate::report) fn write(self) -> io::Result<String> {
        let template = include_str!("flakiness.html");
        let page = Page {
            title: &self.title,
            template,
            script: "",
            graphs: Vec::new(),
            content: self.content,
        };
        page.render(&())
    }
}
