//! The page of built-in names.

use strum::VariantArray;

use super::markdown_page::{MarkdownPage, title_of};
use fsmsim_dialects::reference::{Builtin, BuiltinKind};

/// The page of all built-in names.
pub(super) fn built_ins(builtins: &[Builtin]) -> MarkdownPage {
    let introduction = "Every flow can use these names without a declaration. `fsmsim explain NAME` describes one name, and \
         `fsmsim explain KIND` lists a kind, for example `intents` or `sources`. [Sales policy](../explanation/sales-policy.md) \
         describes how they work together. [Transition tables](transition-tables.md) lists the conditions.";
    let mut page = MarkdownPage::new("Built-in names", introduction);
    for kind in BuiltinKind::VARIANTS
        .iter()
        .filter(|kind| **kind != BuiltinKind::Conditions)
    {
        add_kind(*kind, builtins, &mut page);
    }
    page
}

/// Adds the section of a kind.
pub(super) fn add_kind(kind: BuiltinKind, builtins: &[Builtin], page: &mut MarkdownPage) {
    page.section(&title_of(kind.name()));
    let entries = || builtins.iter().filter(|builtin| builtin.kind == kind);
    // A value that all entries share is written once.
    let common = entries()
        .next()
        .map(|first| &first.set)
        .filter(|set| entries().all(|builtin| builtin.set == **set));
    if let Some(set) = common {
        page.paragraph(&format!("Set: {set}."));
    }
    let set_title = if common.is_none() { "set" } else { "" };
    let rows = entries().map(|builtin| {
        let Builtin {
            name,
            says,
            value,
            set,
            ..
        } = builtin.clone();
        [format!("`{name}`"), says, value, set]
    });
    page.table(["name", "description", kind.value_title(), set_title], rows);
}
