//! "Did you mean": the nearest known name.

/// The candidate that a person who typed `name` most likely meant, if any is near enough.
///
/// Near is a Damerau-Levenshtein distance of at most a third of the longer name; of equally near candidates the
/// first wins, so the answer does not depend on anything but the order given.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lowered = name.to_lowercase();
    let mut best: Option<(usize, &'a str)> = None;
    for candidate in candidates {
        let distance = strsim::damerau_levenshtein(&lowered, &candidate.to_lowercase());
        let longer = name.chars().count().max(candidate.chars().count());
        if distance * 3 <= longer && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// The question whether a near name was meant, as it follows a sentence; nothing where there is none. `what` it names, and
/// a blank, may stand before it.
pub fn did_you_mean(what: &str, near: Option<&str>) -> String {
    near.map_or(String::new(), |near| format!(" Did you mean {what}`{near}`?"))
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn finds_a_slip_of_the_finger_and_nothing_far() {
        let names = ["spin_situation", "spin_problem", "close"];
        assert_eq!(nearest("spin_problm", names), Some("spin_problem"));
        assert_eq!(nearest("Close", names), Some("close"));
        assert_eq!(nearest("greeting", names), None);
        assert_eq!(nearest("", names), None);
    }

    #[test]
    fn works_in_cyrillic() {
        assert_eq!(nearest("квалификацяи", ["квалификация"]), Some("квалификация"));
    }
}
