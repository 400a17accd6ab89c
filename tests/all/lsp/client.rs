//! An editor: a language server client that communicates with the binary through pipes.

#![expect(
    clippy::needless_pass_by_value,
    reason = "messages are written inline as `json!`"
)]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::Project;

/// The timeout of a message.
const TIMEOUT: Duration = Duration::from_mins(2);

/// An editor in a project.
pub(super) struct Client {
    project: Project,
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    number: i64,
    versions: BTreeMap<String, i64>,
    /// The text of each open document, by file.
    pub(super) texts: BTreeMap<String, String>,
    /// The last published findings of each file, with the version of the document.
    findings: BTreeMap<String, (Option<i64>, Vec<Value>)>,
    /// The capabilities of the server.
    pub(super) capabilities: Value,
}

impl Client {
    pub(super) fn start(project: &Project) -> Self {
        Self::start_with(
            project,
            &json!({"textDocument": {"publishDiagnostics": {"relatedInformation": true}}}),
        )
    }

    pub(super) fn start_with(project: &Project, capabilities: &Value) -> Self {
        let mut child = project.fsmsim(["lsp"]).spawn();
        let (input, mut output) = (
            child.stdin.take(),
            BufReader::new(child.stdout.take().unwrap()),
        );
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            while let Some(message) = read(&mut output) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let mut client = Self {
            project: project.clone(),
            child,
            input,
            messages,
            number: 0,
            versions: BTreeMap::new(),
            texts: BTreeMap::new(),
            findings: BTreeMap::new(),
            capabilities: Value::Null,
        };
        let root = client.uri("");
        let params = json!({"processId": null, "rootUri": root, "capabilities": capabilities});
        client.capabilities = client.ask("initialize", params).unwrap()["capabilities"].clone();
        client.notify("initialized", json!({}));
        client
    }

    /// The URI of a file of the project.
    pub(super) fn uri(&self, file: &str) -> String {
        format!("file://{}", self.project.path().join(file).display())
    }

