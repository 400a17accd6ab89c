//! The reference table of a shape, for the docs.

use std::fmt::Write;

use super::word_list::word_list;
use fsmsim_syntax::shapes::{NameUse, Shape, ShapeType};

/// The keys of a shape as a Markdown table with the columns key, value and meaning.
pub fn key_table(shape: &Shape) -> String {
    let mut table = "| key | value | meaning |\n|---|---|---|\n".to_owned();
    for key in shape.keys {
        let required = if key.is_required { " (required)" } else { "" };
        let of = in_words(&key.of).replace('|', "\\|");
        let _ = writeln!(table, "| `{}`{required} | {of} | {} |", key.name, key.about);
    }
    table
}

/// A type in words, for example `list of text`.
fn in_words(of: &ShapeType) -> String {
    let name = |of: &NameUse| format!("name of {}", of.kind.noun());
    let words = |words: &[&str]| {
        let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
        words.join(", ")
    };
    match of {
        ShapeType::Plain("flag") => words(&["true", "false"]),
        ShapeType::Plain("count" | "level") => "whole number from 0".to_owned(),
        ShapeType::Plain("share") => "number from 0 to 1".to_owned(),
        ShapeType::Plain("integer") => "whole number".to_owned(),
        ShapeType::Plain("string") => "text".to_owned(),
        ShapeType::Plain("hole") => "placeholder".to_owned(),
        ShapeType::Plain("null") => "nothing".to_owned(),
        ShapeType::Plain(word) => (*word).to_owned(),
        ShapeType::Words(known) => words(known),
        ShapeType::Listed(list) => words(&word_list(list)),
        ShapeType::Name(of) => name(of),
        ShapeType::List(of) => format!("list of {}", in_words(of)),
        ShapeType::Many(of) => format!("{}, or a list", in_words(of)),
        ShapeType::Map(None, of) => format!("map of {}", in_words(of)),
        ShapeType::Map(Some(names), of) => {
            format!("map from {} to {}", name(names), in_words(of))
        }
        ShapeType::Named(shape) => match &shape.is {
            Some(is @ (ShapeType::Plain(_) | ShapeType::Words(_))) => in_words(is),
            _ => shape.name.replace('_', " "),
        },
        ShapeType::Either(either) => {
            let either: Vec<String> = either.iter().map(in_words).collect();
            either.join(" or ")
        }
        ShapeType::As(of, _) | ShapeType::Expected(of) => in_words(of),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsmsim_syntax::shapes;

    #[test]
    fn table_has_a_row_for_each_key() {
        let table = key_table(&shapes::POINT);
        assert_eq!(table.lines().count(), shapes::POINT.keys.len() + 2);
        for row in [
            "| `name` (required) | text | What it is called, in questions |",
            "| `priority` (required) | `P0`, `P1`, `P2`, `P3` | How much it matters; what matters most is asked first |",
            "| `depends_on` | name of point, or a list | Points that must be complete before |",
            "| `criteria` | point criteria | When an answer is enough |",
        ] {
            assert!(table.contains(row), "{table}");
        }
    }
}
