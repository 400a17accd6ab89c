//! All data that conditions use in a turn: state, intents, slots, limits.

use std::fmt::Write;

use colored::Colorize;

use fsmsim_core::engine::{ConditionExplainer, Machine, Session, Settings, is_missing};
use fsmsim_core::machine::{ConsentKind, CounterId, FlagId, Id, IntentId, LimitId};
use fsmsim_core::trace::aligned;
use fsmsim_syntax::terminal::printable;

/// The inputs of conditions, in sections with aligned columns. Empty sections are omitted.
pub(super) struct ContextView<'a> {
    pub machine: &'a Machine,
    pub settings: &'a Settings,
    pub session: &'a Session,
    pub explainer: &'a ConditionExplainer<'a>,
}

type Rows = Vec<Vec<String>>;

impl ContextView<'_> {
    pub(super) fn render(&self) -> String {
        let sections = [
            ("dialogue", self.dialogue()),
            ("intents", self.intents()),
            ("categories", self.categories()),
            ("last turns, latest first", self.window()),
            ("data", self.data()),
            ("counters", self.counters()),
            ("limits", self.limits()),
            ("flags", self.flags()),
            ("signals", self.signals()),
            ("branches", self.branches()),
        ];
        let sections = sections.iter().filter(|(_, rows)| !rows.is_empty());
        sections.map(|(title, rows)| section(title, rows)).collect()
    }

    fn dialogue(&self) -> Rows {
        let machine = self.machine;
        let session = self.session;
        let position = session.position;
        // A transition from outside can name another phase, which conditions do not see.
        let phase = machine.state(position.state).seen_phase;
        let action = position.action;
        let returns = session.return_names(machine).join(", then ");
        let mut rows = vec![
            pair("state", session.state_name(position.state, machine)),
            pair(
                "phase",
                phase.map_or("none", |phase| session.phase_name(phase, machine)),
            ),
            pair(
                "last action",
                action.map_or("none", |action| session.action_name(action, machine)),
            ),
            pair(
                "return to",
                if returns.is_empty() { "none" } else { &returns },
            ),
            pair("turns", &session.tracker.turn().to_string()),
            pair(
                "ended",
                if session.is_final(machine) {
                    "yes"
                } else {
                    "no"
                },
            ),
        ];
        let required = &machine.state(position.state).required;
        let missing: Vec<&str> = required
            .iter()
            .filter(|slot| is_missing(session.slots.get(**slot), self.settings))
            .map(|slot| machine.names.slots.name(*slot))
            .collect();
        if !missing.is_empty() {
            rows.push(pair("missing", &missing.join(", ")));
        } else if !required.is_empty() {
            rows.push(pair("missing", "none"));
        }
        if machine.policies.guidance().is_some() {
            let word = |kind| match session.policies.consent(kind) {
                Some(true) => "given",
                Some(false) => "refused",
                None => "not asked",
            };
            let read = word(ConsentKind::Read);
            let write = word(ConsentKind::Write);
            rows.push(pair("consent", &format!("read {read}, write {write}")));
        }
        rows
    }

    /// The intents of the user so far: consecutive and total counts.
    fn intents(&self) -> Rows {
        let tracker = &self.session.tracker;
        let mut said: Vec<IntentId> = Vec::new();
        let order = tracker.recent().chain(tracker.intents());
        for intent in order.filter(|intent| tracker.total(*intent) > 0) {
            if !said.contains(&intent) {
                said.push(intent);
            }
        }
        let rows = said.into_iter().map(|intent| {
            let name = self.session.intent_name(intent, self.machine);
            counted(name, tracker.streak(intent), tracker.total(intent))
        });
        rows.collect()
    }

    fn categories(&self) -> Rows {
        let tracker = &self.session.tracker;
        let names = &self.machine.names.categories;
        let rows = names.iter().map(|name| {
            let id = names.id(name);
            (
                name,
                tracker.category_streak(id),
                tracker.category_total(id),
            )
        });
        rows.filter(|(_, _, total)| *total > 0)
            .map(|(name, streak, total)| counted(name, streak, total))
            .collect()
    }

    fn window(&self) -> Rows {
        let machine = self.machine;
        let session = self.session;
        let rows = session.recent_turns.latest().map(|turn| {
            let intent = session.intent_name(turn.intent, machine);
            let state = session.state_name(turn.state, machine);
            let data = if turn.has_data { "with data" } else { "" };
            [intent, state, turn.kind.name(), data]
                .map(printable)
                .to_vec()
        });
        rows.collect()
    }

    fn data(&self) -> Rows {
        self.session
            .slots
            .iter(self.machine)
            .map(|(name, value)| pair(name, &value.plain()))
            .collect()
    }

    fn counters(&self) -> Rows {
        numbered(self.machine.names.counters.iter(), |number| {
            let counter = CounterId::from_index(number);
            let value = self.machine.counter(self.session, self.settings, counter);
            value.to_string()
        })
    }

    fn limits(&self) -> Rows {
        numbered(self.machine.names.limits.iter(), |number| {
            self.settings.limit(LimitId::from_index(number)).to_string()
        })
    }

    fn flags(&self) -> Rows {
        numbered(self.machine.names.flags.iter(), |number| {
            let is_on = self.settings.flag(FlagId::from_index(number));
            if is_on { "on" } else { "off" }.to_owned()
        })
    }

    fn signals(&self) -> Rows {
        self.explainer
            .signals()
            .into_iter()
            .map(|(name, value)| pair(name, &value))
            .collect()
    }

    fn branches(&self) -> Rows {
        let machine = self.machine;
        let session = self.session;
        let rows = session.branches.branches.iter().map(|branch| {
            let name = machine.names.branches.name(branch.id);
            let state = branch
                .state
                .map_or("none", |state| session.state_name(state, machine));
            [name, state, branch.status.name()].map(printable).to_vec()
        });
        rows.collect()
    }
}

/// A title with aligned rows below.
pub(super) fn section(title: &str, rows: &[Vec<String>]) -> String {
    let mut text = format!("  {}\n", format!("{title}:").dimmed());
    let columns = rows.first().map_or(0, Vec::len);
    for line in aligned(rows, columns).lines() {
        let _ = writeln!(text, "    {line}");
    }
    text
}

/// Names, each with the value at its index.
fn numbered<'n>(names: impl Iterator<Item = &'n str>, value: impl Fn(usize) -> String) -> Rows {
    let rows = names.enumerate();
    rows.map(|(number, name)| pair(name, &value(number)))
        .collect()
}

fn pair(name: &str, value: &str) -> Vec<String> {
    [name, value].map(printable).to_vec()
}

fn counted(name: &str, streak: u32, total: u32) -> Vec<String> {
    vec![
        printable(name),
        format!("{streak} in a row"),
        format!("{total} in total"),
    ]
}
