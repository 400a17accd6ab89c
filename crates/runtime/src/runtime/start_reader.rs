//! Parses `start:` of a turns file or scenario, with one method per key.

use std::path::PathBuf;

use crate::script::{FOREIGN, KnownNames, read_consent, read_values};
use fsmsim_adapters::stores::{FixtureBackend, MemoryTwin};
use fsmsim_core::engine::policy::GO_BACKS;
use fsmsim_core::engine::{Machine, Session, Settings, SignalMode, SourceKind};
use fsmsim_core::machine::FlagId;
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic, Diagnostics};
use fsmsim_syntax::document::{Fields, Map, Node, boolean_of, integer_of, text_of, unknown_key};
use fsmsim_syntax::shapes::{self, NamedKind};

/// The key of `start` that permits moves that no state declares.
pub const PERMISSIVE: &str = "permissive";

/// Resolves a file name in `start`.
pub(super) type PathOf<'m> = dyn Fn(&str) -> Checked<PathBuf> + 'm;

/// The settings and the session of a dialogue while `start` is applied, key by key.
pub(super) struct StartReader<'m> {
    pub machine: &'m Machine,
    /// Resolves a file name in `start`.
    pub path: &'m PathOf<'m>,
    pub settings: Settings,
    pub session: Session,
    pub twin: Option<MemoryTwin>,
    pub backend: Option<FixtureBackend>,
}

impl<'m> StartReader<'m> {
    /// Starts from the default settings and the initial session of the machine.
    pub(super) fn new(machine: &'m Machine, path: &'m PathOf<'m>) -> Self {
        let settings = machine.settings().clone();
        let session = Session::new(machine);
        Self {
            machine,
            path,
            settings,
            session,
            twin: None,
            backend: None,
        }
    }

    /// Sets the signal sources.
    pub(super) fn signals(&mut self, node: &Node, found: &mut Diagnostics) {
        if let Some(mode) = read_mode(node, found) {
            self.settings.signals = mode;
        }
    }

