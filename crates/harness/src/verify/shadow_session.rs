//! The known part of a dialogue's session before a turn, from earlier turns and from later operations.

use std::collections::BTreeSet;

use super::known_frames::KnownFrames;
use crate::verify::import::{BorrowedJson, ObservedTurn};
use fsmsim_core::engine::{Consent, Machine, Settings};
use fsmsim_core::machine::StateId;
use fsmsim_core::trace::RecordField;

/// The known part of a dialogue's session before a turn. Values that a trace does not record are unknown and are not
/// checked.
#[derive(Clone, Debug, Default)]
pub(super) struct ShadowSession<'a> {
    /// The number of the last turn; 0 before the first turn.
    pub turns: u32,
    /// The name of the state.
    pub state: Option<&'a str>,
    /// Whether the state was set externally. The model does not have to allow such a change.
    pub placed: bool,
    /// The last recorded data.
    pub data: Option<&'a BorrowedJson<'a>>,
    /// Whether there might be other data that is not recorded.
    pub has_some_data: bool,
    /// Data that was set externally since the last turn.
    pub set: Vec<(&'a str, &'a BorrowedJson<'a>)>,
    /// Names of data that was set, or present at the start, but exceeded the slot limit.
    pub refused: BTreeSet<&'a str>,
    /// The return state, if it is known.
    #[expect(
        clippy::option_option,
        reason = "a known absence differs from an unknown return state"
    )]
    pub return_state: Option<Option<&'a str>>,
    /// The visited states.
    pub visited: BTreeSet<StateId>,
    /// Whether any phase was entered.
    pub phase_entered: Option<bool>,
    /// Whether the dialogue had ended.
    pub is_final: Option<bool>,
    pub counters: Option<&'a BorrowedJson<'a>>,
    /// The options of the open clarification question.
    pub options: Option<&'a BorrowedJson<'a>>,
    /// The turn counter.
    pub turn_number: Option<i64>,
    /// The last recorded frames.
    pub frames: Option<KnownFrames>,
    /// The user's consent to accesses to the digital twin.
    pub consent: Option<Consent>,
    /// Whether the user withdrew consent in this turn.
    pub withdrawn: bool,
}

static EMPTY: BorrowedJson<'static> = BorrowedJson::Map(Vec::new());

impl<'a> ShadowSession<'a> {
    /// The session before the first turn of a dialogue that has this start.
    pub(super) fn new(machine: &'a Machine, start: &'a BorrowedJson<'a>) -> Self {
        let mut shadow = Self::default();
        // Nothing is known about a session that another system saved.
        if start.at("session").is_null() {
            shadow.reset(machine);
            let given = start
                .get("data")
                .filter(|data| data.is_map())
                .unwrap_or(&EMPTY);
            shadow.data = shadow.data.map(|_| given);
            // Fields set at the start override those of the model.
            shadow.frames = Some(KnownFrames::initial(machine, given));
            shadow.consent = Some(Consent::default().then(consent(start.at("consent"))));
        }
        if let Some(state) = start.at("state").text() {
            shadow.place(state, machine);
        }
        shadow
    }

    fn reset(&mut self, machine: &'a Machine) {
        // Any other initial data is not recorded yet.
        let only_fields = machine
            .initial_data
            .iter()
            .all(|(slot, _)| machine.frames.field(*slot).is_some());
        *self = Self {
            turns: self.turns,
            data: only_fields.then_some(&EMPTY),
            return_state: Some(None),
            frames: Some(KnownFrames::initial(machine, &EMPTY)),
            consent: Some(Consent::default()),
            ..Self::default()
        };
        self.enter(machine.names.states.name(machine.initial), machine);
        self.phase_entered = Some(false);
    }

    /// Forgets everything except the visited states, because some turns are missing.
    pub(super) fn forget(&mut self) {
        let visited = std::mem::take(&mut self.visited);
        *self = Self {
            visited,
            turns: self.turns,
            ..Self::default()
        };
    }

    /// Records that the dialogue enters a state.
    fn enter(&mut self, name: &'a str, machine: &Machine) {
        self.state = Some(name);
        if let Some(state) = machine.state_id(name) {
            self.visited.insert(state);
            if machine.state(state).phase.is_some() {
                self.phase_entered = Some(true);
            }
        }
    }

    /// Records that the dialogue was put into a state externally.
    fn place(&mut self, name: &'a str, machine: &Machine) {
        let entered = self.phase_entered;
        self.enter(name, machine);
        // State and phase may have been set separately, so it is unknown whether the phase counts as entered.
        if self.phase_entered != entered {
            self.phase_entered = None;
        }
        self.placed = true;
        self.is_final = None;
    }

