//! Addresses and environment variables that providers use.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::ops::Range;

use toml::Spanned;

/// A setting of a provider that names an address or an environment variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReachLine {
    /// The setting as text, for example `base_url = "https://…"`.
    pub text: String,
    /// The byte range of the value in the file.
    pub at: Range<usize>,
}

/// The addresses and variables in the settings of a provider.
#[derive(Debug, Default)]
pub(super) struct LinkReach<'l> {
    pub addresses: [(&'static str, Option<&'l Spanned<String>>); 2],
    pub variables: Vec<NamedVariable<'l>>,
}

/// An environment variable that a provider uses.
#[derive(Debug)]
pub(super) struct NamedVariable<'l> {
    pub key: String,
    /// The name of the variable.
    pub variable: &'l str,
    /// The byte range of the name in the file.
    pub at: Range<usize>,
}

impl LinkReach<'_> {
    /// The settings that need the consent of the user. The list is empty if the provider uses no variables and
    /// only addresses on this machine. Otherwise, they are all its addresses and variables, because values are sent to the
    /// addresses.
    pub(super) fn lines(self) -> Vec<ReachLine> {
        let addresses = self
            .addresses
            .into_iter()
            .filter_map(|(key, value)| Some((key, value?)));
        let is_far = addresses
            .clone()
            .any(|(_, address)| !is_loopback(address.get_ref()));
        if !is_far && self.variables.is_empty() {
            return Vec::new();
        }
        let line = |key: &str, value: &str, at| ReachLine {
            text: format!("{key} = {value:?}"),
            at,
        };
        addresses
            .map(|(key, value)| line(key, value.get_ref(), value.span()))
            .chain(
                self.variables
                    .iter()
                    .map(|named| line(&named.key, named.variable, named.at.clone())),
            )
            .collect()
    }
}

/// Whether an address is certainly on this machine. False if the address is ambiguous.
pub(super) fn is_loopback(address: &str) -> bool {
    let Some((_, rest)) = address.split_once("://") else {
        return false;
    };
    let authority = rest.split('/').next().unwrap_or_default();
    let (host, port) = match authority.strip_prefix('[') {
        Some(inner) => match inner.split_once(']') {
            Some((host, port)) => return host.parse() == Ok(Ipv6Addr::LOCALHOST) && is_port(port),
            None => return false,
        },
        None => authority
            .find(':')
            .map_or((authority, ""), |at| authority.split_at(at)),
    };
    let is_this = host.eq_ignore_ascii_case("localhost")
        || host.parse().is_ok_and(|ip: Ipv4Addr| ip.is_loopback());
    is_this && is_port(port)
}

/// Whether the string is empty, or a colon and a number.
fn is_port(text: &str) -> bool {
    text.is_empty()
        || text
            .strip_prefix(':')
            .is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::is_loopback;

    #[test]
    fn ambiguous_address_is_not_loopback() {
        for here in [
            "http://127.0.0.1:11434/v1",
            "http://127.9.9.9",
            "https://LOCALHOST/v1",
            "http://[::1]:8080/v1",
            "http://[::1]",
        ] {
            assert!(is_loopback(here), "{here}");
        }
        for far in [
            "https://api.example.com/v1",
            "http://127.0.0.1.example.com/v1",
            "http://localhost.example.com",
            "http://127.1/v1",
            "http://0177.0.0.1/",
            "http://2130706433/",
            "http://0.0.0.0:80",
            "http://[::]/",
            "http://[::1].example.com/",
            "http://[::ffff:127.0.0.1]/",
            "http://localhost\\.example.com/",
            "http://127.0.0.1:80:x/",
            "http://localhost:80@example.com/",
            "localhost",
            "",
        ] {
            assert!(!is_loopback(far), "{far}");
        }
    }
}
