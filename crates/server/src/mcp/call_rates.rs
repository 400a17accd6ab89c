//! Call rates of clients.

use crate::limits::MAX_RATED_CLIENTS;
use fsmsim_syntax::threads::Mutex;
use std::collections::BTreeMap;
use std::time::Instant;

/// A token bucket per client: `per_minute` calls per minute. After a quiet minute, a client can make all its calls
/// immediately.
pub(super) struct CallRates {
    per_minute: u32,
    clients: Mutex<BTreeMap<String, Allowance>>,
}

/// The remaining calls of a client.
#[derive(Clone, Copy)]
struct Allowance {
    calls: f64,
    since: Instant,
}

/// Seconds in a minute.
const MINUTE: f64 = 60.0;

impl CallRates {
    pub(super) fn new(per_minute: u32) -> Self {
        Self {
            per_minute,
            clients: Mutex::default(),
        }
    }

    /// Counts a call. Returns the seconds to wait if the client exceeds its rate.
    pub(super) fn take(&self, client: &str) -> Option<u64> {
        self.take_at(client, Instant::now())
    }

    fn take_at(&self, client: &str, now: Instant) -> Option<u64> {
        let most = f64::from(self.per_minute);
        let left = |known: &Allowance| {
            let grown = now.saturating_duration_since(known.since).as_secs_f64() * most / MINUTE;
            (known.calls + grown).min(most)
        };
        let mut clients = self.clients.lock();
        if clients.len() >= MAX_RATED_CLIENTS && !clients.contains_key(client) {
            // Clients with all calls left need no entry. If there are still too many entries, all clients start again.
            clients.retain(|_, known| left(known) < most);
            if clients.len() >= MAX_RATED_CLIENTS {
                clients.clear();
            }
        }
        let known = clients.entry(client.to_owned()).or_insert(Allowance {
            calls: most,
            since: now,
        });
        *known = Allowance {
            calls: left(known),
            since: now,
        };
        if known.calls >= 1.0 {
            known.calls -= 1.0;
            return None;
        }
        let wait = ((1.0 - known.calls) * MINUTE / most).ceil().max(1.0);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between one second and a minute"
        )]
        let wait = wait as u64;
        Some(wait)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_client_that_waits_may_call_again() {
        let rates = CallRates::new(2);
        let begun = Instant::now();
        let at = |client: &str, seconds: u64| {
            rates.take_at(client, begun + Duration::from_secs(seconds))
        };
        assert_eq!((at("a", 0), at("a", 0), at("a", 0)), (None, None, Some(30)));
        assert_eq!(at("b", 0), None);
        assert_eq!(
            (at("a", 29), at("a", 30), at("a", 30)),
            (Some(1), None, Some(30))
        );
        assert_eq!(
            (at("a", 600), at("a", 600), at("a", 600)),
            (None, None, Some(30))
        );
    }

    #[test]
    fn unknown_clients_use_limited_memory() {
        let rates = CallRates::new(1);
        for client in 0..MAX_RATED_CLIENTS + 10 {
            assert_eq!(rates.take(&client.to_string()), None);
        }
        assert!(rates.clients.lock().len() <= MAX_RATED_CLIENTS);
    }
}
