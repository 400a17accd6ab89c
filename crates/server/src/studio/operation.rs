//! Operations of the studio, and how they return their answers to the tab.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::oneshot;

use super::refusal::Refusal;
use super::studio_state::StudioState;

/// An operation that a tab can request with `POST /api/NAME`.
pub(super) struct StudioOperation {
    pub name: &'static str,
    /// Runs the operation with the body of the request. The answer can be sent later.
    pub run: fn(&mut StudioState, &[u8], Reply),
}

/// An item in the queue of the worker.
pub(super) enum WorkItem {
    /// A tab requests an operation.
    Call {
        operation: &'static StudioOperation,
        /// The body of the request.
        body: Vec<u8>,
        reply: Reply,
    },
    /// Files were saved or deleted. The paths are canonical.
    Files(BTreeSet<PathBuf>),
    /// The studio closes.
    Stop,
}

/// An answer, as JSON.
pub(super) type StudioAnswer = Result<String, Refusal>;

/// The sender of an answer. An operation that continues on another thread keeps it.
#[derive(Debug)]
pub(super) struct Reply(oneshot::Sender<StudioAnswer>);

impl Reply {
    /// A reply and its receiver.
    pub(super) fn new() -> (Self, oneshot::Receiver<StudioAnswer>) {
        let (sender, receiver) = oneshot::channel();
        (Self(sender), receiver)
    }

    /// Sends the answer.
    pub(super) fn give(self, answer: Result<impl Serialize, Refusal>) {
        let text = answer.and_then(|answer| {
            let text = serde_json::to_string(&answer);
            text.map_err(|error| Refusal::from(format!("cannot write the answer: {error}")))
        });
        // The tab might be closed.
        let _ = self.0.send(text);
    }
}

/// The operations of a family, each as `NAME => HOW(ACT)`: `HOW` reads the body and sends the answer, `ACT` is the
/// operation.
macro_rules! operations {
    ($($name:literal => $how:ident($($act:expr)?);)*) => {
        /// The operations of this family.
        pub(super) const OPERATIONS: &[StudioOperation] = &[$(StudioOperation {
            name: $name,
            run: |bench, body, reply| $how(bench, body, reply $(, $act)?),
        },)*];
    };
}
pub(super) use operations;

/// Bodies of requests. An unknown key is an error.
macro_rules! bodies {
    ($($(#[$about:meta])* $visible:vis struct $name:ident $keys:tt)*) => {$(
        $(#[$about])*
        #[derive(serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        $visible struct $name $keys
    )*};
}
pub(super) use bodies;

bodies! {
    /// An empty body: `{}`.
    pub(super) struct Nothing {}
}

/// Runs an operation immediately. Most operations run this way.
pub(super) fn immediately<B: DeserializeOwned, A: Serialize>(
    bench: &mut StudioState,
    body: &[u8],
    reply: Reply,
    act: impl FnOnce(&mut StudioState, &B) -> Result<A, Refusal>,
) {
    reply.give(read(body).and_then(|body| act(bench, &body)));
}

/// Starts an operation that answers later from another thread.
pub(super) fn later<B: DeserializeOwned>(
    bench: &mut StudioState,
    body: &[u8],
    reply: Reply,
    act: impl FnOnce(&mut StudioState, &B, Reply),
) {
    match read(body) {
        Ok(body) => act(bench, &body, reply),
        Err(refusal) => reply.give(Err::<(), _>(refusal)),
    }
}

/// Parses the body of a request. Errors name the key.
pub(super) fn read<B: DeserializeOwned>(body: &[u8]) -> Result<B, Refusal> {
    let help = "reload the page of the studio";
    // Serde would read a list as the values of a map in order.
    if body.trim_ascii_start().starts_with(b"[") {
        return Err(Refusal::bad(
            "invalid request: expected an object, found a list",
            help,
        ));
    }
    let mut text = serde_json::Deserializer::from_slice(body);
    let read = serde_path_to_error::deserialize(&mut text).map_err(|error| {
        let key = error.path().to_string();
        let why = error.into_inner();
        let about = if key == "." {
            String::new()
        } else {
            format!("`{key}`: ")
        };
        Refusal::bad(format!("invalid request: {about}{why}"), help)
    })?;
    text.end()
        .map_err(|error| Refusal::bad(format!("invalid request: {error}"), help))?;
    Ok(read)
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only read")]
    struct Body {
        turns: u32,
        #[serde(default)]
        inner: Option<Inner>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only read")]
    struct Inner {
        name: String,
    }

    fn refused(body: &str) -> String {
        let refusal = read::<Body>(body.as_bytes()).unwrap_err();
        serde_json::to_value(&refusal).unwrap()["error"]
            .as_str()
            .unwrap()
            .to_owned()
    }

    #[test]
    fn errors_in_a_body_name_the_key() {
        assert!(read::<Body>(br#"{"turns": 1, "inner": {"name": "a"}}"#).is_ok());
        for (body, expected) in [
            (r#"{"turn": 1}"#, "`turn`"),
            ("{}", "`turns`"),
            (r#"{"turns": "1"}"#, "`turns`: invalid type: string"),
            (r#"{"turns": -1}"#, "`turns`: invalid value"),
            (
                r#"{"turns": 1, "inner": {"name": 3}}"#,
                "`inner.name`: invalid type: integer",
            ),
            (
                r#"{"turns": 1, "inner": {"nam": "a"}}"#,
                "unknown field `nam`",
            ),
            (r#"{"turns": 1} {}"#, "trailing characters"),
            ("", "EOF"),
            ("[1]", "invalid"),
        ] {
            let error = refused(body);
            assert!(error.contains(expected), "{body}: {error}");
        }
    }
}
