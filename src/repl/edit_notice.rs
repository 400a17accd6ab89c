//! Tells a person at the terminal that a file of the model was saved, while the line is still empty.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use rustyline::ExternalPrinter;

use fsmsim_harness::rehearsal::WatchedFiles;

/// How often the files are looked at.
const PAUSE: Duration = Duration::from_millis(200);

/// Looks at the files of the model while a person thinks, and tells once that one was saved. It ends when it is dropped.
pub(super) struct EditNotice {
    files: Sender<WatchedFiles>,
}

impl EditNotice {
    /// Begins to look.
    pub(super) fn begin(printer: impl ExternalPrinter + Send + 'static) -> Self {
        let (files, watched) = channel();
        // The thread only reads, and ends with the channel.
        thread::spawn(move || look(&watched, printer));
        Self { files }
    }

    /// The files as they were when the model was read.
    pub(super) fn watch(&self, files: WatchedFiles) {
        // A thread that ended has nothing to tell any more.
        let _ = self.files.send(files);
    }
}

fn look(watched: &Receiver<WatchedFiles>, mut printer: impl ExternalPrinter) {
    let mut known = WatchedFiles::default();
    loop {
        match watched.recv_timeout(PAUSE) {
            Ok(files) => known = files,
            Err(RecvTimeoutError::Disconnected) => return,
            Err(RecvTimeoutError::Timeout) if known.is_edited() => {
                known = WatchedFiles::default();
                let told = "a file of the model was saved: Enter plays the dialogue again on it\n"
                    .to_owned();
                if printer.print(told).is_err() {
                    return;
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}
