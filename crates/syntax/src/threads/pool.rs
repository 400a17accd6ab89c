//! A thread pool that returns results in the order of the items.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;

use crate::limits::MAX_WAITING_THREADS;
use rayon::prelude::*;

/// The number of items per thread that are started before the first result is returned.
const AHEAD: usize = 4;

/// A thread pool. With only one thread, the calling thread does the work.
pub struct Threads {
    pool: rayon::ThreadPool,
}

/// The next item of work.
#[derive(Debug)]
pub enum Next<I> {
    Item(I),
    /// An item after which the next one can take long. All results are returned before the next item is requested.
    LastForNow(I),
    End,
}

impl Threads {
    /// Creates a pool of `count` threads; 0 means one thread per processor.
    pub fn new(count: usize) -> Result<Self, rayon::ThreadPoolBuildError> {
        Ok(Self {
            pool: rayon::ThreadPoolBuilder::new().num_threads(count).build()?,
        })
    }

    /// Creates a pool for threads that mostly wait for external services: at most 64 threads, but at least one per
    /// processor.
    pub fn waiting(count: usize) -> Result<Self, rayon::ThreadPoolBuildError> {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Self::new(count.min(MAX_WAITING_THREADS).max(processors))
    }

    pub fn pool(&self) -> &rayon::ThreadPool {
        &self.pool
    }

    fn is_alone(&self) -> bool {
        self.pool.current_num_threads() == 1
    }

    /// Returns the result of each item, in the order of the items.
    pub fn map<I: Sync, T: Send>(
        &self,
        items: &[I],
        work: impl Fn(&I) -> T + Sync + Send,
    ) -> Vec<T> {
        if self.is_alone() || items.len() < 2 {
            return items.iter().map(work).collect();
        }
        // Work on an item can wait for an external service, so each item is a separate task.
        self.pool
            .install(|| items.par_iter().with_max_len(1).map(work).collect())
    }

    /// Works on each item of `next` and passes its result to `each`: on this thread, in the order of the items, as
    /// early as possible. Requests only as many items as keep the threads busy.
    ///
    /// # Errors
    /// Returns the first error of `each`. No further item is requested then.
    pub fn in_order<I: Send, T: Send, E>(
        &self,
        mut next: impl FnMut() -> Next<I>,
        work: impl Fn(I) -> T + Sync,
        mut each: impl FnMut(T) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.is_alone() {
            while let Next::Item(item) | Next::LastForNow(item) = next() {
                each(work(item))?;
            }
            return Ok(());
        }
        let work = &work;
        let stopped = &AtomicBool::new(false);
        let (sender, receiver) = mpsc::channel();
        let most = AHEAD * self.pool.current_num_threads();
        self.pool.in_place_scope(|scope| {
            let mut results: Results<std::thread::Result<T>> = Results {
                first: 0,
                pending: VecDeque::new(),
            };
            let mut run = || {
                let mut allowed = most;
                let mut ended = false;
                loop {
                    while results.pending.len() >= allowed {
                        let Ok((number, result)) = receiver.recv() else {
                            return Ok(());
                        };
                        results.put(number, result);
                        while let Some(result) = results.take() {
                            each(result.unwrap_or_else(|panic| resume_unwind(panic)))?;
                        }
                    }
                    if ended {
                        return Ok(());
                    }
                    let item;
                    (item, allowed) = match next() {
                        Next::Item(item) => (item, most),
                        Next::LastForNow(item) => (item, 1),
                        Next::End => {
                            ended = true;
                            allowed = 1;
                            continue;
                        }
                    };
                    let number = results.expect();
                    let sender = sender.clone();
                    scope.spawn(move |_| {
                        if !stopped.load(Ordering::Relaxed) {
                            let result = catch_unwind(AssertUnwindSafe(|| work(item)));
                            // After an error, the receiver is closed and the result is not needed.
                            let _ = sender.send((number, result));
                        }
                    });
                }
            };
            let done = run();
            stopped.store(true, Ordering::Relaxed);
            done
        })
    }
}

/// Results in the order of their items, with empty entries for pending results.
struct Results<T> {
    /// The number of the first pending result.
    first: usize,
    pending: VecDeque<Option<T>>,
}

impl<T> Results<T> {
    /// Adds an empty entry and returns its number.
    fn expect(&mut self) -> usize {
        self.pending.push_back(None);
        self.first + self.pending.len() - 1
    }

    fn put(&mut self, number: usize, result: T) {
        if let Some(entry) = self.pending.get_mut(number - self.first) {
            *entry = Some(result);
        }
    }

    /// The next result, if it is available.
    fn take(&mut self) -> Option<T> {
        let result = self.pending.front_mut()?.take()?;
        self.pending.pop_front();
        self.first += 1;
        Some(result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn threads(count: usize) -> Threads {
        Threads::new(count).unwrap()
    }

    fn numbers(until: u64) -> impl FnMut() -> Next<u64> {
        let mut numbers = 0..until;
        move || match numbers.next() {
            Some(number) if number % 7 == 3 => Next::LastForNow(number),
            Some(number) => Next::Item(number),
            None => Next::End,
        }
    }

    #[test]
    fn results_have_the_order_of_the_items_despite_delays() {
        let slow = |number: u64| {
            std::thread::sleep(std::time::Duration::from_micros(number * 7919 % 500));
            number
        };
        for count in [1, 2, 5] {
            let mut seen = Vec::new();
            let done: Result<(), ()> = threads(count).in_order(numbers(200), slow, |number| {
                seen.push(number);
                Ok(())
            });
            assert_eq!((done, seen), (Ok(()), (0..200).collect()), "{count}");
        }
    }

    #[test]
    fn all_results_are_returned_before_a_pause() {
        let handed = std::cell::Cell::new(0);
        let mut numbers = numbers(100);
        let mut due = 0;
        let next = || {
            assert!(handed.get() >= due);
            let next = numbers();
            if let Next::LastForNow(number) = next {
                due = number + 1;
            }
            next
        };
        let done: Result<(), ()> = threads(3).in_order(
            next,
            |number| number,
            |number| {
                handed.set(number + 1);
                Ok(())
            },
        );
        assert_eq!((done, handed.get()), (Ok(()), 100));
    }

    #[test]
    fn errors_and_panics_stop_the_work() {
        for count in [1, 4] {
            let stop = |number| if number == 5 { Err(number) } else { Ok(()) };
            assert_eq!(
                threads(count).in_order(numbers(1 << 40), |number| number, stop),
                Err(5)
            );
            let broken = |number| assert_ne!(number, 5, "expected");
            let run = || threads(count).in_order(numbers(1 << 40), broken, |()| Ok::<(), ()>(()));
            assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
        }
    }
}