    /// Applies the operations before a turn, and the consent given in the turn.
    pub(super) fn begin(
        &mut self,
        turn: &'a ObservedTurn<'a>,
        machine: &'a Machine,
        settings: &Settings,
    ) {
        for operation in turn.input.at("before").items() {
            match operation.at("op").text() {
                Some("reset") => self.reset(machine),
                // A snapshot that does not save these values loses them.
                Some("snapshot") if !settings.switches.snapshot => {
                    self.return_state = None;
                    self.phase_entered = None;
                    self.counters = None;
                    self.turn_number = None;
                    self.consent = None;
                }
                Some("set_state") => {
                    if let Some(name) = operation.at("state").text() {
                        self.place(name, machine);
                    }
                }
                Some("transition_to") => {
                    let name = operation.at("next_state").text();
                    let any = operation.at("validate").boolean() == Some(false);
                    if let Some(name) = name.filter(|name| any || machine.state_id(name).is_some())
                    {
                        self.place(name, machine);
                    }
                }
                Some("set_data") => {
                    let pairs = operation.at("data").entries().iter();
                    self.set.extend(pairs.map(|(key, value)| (&**key, value)));
                }
                _ => {}
            }
        }
        self.refused = refused(turn).collect();
        let said = heard(turn).then(consent(turn.input.at("consent")));
        self.withdrawn = said.read == Some(false);
        self.consent = self.consent.map(|known| known.then(said));
    }

    /// Records the values of a turn. `frames` contains the frames after the turn.
    pub(super) fn end(
        &mut self,
        turn: &'a ObservedTurn<'a>,
        frames: Option<KnownFrames>,
        machine: &'a Machine,
    ) {
        let before = turn.from().or(self.state);
        self.visited
            .extend(before.and_then(|name| machine.state_id(name)));
        let entered = self.phase_entered;
        self.enter(turn.to(), machine);
        // A rejected turn enters nothing, not even the phase of a state that was set externally.
        if before == Some(turn.to()) && self.phase_entered != entered {
            self.phase_entered = None;
        }
        self.placed = false;
        self.turns = turn.number;
        self.data = turn.map(RecordField::Data);
        self.has_some_data = turn.tells_some_data;
        self.frames = frames;
        self.set.clear();
        self.refused.clear();
        self.return_state = turn.field(RecordField::ReturnState).map(BorrowedJson::text);
        self.is_final = turn.is_final();
        self.counters = turn.field(RecordField::Counters);
        // An utterance that was not recognized leaves the question open.
        if turn.turn_number().is_none() || turn.turn_number() != self.turn_number {
            let mut asked = turn.answers.items().iter().chain([&turn.input]);
            self.options = asked.find_map(|from| from.get("options"));
        }
        self.turn_number = turn.turn_number();
    }

    /// The known value of a slot; `None` if the data is unknown.
    pub(super) fn slot(&self, name: &str) -> Option<&'a BorrowedJson<'a>> {
        let data = self.data?;
        if self.refused.contains(name) {
            return Some(&BorrowedJson::Null);
        }
        let set = self
            .set
            .iter()
            .rev()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| *value);
        Some(set.unwrap_or_else(|| data.at(name)))
    }

    /// The names of all known slots; `None` if the data is unknown.
    pub(super) fn slots(&self) -> Option<Vec<&'a str>> {
        let kept = self.data?.entries().iter().map(|(key, _)| &**key);
        let mut names: Vec<&str> = kept.chain(self.set.iter().map(|(name, _)| *name)).collect();
        names.sort_unstable();
        names.dedup();
        names.retain(|name| self.slot(name).is_some_and(|value| !value.is_null()));
        Some(names)
    }
}

/// The names of data that was refused because it exceeded the slot limit.
fn refused<'t>(turn: &'t ObservedTurn<'_>) -> impl Iterator<Item = &'t str> {
    turn.field(RecordField::Violations)
        .into_iter()
        .flat_map(BorrowedJson::items)
        .filter(|violation| violation.at("fault").text() == Some("too_many_slots"))
        .flat_map(|violation| violation.at("slots").items())
        .filter_map(BorrowedJson::text)
}

/// The consent in the answer of a language model that controlled the turn.
fn heard(turn: &ObservedTurn<'_>) -> Consent {
    let given = [turn.input.at("answers"), &turn.answers]
        .into_iter()
        .flat_map(BorrowedJson::items)
        .map(|answer| answer.at("answer"));
    let mut words = given
        .chain([turn.input.at("answer")])
        .map(|answer| consent(answer.at("consent")));
    words.find(|word| word.is_said()).unwrap_or_default()
}

fn consent(node: &BorrowedJson<'_>) -> Consent {
    Consent {
        read: node.at("read").boolean(),
        write: node.at("write").boolean(),
    }
}
