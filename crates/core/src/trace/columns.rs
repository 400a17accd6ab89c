//! Cells in aligned columns, by the width that terminals give them.

use unicode_width::UnicodeWidthStr;

/// Rows of cells as aligned lines: the first `words` columns from the left, the others to the right.
pub fn aligned(rows: &[impl AsRef<[String]>], words: usize) -> String {
    let cells = |column: usize| rows.iter().filter_map(move |row| row.as_ref().get(column));
    let columns = rows.iter().map(|row| row.as_ref().len()).max().unwrap_or(0);
    let width = |column: usize| cells(column).map(|cell| cell.width()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, (cell, width)) in row.as_ref().iter().zip(&widths).enumerate() {
            let space = " ".repeat(width.saturating_sub(cell.width()));
            let (before, after) = if column < words {
                ("", &*space)
            } else {
                (&*space, "")
            };
            line.push_str(if column > 0 { "  " } else { "" });
            line.extend([before, cell, after]);
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
