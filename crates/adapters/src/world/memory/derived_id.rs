//! Ids that are derived from what they are of, so that the same script makes the same ones.

use uuid::Uuid;

/// The space of names of this program's memory.
const SPACE: Uuid = Uuid::from_u128(0x2f0c_6d1e_94b7_4c53_8a16_5e0d_7b3f_9c42);

/// What stands between two parts of a name, and in none of them.
const BETWEEN: char = '\u{1f}';

/// The UUID, version 5, of a name of several parts.
pub fn derived_id(parts: &[&str]) -> String {
    let parts: Vec<String> = parts.iter().map(|part| part.replace(BETWEEN, "")).collect();
    Uuid::new_v5(&SPACE, parts.join(&BETWEEN.to_string()).as_bytes()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_of_their_parts_alone() {
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
