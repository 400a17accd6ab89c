//! Notifies the user about a saved model file while the input line is empty.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use rustyline::ExternalPrinter;

use fsmsim_harness::interactive::WatchedFiles;

/// The polling interval.
const PAUSE: Duration = Duration::from_millis(200);

/// Polls the files of the model while the user types, and reports a saved file once. Polling ends when this value is
/// dropped.
pub(super) struct EditNotice {
    files: Sender<WatchedFiles>,
}

impl EditNotice {
    /// Starts polling.
    pub(super) fn begin(printer: impl ExternalPrinter + Send + 'static) -> Self {
        let (files, watched) = channel();
        // The thread only reads, and ends when the channel closes.
        thread::spawn(move || look(&watched, printer));
        Self { files }
    }

    /// Updates the files to watch, as they were when the model was loaded.
    pub(super) fn watch(&self, files: WatchedFiles) {
        // The thread might have ended.
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
                let message =
                    "a model file was saved: press Enter to replay the dialogue\n".to_owned();
                if printer.print(message).is_err() {
                    return;
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}
