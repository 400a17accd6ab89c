//! Selects the proxy for an address from environment variables.

use std::net::IpAddr;

use ureq::http::Uri;

use crate::llm::reach::is_loopback;

/// A proxy for an address.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct ProxyRoute {
    /// The URL, optionally with user and password.
    pub url: String,
    /// The environment variable that specifies the proxy.
    variable: &'static str,
}

/// Default ports of URLs.
const PORTS: [(&str, u16); 2] = [("http", 80), ("https", 443)];

impl ProxyRoute {
    /// The proxy for an address, if any. `wished` enables or disables the proxy. By default, it is disabled for
    /// addresses on this machine.
    pub(super) fn to(
        address: &str,
        wished: Option<bool>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Option<Self> {
        let is_wished = wished.unwrap_or_else(|| !is_loopback(address));
        let uri: Uri = address.parse().ok()?;
        let scheme = uri.scheme_str()?;
        let usual = PORTS.iter().find(|(name, _)| *name == scheme)?.1;
        let host = uri.host()?;
        let port = uri.port_u16().unwrap_or(usual);
        let host = host.trim_matches(['[', ']']);
        let value = |name: &str| {
            variable(name)
                .map(|value| value.trim().to_owned())
                .filter(|value| !value.is_empty())
        };
        let excepted = value("no_proxy")
            .or_else(|| value("NO_PROXY"))
            .unwrap_or_default();
        // A proxy that is explicitly enabled ignores `NO_PROXY`.
        if !is_wished || (wished.is_none() && is_excepted(&excepted, host, port)) {
            return None;
        }
        let names: [&'static str; 4] = match scheme {
            "http" => ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"],
            _ => ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"],
        };
        names.into_iter().find_map(|name| {
            Some(Self {
                url: value(name)?,
                variable: name,
            })
        })
    }

    /// The environment variable that specifies the proxy.
    pub(super) fn variable(&self) -> &'static str {
        self.variable
    }

    /// The URL without user and password, and the variable.
    pub(super) fn shown(&self) -> String {
        let (scheme, rest) = self.url.split_once("://").unwrap_or(("http", &self.url));
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let host = authority
            .rsplit_once('@')
            .map_or(authority, |(_, host)| host);
        format!("{scheme}://{host} ({})", self.variable)
    }
}

/// Shows neither user nor password.
impl std::fmt::Debug for ProxyRoute {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.shown())
    }
}

/// Whether a `NO_PROXY` list matches the host: by name, domain, network, or `*`.
fn is_excepted(list: &str, host: &str, port: u16) -> bool {
    let host = host.to_ascii_lowercase();
    list.split([',', ' '])
        .map(|entry| entry.trim().to_ascii_lowercase())
        .filter(|entry| !entry.is_empty())
        .any(|entry| {
            if entry == "*" || is_in_network(&entry, &host) {
                return true;
            }
            let (name, wanted) = match entry.rsplit_once(':') {
                Some((name, wanted)) if !name.contains(':') => (name, wanted.parse().ok()),
                _ => (&*entry, None),
            };
            let name = name
                .trim_start_matches('*')
                .trim_start_matches('.')
                .trim_start_matches('[')
                .trim_end_matches(']');
            let is_below = host
                .strip_suffix(name)
                .is_some_and(|before| before.is_empty() || before.ends_with('.'));
            !name.is_empty() && is_below && wanted.is_none_or(|wanted: u16| wanted == port)
        })
}

