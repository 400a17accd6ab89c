//! What the main loop waits for, and who brings it.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use lsp_server::{Connection, Message};

use super::analyst::{Analysis, AnalysisJob, Analyst};
use super::state_visits::{ModelVisits, VisitJob};

/// What the main loop waits for.
pub(super) enum ServerEvent {
    /// The editor says something.
    Message(Message),
    /// The editor is gone.
    Closed,
    /// Something was worked out.
    Analysed(Box<Analysis>),
    /// Scenarios were played.
    Visited(ModelVisits),
}

/// Brings what the editor says, until it is gone.
pub(super) fn listen(connection: &Connection, events: &Sender<ServerEvent>) {
    let (messages, events) = (connection.receiver.clone(), events.clone());
    thread::spawn(move || {
        for message in messages {
            if events.send(ServerEvent::Message(message)).is_err() {
                return;
            }
        }
        // Nobody may be waiting any more.
        drop(events.send(ServerEvent::Closed));
    });
}

/// Has jobs worked out beside the main loop, one after the other.
pub(super) fn begin_analysis(
    mut analyst: Analyst,
    events: &Sender<ServerEvent>,
) -> Sender<AnalysisJob> {
    let (jobs, wanted): (Sender<AnalysisJob>, Receiver<AnalysisJob>) = channel();
    let events = events.clone();
    thread::spawn(move || {
        for job in wanted {
            let analysis = Box::new(analyst.analyse(&job));
            if events.send(ServerEvent::Analysed(analysis)).is_err() {
                return;
            }
        }
    });
    jobs
}

/// Has scenarios played beside all else.
pub(super) fn begin_visits(job: VisitJob, events: &Sender<ServerEvent>) {
    let events = events.clone();
    // Nobody may be waiting any more.
    thread::spawn(move || drop(events.send(ServerEvent::Visited(job.play()))));
}
