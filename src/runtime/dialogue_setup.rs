//! Where and how a dialogue starts: `start:` of a turns file or scenario, laid over the machine's settings.

use std::path::PathBuf;

use super::dialogue_runner::DialogueRunner;
use super::environment::Environment;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap, nearest, render};
use crate::dialect::flow::persona_limits;
use crate::document::{
    DEFINITION_LIMIT, Fields, Map, Node, boolean_of, integer_of, parse_yaml, read_bytes, unknown_key,
};
use crate::engine::{SavedSession, Session};
use crate::machine::{FlagId, GuardLimits, Limit, Machine, Personas, Settings, SourceKind, Value};
use crate::script::{is_true, read_consent, read_mode, read_values};
use crate::world::{FixtureBackend, MemoryTwin, TwinSpec};

/// With what a dialogue starts.
#[derive(Clone, Debug)]
pub struct DialogueSetup {
    /// The settings.
    pub settings: Settings,
    /// The session.
    pub session: Session,
    /// The store of the user's data, where one is named; nothing is one that does not answer.
    pub twin: Option<MemoryTwin>,
    /// What executes routes; nothing is a backend that does not answer.
    pub backend: Option<FixtureBackend>,
    /// All of it as it is written; null where nothing is.
    pub start: Value,
}

impl DialogueSetup {
    /// Moves that no state declares are taken, and marked.
    pub fn permit(&mut self) {
        self.settings.permissive = true;
        let rest = match std::mem::take(&mut self.start) {
            Value::Map(pairs) => pairs.to_vec(),
            _ => Vec::new(),
        };
        let rest = rest.into_iter().filter(|(key, _)| &**key != PERMISSIVE);
        self.start = Value::Map(rest.chain([(PERMISSIVE.into(), Value::Bool(true))]).collect());
    }

    /// The dialogue, not yet begun.
    #[must_use]
    pub fn player(self, machine: &Machine) -> DialogueRunner<'_> {
        let company = self.company();
        DialogueRunner::new(machine, self.settings, self.session).with(company)
    }

    /// Who is around the dialogue when it begins.
    #[must_use]
    pub fn company(&self) -> Environment {
        let mut company = Environment::default();
        if let Some(twin) = &self.twin {
            company.twin = Box::new(twin.clone());
        }
        if let Some(backend) = &self.backend {
            company.backend = Box::new(backend.clone());
        }
        company
    }
}

/// With what a dialogue starts.
///
/// `signals` and `start` are the dialogue's own, and `path` finds a file that they name; `None`, with findings, where they
/// cannot be used.
pub fn read_setup(
    machine: &Machine,
    signals: Option<&Node>,
    start: Option<&Node>,
    path: &dyn Fn(&str) -> PathBuf,
    found: &mut Diagnostics,
) -> Option<DialogueSetup> {
    let errors_before = found.error_count();
    let mut dialogue = Start {
        machine,
        path,
        settings: machine.settings.clone(),
        session: Session::new(machine),
        twin: None,
        backend: None,
    };
    if let Some(mode) = signals.and_then(|node| read_mode(node, found)) {
        dialogue.settings.signals = mode;
    }
    if let Some(start) = start.filter(|node| !node.is_null()) {
        dialogue.read(start, found);
    }
    dialogue.settings.refresh(&machine.vocabulary);
    if !dialogue.envelope() {
        dialogue.settings.signals = crate::machine::SignalMode::None;
    }
    let Start { settings, session, twin, backend, .. } = dialogue;
    let start = start.map(Value::from).unwrap_or_default();
    (found.error_count() == errors_before).then_some(DialogueSetup {
        settings,
        session,
        twin,
        backend,
        start,
    })
}

/// With what a dialogue starts that somebody opens by hand; `start` is what a scenario has under `start`.
///
/// # Errors
/// The findings about `start` as text.
pub fn set_up(machine: &Machine, start: &str) -> Result<DialogueSetup, String> {
    let mut found = Diagnostics::default();
    let mut sources = SourceMap::default();
    let file = sources.add("start", start);
    let node = parse_yaml(file, start, 0, &mut found);
    let begun = node.and_then(|node| read_setup(machine, None, Some(&node), &|path| path.into(), &mut found));
    begun.ok_or_else(|| render(&found, &sources, false).trim_end().to_owned())
}

/// The key of `start` for moves that no state declares.
const PERMISSIVE: &str = "permissive";

struct Start<'m> {
    machine: &'m Machine,
    path: &'m dyn Fn(&str) -> PathBuf,
    settings: Settings,
    session: Session,
    twin: Option<MemoryTwin>,
    backend: Option<FixtureBackend>,
}

