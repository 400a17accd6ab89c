//! The body of a response.

use std::io::{self, Read};

use ureq::http::Response;

use super::request_error::RequestError;
use crate::limits::MAX_ANSWER;
use crate::llm::answer_failure::FailureKind;

/// The first bytes of a gzip-compressed body.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The body of a response, possibly incomplete.
pub(super) struct ResponseBody {
    bytes: Vec<u8>,
    /// The compression, which was not requested.
    packed: Option<String>,
    /// The error that interrupted the body.
    broken: Option<io::Error>,
}

impl ResponseBody {
    pub(super) fn read(mut response: Response<ureq::Body>) -> Self {
        let encoding = response
            .headers()
            .get("content-encoding")
            .and_then(|value| value.to_str().ok())
            .map(str::trim)
            .filter(|name| !name.is_empty() && !name.eq_ignore_ascii_case("identity"))
            .map(str::to_owned);
        let mut bytes = Vec::new();
        let read = response
            .body_mut()
            .as_reader()
            .take(MAX_ANSWER as u64 + 1)
            .read_to_end(&mut bytes);
        let packed = encoding.or_else(|| bytes.starts_with(&GZIP).then(|| "gzip".to_owned()));
        Self {
            bytes,
            packed,
            broken: read.err(),
        }
    }

    /// The body of an answer as text. Replaces invalid bytes: if there are any, they are in the output of the model.
    pub(super) fn text(self) -> Result<String, RequestError> {
        if let Some(error) = self.broken {
            return Err(RequestError::of_reading(&ureq::Error::from(error)));
        }
        if self.bytes.len() > MAX_ANSWER {
            return Err(RequestError::fatal(FailureKind::TooLarge.failure()));
        }
        if let Some(packed) = &self.packed {
            return Err(RequestError::fatal(
                FailureKind::WrongSchema.because(compressed(packed)),
            ));
        }
        Ok(decode(&self.bytes))
    }

    /// The body of an error as text, even if it is incomplete.
    pub(super) fn words(&self) -> String {
        match &self.packed {
            Some(packed) => compressed(packed),
            None => decode(&self.bytes),
        }
    }
}

fn compressed(how: &str) -> String {
    let how: String = how
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .take(16)
        .collect();
    format!(
        "the server, or a proxy in front of it, compressed the response (`{how}`) without being asked to"
    )
}

fn decode(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes)
        .trim_start_matches('\u{feff}')
        .to_owned()
}