/// Whether a network such as `10.0.0.0/8` contains an address.
fn is_in_network(network: &str, host: &str) -> bool {
    let bits = |ip: IpAddr| match ip {
        IpAddr::V4(ip) => (u128::from(ip.to_bits()) << 96, 32_u32),
        IpAddr::V6(ip) => (ip.to_bits(), 128),
    };
    let Some((base, length)) = network.split_once('/') else {
        return false;
    };
    let (Ok(base), Ok(length), Ok(host)) = (base.parse(), length.parse::<u32>(), host.parse())
    else {
        return false;
    };
    let ((base, most), (host, same)) = (bits(base), bits(host));
    let mask = u128::MAX.checked_shl(128 - length.min(128)).unwrap_or(0);
    most == same && length <= most && base & mask == host & mask
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route(address: &str, wished: Option<bool>, environment: &[(&str, &str)]) -> Option<String> {
        let variable = |name: &str| {
            environment
                .iter()
                .find(|(key, _)| *key == name)
                .map(|(_, value)| (*value).to_owned())
        };
        ProxyRoute::to(address, wished, variable).map(|route| route.shown())
    }

    #[test]
    fn proxy_variable_depends_on_the_scheme() {
        let all = [
            ("HTTPS_PROXY", "http://s:3128"),
            ("HTTP_PROXY", "http://h:3128"),
            ("ALL_PROXY", "http://a:3128"),
        ];
        assert_eq!(
            route("https://x.example/v1", None, &all).unwrap(),
            "http://s:3128 (HTTPS_PROXY)"
        );
        assert_eq!(
            route("http://x.example/v1", None, &all).unwrap(),
            "http://h:3128 (HTTP_PROXY)"
        );
        assert_eq!(route("http://x.example", None, &all[..1]), None);
        assert_eq!(route("https://x.example", None, &all[1..2]), None);
        assert_eq!(
            route("http://x.example", None, &all[2..]).unwrap(),
            "http://a:3128 (ALL_PROXY)"
        );
        let both_cases = [
            ("HTTPS_PROXY", "http://big"),
            ("https_proxy", "http://small"),
        ];
        assert_eq!(
            route("https://x.example", None, &both_cases).unwrap(),
            "http://small (https_proxy)"
        );
        assert_eq!(
            route("https://x.example", None, &[("HTTPS_PROXY", " ")]),
            None
        );
    }

    #[test]
    fn this_machine_is_not_proxied_by_default() {
        let proxy = [("HTTP_PROXY", "http://h:3128"), ("NO_PROXY", "*")];
        for here in [
            "http://127.0.0.1:8080/v1",
            "http://localhost/v1",
            "http://[::1]:80",
        ] {
            assert_eq!(route(here, None, &proxy[..1]), None);
            assert!(route(here, Some(true), &proxy).is_some());
        }
        assert_eq!(route("http://x.example", Some(false), &proxy[..1]), None);
        assert_eq!(route("http://x.example", None, &proxy), None);
    }

    #[test]
    fn no_proxy_matches_hosts_domains_ports_and_networks() {
        let excepted = |list, host, port| is_excepted(list, host, port);
        for list in [
            "api.example.com",
            ".example.com",
            "example.com",
            "*.example.com",
            "a, EXAMPLE.com:443",
            "*",
        ] {
            assert!(excepted(list, "api.example.com", 443), "{list}");
        }
        for list in [
            "",
            "ample.com",
            "example.com:80",
            "api.example.com.org",
            "com.",
            ",",
            ".",
        ] {
            assert!(!excepted(list, "api.example.com", 443), "{list}");
        }
        assert!(excepted("10.0.0.0/8", "10.1.2.3", 80) && excepted("::/0", "fe80::1", 80));
        assert!(
            !excepted("10.0.0.0/8", "11.1.2.3", 80) && !excepted("10.0.0.0/99", "10.1.2.3", 80)
        );
        assert!(excepted("fe80::1", "fe80::1", 80) && excepted("0.0.0.0/0", "11.1.2.3", 80));
        assert!(!excepted("0.0.0.0/0", "fe80::1", 80));
    }

    #[test]
    fn password_is_never_shown() {
        let route = |url: &str| ProxyRoute {
            url: url.to_owned(),
            variable: "HTTPS_PROXY",
        };
        for url in ["http://user:p@ss@proxy:3128/x", "user:p%40ss@proxy:3128"] {
            assert_eq!(
                format!("{:?}", route(url)),
                "http://proxy:3128 (HTTPS_PROXY)"
            );
        }
    }
}
