//! IDs derived from names, so that the same script creates the same IDs.

use uuid::Uuid;

/// The UUID namespace of this program's memory.
const SPACE: Uuid = Uuid::from_u128(0x2f0c_6d1e_94b7_4c53_8a16_5e0d_7b3f_9c42);

/// The separator of name parts. Removed from the parts themselves.
const SEPARATOR: char = '\u{1f}';

/// The version 5 UUID of a name with several parts.
pub fn derived_id(parts: &[&str]) -> String {
    let parts: Vec<String> = parts
        .iter()
        .map(|part| part.replace(SEPARATOR, ""))
        .collect();
    Uuid::new_v5(&SPACE, parts.join(&SEPARATOR.to_string()).as_bytes()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn id_depends_on_its_parts_only() {
        let id = derived_id(&["ann", "3", "share", "0"]);
        assert_eq!(id, derived_id(&["ann", "3", "share", "0"]));
        assert_eq!(Uuid::parse_str(&id).unwrap().get_version_num(), 5);
        let others = [
            ["ann", "3", "share", "1"],
            ["ann", "31", "", "0"],
            ["ann3", "", "share", "0"],
        ];
        assert!(others.iter().all(|parts| derived_id(parts) != id));
    }
}
