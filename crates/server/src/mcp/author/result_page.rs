//! A part of a long list.

use std::ops::Range;

use schemars::JsonSchema;
use serde::Deserialize;

use super::author_answer::{Answered, AuthorAnswer, AuthorRefusal};
use crate::limits::MAX_TEXT_PAGE;

/// Which part of a long list is wanted: so many behind a cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ResultPage {
    from: usize,
    most: usize,
}

/// Goes on behind an earlier answer, by its `next`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(transparent)]
pub(super) struct Cursor(#[schemars(regex(pattern = "^[0-9]{1,9}$"))] String);

/// Which part of a list a call wants: `USUAL` items unless said.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct PageCall<const USUAL: usize> {
    #[schemars(range(min = 1, max = 1000), description = usual(USUAL))]
    limit: Option<usize>,
    cursor: Option<Cursor>,
}

fn usual(items: usize) -> String {
    format!("So many at most: {items} unless said.")
}

impl<const USUAL: usize> PageCall<USUAL> {
    /// The part that is wanted.
    pub(super) fn read(&self) -> Result<ResultPage, AuthorRefusal> {
        ResultPage::behind(self.cursor.as_ref(), self.limit.unwrap_or(USUAL))
    }
}

impl ResultPage {
    /// The part behind a cursor, of at most so many.
    fn behind(cursor: Option<&Cursor>, most: usize) -> Result<Self, AuthorRefusal> {
        let from = cursor.map_or(Ok(0), |Cursor(cursor)| cursor.parse());
        let from = from.map_err(|_| "`cursor` is the `next` of an earlier answer")?;
        Ok(Self { from, most })
    }

    /// Of so many the part that is wanted, and the cursor behind it, where there is more.
    pub(super) fn of(self, all: usize) -> (Range<usize>, Option<String>) {
        let from = self.from.min(all);
        let to = from.saturating_add(self.most).min(all);
        (from..to, (to < all).then(|| to.to_string()))
    }

    /// Takes of a list the part that is wanted; the cursor behind it, where there is more.
    pub(super) fn take<T>(self, list: &mut Vec<T>) -> Option<String> {
        let (part, next) = self.of(list.len());
        list.truncate(part.end);
        list.drain(..part.start);
        next
    }
}

/// What is told under a list of which there is more.
pub(super) fn told_rest(next: Option<&String>, all: usize) -> String {
    next.map(|next| format!("\n… of {all}; go on with cursor \"{next}\""))
        .unwrap_or_default()
}

/// A text, or the part of it behind a cursor, cut at the end of a line.
pub(super) fn text_page(text: &str, cursor: Option<&Cursor>) -> Answered {
    let page = ResultPage::behind(cursor, MAX_TEXT_PAGE)?;
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
    let (to, all) = (from + head.len(), text.len());
    Ok(AuthorAnswer::text(format!(
        "{head}… {to} of {all} bytes; go on with cursor \"{to}\""
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_meet_and_end() {
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
