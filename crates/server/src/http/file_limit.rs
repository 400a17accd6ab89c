//! How many connections there may be, as far as files may be open.

/// Files that stay free for all that is no connection: traces, databases, dialogues that are kept.
const RESERVE: usize = 256;

/// As many connections as are wanted, as far as each can have a file and enough of them are left: a half of all, where that is
/// less than the reserve.
pub(super) fn most_connections(wanted: usize) -> usize {
    open_files().map_or(wanted, |most| wanted.min(most - RESERVE.min(most / 2)))
}

/// How many files the process may have open at once, where that is bounded.
#[cfg(unix)]
fn open_files() -> Option<usize> {
    use nix::sys::resource::{Resource, getrlimit};
    let (now, _) = getrlimit(Resource::RLIMIT_NOFILE).ok()?;
    usize::try_from(now).ok()
}

#[cfg(not(unix))]
fn open_files() -> Option<usize> {
    None
}
