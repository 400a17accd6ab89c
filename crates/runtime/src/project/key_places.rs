//! Locations of keys in the project file.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

/// Locations of keys in the project file. The parsed project contains only a few of them.
pub(super) struct KeyPlaces<'t>(Option<Spanned<DeTable<'t>>>);

impl<'t> KeyPlaces<'t> {
    /// The locations in a file. An invalid file has none.
    pub(super) fn of(text: &'t str) -> Self {
        Self(DeTable::parse(text).ok())
    }

    /// The location of a dotted key of the provider at `link`, or of `[llm]`. If the last parts are missing, the
    /// location of the longest existing prefix.
    pub(super) fn of_llm(&self, link: Option<&Range<usize>>, key: &str) -> Option<Range<usize>> {
        let (_, llm) = entry(self.0.as_ref()?.get_ref(), "llm")?;
        let llm = llm.get_ref().as_table()?;
        let mut table = Some(llm);
        if let Some(at) = link {
            let chain = entry(llm, "chain").and_then(|(_, chain)| chain.get_ref().as_array());
            let mut links = chain
                .into_iter()
                .flat_map(|chain| chain.iter())
                .chain(entry(llm, "judge").map(|(_, judge)| judge));
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

/// A key of a table with its value.
fn entry<'a, 't>(
    table: &'a DeTable<'t>,
    name: &str,
) -> Option<(&'a Spanned<DeString<'t>>, &'a Spanned<DeValue<'t>>)> {
    table.iter().find(|(key, _)| key.get_ref() == name)
}
