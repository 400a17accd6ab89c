//! HTTP options of `fsmsim mcp`: address, token, host names, users, rate limit.

use std::net::SocketAddr;

use clap::Args;

use super::limits::MIN_TOKEN_LENGTH;
use super::{CommandResult, Context, Exit, refuse};
use fsmsim_server::http::{AccessToken, HeaderName, LogFormat, header, listen};
use fsmsim_server::mcp::{HttpAccess, Served};
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic};

/// How a server is reached over HTTP, and who may.
#[derive(Debug, Args)]
pub(super) struct McpAccessArgs {
    /// Serve over HTTP at this address, as `POST /mcp`, instead of over standard input and output; port 0 takes a free one
    #[arg(long, value_name = "ADDR")]
    http: Option<SocketAddr>,
    /// Let in only who says what this environment variable holds, as `Authorization: Bearer TOKEN`
    #[arg(long, value_name = "VAR", requires = "http")]
    token_env: Option<String>,
    /// The server may be called so as well, beside its address: `HOST` or `HOST:PORT`; may be given several times
    #[arg(long, value_name = "HOST", requires = "http")]
    allow_host: Vec<String>,
    /// Pages of this site may call the server: `https://HOST[:PORT]`; may be given several times
    #[arg(long, value_name = "ORIGIN", requires = "http")]
    allow_origin: Vec<String>,
    /// The header in which a proxy says who the user is: each has dialogues and data of his own
    #[arg(long, value_name = "HEADER", requires = "token_env")]
    user_from: Option<String>,
    /// Requests of one client in a minute
    #[arg(long, value_name = "N", requires = "http", value_parser = clap::value_parser!(u32).range(1..))]
    rate: Option<u32>,
    /// How the server says what happens: lines of text, or of JSON with the time and who called
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    log: LogFormat,
}

impl McpAccessArgs {
    /// Sets the format of the log.
    pub(super) fn begin_log(&self) {
        self.log.apply();
    }

    /// Whether the server has users.
    pub(super) fn tells_users_apart(&self) -> bool {
        self.user_from.is_some()
    }

    /// Opens the listener with its access rules; `None` for standard input and output. Warns about an address that other
    /// machines can reach.
    pub(super) fn open(&self, context: &mut Context) -> CommandResult<Option<HttpAccess>> {
        let Some(address) = self.http else {
            return Ok(None);
        };
        let token = self.token_env.as_deref().map(token).transpose()?;
        let user_header = self.user_from.as_deref().map(user_header).transpose()?;
        let hosts = self.allow_host.iter().map(|host| named_host(host));
        let hosts = hosts.collect::<Result<_, _>>()?;
        let origins = self.allow_origin.iter().map(|origin| named_origin(origin));
        let origins = origins.collect::<Result<_, _>>()?;
        let listener = listen(address)?;
        if address.ip().is_unspecified() && self.allow_host.is_empty() {
            let title =
                format!("{address} is no name: only programs of this machine can call the server");
            let finding = Diagnostic::warning(Code::OpenPort, title);
            context.report_one(
                finding.help("name what others call it by: `--allow-host HOST`, or `HOST:PORT`"),
            );
        }
        if !address.ip().is_loopback() {
            let finding = Diagnostic::warning(
                Code::OpenPort,
                format!("{address} can be reached from other machines"),
            );
            context.report_one(finding.help(if token.is_some() {
                "the token and all that is said go over the network as they are: put a proxy with TLS before it"
            } else {
                "nobody is asked who they are: use 127.0.0.1, or put a gate before it"
            }));
        }
        Ok(Some(HttpAccess {
            listener,
            hosts,
            origins,
            token,
            user_header,
            rate: self.rate,
        }))
    }
}

/// The token in an environment variable.
fn token(variable: &str) -> Checked<AccessToken> {
    match std::env::var(variable) {
        Ok(token) if token.len() < MIN_TOKEN_LENGTH => refuse(
            format!("the token in `{variable}` has fewer than {MIN_TOKEN_LENGTH} letters"),
            "take one that nobody can guess: `openssl rand -hex 32` makes one",
        ),
        Ok(token) if token.bytes().all(|byte| byte.is_ascii_graphic()) => {
            Ok(AccessToken::new(&token))
        }
        Ok(_) => refuse(
            format!("the token in `{variable}` cannot stand in a header"),
            "use letters and digits: `openssl rand -hex 32` makes one",
        ),
        Err(_) => refuse(
            format!("the environment variable `{variable}` holds no token"),
            "set it before the server starts: `openssl rand -hex 32` makes one",
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
        Ok(name) => format!("`{name}` is no header that says who the user is"),
        Err(_) => format!("`{name}` is no name of a header"),
    };
    refuse(
        title,
        "name a header that the proxy sets in every request, and takes out of those of clients: `X-Forwarded-User`",
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
        format!("`{host}` is no host"),
        "write it as clients call it: `bots.example.org`, or `bots.example.org:8443`",
    )
}

/// An origin whose pages may call.
fn named_origin(origin: &str) -> Checked<String> {
    let host = origin
        .strip_prefix("https://")
        .or_else(|| origin.strip_prefix("http://"));
    if host.is_some_and(|host| named_host(host).is_ok()) {
        return Ok(origin.to_owned());
    }
    refuse(
        format!("`{origin}` is no origin"),
        "write it as browsers do, without a path: `https://app.example.org`",
    )
}

/// The result of a server that has ended.
pub(super) fn ended(served: Served) -> CommandResult {
    if let Err(error) = served.connections {
        return refuse(
            format!("the connection has failed: {error}"),
            "speak the Model Context Protocol, one message a line",
        );
    }
    served.traces?;
    Ok(Exit::Ok)
}
