//! The events that one tab is told.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_core::Stream;
use tokio::sync::mpsc::Receiver;
use tokio::time::{Interval, MissedTickBehavior, interval_at};

use super::studio_event::StudioEvent;

/// How often a tab is told that somebody is still there.
const TICK: Duration = Duration::from_secs(15);

/// The events that one tab is told, as lines; at the end, that it lost some.
pub(super) struct EventStream {
    first: Option<String>,
    events: Option<Receiver<Arc<str>>>,
    ticks: Interval,
}

impl EventStream {
    /// Nothing is told yet but the first.
    pub(super) fn new(first: &StudioEvent, events: Receiver<Arc<str>>) -> Self {
        let mut ticks = interval_at(tokio::time::Instant::now() + TICK, TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self {
            first: Some(first.line()),
            events: Some(events),
            ticks,
        }
    }
}

impl Stream for EventStream {
    type Item = Result<String, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Some(first) = self.first.take() {
            return Poll::Ready(Some(Ok(first)));
        }
        let Some(events) = &mut self.events else {
            return Poll::Ready(None);
        };
        match events.poll_recv(context) {
            Poll::Ready(Some(line)) => Poll::Ready(Some(Ok(line.to_string()))),
            Poll::Ready(None) => {
                self.events = None;
                Poll::Ready(Some(Ok(StudioEvent::Lost.line())))
            }
            Poll::Pending => self
                .ticks
                .poll_tick(context)
                .map(|_| Some(Ok(StudioEvent::Tick.line()))),
        }
    }
}
