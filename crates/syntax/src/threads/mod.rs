//! Parallel work with results in a fixed order, shards for several machines, and a mutex without poisoning.

mod mutex;
mod pool;
mod shard;

pub use mutex::Mutex;
pub use pool::{Next, Threads};
pub use shard::Shard;
