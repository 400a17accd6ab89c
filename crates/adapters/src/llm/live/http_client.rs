//! HTTP requests: addresses, certificates and proxies.

use std::time::Duration;

use ureq::RequestBuilder;
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::typestate::WithBody;

use super::proxy_route::ProxyRoute;
use super::request_error::RequestError;
use crate::limits::MAX_CERTIFICATES;
use crate::llm::answer_failure::FailureKind;
use crate::llm::provider::Provider;
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic};
use fsmsim_syntax::document::read_bytes;

/// The HTTP client of a provider.
#[derive(Debug)]
pub(super) struct HttpClient {
    agent: ureq::Agent,
    /// Whether requests use a proxy, as configured for the provider.
    proxy: Option<bool>,
}

impl HttpClient {
    /// A client for a provider.
    pub(super) fn new(provider: &Provider) -> Checked<Self> {
        // The proxy is chosen per address: a proxy for `https` is not used for `http`.
        let mut config = ureq::Agent::config_builder()
            .timeout_global(Some(provider.timeout))
            .http_status_as_error(false)
            .max_redirects(0)
            .proxy(None);
        if let Some(path) = &provider.ca_file {
            let bytes = read_bytes(path, MAX_CERTIFICATES)?;
            let found: Result<Vec<PemItem<'_>>, ureq::Error> = parse_pem(&bytes).collect();
            let certificates: Vec<Certificate<'_>> = found
                .unwrap_or_default()
                .into_iter()
                .filter_map(|item| match item {
                    PemItem::Certificate(certificate) => Some(certificate),
                    _ => None,
                })
                .collect();
            if certificates.is_empty() {
                return Diagnostic::error(
                    Code::BadProject,
                    format!("`ca_file` of `{}` contains no certificates", provider.name),
                )
                .about(path.display().to_string())
                .help("use a PEM file, which contains `-----BEGIN CERTIFICATE-----`")
                .fail();
            }
            let roots = RootCerts::new_with_certs(&certificates);
            config = config.tls_config(TlsConfig::builder().root_certs(roots).build());
        }
        Ok(Self {
            agent: config.build().new_agent(),
            proxy: provider.proxy,
        })
    }

    /// The proxy for an address, if any.
    pub(super) fn route(&self, address: &str) -> Option<ProxyRoute> {
        ProxyRoute::to(address, self.proxy, |name| std::env::var(name).ok())
    }

    /// Prepares a POST request without sending it.
    pub(super) fn post(
        &self,
        address: &str,
        timeout: Duration,
    ) -> Result<RequestBuilder<WithBody>, RequestError> {
        let unusable = |what: String| RequestError::fatal(FailureKind::Refused.because(what));
        let proxy = match self.route(address) {
            Some(route) => {
                // The error does not show the complete URL, because it might contain a password.
                let proxy = ureq::Proxy::new(&route.url).map_err(|_| {
                    unusable(format!("`{}` is not a valid proxy URL", route.variable()))
                })?;
                if !matches!(
                    proxy.protocol(),
                    ureq::ProxyProtocol::Http | ureq::ProxyProtocol::Https
                ) {
                    let shown = route.shown();
                    return Err(unusable(format!(
                        "unsupported proxy {shown}: expected `http` or `https`"
                    )));
                }
                Some(proxy)
            }
            None => None,
        };
        Ok(self
            .agent
            .post(address)
            .config()
            .proxy(proxy)
            .timeout_global(Some(timeout))
            .build())
    }

    /// The error for a request without an answer, including the proxy that was used.
    pub(super) fn error_of_sending(&self, address: &str, error: &ureq::Error) -> RequestError {
        let mut request_error = RequestError::of_sending(error);
        if let Some(route) = self.route(address) {
            request_error.failure.reason = format!(
                "{}, through the proxy {}",
                request_error.failure.reason,
                route.shown()
            );
        }
        request_error
    }
}
