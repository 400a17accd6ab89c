//! The start of a dialogue: `start:` of a turns file or scenario, merged into the settings of the machine.

use std::sync::Arc;

use super::dialogue_runner::DialogueRunner;
use super::start_reader::{PERMISSIVE, PathOf, StartReader};
use crate::script::KnownNames;
use fsmsim_adapters::stores::{FixtureBackend, MemoryTwin};
use fsmsim_core::engine::{Machine, Session, Settings};
use fsmsim_core::machine::Value;
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap, render};
use fsmsim_syntax::document::{Content, Node, parse_yaml};

/// The key for the signal sources of a dialogue that is started interactively.
pub const SIGNALS: &str = "signals";

/// The settings and the initial session of a dialogue.
#[derive(Clone, Debug)]
pub struct DialogueSetup {
    pub settings: Settings,
    pub session: Session,
    /// The digital twin, if one is named. `None` means a twin that does not respond.
    pub twin: Option<MemoryTwin>,
    /// The backend that executes routes. `None` means a backend that does not respond.
    pub backend: Option<FixtureBackend>,
    /// The complete `start` value as written, or null.
    pub start: Value,
}

impl DialogueSetup {
    /// Parses the start of a dialogue.
    ///
    /// `names` are the valid names, or `None` for any name. `path` resolves the files that `start` names. Returns
    /// `None`, with findings, if `signals` or `start` is invalid.
    pub fn read(
        machine: &Machine,
        names: Option<&KnownNames<'_>>,
        signals: Option<&Node>,
        start: Option<&Node>,
        path: &PathOf<'_>,
        found: &mut Diagnostics,
    ) -> Option<Self> {
        let errors_before = found.error_count();
        let mut reader = StartReader::new(machine, path);
        if let Some(signals) = signals {
            reader.signals(signals, found);
        }
        if let Some(start) = start.filter(|node| !node.is_null()) {
            reader.read(start, names, found);
        }
        let StartReader {
            settings,
            session,
            twin,
            backend,
            ..
        } = reader.settle();
        let start = start.map(Value::from).unwrap_or_default();
        found.no_errors_since(errors_before).then_some(Self {
            settings,
            session,
            twin,
            backend,
            start,
        })
    }

    /// Parses the start of an interactive dialogue. `start` has the same format as in a scenario, optionally with
    /// `signals`.
    ///
    /// # Errors
    /// Returns the findings about `start` as text.
    pub fn parse(machine: &Machine, start: &str) -> Result<Self, String> {
        let mut found = Diagnostics::default();
        let mut sources = SourceMap::default();
        let node = parse_yaml(sources.add("start", start), start, 0, &mut found);
        let setup = node.and_then(|mut node| {
            let signals = match &mut node.content {
                Content::Map(map) => map
                    .entries
                    .extract_if(.., |(key, _)| &*key.text == SIGNALS)
                    .last(),
                _ => None,
            };
            let signals = signals.map(|(_, node)| node);
            let names = KnownNames::new(machine, Some(&node));
            Self::read(
                machine,
                Some(&names),
                signals.as_ref(),
                Some(&node),
                &|path| Ok(path.into()),
                &mut found,
            )
        });
        setup.ok_or_else(|| render(&found, &sources, false).trim_end().to_owned())
    }

    /// Accepts moves that no state declares, and marks them in the trace.
    pub fn permit(&mut self) {
        self.settings.policies.permit();
        let rest = match std::mem::take(&mut self.start) {
            Value::Map(pairs) => pairs.to_vec(),
            _ => Vec::new(),
        };
        let rest = rest.into_iter().filter(|(key, _)| &**key != PERMISSIVE);
        self.start = Value::Map(
            rest.chain([(PERMISSIVE.into(), Value::Bool(true))])
                .collect(),
        );
    }

    /// The dialogue before its first turn.
    pub fn runner(self, machine: &Arc<Machine>) -> DialogueRunner {
        let mut runner = DialogueRunner::new(machine, self.settings, self.session);
        if let Some(twin) = self.twin {
            runner.environment.twin = Box::new(twin);
        }
        if let Some(backend) = self.backend {
            runner.environment.backend = Box::new(backend);
        }
        runner
    }
}
