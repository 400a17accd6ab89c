//! Something that a tab can ask for, how it comes to the worker, and where the answer goes.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;

use super::refusal::Refusal;
use super::workbench::Workbench;

/// Something that a tab can ask for, by `POST /api/NAME`.
pub(super) struct StudioOperation {
    pub(super) name: &'static str,
    /// Does it, with the body of the request; the answer may come later.
    pub(super) run: fn(&mut Workbench, &[u8], Reply),
}

/// What the worker is given to do, one after another.
pub(super) enum WorkItem {
    /// A tab asks for something.
    Call {
        /// For what.
        operation: &'static StudioOperation,
        /// With what.
        body: Vec<u8>,
        /// Where the answer goes.
        reply: Reply,
    },
    /// Files were saved, or are gone: by real paths.
    Files(BTreeSet<PathBuf>),
    /// The studio closes.
    Stop,
}

/// An answer, as JSON.
pub(super) type StudioAnswer = Result<String, Refusal>;

/// Where the answer to a request goes. Whoever takes it along to another thread answers later.
#[derive(Debug)]
pub(super) struct Reply(oneshot::Sender<StudioAnswer>);

impl Reply {
    /// A place for an answer, and where it arrives.
    pub(super) fn new() -> (Self, oneshot::Receiver<StudioAnswer>) {
        let (sender, receiver) = oneshot::channel();
        (Self(sender), receiver)
    }

    /// Answers.
    pub(super) fn give(self, answer: Result<impl Serialize, Refusal>) {
        let text = answer.and_then(|answer| {
            let text = serde_json::to_string(&answer);
            text.map_err(|error| Refusal::from(format!("the answer cannot be written: {error}")))
        });
        // A tab that was closed does not wait for it any more.
        let _ = self.0.send(text);
    }
}

/// The operations of a family, each as `NAME => HOW(ACT)`: how its body is read and its answer given, and what is done.
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

/// The body of a request that says nothing: `{}`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Nothing {}

/// Does something at once: what most operations are.
pub(super) fn at_once<B: DeserializeOwned, A: Serialize>(
    bench: &mut Workbench,
    body: &[u8],
    reply: Reply,
    act: impl FnOnce(&mut Workbench, &B) -> Result<A, Refusal>,
) {
    reply.give(read(body).and_then(|body| act(bench, &body)));
}

/// Begins something that answers later, from another thread.
pub(super) fn later<B: DeserializeOwned>(
    bench: &mut Workbench,
    body: &[u8],
    reply: Reply,
    act: impl FnOnce(&mut Workbench, &B, Reply),
) {
    match read(body) {
        Ok(body) => act(bench, &body, reply),
        Err(refusal) => reply.give(Err::<(), _>(refusal)),
    }
}

/// Reads the body of a request. What is wrong with it names the key.
pub(super) fn read<B: DeserializeOwned>(body: &[u8]) -> Result<B, Refusal> {
    let help = "see docs/studio.md for what the page asks for";
    // A list would be read as the values of a map in their order.
    if body.trim_ascii_start().starts_with(b"[") {
        return Err(Refusal::bad(
            "the request cannot be read: invalid, a list in place of an object",
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
        Refusal::bad(format!("the request cannot be read: {about}{why}"), help)
    })?;
    text.end()
        .map_err(|error| Refusal::bad(format!("the request cannot be read: {error}"), help))?;
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
    fn what_is_wrong_with_a_body_names_the_key() {
        assert!(read::<Body>(br#"{"turns": 1, "inner": {"name": "a"}}"#).is_ok());
        for (body, told) in [
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
            let said = refused(body);
            assert!(said.contains(told), "{body}: {said}");
        }
    }
}
