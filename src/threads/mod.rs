//! Work on several threads whose results come in order, whatever the number of threads.

mod pool;

pub use pool::{Next, Threads};
