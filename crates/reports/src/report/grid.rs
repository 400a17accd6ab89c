//! A table as aligned text or as HTML.

use std::io::{self, Write};

use fsmsim_core::trace::aligned;
use fsmsim_syntax::terminal::printable;

/// A table. The first columns contain words, the others numbers.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    /// The rows, starting with the titles.
    rows: Vec<Vec<String>>,
    /// The number of columns with words.
    words: usize,
}

impl Grid {
    /// A table with these titles; the first `words` columns contain words.
    pub(super) fn new<'t>(titles: impl IntoIterator<Item = &'t str>, words: usize) -> Self {
        Self {
            rows: vec![titles.into_iter().map(str::to_owned).collect()],
            words,
        }
    }

    pub(super) fn push(&mut self, row: Vec<String>) {
        self.rows.push(row);
    }

    /// Adds a row that starts with a name.
    pub(super) fn push_named(&mut self, name: &str, cells: impl IntoIterator<Item = String>) {
        self.push([name.to_owned()].into_iter().chain(cells).collect());
    }

    /// Whether there are no rows except the titles.
    pub(super) fn is_empty(&self) -> bool {
        self.rows.len() < 2
    }

    /// Writes aligned columns: words left, numbers right.
    pub(super) fn write_text(&self, out: &mut impl Write) -> io::Result<()> {
        let escape = |row: &Vec<String>| row.iter().map(|cell| printable(cell)).collect();
        let shown: Vec<Vec<String>> = self.rows.iter().map(escape).collect();
        out.write_all(aligned(&shown, self.words).as_bytes())
    }

    /// Writes a title and the table, if it has rows.
    pub(super) fn write_section(&self, title: &str, out: &mut impl Write) -> io::Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        writeln!(out, "\n{title}")?;
        self.write_text(out)
    }

    /// An HTML table; `None` without rows.
    pub(super) fn html(&self) -> Option<String> {
        let mut html = "<table>\n".to_owned();
        for (number, row) in self.rows.iter().enumerate() {
            let tag = if number == 0 { "th" } else { "td" };
            html += "<tr>";
            for (column, cell) in row.iter().enumerate() {
                let class = if column < self.words {
                    ""
                } else {
                    " class=\"n\""
                };
                let content = escaped(cell);
                html.extend(["<", tag, class, ">", &content, "</", tag, ">"]);
            }
            html += "</tr>\n";
        }
        (!self.is_empty()).then_some(html + "</table>\n")
    }
}

/// Escapes a text for HTML.
pub(super) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in printable(text).chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_by_terminal_width() {
        let mut grid = Grid::new(["имя", "n"], 1);
        grid.push(vec!["漢字".into(), "1".into()]);
        grid.push(vec!["a".into(), "100".into()]);
        let mut text = Vec::new();
        grid.write_text(&mut text).unwrap();
        assert_eq!(
            String::from_utf8(text).unwrap(),
            "имя     n\n漢字    1\na     100\n"
        );
    }

    #[test]
    fn html_in_a_cell_is_escaped() {
        assert_eq!(
            escaped("<a href=\"x\">'&'"),
            "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;"
        );
    }
}