    pub(super) fn send(&mut self, message: &Value) {
        let text = message.to_string();
        let input = self.input.as_mut().unwrap();
        write!(input, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        input.flush().unwrap();
    }

    pub(super) fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request without waiting for the answer. Returns its number.
    pub(super) fn begin(&mut self, method: &str, params: Value) -> i64 {
        self.number += 1;
        let number = self.number;
        self.send(&json!({"jsonrpc": "2.0", "id": number, "method": method, "params": params}));
        number
    }

    /// The result or the error of a request.
    pub(super) fn answer(&mut self, number: i64) -> Result<Value, Value> {
        loop {
            let message = self.next();
            if message["id"] == json!(number) && message.get("method").is_none() {
                return match message.get("error") {
                    Some(error) => Err(error.clone()),
                    None => Ok(message["result"].clone()),
                };
            }
        }
    }

    pub(super) fn ask(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let number = self.begin(method, params);
        self.answer(number)
    }

    /// The next message. Published findings are saved.
    fn next(&mut self) -> Value {
        let message = self
            .messages
            .recv_timeout(TIMEOUT)
            .expect("the server sent no message in time");
        if message["method"] == "textDocument/publishDiagnostics" {
            let params = &message["params"];
            let findings = params["diagnostics"].as_array().unwrap().clone();
            self.findings.insert(
                params["uri"].as_str().unwrap().to_owned(),
                (params["version"].as_i64(), findings),
            );
        }
        message
    }

    /// Opens a file with its text on the disk.
    pub(super) fn open(&mut self, file: &str) {
        let text = self.project.read(file);
        self.open_as(file, &text);
    }

    pub(super) fn open_as(&mut self, file: &str, text: &str) {
        let uri = self.uri(file);
        self.versions.insert(file.to_owned(), 1);
        self.texts.insert(file.to_owned(), text.to_owned());
        let document = json!({"uri": uri, "languageId": "yaml", "version": 1, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": document}));
    }

    pub(super) fn close(&mut self, file: &str) {
        let uri = self.uri(file);
        self.notify(
            "textDocument/didClose",
            json!({"textDocument": {"uri": uri}}),
        );
    }

    /// Replaces the entire text of a document.
    pub(super) fn write(&mut self, file: &str, text: &str) {
        self.texts.insert(file.to_owned(), text.to_owned());
        self.change(file, json!({"text": text}));
    }

    /// Replaces the first occurrence of `old` in a document.
    pub(super) fn replace(&mut self, file: &str, old: &str, new: &str) {
        let text = self.texts[file].clone();
        let start = text.find(old).expect("`old` is in the document");
        let range =
            json!({"start": position(&text, start), "end": position(&text, start + old.len())});
        self.texts
            .insert(file.to_owned(), text.replacen(old, new, 1));
        self.change(file, json!({"range": range, "text": new}));
    }

    pub(super) fn change(&mut self, file: &str, change: Value) {
        let version = self.versions.get_mut(file).unwrap();
        *version += 1;
        let document = json!({"uri": self.uri(file), "version": self.versions[file]});
        self.notify(
            "textDocument/didChange",
            json!({"textDocument": document, "contentChanges": [change]}),
        );
    }

    /// Waits for a request of the server.
    pub(super) fn until_asked(&mut self, method: &str) {
        while self.next()["method"] != method {}
    }

    /// Waits until the findings of a file satisfy a condition, and returns them.
    pub(super) fn findings_until(
        &mut self,
        file: &str,
        condition: impl Fn(&[Value]) -> bool,
    ) -> Vec<Value> {
        let uri = self.uri(file);
        loop {
            if let Some((_, found)) = self
                .findings
                .get(&uri)
                .filter(|(_, found)| condition(found))
            {
                return found.clone();
            }
            self.next();
        }
    }

    /// The position of some text in a document, `inside` bytes after its start.
    pub(super) fn at(&self, file: &str, text: &str, inside: usize) -> Value {
        let document = &self.texts[file];
        let start = document
            .find(text)
            .unwrap_or_else(|| panic!("`{text}` is not in `{file}`"));
        json!({"textDocument": {"uri": self.uri(file)}, "position": position(document, start + inside)})
    }

    /// A location in the form `FILE:LINE:COLUMN`, from 1.
    pub(super) fn place(&self, location: &Value) -> String {
        let root = self.uri("");
        let file = location["uri"]
            .as_str()
            .unwrap()
            .strip_prefix(&root)
            .unwrap()
            .trim_start_matches('/')
            .to_owned();
        let start = &location["range"]["start"];
        format!(
            "{file}:{}:{}",
            start["line"].as_u64().unwrap() + 1,
            start["character"].as_u64().unwrap() + 1
        )
    }

    /// The locations of an answer.
    pub(super) fn places(&self, locations: &Value) -> Vec<String> {
        locations
            .as_array()
            .unwrap()
            .iter()
            .map(|location| self.place(location))
            .collect()
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Shuts the server down properly and returns its exit code.
    pub(super) fn end(mut self) -> i32 {
        self.ask("shutdown", Value::Null).unwrap();
        self.notify("exit", Value::Null);
        self.child.wait().unwrap().code().unwrap()
    }

    /// Disconnects without a shutdown request and returns the exit code of the server.
    pub(super) fn leave(mut self) -> i32 {
        self.input = None;
        self.child.wait().unwrap().code().unwrap()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // The server must not outlive a failed test.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// A position in a text, in UTF-16 code units.
pub(super) fn position(text: &str, offset: usize) -> Value {
    let before = &text[..offset];
    let line = before.rsplit('\n').next().unwrap();
    json!({"line": before.matches('\n').count(), "character": line.encode_utf16().count()})
}

fn read(output: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line.trim().is_empty() {
            break;
        }
        if let Some(number) = line.strip_prefix("Content-Length: ") {
            length = number.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    output.read_exact(&mut body).ok()?;
    Some(serde_json::from_slice(&body).unwrap())
}
