//! Sends events to all tabs. A tab that does not read its events does not block the others.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_core::Stream;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::time::{Interval, MissedTickBehavior, interval_at};

use super::studio_event::StudioEvent;
use crate::limits::{MAX_TABS, MAX_WAITING_EVENTS};
use fsmsim_syntax::threads::Mutex;

/// The connected tabs.
#[derive(Default)]
pub(super) struct EventHub {
    tabs: Mutex<Vec<Sender<Arc<str>>>>,
    /// The version number of the turn tree.
    tree: AtomicU64,
}

impl EventHub {
    /// Sets the version number of the turn tree.
    pub(super) fn set_tree(&self, tree: u64) {
        self.tree.store(tree, Ordering::Relaxed);
    }

    /// Sends an event to all tabs.
    pub(super) fn send(&self, event: &StudioEvent) {
        let line: Arc<str> = event.line().into();
        // A tab that is closed or too slow is disconnected.
        self.tabs
            .lock()
            .retain(|tab| tab.try_send(Arc::clone(&line)).is_ok());
    }

    /// Connects a tab; `None` if there are too many.
    pub(super) fn listen(&self) -> Option<EventStream> {
        let mut tabs = self.tabs.lock();
        tabs.retain(|tab| !tab.is_closed());
        if tabs.len() >= MAX_TABS {
            return None;
        }
        let (sender, receiver) = channel(MAX_WAITING_EVENTS);
        tabs.push(sender);
        let tree = self.tree.load(Ordering::Relaxed);
        Some(EventStream::new(
            &StudioEvent::Hello {
                version: env!("CARGO_PKG_VERSION"),
                tree,
            },
            receiver,
        ))
    }
}

/// The interval of keep-alive events.
const TICK: Duration = Duration::from_secs(15);

/// The events for one tab, as JSON Lines. Ends with `lost` if the tab is disconnected.
pub(super) struct EventStream {
    first: Option<String>,
    events: Option<Receiver<Arc<str>>>,
    ticks: Interval,
}

impl EventStream {
    /// A stream that starts with the event `first`.
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

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::pin::Pin;

    use futures_core::Stream;

    use super::*;

    #[test]
    fn only_a_slow_tab_loses_events() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        runtime.block_on(async {
            let hub = EventHub::default();
            let (mut quick, mut slow) = (hub.listen().unwrap(), hub.listen().unwrap());
            let next = async |stream: &mut EventStream| {
                let line = poll_fn(|context| Pin::new(&mut *stream).poll_next(context)).await;
                line.map(Result::unwrap_or_default)
            };
            assert!(next(&mut quick).await.unwrap().contains("hello"));
            for _ in 0..2 * MAX_WAITING_EVENTS {
                hub.send(&StudioEvent::Files);
                assert!(next(&mut quick).await.unwrap().contains("files"));
            }
            let mut received = Vec::new();
            while let Some(line) = next(&mut slow).await {
                received.push(line);
            }
            assert_eq!(
                received.len(),
                MAX_WAITING_EVENTS + 2,
                "the first event, the queued events, and the `lost` event"
            );
            assert_eq!(received.last().unwrap(), "{\"event\":\"lost\"}\n");
            drop(quick);
            let tabs: Vec<_> = (0..MAX_TABS).map(|_| hub.listen().unwrap()).collect();
            assert!(hub.listen().is_none(), "there are {} already", tabs.len());
        });
    }
}
