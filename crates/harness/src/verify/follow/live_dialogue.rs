//! A dialogue that can have further turns.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::super::obligation::Obligation;
use super::super::property_watch::PropertyWatch;
use super::super::reachability::Reachability;
use super::super::shadow_session::ShadowSession;
use super::super::structure::check_turn;
use super::known_session::KnownSession;
use crate::verify::import::{BorrowedJson, CarriedFields, ObservedText, TraceMap};
use crate::verify::{DialogueVerdict, Finding, Sighting};
use fsmsim_core::engine::Settings;
use fsmsim_core::machine::Profile;
use fsmsim_core::trace::RecordField;
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};

/// A dialogue that can have further turns: what the rules need to know about its earlier turns.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct LiveDialogue {
    session: KnownSession,
    /// The number of turns.
    pub turns: usize,
    /// The lines of the current turn with their numbers, if a turn has several.
    pub(super) pending: Vec<(usize, String)>,
    /// The profile, the signals and the start, as JSON.
    pub(super) head: Option<Box<str>>,
    /// The number and the line of the last turn.
    last: (u32, usize),
    debts: Box<[Obligation]>,
    sightings: Box<[Sighting]>,
    pub is_violating: bool,
    /// The order of the last line.
    pub(super) order: Option<i128>,
    /// Whether lines before the next one are missing.
    pub(super) has_gap: bool,
    /// The time of the last line, in seconds.
    #[serde(skip)]
    pub(super) seen: u64,
    #[serde(skip)]
    pub(super) context: Option<DialogueContext>,
}

/// The model and the settings of a dialogue.
#[derive(Clone)]
pub(super) struct DialogueContext {
    pub profile: Profile,
    pub reachability: Arc<Reachability>,
    pub settings: Arc<Settings>,
}

/// The destinations of the results of a turn.
pub(super) struct TurnResults<'r> {
    pub findings: &'r mut Vec<Finding>,
    /// The fields that have a wrong type.
    pub mistyped: &'r mut Vec<RecordField>,
    pub found: &'r mut Diagnostics,
    pub pieces: &'r mut SourceMap,
}

impl LiveDialogue {
    /// A dialogue before its first turn. If its earlier turns are unknown, nothing is known about its session.
    pub(super) fn new(context: DialogueContext, start: &BorrowedJson<'_>, has_gap: bool) -> Self {
        let machine = &context.reachability.machine;
        let session = if has_gap {
            KnownSession::default()
        } else {
            let shadow = ShadowSession::new(machine, start);
            KnownSession::new(&shadow, &CarriedFields::default())
        };
        let count = machine.properties.len();
        Self {
            session,
            debts: vec![Obligation::default(); count].into(),
            sightings: vec![Sighting::default(); count].into(),
            has_gap,
            context: Some(context),
            ..Self::default()
        }
    }

    /// Checks the turns in a text. Returns `None`, with findings, if the text is invalid.
    pub(super) fn check(
        &mut self,
        text: &ObservedText,
        (map, trace): (Option<&TraceMap>, &str),
        results: &mut TurnResults<'_>,
    ) -> Option<()> {
        let context = self.context.clone()?;
        let DialogueContext {
            reachability,
            settings,
            ..
        } = &context;
        let machine = &reachability.machine;
        let known = self.session.known();
        let mut carried = CarriedFields::restored(known.at("carried"));
        let TurnResults {
            findings,
            mistyped,
            found,
            pieces,
        } = results;
        let turns = self.session.turns;
        let observed = text.open_next(map, trace, (turns, &mut carried), found, pieces);
        let Some(mut observed) = observed else {
            drop((carried, known));
            self.has_gap = true;
            return None;
        };
        if let Some(first) = observed.turns.first_mut() {
            first.after_gap |= self.has_gap;
        }
        let mut shadow = self.session.restored(&known);
        let states = (
            std::mem::take(&mut self.debts),
            std::mem::take(&mut self.sightings),
        );
        let mut watch = PropertyWatch::restored(machine, text.name(), self.last, states);
        for turn in &observed.turns {
            check_turn(
                reachability,
                settings,
                text.name(),
                turn,
                (&mut shadow, &mut watch),
                findings,
            );
            mistyped.extend(turn.mistyped());
            self.last = (turn.number, turn.line);
            self.turns += 1;
        }
        self.has_gap &= observed.turns.is_empty();
        (self.debts, self.sightings) = watch.saved();
        let saved = KnownSession::new(&shadow, &carried);
        drop((shadow, carried));
        self.session = saved;
        Some(())
    }

    /// Ends the dialogue. Adds violations of obligations, and returns the verdict on the rest.
    pub(super) fn end(
        mut self,
        name: &str,
        findings: &mut Vec<Finding>,
    ) -> Option<(DialogueContext, DialogueVerdict)> {
        let is_over = self.is_over();
        let context = self.context.take()?;
        let machine = &context.reachability.machine;
        let states = (self.debts, self.sightings);
        let mut watch = PropertyWatch::restored(machine, name, self.last, states);
        watch.end(is_over, findings);
        let verdict = watch.verdict(self.turns, Vec::new());
        Some((context, verdict))
    }

    /// Whether the dialogue has ended, as recorded or according to the model.
    pub(super) fn is_over(&self) -> bool {
        let Some(context) = &self.context else {
            return false;
        };
        let machine = &context.reachability.machine;
        let known = self.session.known();
        let state = known
            .at("state")
            .text()
            .and_then(|state| machine.state_id(state));
        let is_final = state.is_some_and(|state| machine.state(state).is_final);
        self.turns > 0 && self.session.is_final.unwrap_or(is_final)
    }
}
