//! Files that only their owner reads.

use std::fs::OpenOptions;

/// A file that is created so is for its owner alone, where the system knows owners.
pub fn for_owner_alone(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}
