//! Former names of keys, values and options.

/// A former name and its present name in each line.
const FORMER_NAMES: &str = include_str!("former_names.txt");

/// The present names of a former name. They apply only where the present name is known.
pub(super) fn present_names(former: &str) -> Vec<&'static str> {
    let names = FORMER_NAMES.lines().filter_map(|line| line.split_once(' '));
    let names = names.filter(|(old, _)| *old == former);
    names.map(|(_, new)| new).collect()
}