    /// Applies all keys of `start`. `state` is applied after `session`, because a saved session contains a state too.
    pub(super) fn read(
        &mut self,
        node: &Node,
        names: Option<&KnownNames<'_>>,
        found: &mut Diagnostics,
    ) {
        let Some(mut fields) = Fields::of(node, &shapes::START, found) else {
            return;
        };
        let [session, state, data, tenant, guard, model] =
            fields.nodes(["session", "state", "data", "tenant", "guard", "model"]);
        let [twin, backend, consent, permissive] =
            fields.nodes(["twin", "backend", "consent", PERMISSIVE]);
        let [flags, limits, sources, personas] =
            ["flags", "limits", "sources", "persona_limits"].map(|key| fields.map(key));
        fields.texts(FOREIGN);
        fields.finish();
        if let (Some(names), Some(data)) = (names, data) {
            names.check_keys(NamedKind::Slot, data, found);
        }
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
            self.session.policies.set_consent(read_consent(node, found));
        }
        if let Some(node) = permissive {
            self.permissive(node, found);
        }
        if let Some(node) = state {
            self.state(node, found);
        }
        if let Some(node) = data {
            self.data(node, names, found);
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
            self.settings.policies.read_personas(map, found);
        }
        if let Some(node) = tenant {
            self.tenant(node, found);
        }
        if let Some(node) = guard {
            self.settings.policies.read_guard(node, found);
        }
        if let Some(node) = model {
            self.model(node, found);
        }
    }

    /// Updates the settings that depend on several keys.
    pub(super) fn settle(mut self) -> Self {
        self.settings.refresh(self.machine);
        // Signals are ignored if the flag is off.
        let envelope = self.machine.names.flags.id("context_full_envelope");
        if envelope.is_some_and(|flag| !self.settings.flag(flag)) {
            self.settings.signals = SignalMode::None;
        }
        self
    }

    /// Permits moves that no state declares, and stubs for missing states.
    fn permissive(&mut self, node: &Node, found: &mut Diagnostics) {
        let is_permissive = boolean_of(node, PERMISSIVE, found).unwrap_or(false);
        if is_permissive && !self.machine.policies.inputs().stubs {
            Diagnostic::error(Code::WrongInput, "cannot use `permissive` with this model")
                .at(node.span, "only for flows and state sets")
                .help("remove `permissive`: this model cannot have stubs")
                .add_to(found);
        }
        if is_permissive {
            self.settings.policies.permit();
        }
    }

    fn model(&mut self, node: &Node, found: &mut Diagnostics) {
        if node.text() == Some("scripted") {
            self.settings.model = true;
            return;
        }
        Diagnostic::error(
            Code::UnknownValue,
            "expected `scripted` for `model` in `start`",
        )
        .at(node.span, "unknown value")
        .help("write `model: scripted`, and put the answers into the turns")
        .add_to(found);
    }

    fn tenant(&mut self, node: &Node, found: &mut Diagnostics) {
        let Some(mut fields) = Fields::of(node, &shapes::TENANT, found) else {
            return;
        };
        let features = fields.map("features");
        fields.finish();
        for (id, on) in self.flags(features, found) {
            *self.settings.tenant_off.grow(id) = !on;
        }
    }

    fn state(&mut self, node: &Node, found: &mut Diagnostics) {
        let Some(name) = text_of(node, "state", found) else {
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
                let states = self.machine.declared_names();
                Diagnostic::unknown(Code::UnknownStart, "state", name)
                    .at(node.span, "start state")
                    .near(name, states, "use a state of the model")
                    .add_to(found);
            }
        }
    }

    /// The flags of a map with their values. Reports unknown flags.
    fn flags(&self, map: Option<&Map>, found: &mut Diagnostics) -> Vec<(FlagId, bool)> {
        let mut flags = Vec::new();
        for (key, node) in map.into_iter().flat_map(|map| &map.entries) {
            let names = &self.machine.names.flags;
            match names.id(&key.text) {
                Some(id) => flags.extend(boolean_of(node, &key.text, found).map(|on| (id, on))),
                None => {
                    Diagnostic::unknown(Code::UnknownFlag, "feature flag", &key.text)
                        .at(key.span, "unknown flag")
                        .near(
                            &key.text,
                            names.iter(),
                            "define it under `feature_flags` in the settings",
                        )
                        .add_to(found);
                }
            }
        }
        flags
    }

    /// The initial data. A field of a frame accepts only the values that it declares.
    fn data(&mut self, node: &Node, names: Option<&KnownNames<'_>>, found: &mut Diagnostics) {
        for (name, value) in read_values(node, self.machine, names, found) {
            let field = name
                .known()
                .and_then(|slot| self.machine.frames.field(slot));
            if let Some((frame, field)) = field.filter(|(_, field)| !field.kind.admits(&value)) {
                let key = format!("{}.{}", frame.name, field.name);
                let place = node.get(&key).map_or(node.span, |node| node.span);
                Diagnostic::error(
                    Code::WrongType,
                    format!("invalid value {value} for `{key}`"),
                )
                .at(place, "not allowed")
                .help("use a value that the model declares for the field, or declare this value")
                .add_to(found);
                continue;
            }
            self.session.slots.set_name(&name, value);
        }
    }

    /// Reads the limits of the dialogue. Objection limits are ignored if only the limits of the persona apply.
    fn limits(&mut self, map: &Map, found: &mut Diagnostics) {
        for (key, node) in &map.entries {
            let names = &self.machine.names.limits;
            let Some(limit) = names.id(&key.text) else {
                unknown_key(key, "`limits`", &names.iter().collect::<Vec<_>>(), found);
                continue;
            };
            let counts = &*key.text == GO_BACKS || self.settings.switches.dialogue_limits;
            if let Some(value) = integer_of(node, &key.text, found).filter(|_| counts) {
                *self.settings.limits.grow(limit) = value;
            }
        }
    }

    fn sources(&mut self, map: &Map, found: &mut Diagnostics) {
        for (key, node) in &map.entries {
            match SourceKind::from_name(&key.text) {
                Some(kind) => {
                    if let Some(on) = boolean_of(node, &key.text, found) {
                        self.settings.enabled = self.settings.enabled.with(kind, on);
                    }
                }
                None => Diagnostic::not_among(
                    Code::UnknownSource,
                    "source",
                    &key.text,
                    key.span,
                    SourceKind::names(),
                )
                .add_to(found),
            }
        }
    }
}

fn read_mode(node: &Node, found: &mut Diagnostics) -> Option<SignalMode> {
    let name = text_of(node, "signals", found)?;
    SignalMode::from_name(name).or_else(|| {
        let names = SignalMode::ALL.iter().map(|mode| mode.name());
        Diagnostic::error(
            Code::UnknownValue,
            format!("unknown value `{name}` for `signals`"),
        )
        .at(node.span, "unknown value")
        .offer(name, "use one of these values", names)
        .refuse(found)
    })
}
