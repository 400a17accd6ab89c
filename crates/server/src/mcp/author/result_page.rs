//! Pages of a long result.

use std::ops::Range;

use schemars::JsonSchema;
use serde::Deserialize;

use super::author_answer::{Answered, AuthorAnswer, AuthorRefusal};
use crate::limits::MAX_TEXT_PAGE;

/// The requested page: at most `most` items, starting at an offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ResultPage {
    from: usize,
    most: usize,
}

/// Cursor of the next page, from the previous result.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(transparent)]
pub(super) struct Cursor(#[schemars(regex(pattern = "^[0-9]{1,9}$"))] String);

/// The requested part of a list: by default `USUAL` items.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct PageCall<const USUAL: usize> {
    #[schemars(range(min = 1, max = 1000), description = usual(USUAL))]
    limit: Option<usize>,
    cursor: Option<Cursor>,
}

fn usual(items: usize) -> String {
    format!("Maximum number of items (default: {items}).")
}

impl<const USUAL: usize> PageCall<USUAL> {
    /// The requested page.
    pub(super) fn read(&self) -> Result<ResultPage, AuthorRefusal> {
        ResultPage::starting_at(self.cursor.as_ref(), self.limit.unwrap_or(USUAL))
    }
}

impl ResultPage {
    /// The page that starts at a cursor.
    fn starting_at(cursor: Option<&Cursor>, most: usize) -> Result<Self, AuthorRefusal> {
        let from = cursor.map_or(Ok(0), |Cursor(cursor)| cursor.parse());
        let from = from.map_err(|_| "invalid `cursor`: use the cursor from the previous result")?;
        Ok(Self { from, most })
    }

    /// The range of the page in `all` items, and the cursor of the next page if there is one.
    pub(super) fn of(self, all: usize) -> (Range<usize>, Option<String>) {
        let from = self.from.min(all);
        let to = from.saturating_add(self.most).min(all);
        (from..to, (to < all).then(|| to.to_string()))
    }

    /// Reduces a list to the page. Returns the cursor of the next page if there is one.
    pub(super) fn take<T>(self, list: &mut Vec<T>) -> Option<String> {
        let (part, next) = self.of(list.len());
        list.truncate(part.end);
        list.drain(..part.start);
        next
    }
}

/// The line below a list that has more pages.
pub(super) fn more_pages_text(next: Option<&String>, all: usize) -> String {
    next.map(|next| format!("\n… {all} in total; continue with cursor \"{next}\""))
        .unwrap_or_default()
}

/// A page of a text, which ends at a line end.
pub(super) fn text_page(text: &str, cursor: Option<&Cursor>) -> Answered {
    let page = ResultPage::starting_at(cursor, MAX_TEXT_PAGE)?;
    let (part, next) = page.of(text.len());
    let from = text.floor_char_boundary(part.start);
    let rest = text.get(from..).unwrap_or_default();
    if next.is_none() {
        return Ok(AuthorAnswer::text(rest));
    }
    let head = rest
        .get(..rest.floor_char_boundary(MAX_TEXT_PAGE))
        .unwrap_or_default();
    let head = head
        .rsplit_once('\n')
        .map_or(head, |(head, _)| rest.get(..=head.len()).unwrap_or(head));
    let to = from + head.len();
    let all = text.len();
    Ok(AuthorAnswer::text(format!(
        "{head}… {to} of {all} bytes; continue with cursor \"{to}\""
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_adjacent_and_end() {
        let page = |cursor: Option<&str>, limit| {
            let cursor = cursor.map(|cursor| Cursor(cursor.to_owned()));
            PageCall::<2> { limit, cursor }.read()
        };
        let mut list = vec![1, 2, 3, 4, 5];
        assert_eq!(
            (page(None, None).unwrap().take(&mut list), list),
            (Some("2".to_owned()), vec![1, 2])
        );
        let mut list = vec![1, 2, 3, 4, 5];
        assert_eq!(
            (page(Some("4"), None).unwrap().take(&mut list), list),
            (None, vec![5])
        );
        let mut list = vec![1];
        assert_eq!(
            (page(Some("9"), Some(7)).unwrap().take(&mut list), list),
            (None, vec![])
        );
        assert!(page(Some("-1"), None).is_err() && page(Some("x"), None).is_err());
    }
}
