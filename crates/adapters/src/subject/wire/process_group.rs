//! A process with all its descendants.

use std::io;
use std::process::{Child, Command};

/// A process with all its descendants, except those that leave the group on purpose. If this program is interrupted,
/// its groups are killed first.
pub(super) struct ProcessGroup {
    #[cfg(unix)]
    leader: i32,
}

#[cfg(unix)]
mod running {
    use std::collections::BTreeSet;
    use std::sync::Once;

    use fsmsim_syntax::threads::Mutex;
    use nix::sys::signal::{Signal, killpg};
    use nix::unistd::Pid;
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    /// The leaders of running groups.
    static RUNNING: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());
    static WATCH: Once = Once::new();

    pub(super) fn add(leader: i32) {
        RUNNING.lock().insert(leader);
        WATCH.call_once(|| {
            // Without signal handling, groups end a little later, when their input closes.
            if let Ok(mut signals) = Signals::new([SIGINT, SIGTERM, SIGHUP]) {
                std::thread::spawn(move || {
                    for signal in signals.forever() {
                        RUNNING.lock().iter().for_each(|leader| kill(*leader));
                        let _ = emulate_default_handler(signal);
                    }
                });
            }
        });
    }

    pub(super) fn end(leader: i32) {
        kill(leader);
        RUNNING.lock().remove(&leader);
    }

    fn kill(leader: i32) {
        let _ = killpg(Pid::from_raw(leader), Signal::SIGKILL);
    }
}

impl ProcessGroup {
    /// Starts a process as the leader of a new group.
    #[cfg(unix)]
    pub(super) fn start(command: &mut Command) -> io::Result<(Child, Self)> {
        use std::os::unix::process::CommandExt;

        let mut child = command.process_group(0).spawn()?;
        match i32::try_from(child.id()) {
            Ok(leader) => {
                running::add(leader);
                Ok((child, Self { leader }))
            }
            Err(_) => {
                child.kill()?;
                Err(io::Error::other("the process ID is out of range"))
            }
        }
    }

    #[cfg(not(unix))]
    pub(super) fn start(command: &mut Command) -> io::Result<(Child, Self)> {
        Ok((command.spawn()?, Self {}))
    }

    /// Kills the remaining processes of the group.
    pub(super) fn kill(&self) {
        #[cfg(unix)]
        running::end(self.leader);
    }
}
