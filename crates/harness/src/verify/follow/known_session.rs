//! The known part of a session between two turns, as text that needs little memory.

use std::collections::BTreeMap;

use serde::ser::{Serialize, Serializer};
use serde::{Deserialize, Serialize as DeriveSerialize};

use super::super::known_frames::KnownFrames;
use super::super::shadow_session::ShadowSession;
use crate::verify::import::{BorrowedJson, CarriedFields};
use fsmsim_core::engine::Consent;
use fsmsim_core::machine::{Id, StateId, Value};

/// The known part of a session between two turns.
#[derive(Clone, Debug, Default, DeriveSerialize, Deserialize)]
pub(super) struct KnownSession {
    pub turns: u32,
    /// The known values as a JSON map. A missing key is unknown.
    known: Box<str>,
    has_some_data: bool,
    phase_entered: Option<bool>,
    pub is_final: Option<bool>,
    turn_number: Option<i64>,
    visited: Box<[u32]>,
    consent: Option<[Option<bool>; 2]>,
}

/// The known values of a session.
#[derive(DeriveSerialize)]
struct KnownParts<'s> {
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<&'s str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<&'s BorrowedJson<'s>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    counters: Option<&'s BorrowedJson<'s>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    options: Option<&'s BorrowedJson<'s>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[expect(
        clippy::option_option,
        reason = "a known absence differs from an unknown return state"
    )]
    return_state: Option<Option<&'s str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    frames: Option<BTreeMap<&'s str, &'s Value>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    carried: BTreeMap<&'static str, &'s BorrowedJson<'s>>,
}

impl KnownSession {
    /// Saves a session, and the fields that are carried forward.
    pub(super) fn new(shadow: &ShadowSession<'_>, carried: &CarriedFields<'_>) -> Self {
        let frames = shadow.frames.as_ref();
        let known = KnownParts {
            state: shadow.state,
            data: shadow.data,
            counters: shadow.counters,
            options: shadow.options,
            return_state: shadow.return_state,
            frames: frames.map(|frames| frames.iter().collect()),
            carried: carried.iter().collect(),
        };
        let consent = shadow.consent.map(|consent| [consent.read, consent.write]);
        Self {
            turns: shadow.turns,
            known: serde_json::to_string(&known).unwrap_or_default().into(),
            has_some_data: shadow.has_some_data,
            phase_entered: shadow.phase_entered,
            is_final: shadow.is_final,
            turn_number: shadow.turn_number,
            visited: shadow.visited.iter().map(|state| index(*state)).collect(),
            consent,
        }
    }

    /// The known values.
    pub(super) fn known(&self) -> BorrowedJson<'_> {
        serde_json::from_str(&self.known).unwrap_or_default()
    }

    /// The session. `known` has its [values](Self::known).
    pub(super) fn restored<'k>(&self, known: &'k BorrowedJson<'k>) -> ShadowSession<'k> {
        let frames = known.get("frames");
        let consent = self.consent.map(|[read, write]| Consent { read, write });
        ShadowSession {
            turns: self.turns,
            state: known.at("state").text(),
            data: known.get("data"),
            has_some_data: self.has_some_data,
            return_state: known.get("return_state").map(BorrowedJson::text),
            visited: self
                .visited
                .iter()
                .map(|state| StateId::from_index(*state as usize))
                .collect(),
            phase_entered: self.phase_entered,
            is_final: self.is_final,
            counters: known.get("counters"),
            options: known.get("options"),
            turn_number: self.turn_number,
            frames: frames.map(KnownFrames::saved),
            consent,
            ..ShadowSession::default()
        }
    }
}

fn index(state: StateId) -> u32 {
    u32::try_from(state.index()).unwrap_or(u32::MAX)
}

impl Serialize for BorrowedJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Int(value) => serializer.serialize_i64(*value),
            Self::Float(value) => serializer.serialize_f64(*value),
            Self::Text(text) => serializer.serialize_str(text),
            Self::List(items) => serializer.collect_seq(items),
            Self::Map(pairs) => {
                serializer.collect_map(pairs.iter().map(|(key, value)| (key, value)))
            }
        }
    }
}
