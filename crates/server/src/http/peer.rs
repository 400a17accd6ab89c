//! Who is at the other end of a connection.

use std::net::SocketAddr;

/// The address at the other end of a connection. It stands among the extensions of each of its requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeerAddress(pub SocketAddr);
