//! All generated pages except the command-line page.

use super::built_ins::built_ins;
use super::findings::findings;
use super::format_page::FormatPage;
use super::markdown_page::MarkdownPage;
use super::mutation_operators::mutation_operators;
use super::profile_switches::profile_switches;
use super::transition_tables::transition_tables;
use fsmsim_dialects::reference::all;
use fsmsim_syntax::shapes::FORMATS;

/// The generated pages with their paths in `docs/src/reference`. The program adds the command-line page.
pub fn reference_pages() -> Vec<(String, MarkdownPage)> {
    let builtins = all();
    let pages = [
        ("built-ins", built_ins(&builtins)),
        ("findings", findings()),
        ("mutation-operators", mutation_operators()),
        ("profile-switches", profile_switches()),
        ("transition-tables", transition_tables(&builtins)),
    ];
    let formats = FormatPage::all(FORMATS).into_iter();
    let formats = formats.map(|(name, page)| (format!("formats/{name}.md"), page));
    let pages = pages.map(|(name, page)| (format!("{name}.md"), page));
    pages.into_iter().chain(formats).collect()
}
