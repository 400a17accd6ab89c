//! The page of the tables that decide the transitions of flows.

use super::built_ins::add_kind;
use super::markdown_page::MarkdownPage;
use fsmsim_dialects::reference::{Builtin, BuiltinKind, default_priorities};

/// The page of the default priorities and the built-in conditions.
pub(super) fn transition_tables(builtins: &[Builtin]) -> MarkdownPage {
    let introduction = "The priorities rank the proposals of a turn, and the conditions decide which rules and transitions apply. \
         [Sales policy](../explanation/sales-policy.md) and [Conditions](../explanation/conditions.md) describe how they work.";
    let mut page = MarkdownPage::new("Priorities and conditions", introduction);
    page.section("Default priorities");
    page.paragraph(
        "A proposal has the smallest priority of the entries that match it. Among proposals of one level, the smallest priority \
         wins. A configuration root replaces this table with `default_priorities` in `flows/_base/priorities.yaml`, and a flow \
         with `priorities` or `priorities_profile`. The [format](formats/shared-objects.md#priority-entry) describes the keys of an \
         entry.",
    );
    let rows = default_priorities()
        .into_iter()
        .map(|[name, priority, matches, keys]| {
            [format!("`{name}`"), priority, matches, format!("`{keys}`")]
        });
    page.table(["entry", "priority", "matches", "definition"], rows);
    add_kind(BuiltinKind::Conditions, builtins, &mut page);
    page
}
