//! Work on several threads whose results come in order, whatever the number of threads; and its shares, where several
//! machines do it. And a mutex for what threads share.

mod mutex;
mod pool;
mod shard;

pub use mutex::Mutex;
pub use pool::{Next, Threads};
pub use shard::Shard;
