//! Threads that share work, and hand over what comes of it in order.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;

use crate::limits::MAX_WAITING_THREADS;
use rayon::prelude::*;

/// Items a thread that are begun before the first of them is handed over.
const AHEAD: usize = 4;

/// Threads that share work. Where there is only one, whoever asks works alone.
pub struct Threads {
    pool: rayon::ThreadPool,
}

/// What is to be worked on next.
#[derive(Debug)]
pub enum Next<I> {
    Item(I),
    /// An item behind which the next may be long in coming: all results are handed over before that is asked for.
    LastForNow(I),
    /// Nothing more.
    End,
}

impl Threads {
    /// So many threads; 0 are as many as there are processors.
    pub fn new(count: usize) -> Result<Self, rayon::ThreadPoolBuildError> {
        Ok(Self {
            pool: rayon::ThreadPoolBuilder::new().num_threads(count).build()?,
        })
    }

    /// So many threads of which most wait for somebody outside, 64 at most, and as many as there are processors at
    /// least.
    pub fn waiting(count: usize) -> Result<Self, rayon::ThreadPoolBuildError> {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Self::new(count.min(MAX_WAITING_THREADS).max(processors))
    }

    /// The threads, for work that shares itself out.
    pub fn pool(&self) -> &rayon::ThreadPool {
        &self.pool
    }

    fn is_alone(&self) -> bool {
        self.pool.current_num_threads() == 1
    }

    /// What comes of each item, in their order.
    pub fn map<I: Sync, T: Send>(
        &self,
        items: &[I],
        work: impl Fn(&I) -> T + Sync + Send,
    ) -> Vec<T> {
        if self.is_alone() || items.len() < 2 {
            return items.iter().map(work).collect();
        }
        // An item may wait for somebody outside: none is behind another by chance.
        self.pool
            .install(|| items.par_iter().with_max_len(1).map(work).collect())
    }

    /// Works on each item of `next`, and gives `each` what comes of it: on this thread, in the order of the items, as soon
    /// as it is known. Only so many items are asked for that the threads have something to do.
    ///
    /// # Errors
    /// Those of `each`. No further item is asked for then.
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
        let (work, stopped) = (&work, &AtomicBool::new(false));
        let (sender, receiver) = mpsc::channel();
        let most = AHEAD * self.pool.current_num_threads();
        self.pool.in_place_scope(|scope| {
            let mut results: Results<std::thread::Result<T>> = Results {
                first: 0,
                waiting: VecDeque::new(),
            };
            let mut run = || {
                let (mut allowed, mut ended) = (most, false);
                loop {
                    while results.waiting.len() >= allowed {
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
                            (ended, allowed) = (true, 1);
                            continue;
                        }
                    };
                    let (number, sender) = (results.expect(), sender.clone());
                    scope.spawn(move |_| {
                        if !stopped.load(Ordering::Relaxed) {
                            let result = catch_unwind(AssertUnwindSafe(|| work(item)));
                            // Where nobody waits for it any more, it is not missed.
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

/// Results in the order of their items; those that are still to come have their place.
struct Results<T> {
    /// The number of the first that waits.
    first: usize,
    waiting: VecDeque<Option<T>>,
}

impl<T> Results<T> {
    /// Keeps a place; gives its number.
    fn expect(&mut self) -> usize {
        self.waiting.push_back(None);
        self.first + self.waiting.len() - 1
    }

    fn put(&mut self, number: usize, result: T) {
        if let Some(place) = self.waiting.get_mut(number - self.first) {
            *place = Some(result);
        }
    }

    /// The next one, where it is there.
    fn take(&mut self) -> Option<T> {
        let result = self.waiting.front_mut()?.take()?;
        self.waiting.pop_front();
        self.first += 1;
        Some(result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(count: usize) -> Threads {
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
    fn results_come_in_order_whoever_is_slow() {
        let slow = |number: u64| {
            std::thread::sleep(std::time::Duration::from_micros(number * 7919 % 500));
            number
        };
        for count in [1, 2, 5] {
            let mut seen = Vec::new();
            let done: Result<(), ()> = of(count).in_order(numbers(200), slow, |number| {
                seen.push(number);
                Ok(())
            });
            assert_eq!((done, seen), (Ok(()), (0..200).collect()), "{count}");
        }
    }

    #[test]
    fn before_a_pause_everything_is_handed_over() {
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
        let done: Result<(), ()> = of(3).in_order(
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
    fn an_error_ends_it_and_so_does_a_panic() {
        for count in [1, 4] {
            let stop = |number| if number == 5 { Err(number) } else { Ok(()) };
            assert_eq!(
                of(count).in_order(numbers(1 << 40), |number| number, stop),
                Err(5)
            );
            let broken = |number| assert_ne!(number, 5, "told");
            let run = || of(count).in_order(numbers(1 << 40), broken, |()| Ok::<(), ()>(()));
            assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
        }
    }
}
