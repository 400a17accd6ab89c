//! Loads the files that `start:` names: the digital twin, the backend and a saved session.

use std::path::PathBuf;

use super::start_reader::StartReader;
use fsmsim_adapters::stores::{FixtureBackend, MemoryTwin, TwinSpec};
use fsmsim_core::engine::SavedSession;
use fsmsim_core::machine::Value;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap, nearest};
use fsmsim_syntax::document::{
    DEFINITION_LIMIT, Fields, Key, Node, json_reason, parse_json, parse_yaml, read_bytes, text_of,
};
use fsmsim_syntax::shapes;

/// The keys of `start` that name a file.
pub const START_FILES: [&str; 3] = ["session", "twin", "backend"];

/// The files that `start` names, each with its key. Callers must check paths from untrusted clients.
pub fn files_of_start(start: &str) -> Vec<(String, String)> {
    let file = SourceMap::default().add("start", start);
    let node = parse_yaml(file, start, 0, &mut Diagnostics::default());
    let Some(Value::Map(pairs)) = node.as_ref().map(Value::from) else {
        return Vec::new();
    };
    let named = pairs
        .iter()
        .filter(|(key, _)| START_FILES.contains(&&**key))
        .filter_map(|(key, value)| {
            let file = value
                .get("file")
                .unwrap_or(value)
                .as_text()
                .filter(|name| *name != "down")?;
            Some((key.to_string(), file.to_owned()))
        });
    named.collect()
}

impl StartReader<'_> {
    /// Reads the digital twin: a file, a file and a user in it, or `down` for a twin that does not respond. The
    /// dialogue writes to a copy.
    pub(super) fn twin(&mut self, node: &Node, found: &mut Diagnostics) {
        let (name, user) = if node.map().is_some() {
            let Some(mut fields) = Fields::of(node, &shapes::TWIN_OF_USER, found) else {
                return;
            };
            let file = fields.required_text("file");
            let user = fields.text("user");
            fields.finish();
            (file, user)
        } else {
            (text_of(node, "twin", found), None)
        };
        let Some(name) = name else { return };
        if name == "down" && node.map().is_none() {
            self.twin = Some(MemoryTwin::down());
            return;
        }
        let Some(path) = self.path(name, node, found) else {
            return;
        };
        let name = TwinSpec {
            path,
            user: user.map(Into::into),
        };
        match name.copy() {
            Ok(twin) => self.twin = Some(twin),
            Err(finding) => found.push(finding.at(node.span, "named here")),
        }
    }

    /// Resolves the path of a file. Returns `None`, with a finding, if it may not be read.
    fn path(&self, name: &str, node: &Node, found: &mut Diagnostics) -> Option<PathBuf> {
        found.take((self.path)(name).map_err(|finding| finding.at(node.span, "named here").into()))
    }

    /// Reads the backend that executes routes: a fixture file, or `down` for a backend that does not respond.
    pub(super) fn backend(&mut self, node: &Node, found: &mut Diagnostics) {
        let name = text_of(node, "backend", found).filter(|name| *name != "down");
        let Some(name) = name else { return };
        let mut sources = SourceMap::default();
        let mut inside = Diagnostics::default();
        let Some(path) = self.path(name, node, found) else {
            return;
        };
        self.backend = FixtureBackend::load(&path, &mut sources, &mut inside);
        if inside.has_errors() {
            let mut finding = Diagnostic::error(
                Code::BadBackend,
                format!("cannot load the backend `{name}`"),
            )
            .at(node.span, "named here");
            for item in inside.items() {
                let place = item
                    .labels
                    .first()
                    .map(|label| format!("{}: ", sources.place(label.span)));
                finding = finding.note(format!("{}{}", place.unwrap_or_default(), item.title));
            }
            found.push(finding.help("correct the file, or use another one"));
        }
    }

    /// Loads a session that was saved by this program or by the bot, which uses the same snapshot format.
    pub(super) fn session(&mut self, node: &Node, found: &mut Diagnostics) {
        let Some(name) = text_of(node, "session", found) else {
            return;
        };
        let Some(path) = self.path(name, node, found) else {
            return;
        };
        let bad = |title: String, place: String| {
            Diagnostic::error(Code::BadSession, title).about(place).help(
                "use a JSON object with `state`, `collected_data`, `intent_tracker` and `circular_flow`",
            )
        };
        let bytes = match read_bytes(&path, DEFINITION_LIMIT) {
            Ok(bytes) => bytes,
            Err(finding) => return found.push(finding.at(node.span, "named here")),
        };
        let Ok(text) = String::from_utf8(bytes) else {
            let title = format!("the session `{}` is not UTF-8", path.display());
            return found.push(bad(title, path.display().to_string()));
        };
        let text = text.trim_start_matches('\u{feff}');
        let mut sources = SourceMap::default();
        let file = sources.add(path.display().to_string(), text);
        let tree = parse_json(file, text, 0, &mut Diagnostics::default());
        let mut misspelled = Vec::new();
        if let Some(tree) = &tree {
            find_misspelled(tree, "", &mut misspelled);
        }
        for (key, near) in &misspelled {
            let title = format!("unknown key `{}` in the session", key.text);
            let place = sources.place(key.span).to_string();
            bad(title, place).suggest(Some(*near), "").add_to(found);
        }
        if !misspelled.is_empty() {
            return;
        }
        match SavedSession::from_text(text) {
            Ok(saved) if self.machine.state_id(&saved.state).is_some() => {
                match saved.restore(self.machine) {
                    Ok(session) => self.session = session,
                    Err(error) => {
                        let title = format!("cannot read the session: {error}");
                        found.push(bad(title, path.display().to_string()));
                    }
                }
            }
            Ok(saved) => {
                let title = format!("unknown state `{}` in the session", saved.state);
                let states = self.machine.declared_names();
                let help = "use the flow with which the session was saved";
                bad(title, path.display().to_string())
                    .near(&saved.state, states, help)
                    .add_to(found);
            }
            Err(error) => {
                let place = format!("{}:{}:{}", path.display(), error.line(), error.column());
                found.push(bad(
                    format!("cannot read the session: {}", json_reason(&error)),
                    place,
                ));
            }
        }
    }
}

/// Finds the keys of a saved session that are similar to a known key that is missing. Other unknown keys are valid,
/// because the bot saves more than this program needs.
fn find_misspelled<'n>(node: &'n Node, of: &str, all: &mut Vec<(&'n Key, &'static str)>) {
    let known = SavedSession::keys(of).unwrap_or_default();
    for (key, value) in node.entries() {
        if known.contains(&&*key.text) {
            find_misspelled(value, &key.text, all);
            continue;
        }
        let absent = known.iter().filter(|known| node.get(known).is_none());
        all.extend(nearest(&key.text, absent.copied()).map(|near| (key, near)));
    }
}
