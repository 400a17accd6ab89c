//! Explains in one sentence why a turn had its outcome.

use std::fmt;

use indexmap::IndexSet;

use fsmsim_core::engine::{
    Class, Merge, Proposal, Proposed, Reason, ReasonKind, RecordView, SourceKind, Won,
};
use fsmsim_core::machine::{RuleId, UNRANKED};
use fsmsim_syntax::terminal::{Joined, printable};

/// The outcome of a turn and its reasons, as the parts of a sentence. A part can have an origin: the source that
/// decided, and the location of its rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WhySentence(Vec<(String, Option<String>)>);

/// Displays the sentence with its origins in parentheses.
impl fmt::Display for WhySentence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (text, origin) in &self.0 {
            f.write_str(text)?;
            if let Some(origin) = origin {
                write!(f, " ({origin})")?;
            }
        }
        Ok(())
    }
}

impl WhySentence {
    /// The sentence about a turn; empty if the turn has no outcome.
    pub fn of(line: &RecordView<'_>) -> Self {
        let mut sentence = Self::default();
        let Some(outcome) = &line.record.outcome else {
            return sentence;
        };
        let from = line.state(outcome.state.from);
        let to = line.state(outcome.state.to);
        let notes = &line.record.notes;
        // A detour note explains the new state better than the winning transition.
        let detour = notes
            .iter()
            .rev()
            .copied()
            .find(|note| note.kind().is_detour());
        let moved = detour.or(outcome.by_transition.map(|won| won.reason));
        // The reason why the turn was rejected or fell back.
        let special = line
            .record
            .reasons()
            .find(|reason| is_special(*reason, notes));
        let verb = if from == to { "Stayed in" } else { "Moved to" };
        sentence.push(format!("{verb} {to}"));
        match moved {
            Some(reason) => sentence.because(reason, outcome.by_transition, line),
            None if from != to => {}
            None if outcome.class == Class::Blocked => {
                sentence.push(": a transition was blocked");
            }
            None if special.is_some_and(|note| note.kind() == ReasonKind::NotUnderstood) => {}
            None => sentence.push(format!(": {}", line.unmoved())),
        }
        for note in notes {
            if let Reason::PhaseSkipped(phase) = note {
                let phase = line.phase(Some(*phase)).unwrap_or_default();
                sentence.push(format!(", skipping the phase {phase}"));
            }
        }
        if let Some(reason) = special {
            let mark = if sentence.0.len() > 1 { ';' } else { ':' };
            sentence.push(format!("{mark} {}", phrase(reason, line)));
        }
        if let Some(won) = outcome.by_action {
            let action = line.action(outcome.action);
            sentence.push(format!(". Answered {action}"));
            if is_entry_action(line) {
                sentence.push(format!(": `on_enter` of {to}"));
            } else {
                sentence.because(won.reason, Some(won), line);
            }
        }
        match &line.torn_between()[..] {
            [] => {}
            [only] => sentence.push(format!("; not certain enough: {only}")),
            several => sentence.push(format!("; torn between {}", several.join(" and "))),
        }
        sentence.push(".");
        sentence
    }

    /// The sentence without origins.
    pub fn brief(&self) -> String {
        self.0.iter().map(|(text, _)| &**text).collect()
    }

    /// The origins, without duplicates.
    pub fn origins(&self) -> Vec<String> {
        let origins: IndexSet<&String> = self.0.iter().filter_map(|(_, o)| o.as_ref()).collect();
        origins.into_iter().cloned().collect()
    }

    fn push(&mut self, text: impl Into<String>) {
        self.0.push((text.into(), None));
    }

    /// Adds a reason and its origin: the source that decided (unless the reason names it) and the location of its rule.
    fn because(&mut self, reason: Reason, won: Option<Won>, line: &RecordView<'_>) {
        let phrase = phrase(reason, line);
        let source = won
            .and_then(|won| won.by)
            .map(SourceKind::name)
            .filter(|name| !phrase.contains(name));
        let place = won.and_then(|won| won.rule).map(|rule| place(rule, line));
        let origin = source
            .map(str::to_owned)
            .into_iter()
            .chain(place)
            .joined(", ");
        let origin = Some(origin).filter(|origin| !origin.is_empty());
        let rule = won.and_then(|won| won.rule);
        let condition = rule
            .and_then(|rule| line.machine.condition_of(rule))
            .map(|name| format!(" and `{name}` holds"))
            .unwrap_or_default();
        self.0.push((format!(": {phrase}{condition}"), origin));
    }
}

