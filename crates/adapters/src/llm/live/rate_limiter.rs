//! Limits the rate of requests to a server.

use fsmsim_syntax::threads::Mutex;
use std::collections::VecDeque;
use std::sync::{Condvar, PoisonError};
use std::time::{Duration, Instant};

/// Limits the rate of requests from all dialogues of a run. Requests that exceed the limit wait.
#[derive(Debug)]
pub(super) struct RateLimiter {
    max_concurrent: Option<u32>,
    state: Mutex<RateState>,
    /// Signals the end of a request.
    over: Condvar,
}

#[derive(Debug)]
struct RateState {
    running: u32,
    minute: RateWindow,
}

/// The requests of the last minute.
#[derive(Debug)]
struct RateWindow {
    most: Option<u32>,
    begun: VecDeque<Instant>,
}

const MINUTE: Duration = Duration::from_mins(1);

/// The permission for one request. Dropping it ends the request.
pub(super) struct Permit<'a> {
    limiter: &'a RateLimiter,
}

impl RateLimiter {
    pub(super) fn new(max_per_minute: Option<u32>, max_concurrent: Option<u32>) -> Self {
        let minute = RateWindow {
            most: max_per_minute,
            begun: VecDeque::new(),
        };
        Self {
            max_concurrent,
            state: Mutex::new(RateState { running: 0, minute }),
            over: Condvar::new(),
        }
    }

    /// Waits until another request is allowed.
    pub(super) fn enter(&self) -> Permit<'_> {
        let mut state = self.state.lock();
        while self
            .max_concurrent
            .is_some_and(|most| state.running >= most)
        {
            state = self
                .over
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        state.running += 1;
        let permit = Permit { limiter: self };
        loop {
            let wait = state.minute.begin(Instant::now());
            drop(state);
            if wait.is_zero() {
                return permit;
            }
            std::thread::sleep(wait);
            state = self.state.lock();
        }
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.limiter.state.lock().running -= 1;
        self.limiter.over.notify_one();
    }
}

impl RateWindow {
    /// Starts a request and returns zero, or returns how long to wait before the next call.
    fn begin(&mut self, now: Instant) -> Duration {
        let Some(most) = self.most else {
            return Duration::ZERO;
        };
        while self
            .begun
            .front()
            .is_some_and(|first| now.duration_since(*first) >= MINUTE)
        {
            self.begun.pop_front();
        }
        match self.begun.front() {
            Some(first) if self.begun.len() >= most as usize => {
                MINUTE.saturating_sub(now.duration_since(*first))
            }
            _ => {
                self.begun.push_back(now);
                Duration::ZERO
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_per_minute_are_limited() {
        let mut window = RateWindow {
            most: Some(2),
            begun: VecDeque::new(),
        };
        let start = Instant::now();
        let mut at = |seconds: u64| window.begin(start + Duration::from_secs(seconds)).as_secs();
        assert_eq!((at(0), at(10)), (0, 0));
        assert_eq!((at(20), at(59)), (40, 1));
        assert_eq!((at(60), at(61), at(70)), (0, 9, 0));
    }

    #[test]
    fn finished_request_admits_the_next_one() {
        let limiter = RateLimiter::new(None, Some(1));
        drop(limiter.enter());
        let first = limiter.enter();
        std::thread::scope(|scope| {
            let second = scope.spawn(|| limiter.enter().limiter.state.lock().running);
            drop(first);
            assert_eq!(second.join().unwrap(), 1);
        });
        assert_eq!(limiter.state.lock().running, 0);
    }
}
