//! All that conditions see of a dialogue between turns: where it is, what was said, what is known, what may be done.

use std::fmt::Write;

use colored::Colorize;

use super::policies::shown;
use fsmsim_core::engine::{ConditionExplainer, Machine, Session, Settings, is_missing};
use fsmsim_core::machine::{ConsentKind, CounterId, FlagId, Id, IntentId, LimitId};
use fsmsim_core::trace::aligned;
use fsmsim_syntax::terminal::printable;

/// What conditions see, in sections with aligned columns. Sections of which the model has nothing are left out.
pub(super) struct ContextView<'a> {
    pub(super) machine: &'a Machine,
    pub(super) settings: &'a Settings,
    pub(super) session: &'a Session,
    pub(super) explainer: ConditionExplainer<'a>,
}

impl ContextView<'_> {
    /// The sections as text.
    pub(super) fn render(&self) -> String {
        let mut text = String::new();
        let sections = [
            ("dialogue", self.dialogue()),
            ("intents", self.intents()),
            ("categories", self.categories()),
            ("last turns, the latest first", self.window()),
            ("data", self.data()),
            ("counters", self.counters()),
            ("limits", self.limits()),
            ("flags", self.flags()),
            ("signals", self.signals()),
            ("branches", self.branches()),
        ];
        for (title, rows) in sections.into_iter().filter(|(_, rows)| !rows.is_empty()) {
            let _ = writeln!(text, "  {}", format!("{title}:").dimmed());
            let columns = rows.first().map_or(0, Vec::len);
            for line in aligned(&rows, columns).lines() {
                let _ = writeln!(text, "    {line}");
            }
        }
        text
    }

    fn dialogue(&self) -> Vec<Vec<String>> {
        let Self {
            machine,
            session,
            settings,
            ..
        } = self;
        let position = session.position;
        let mut rows = vec![
            pair("state", session.state_name(position.state, machine)),
            pair(
                "phase",
                position
                    .phase
                    .map_or("none", |phase| session.phase_name(phase, machine)),
            ),
            pair(
                "last action",
                position
                    .action
                    .map_or("none", |action| session.action_name(action, machine)),
            ),
            pair(
                "return to",
                session
                    .return_state
                    .map_or("nowhere", |state| session.state_name(state, machine)),
            ),
            pair("turns", &session.tracker.turn().to_string()),
            pair(
                "over",
                if session.is_final(machine) {
                    "yes"
                } else {
                    "no"
                },
            ),
        ];
        let required = &machine.state(position.state).required;
        let missing = required
            .iter()
            .filter(|slot| is_missing(session.slots.get(**slot), settings));
        let missing: Vec<&str> = missing
            .map(|slot| machine.names.slots.name(*slot))
            .collect();
        if !required.is_empty() {
            rows.push(pair(
                "missing",
                if missing.is_empty() {
                    "nothing".to_owned()
                } else {
                    missing.join(", ")
                }
                .as_str(),
            ));
        }
        if machine.policies.guidance().is_some() {
            let word = |kind| match session.policies.consent(kind) {
                Some(true) => "given",
                Some(false) => "refused",
                None => "not asked",
            };
            let (read, write) = (word(ConsentKind::Read), word(ConsentKind::Write));
            rows.push(pair("consent", &format!("read {read}, write {write}")));
        }
        rows
    }

    /// The intents that were said: in a row up to now, and in all.
    fn intents(&self) -> Vec<Vec<String>> {
        let Self {
            machine, session, ..
        } = self;
        let tracker = &session.tracker;
        let mut said: Vec<IntentId> = Vec::new();
        let order = tracker.recent().chain(tracker.intents());
        for intent in order.filter(|intent| tracker.total(*intent) > 0) {
            if !said.contains(&intent) {
                said.push(intent);
            }
        }
        let rows = said.into_iter().map(|intent| {
            counted(
                session.intent_name(intent, machine),
                tracker.streak(intent),
                tracker.total(intent),
            )
        });
        rows.collect()
    }

    fn categories(&self) -> Vec<Vec<String>> {
        let tracker = &self.session.tracker;
        let names = &self.machine.names.categories;
        let known = names
            .iter()
            .filter_map(|name| Some((name, names.id(name)?)));
        let said = known.filter(|(_, id)| tracker.category_total(Some(*id)) > 0);
        said.map(|(name, id)| {
            counted(
                name,
                tracker.category_streak(Some(id)),
                tracker.category_total(Some(id)),
            )
        })
        .collect()
    }

    fn window(&self) -> Vec<Vec<String>> {
        let Self {
            machine, session, ..
        } = self;
        let rows = session.recent_turns.latest().map(|turn| {
            let data = if turn.has_data { "with data" } else { "" };
            let intent = session.intent_name(turn.intent, machine);
            [
                intent,
                session.state_name(turn.state, machine),
                turn.kind.name(),
                data,
            ]
            .map(printable)
            .to_vec()
        });
        rows.collect()
    }

    fn data(&self) -> Vec<Vec<String>> {
        self.session
            .slots
            .iter(self.machine)
            .map(|(name, value)| pair(name, &shown(value)))
            .collect()
    }

    fn counters(&self) -> Vec<Vec<String>> {
        let names = self.machine.names.counters.iter().enumerate();
        names
            .map(|(number, name)| {
                let value = self.machine.counter(
                    self.session,
                    self.settings,
                    CounterId::from_index(number),
                );
                pair(name, &value.to_string())
            })
            .collect()
    }

    fn limits(&self) -> Vec<Vec<String>> {
        let names = self.machine.names.limits.iter().enumerate();
        names
            .map(|(number, name)| {
                pair(
                    name,
                    &self.settings.limit(LimitId::from_index(number)).to_string(),
                )
            })
            .collect()
    }

    fn flags(&self) -> Vec<Vec<String>> {
        let names = self.machine.names.flags.iter().enumerate();
        let word = |number| {
            if self.settings.flag(FlagId::from_index(number)) {
                "on"
            } else {
                "off"
            }
        };
        names
            .map(|(number, name)| pair(name, word(number)))
            .collect()
    }

    fn signals(&self) -> Vec<Vec<String>> {
        self.explainer
            .signals()
            .into_iter()
            .map(|(name, value)| pair(name, &value))
            .collect()
    }

    fn branches(&self) -> Vec<Vec<String>> {
        let Self {
            machine, session, ..
        } = self;
        let rows = session.branches.branches.iter().map(|branch| {
            let state = branch
                .state
                .map_or("nowhere", |state| session.state_name(state, machine));
            [
                machine.names.branches.name(branch.id),
                state,
                branch.status.name(),
            ]
            .map(printable)
            .to_vec()
        });
        rows.collect()
    }
}

fn pair(name: &str, value: &str) -> Vec<String> {
    [name, value].map(printable).to_vec()
}

fn counted(name: &str, streak: u32, total: u32) -> Vec<String> {
    vec![
        printable(name),
        format!("{streak} in a row"),
        format!("{total} in all"),
    ]
}
