//! HTTP options of `fsmsim mcp`: address, token, host names, users, rate limit.

use std::net::SocketAddr;

use clap::Args;

use super::limits::MIN_TOKEN_LENGTH;
use super::{CommandResult, Context, Exit, refuse, refuse_as};
use fsmsim_server::http::{AccessToken, HeaderName, LogFormat, header, listen};
use fsmsim_server::mcp::{HttpAccess, Served};
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic};

/// The help for an invalid token.
const NEW_TOKEN: &str = "generate a token with `openssl rand -hex 32`";

/// The HTTP options of a server.
#[derive(Debug, Args)]
pub(super) struct McpAccessArgs {
    /// Serve `POST /mcp` over HTTP at this address instead of standard input and output; port 0 selects a free port
    #[arg(long, value_name = "ADDR")]
    http: Option<SocketAddr>,
    /// Require the token in this environment variable as `Authorization: Bearer TOKEN`
    #[arg(long, value_name = "VAR", requires = "http")]
    token_env: Option<String>,
    /// Accept this host name in addition to the address: `HOST` or `HOST:PORT`; repeatable
    #[arg(long, value_name = "HOST", requires = "http")]
    allow_host: Vec<String>,
    /// Accept requests from pages of this origin: `https://HOST[:PORT]`; repeatable
    #[arg(long, value_name = "ORIGIN", requires = "http")]
    allow_origin: Vec<String>,
    /// Read the user name from this proxy header; each user has separate dialogues and data
    #[arg(long, value_name = "HEADER", requires = "token_env")]
    user_from: Option<String>,
    /// Accept at most N requests per client and minute
    #[arg(long, value_name = "N", requires = "http", value_parser = clap::value_parser!(u32).range(1..))]
    rate_limit: Option<u32>,
    /// Log format; `json` includes the time and the client
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    log_format: LogFormat,
}

impl McpAccessArgs {
    /// Sets the log format.
    pub(super) fn begin_log(&self) {
        self.log_format.apply();
    }

    /// Whether the server has users.
    pub(super) fn distinguishes_users(&self) -> bool {
        self.user_from.is_some()
    }

    /// Opens the listener with its access rules; `None` for standard input and output. Warns about an address that
    /// other machines can reach.
    pub(super) fn open(&self, context: &mut Context) -> CommandResult<Option<HttpAccess>> {
        let Some(address) = self.http else {
            return Ok(None);
        };
        let token = self.token_env.as_deref().map(token).transpose()?;
        let user_header = self.user_from.as_deref().map(user_header).transpose()?;
        let hosts = self
            .allow_host
            .iter()
            .map(|host| named_host(host))
            .collect::<Result<_, _>>()?;
        let origins = self
            .allow_origin
            .iter()
            .map(|origin| named_origin(origin))
            .collect::<Result<_, _>>()?;
        let listener = listen(address)?;
        if address.ip().is_unspecified() && self.allow_host.is_empty() {
            context.report_one(
                Diagnostic::warning(
                    Code::OpenPort,
                    format!(
                        "no host name is allowed for {address}: requests to other names are refused"
                    ),
                )
                .help("add the host name that clients use: `--allow-host HOST` or `HOST:PORT`"),
            );
        }
        if !address.ip().is_loopback() {
            let finding = Diagnostic::warning(
                Code::OpenPort,
                format!("{address} is reachable from other machines"),
            );
            context.report_one(finding.help(if token.is_some() {
                "use a TLS proxy: the token and all messages are sent unencrypted"
            } else {
                "use 127.0.0.1, require a token with `--token-env VAR`, or use an authenticating proxy"
            }));
        }
        Ok(Some(HttpAccess {
            listener,
            hosts,
            origins,
            token,
            user_header,
            rate: self.rate_limit,
        }))
    }
}

/// The token in an environment variable.
fn token(variable: &str) -> Checked<AccessToken> {
    match std::env::var(variable) {
        Ok(token) if token.len() < MIN_TOKEN_LENGTH => refuse(
            format!("the token in `{variable}` is shorter than {MIN_TOKEN_LENGTH} bytes"),
            NEW_TOKEN,
        ),
        Ok(token) if token.bytes().all(|byte| byte.is_ascii_graphic()) => {
            Ok(AccessToken::new(&token))
        }
        Ok(_) => refuse(
            format!("the token in `{variable}` contains invalid characters for a header"),
            NEW_TOKEN,
        ),
        Err(_) => refuse(
            format!("missing token in the environment variable `{variable}`"),
            NEW_TOKEN,
        ),
    }
}

/// The header with the user name.
fn user_header(name: &str) -> Checked<HeaderName> {
    let others = [
        header::AUTHORIZATION,
        header::HOST,
        header::ORIGIN,
        header::COOKIE,
    ];
    let title = match HeaderName::from_bytes(name.as_bytes()) {
        Ok(name) if !others.contains(&name) => return Ok(name),
        Ok(name) => format!("cannot use the header `{name}` for user names"),
        Err(_) => format!("invalid header name `{name}`"),
    };
    refuse(
        title,
        "use a header that the proxy sets in each request and removes from client requests: `X-Forwarded-User`",
    )
}

/// A host name of the server.
fn named_host(host: &str) -> Checked<String> {
    let is_host = !host.is_empty()
        && host
            .chars()
            .all(|c| c.is_alphanumeric() || ".-:[]".contains(c));
    if is_host {
        return Ok(host.to_owned());
    }
    refuse(
        format!("invalid host `{host}`"),
        "use the name that clients use: `bots.example.org` or `bots.example.org:8443`",
    )
}

/// An origin whose pages may call the server.
fn named_origin(origin: &str) -> Checked<String> {
    let host = origin
        .strip_prefix("https://")
        .or_else(|| origin.strip_prefix("http://"));
    if host.is_some_and(|host| named_host(host).is_ok()) {
        return Ok(origin.to_owned());
    }
    refuse(
        format!("invalid origin `{origin}`"),
        "use a scheme and a host without a path: `https://app.example.org`",
    )
}

/// The result of a server that has ended.
pub(super) fn ended(served: Served) -> CommandResult {
    if let Err(error) = served.connections {
        return refuse_as(
            Code::ConnectionFailed,
            format!("the connection failed: {error}"),
            "connect a client of the Model Context Protocol that sends one message per line",
        );
    }
    served.traces?;
    Ok(Exit::Ok)
}
