//! Tells all tabs what happens. A tab that does not listen keeps nobody waiting.

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

/// The tabs that listen.
#[derive(Default)]
pub(super) struct EventHub {
    tabs: Mutex<Vec<Sender<Arc<str>>>>,
    /// The number of the dialogue.
    tree: AtomicU64,
}

impl EventHub {
    /// The dialogue has another number from now on.
    pub(super) fn set_tree(&self, tree: u64) {
        self.tree.store(tree, Ordering::Relaxed);
    }

    /// Tells all tabs.
    pub(super) fn tell(&self, event: &StudioEvent) {
        let line: Arc<str> = event.line().into();
        // Who has gone, or is too far behind, is told nothing more.
        self.tabs
            .lock()
            .retain(|tab| tab.try_send(Arc::clone(&line)).is_ok());
    }

    /// One more tab listens; nothing, where there are too many.
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

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::pin::Pin;

    use futures_core::Stream;

    use super::*;

    #[test]
    fn a_tab_that_does_not_listen_loses_events_and_no_other_does() {
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
                hub.tell(&StudioEvent::Files);
                assert!(next(&mut quick).await.unwrap().contains("files"));
            }
            let mut told = Vec::new();
            while let Some(line) = next(&mut slow).await {
                told.push(line);
            }
            assert_eq!(
                told.len(),
                MAX_WAITING_EVENTS + 2,
                "the first, those that waited, and that some are lost"
            );
            assert_eq!(told.last().unwrap(), "{\"event\":\"lost\"}\n");
            drop(quick);
            let tabs: Vec<_> = (0..MAX_TABS).map(|_| hub.listen().unwrap()).collect();
            assert!(hub.listen().is_none(), "there are {} already", tabs.len());
        });
    }
}
