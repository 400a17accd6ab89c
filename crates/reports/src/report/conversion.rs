//! The omissions of a conversion, as text.

use std::fmt::Write;

use fsmsim_dialects::convert::Omission;
use fsmsim_syntax::diagnostic::SourceMap;
use fsmsim_syntax::diagnostic::plural;
use fsmsim_syntax::terminal::printable;

/// The list of omissions, one per line with its location; empty if nothing was omitted.
pub fn left_out_list(items: &[Omission], sources: &SourceMap) -> String {
    if items.is_empty() {
        return String::new();
    }
    let mut text = format!("omitted ({}):\n", plural(items.len(), "item"));
    for item in items {
        let place = item
            .place(sources)
            .map(|place| format!("{}:{}: ", place.path, place.line))
            .unwrap_or_default();
        let _ = writeln!(text, "  {}{}", printable(&place), printable(&item.what));
    }
    text
}