impl Start<'_> {
    fn read(&mut self, node: &Node, found: &mut Diagnostics) {
        let Some(mut fields) = Fields::open(node, "`start`", found) else {
            return;
        };
        let session = fields.node("session");
        let state = fields.node("state");
        let data = fields.node("data");
        let flags = fields.map("flags");
        let limits = fields.map("limits");
        let sources = fields.map("sources");
        let personas = fields.map("persona_limits");
        let tenant = fields.node("tenant");
        let guard = fields.node("guard");
        let model = fields.node("model");
        let twin = fields.node("twin");
        let backend = fields.node("backend");
        let consent = fields.node("consent");
        let permissive = fields.boolean(PERMISSIVE);
        fields.finish();
        if let Some(node) = session {
            self.session(node, found);
        }
        if let Some(node) = twin {
            self.twin(node, found);
        }
        if let Some(node) = backend {
            self.backend(node, found);
        }
        if let Some(node) = consent {
            self.session.consent = read_consent(node, found);
        }
        self.settings.permissive |= permissive.unwrap_or(false);
        if let Some(node) = state {
            self.state(node, found);
        }
        if let Some(node) = data {
            for (name, value) in read_values(node, "data", self.machine, found) {
                self.session.slots.set_name(&name, value);
            }
        }
        for (id, on) in self.flags(flags, found) {
            *self.settings.flags.grow(id) = on;
        }
        if let Some(map) = limits {
            self.limits(map, found);
        }
        if let Some(map) = sources {
            self.sources(map, found);
        }
        if let Some(map) = personas {
            let table = map.entries.iter();
            let table = table.filter_map(|(key, node)| {
                Some((key.text.clone(), persona_limits(node, "consecutive", found)?))
            });
            self.settings.personas = Personas { table: table.collect(), given: true };
        }
        if let Some(mut fields) = tenant.and_then(|node| Fields::open(node, "`tenant`", found)) {
            let features = fields.map("features");
            fields.finish();
            for (id, on) in self.flags(features, found) {
                *self.settings.tenant_off.grow(id) = !on;
            }
        }
        if let Some(node) = guard {
            self.guard(node, found);
        }
        if let Some(node) = model {
            match node.text() {
                Some("scripted") => self.settings.model = true,
                _ => found.push(
                    Diagnostic::error(Code::UnknownValue, "`model` of `start` can only be `scripted`")
                        .at(node.span, "not known")
                        .help("write `model: scripted`, and the answers in the turns"),
                ),
            }
        }
    }

    /// The store of the user's data: a file, a file with the user in it, or `down` for one that does not answer. What the
    /// dialogue writes stays in a copy.
    fn twin(&mut self, node: &Node, found: &mut Diagnostics) {
        let (name, user) = if node.map().is_some() {
            let Some(mut fields) = Fields::open(node, "`twin`", found) else { return };
            let (file, user) = (fields.required_text("file"), fields.text("user"));
            fields.finish();
            (file, user)
        } else {
            (crate::document::text_of(node, "twin", found), None)
        };
        let Some(name) = name else { return };
        if name == "down" && node.map().is_none() {
            self.twin = Some(MemoryTwin::down());
            return;
        }
        let name = TwinSpec { path: (self.path)(name), user: user.map(Into::into) };
        match name.copy() {
            Ok(twin) => self.twin = Some(twin),
            Err(finding) => found.push(finding.at(node.span, "named here")),
        }
    }

    /// What executes routes: a file of fixtures, or `down` for a backend that does not answer.
    fn backend(&mut self, node: &Node, found: &mut Diagnostics) {
        let name = crate::document::text_of(node, "backend", found).filter(|name| *name != "down");
        let Some(name) = name else { return };
        let mut sources = SourceMap::default();
        let mut inside = Diagnostics::default();
        self.backend = FixtureBackend::load(&(self.path)(name), &mut sources, &mut inside);
        if inside.has_errors() {
            let mut finding =
                Diagnostic::error(Code::BadBackend, format!("the backend `{name}` cannot be used"))
                    .at(node.span, "named here");
            for item in inside.items() {
                let place = item.labels.first().map(|label| format!("{}: ", sources.place(label.span)));
                finding = finding.note(format!("{}{}", place.unwrap_or_default(), item.title));
            }
            found.push(finding.help("mend the file, or name another one"));
        }
    }

    /// A session that was saved, here or by the running system (FLOW section 21).
    fn session(&mut self, node: &Node, found: &mut Diagnostics) {
        let Some(name) = crate::document::text_of(node, "session", found) else {
            return;
        };
        let path = (self.path)(name);
        let bad = |title: String, place: String| {
            Diagnostic::error(Code::BadSession, title).about(place).help(
                "a saved session is a JSON object with `state`, `collected_data`, `intent_tracker` and `circular_flow`",
            )
        };
        let bytes = match read_bytes(&path, DEFINITION_LIMIT) {
            Ok(bytes) => bytes,
            Err(finding) => return found.push(finding.at(node.span, "named here")),
        };
        let Ok(text) = String::from_utf8(bytes) else {
            let title = format!("the session `{}` is not UTF-8 text", path.display());
            return found.push(bad(title, path.display().to_string()));
        };
        match SavedSession::from_text(text.trim_start_matches('\u{feff}')) {
            Ok(saved) if self.machine.state_id(&saved.state).is_some() => {
                self.session = saved.restore(self.machine);
            }
            Ok(saved) => {
                let title = format!("the session is in `{}`, which is no state of the model", saved.state);
                let states = self.machine.declared_states().map(|(id, _)| self.machine.names.states.name(id));
                let near = nearest(&saved.state, states);
                found.push(
                    bad(title, path.display().to_string())
                        .suggest(near, "play it with the flow it comes from"),
                );
            }
            Err(error) => {
                let place = format!("{}:{}:{}", path.display(), error.line(), error.column());
                let reason = error.to_string();
                let reason = reason.split(" at line ").next().unwrap_or_default().to_owned();
                found.push(bad(format!("the session cannot be read: {reason}"), place));
            }
        }
    }

    fn state(&mut self, node: &Node, found: &mut Diagnostics) {
        let Some(name) = crate::document::text_of(node, "state", found) else {
            return;
        };
        match self.machine.state_id(name) {
            Some(state) if self.settings.switches.atomic_position => {
                self.session.move_to(state, None, self.machine);
            }
            Some(state) => {
                self.session.position.state = state;
                self.session.phase_entered = self.machine.state(state).phase.is_some();
            }
            None => {
                let states = self.machine.declared_states().map(|(id, _)| self.machine.names.states.name(id));
                found.push(
                    Diagnostic::error(
                        Code::UnknownStart,
                        format!("the dialogue starts in `{name}`, which is no state"),
                    )
                    .at(node.span, "not a state of the model")
                    .suggest(nearest(name, states), "name a state of the model"),
                );
            }
        }
    }

    /// The flags of a map with their values; findings for those that nobody knows.
    fn flags(&self, map: Option<&Map>, found: &mut Diagnostics) -> Vec<(FlagId, bool)> {
        let mut flags = Vec::new();
        for (key, node) in map.into_iter().flat_map(|map| &map.entries) {
            let names = &self.machine.names.flags;
            match names.id(&key.text) {
                Some(id) => flags.extend(boolean_of(node, &key.text, found).map(|on| (id, on))),
                None => found.push(
                    Diagnostic::error(Code::UnknownFlag, format!("there is no feature flag `{}`", key.text))
                        .at(key.span, "not known")
                        .suggest(
                            nearest(&key.text, names.iter()),
                            "add it to the `feature_flags` of the settings",
                        ),
                ),
            }
        }
        flags
    }

    /// Limits of the dialogue. In the running system those of objections change nothing (FLOW Q06).
    fn limits(&mut self, map: &Map, found: &mut Diagnostics) {
        for (key, node) in &map.entries {
            let known = Limit::ALL.iter().find(|(_, name)| *name == &*key.text);
            let Some((limit, name)) = known else {
                unknown_key(key, "`limits`", &Limit::ALL.map(|(_, name)| name), found);
                continue;
            };
            let counts = *limit == Limit::GoBacks || self.settings.switches.dialogue_limits;
            if let Some(value) = integer_of(node, name, found).filter(|_| counts) {
                self.settings.limits.set(*limit, value);
            }
        }
    }

    fn sources(&mut self, map: &Map, found: &mut Diagnostics) {
        for (key, node) in &map.entries {
            let names = SourceKind::ALL.map(SourceKind::name);
            match SourceKind::from_name(&key.text) {
                Some(kind) => {
                    if let Some(on) = boolean_of(node, &key.text, found) {
                        self.settings.enabled = self.settings.enabled.with(kind, on);
                    }
                }
                None => found.push(
                    Diagnostic::error(Code::UnknownSource, format!("there is no source `{}`", key.text))
                        .at(key.span, "not known")
                        .suggest(nearest(&key.text, names), format!("sources: {}", names.join(", "))),
                ),
            }
        }
    }

    /// The conversation guard: on, off, or on with limits of its own.
    fn guard(&mut self, node: &Node, found: &mut Diagnostics) {
        let Some(map) = node.map() else {
            if boolean_of(node, "guard", found).is_some() {
                self.settings.guard = is_true(node).then_some(self.settings.guard_default);
            }
            return;
        };
        let mut limits: GuardLimits = self.settings.guard_default;
        for (key, node) in &map.entries {
            let mut fields = limits.fields();
            let names: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
            match fields.iter_mut().find(|(name, _)| *name == &*key.text) {
                Some((name, value)) => {
                    if let Some(number) = integer_of(node, name, found) {
                        **value = number;
                    }
                }
                None => unknown_key(key, "`guard`", &names, found),
            }
        }
        self.settings.guard = Some(limits);
    }

    /// Whether anybody looks at signals at all.
    fn envelope(&self) -> bool {
        let flag = self.machine.names.flags.id("context_full_envelope");
        flag.is_none_or(|flag| self.settings.flag(flag))
    }
}