/// Whether the entry action of the new state overrode the decided action.
pub(super) fn is_entry_action(line: &RecordView<'_>) -> bool {
    line.record.outcome.as_ref().is_some_and(|outcome| {
        let entry = line.machine.state(outcome.state.to).enter_action;
        outcome.state.from != outcome.state.to && entry == Some(outcome.action)
    })
}

/// Whether a reason is exceptional: a refused transition, or a note about a fallback, a stop or an unclear input.
fn is_special(reason: Reason, notes: &[Reason]) -> bool {
    let out_of_the_ordinary = matches!(
        reason.kind(),
        ReasonKind::Fallback
            | ReasonKind::NotUnderstood
            | ReasonKind::Stopped
            | ReasonKind::Refused
    );
    reason.kind() == ReasonKind::Refused
        || notes.contains(&reason) && (out_of_the_ordinary || reason == Reason::FallbackAny)
}

/// A reason as a clause. For a refused transition, the clause names its target.
fn phrase(reason: Reason, line: &RecordView<'_>) -> String {
    match line.refused_move() {
        Some((target, near)) if reason.kind() == ReasonKind::Refused => {
            let near = near.map_or(String::new(), |near| format!(" (similar: `{near}`)"));
            format!(
                "the state declares no transition to {}{near}",
                printable(target)
            )
        }
        _ => reason.words(line.reason_names()),
    }
}

/// The location of a rule, and the mixin that adds it.
fn place(rule: RuleId, line: &RecordView<'_>) -> String {
    let origin = line.machine.origin_of(rule);
    let mixin = origin
        .mixin
        .as_ref()
        .map(|mixin| format!(", mixin {mixin}"))
        .unwrap_or_default();
    format!("{}{mixin}", line.rule_place(rule))
}

/// The proposals that lost, one per line: the source, the proposal and the winner.
pub(super) fn rejected(
    line: &RecordView<'_>,
    is_wanted: impl Fn(&Proposal) -> bool,
) -> Vec<String> {
    let words = |proposal: &Proposal| {
        let what = match proposal.proposed {
            Proposed::Action(action) => {
                format!("the action {}", line.action(action))
            }
            Proposed::Move(state) => format!("a transition to {}", line.state(state)),
        };
        format!(
            "{} proposed {what}: {} [{}, {}]{}; {}",
            name(proposal.by),
            phrase(proposal.reason, line),
            proposal.level.name(),
            rank(proposal.rank),
            proposal
                .rule
                .map(|rule| format!(" ({})", place(rule, line)))
                .unwrap_or_default(),
            lost(proposal, line)
        )
    };
    line.record
        .rejected
        .iter()
        .filter(|proposal| is_wanted(proposal))
        .map(words)
        .collect()
}

/// Why a proposal lost, and which proposal won.
fn lost(proposal: &Proposal, line: &RecordView<'_>) -> String {
    let Some(outcome) = &line.record.outcome else {
        return String::new();
    };
    let winner = if proposal.is_action() {
        outcome.by_action
    } else {
        outcome.by_transition
    };
    let Some(winner) = winner else {
        return match outcome
            .by_action
            .filter(|_| outcome.merge == Merge::Blocked)
        {
            Some(blocking) => format!(
                "lost to the action of {}, which blocks transitions",
                name(blocking.by)
            ),
            None => "lost: the dialogue continued elsewhere".to_owned(),
        };
    };
    let number = |by: Option<SourceKind>| by.map_or(0, SourceKind::number);
    let by_number = line.settings.switches.source_order && number(winner.by) != number(proposal.by);
    let why = if winner.level != proposal.level {
        format!(
            "{} has priority over {}",
            winner.level.name(),
            proposal.level.name()
        )
    } else if winner.rank != proposal.rank {
        format!(
            "{} has priority over {}",
            rank(winner.rank),
            rank(proposal.rank)
        )
    } else if by_number {
        format!(
            "at equal priority, the higher source number wins: {} over {}",
            number(winner.by),
            number(proposal.by)
        )
    } else {
        "at equal priority, the first proposal wins".to_owned()
    };
    format!("lost to {}: {why}", name(winner.by))
}

fn name(by: Option<SourceKind>) -> &'static str {
    by.map_or("the engine", SourceKind::name)
}

fn rank(rank: i64) -> String {
    if rank == UNRANKED {
        "no rank".to_owned()
    } else {
        format!("rank {rank}")
    }
}
