//! Opens the socket of a server and lists its host names.

use std::net::{SocketAddr, TcpListener};

use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic};

/// The port that URLs omit.
const DEFAULT_PORT: u16 = 80;

pub fn listen(address: SocketAddr) -> Checked<TcpListener> {
    TcpListener::bind(address).map_err(|error| {
        Box::new(
            Diagnostic::error(
                Code::ConnectionFailed,
                format!("cannot listen on {address}: {error}"),
            )
            .help("use an address of this machine and a free port above 1023"),
        )
    })
}

/// The host names that requests to the server can use. A loopback address accepts all its synonyms, any other address
/// only itself. If the server listens on all addresses, only the names of this machine are accepted.
pub fn host_names(address: SocketAddr) -> Vec<String> {
    let port = address.port();
    if !address.ip().is_loopback() && !address.ip().is_unspecified() {
        return vec![address.to_string()];
    }
    let names = ["localhost", "127.0.0.1", "[::1]"];
    let plain = names
        .into_iter()
        .filter(|_| port == DEFAULT_PORT)
        .map(str::to_owned);
    let itself = address.ip().is_unspecified().then(|| address.to_string());
    names
        .into_iter()
        .map(|name| format!("{name}:{port}"))
        .chain(plain)
        .chain(itself)
        .collect()
}
