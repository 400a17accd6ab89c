//! The page of mutation operators.

use strum::VariantArray;

use super::markdown_page::MarkdownPage;
use fsmsim_harness::mutate::MutationOperator;
use fsmsim_syntax::terminal::Joined;

/// The page of all mutation operators.
pub(super) fn mutation_operators() -> MarkdownPage {
    let introduction = "An operator makes one edit in one file of a model or of its base flows. \
         [`fsmsim mutate`](../how-to/would-my-tests-notice.md) checks whether scenarios notice the edits. After the last \
         value, the first one is next. An operator never removes required keys or anchors with aliases.";
    let mut page = MarkdownPage::new("Mutation operators", introduction);
    let operators = MutationOperator::VARIANTS.iter();
    let rows = operators.map(|operator| {
        [
            format!("`{}`", operator.name()),
            operator.about().split_whitespace().joined(" "),
        ]
    });
    page.table(["operator", "edit"], rows);
    page
}
