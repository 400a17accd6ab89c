//! Errors of requests, and whether a retry may help.

use std::io::ErrorKind;
use std::time::SystemTime;

use super::server_error::ServerError;
use crate::llm::answer_failure::{AnswerFailure, FailureKind};

/// The error of a request, and whether a retry may help.
#[derive(Debug)]
pub(super) struct RequestError {
    pub failure: AnswerFailure,
    /// A retry may help.
    pub is_retryable: bool,
    /// The pause that the server requests before a retry, in seconds.
    pub retry_after: Option<f64>,
    /// The status of the answer if it is not 200, or the status that the answer itself contains.
    pub status: Option<u16>,
    /// The message of the server.
    pub said: Box<ServerError>,
    /// The structured output mode was refused: another mode may help.
    pub blames_way: bool,
}

impl RequestError {
    /// An error that a retry would only repeat.
    pub(super) fn fatal(failure: AnswerFailure) -> Self {
        let said = Box::default();
        Self {
            failure,
            is_retryable: false,
            retry_after: None,
            status: None,
            said,
            blames_way: false,
        }
    }

    /// An error that might be temporary.
    pub(super) fn retryable(failure: AnswerFailure) -> Self {
        Self {
            is_retryable: true,
            ..Self::fatal(failure)
        }
    }

    /// The error for an answer with a status other than 200, and optionally `Retry-After`.
    pub(super) fn of_status(status: u16, retry_after: Option<f64>, said: Box<ServerError>) -> Self {
        let (kind, is_retryable) = match status {
            429 => (FailureKind::RateLimited, true),
            408 | 500..=599 => (FailureKind::ServerError, true),
            _ => (FailureKind::ServerError, false),
        };
        let mut reason = format!("the server returned status {status}");
        if let Some(seconds) = retry_after.filter(|seconds| *seconds >= 1.0) {
            reason = format!("{reason}: retry after {seconds:.0} s");
        }
        let status = Some(status);
        Self {
            is_retryable,
            retry_after,
            status,
            said,
            ..Self::fatal(kind.because(reason))
        }
    }

    /// An error that a retry would only repeat, with the message of the server.
    pub(super) fn saying(failure: AnswerFailure, said: ServerError) -> Self {
        Self {
            said: Box::new(said),
            ..Self::fatal(failure)
        }
    }

    /// An error in the body of a response with a successful status. The status or kind of error in the message is used
    /// as the status.
    pub(super) fn of_words(said: ServerError) -> Self {
        let Some(status) = said.status() else {
            return Self::saying(
                FailureKind::ServerError.because("the server returned an error"),
                said,
            );
        };
        let mut error = Self::of_status(status, None, Box::new(said));
        error.failure.reason = format!("the server returned an error (status {status})");
        error
    }

    /// The error for a request without an answer. Omits the text of the error, because it might quote the request.
    pub(super) fn of_sending(error: &ureq::Error) -> Self {
        match error {
            ureq::Error::Timeout(_) => Self::retryable(FailureKind::TimeOut.failure()),
            ureq::Error::Protocol(_) => Self::retryable(FailureKind::CutOff.failure()),
            ureq::Error::Http(_) | ureq::Error::BadUri(_) => {
                let reason = "cannot build the request: check the URL and the key";
                Self::fatal(FailureKind::Refused.because(reason))
            }
            ureq::Error::Tls(_) | ureq::Error::Rustls(_) | ureq::Error::Pem(_) => Self::untrusted(),
            ureq::Error::Io(error) => match error.kind() {
                ErrorKind::TimedOut | ErrorKind::WouldBlock => {
                    Self::retryable(FailureKind::TimeOut.failure())
                }
                ErrorKind::UnexpectedEof
                | ErrorKind::ConnectionReset
                | ErrorKind::ConnectionAborted
                | ErrorKind::BrokenPipe => Self::retryable(FailureKind::CutOff.failure()),
                // TLS certificate errors are reported like this.
                ErrorKind::InvalidData => Self::untrusted(),
                _ => Self::retryable(FailureKind::Refused.failure()),
            },
            // The HTTP client generates the text of this error, which contains only the status of the proxy.
            ureq::Error::ConnectProxyFailed(what) => Self::retryable(
                FailureKind::Refused
                    .because(format!("the proxy cannot connect to the server: {what}")),
            ),
            ureq::Error::HostNotFound => {
                Self::retryable(FailureKind::Refused.because("unknown host"))
            }
            _ => Self::retryable(FailureKind::Refused.failure()),
        }
    }

    /// The error for an interrupted response.
    pub(super) fn of_reading(error: &ureq::Error) -> Self {
        match error {
            ureq::Error::Timeout(_) => Self::retryable(FailureKind::TimeOut.failure()),
            ureq::Error::BodyExceedsLimit(_) => Self::fatal(FailureKind::TooLarge.failure()),
            ureq::Error::Io(error)
                if matches!(error.kind(), ErrorKind::TimedOut | ErrorKind::WouldBlock) =>
            {
                Self::retryable(FailureKind::TimeOut.failure())
            }
            _ => Self::retryable(FailureKind::CutOff.failure()),
        }
    }

    fn untrusted() -> Self {
        let reason = "TLS handshake failed: if the certificate is not trusted, set `ca_file` to the PEM file of the issuing CA";
        Self::fatal(FailureKind::Refused.because(reason))
    }
}

/// Parses the seconds of `Retry-After`: a number, or a date.
pub(super) fn retry_after(value: &str, now: SystemTime) -> Option<f64> {
    let value = value.trim();
    if let Ok(seconds) = value.parse::<f64>() {
        return (seconds >= 0.0 && seconds.is_finite()).then_some(seconds.min(FOREVER));
    }
    let date = httpdate::parse_http_date(value).ok()?;
    Some(
        date.duration_since(now)
            .map_or(0.0, |wait| wait.as_secs_f64().min(FOREVER)),
    )
}

/// Maximum wait in seconds. Longer waits are reduced to this value.
const FOREVER: f64 = 1e9;

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn retry_after_is_a_number_or_a_date() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
        let asked = |value| retry_after(value, now);
        assert_eq!(asked("7"), Some(7.0));
        assert_eq!(asked(" 0 "), Some(0.0));
        assert_eq!(asked("1e300"), Some(FOREVER));
        assert_eq!(asked("Sun, 06 Nov 1994 08:49:47 GMT"), Some(10.0));
        assert_eq!(asked("Sun, 06 Nov 1994 08:49:27 GMT"), Some(0.0));
        for odd in ["", "-1", "inf", "NaN", "soon"] {
            assert_eq!(asked(odd), None, "{odd}");
        }
    }
}
