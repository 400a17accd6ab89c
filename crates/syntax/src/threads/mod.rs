//! Work on several threads whose results come in order, whatever the number of threads; and its shares, where several
//! machines do it.

mod pool;
mod shard;

pub use pool::{Next, Threads};
pub use shard::Shard;
