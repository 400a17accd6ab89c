//! Guards of arrows.

use crate::convert::names::word;

/// A guard as the name of a slot. Signs of comparisons become words.
pub(super) fn guard_name(text: &str) -> String {
    const SIGNS: [(&str, &str); 9] = [
        ("<=", "at_most"),
        (">=", "at_least"),
        ("!=", "is_not"),
        ("===", "is"),
        ("==", "is"),
        ("=", "is"),
        ("<", "less_than"),
        (">", "more_than"),
        ("!", "not"),
    ];
    let mut text = text.to_owned();
    for (sign, words) in SIGNS {
        text = text.replace(sign, &format!(" {words} "));
    }
    let name = word(&text);
    if name.is_empty() {
        "guard".to_owned()
    } else {
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comparison_becomes_a_name() {
        assert_eq!(guard_name("n >= 0"), "n_at_least_0");
        assert_eq!(guard_name("if x == 'a'"), "if_x_is_a");
        assert_eq!(guard_name("!paid"), "not_paid");
    }
}
