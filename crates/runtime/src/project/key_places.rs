//! Where keys of the project file stand.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

/// Where keys of the project file stand. What is built from it knows the places of few of them.
pub(super) struct KeyPlaces<'t>(Option<Spanned<DeTable<'t>>>);

impl<'t> KeyPlaces<'t> {
    /// Those of a file; of one that is none, nothing is known.
    pub(super) fn of(text: &'t str) -> Self {
        Self(DeTable::parse(text).ok())
    }

    /// Where a key of the link that stands here is written, or without a link a key of `[llm]`: with dots, as far as it is there.
    pub(super) fn of_llm(&self, link: Option<&Range<usize>>, key: &str) -> Option<Range<usize>> {
        let (_, llm) = entry(self.0.as_ref()?.get_ref(), "llm")?;
        let llm = llm.get_ref().as_table()?;
        let mut table = Some(llm);
        if let Some(at) = link {
            let chain = entry(llm, "chain").and_then(|(_, chain)| chain.get_ref().as_array());
            let links = chain.into_iter().flat_map(|chain| chain.iter());
            let mut links = links.chain(entry(llm, "judge").map(|(_, judge)| judge));
            table = links
                .find(|link| link.span().start == at.start)?
                .get_ref()
                .as_table();
        }
        let mut found = None;
        for part in key.split('.') {
            let Some((key, value)) = table.and_then(|table| entry(table, part)) else {
                break;
            };
            found = Some(key.span());
            table = value.get_ref().as_table();
        }
        found
    }
}

/// A key of a table, with its value.
fn entry<'a, 't>(
    table: &'a DeTable<'t>,
    name: &str,
) -> Option<(&'a Spanned<DeString<'t>>, &'a Spanned<DeValue<'t>>)> {
    table.iter().find(|(key, _)| key.get_ref() == name)
}
