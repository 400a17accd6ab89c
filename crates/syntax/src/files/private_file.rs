//! Files that only their owner can read.

use std::fs::OpenOptions;

/// Makes new files readable and writable only for their owner, on Unix.
pub fn for_owner_alone(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}
