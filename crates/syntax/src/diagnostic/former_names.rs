//! Former names of keys, values and options.

/// Each line contains a former name and its present name.
const FORMER_NAMES: &str = include_str!("former_names.txt");

/// The present names of a former name. A present name applies only where it is a known name.
pub(super) fn present_names(former: &str) -> Vec<&'static str> {
    FORMER_NAMES
        .lines()
        .filter_map(|line| line.split_once(' '))
        .filter(|(old, _)| *old == former)
        .map(|(_, new)| new)
        .collect()
}
