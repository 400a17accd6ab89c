//! Why a turn went as it did, in one sentence.

use std::fmt::Write;

use crate::engine::{Choice, Class, Proposed, Reason};
use crate::machine::{RuleId, SourceKind};
use crate::trace::RecordView;

/// Where the dialogue went and why, and why it acted as it did; rules with file and line.
pub(super) fn why(line: &RecordView<'_>) -> String {
    let Some(outcome) = &line.record.outcome else {
        return String::new();
    };
    let (from, to) = (line.state(outcome.states.0), line.state(outcome.states.1));
    let reasons = &line.record.reasons;
    // The reason of the action comes first, where an action won; passed-over phases come last.
    let acted = outcome.action_by.is_some() || reasons.contains(&Reason::FinalState);
    let moved = outcome.move_by.is_some();
    let action_reason = reasons.first().filter(|_| acted);
    let move_reason = reasons.get(usize::from(acted)).filter(|_| moved);
    let move_reason = reasons.iter().rev().find(|reason| reason.is_of_gate()).or(move_reason);
    let special = reasons.iter().find(|reason| {
        matches!(
            reason,
            Reason::InvalidProposal
                | Reason::ProcessingError
                | Reason::NotUnderstood
                | Reason::FallbackAny
                | Reason::ChoiceStuck
                | Reason::NoBranch
                | Reason::UndeclaredTransition
                | Reason::Unclassified
                | Reason::Became(_)
        )
    });
    let mut sentence = match (from == to, move_reason) {
        (false, Some(reason)) => {
            format!("Went to {to} because {}{}", phrase(*reason, line), at(outcome.move_rule, line))
        }
        (false, None) => format!("Went to {to}"),
        (true, Some(reason)) => {
            format!("Stayed in {to} because {}{}", phrase(*reason, line), at(outcome.move_rule, line))
        }
        (true, None) if outcome.class == Class::Blocked => {
            format!("Stayed in {to}, and what wanted to move was stopped")
        }
        (true, None)
            if reasons
                .iter()
                .any(|reason| matches!(reason, Reason::NotUnderstood | Reason::Unclassified)) =>
        {
            format!("Stayed in {to}")
        }
        (true, None) => format!("Stayed in {to}, since nothing wanted to move"),
    };
    for reason in reasons {
        if let Reason::PhaseSkipped(phase) = reason {
            let phase = line.phase(Some(*phase)).unwrap_or_default();
            let _ = write!(sentence, ", passing over the phase {phase}");
        }
    }
    if let Some(reason) = special {
        let _ = write!(sentence, ": {}", phrase(*reason, line));
    }
    let action = line.session.action_name(outcome.action, line.machine);
    if let Some(reason) = action_reason {
        let rule = at(outcome.action_rule, line);
        let _ = write!(sentence, "; answered {action} because {}{rule}", phrase(*reason, line));
    }
    sentence.push('.');
    sentence
}

/// A reason as the end of "because".
fn phrase(reason: Reason, line: &RecordView<'_>) -> String {
    let intent = |id| line.session.intent_name(id, line.machine).to_owned();
    match reason {
        Reason::Rule(id) => format!("the state has a rule for {}", intent(id)),
        Reason::IntentTransition(id) => format!("the state has a transition for {}", intent(id)),
        Reason::DataComplete => "all required data is there".to_owned(),
        Reason::PriceQuestion => "a question about the price is answered before anything else".to_owned(),
        Reason::FactQuestion => "a question about facts is answered before anything else".to_owned(),
        Reason::GoBackAllowed => "a step back is allowed".to_owned(),
        Reason::GoBackLimitReached => "the steps back are used up".to_owned(),
        Reason::GoBackDisabled => "going back needs the flag circular_flow".to_owned(),
        Reason::DisambiguationNeeded => "it is not clear what was meant".to_owned(),
        Reason::IntentPattern(_) => "the same kind of question comes again and again".to_owned(),
        Reason::ObjectionLimit => "there were too many objections".to_owned(),
        Reason::ObjectionEscape => "a second objection returns to the phase at once".to_owned(),
        Reason::ObjectionReturnPhase | Reason::ObjectionReturn => {
            "the objection is dealt with, and this is where it came up".to_owned()
        }
        Reason::ObjectionReturnEntry => "the objection is dealt with, and the flow begins here".to_owned(),
        Reason::ObjectionLoop => "the objections go in circles".to_owned(),
        Reason::ObjectionTotal => "there were almost too many objections".to_owned(),
        Reason::AnyTransition => "the state has a transition for any input".to_owned(),
        Reason::Priority(entry) => {
            format!(
                "the priority entry {} answers questions without a rule",
                line.machine.priorities.name(entry)
            )
        }
        Reason::AutonomousFallback => "the model gave nothing".to_owned(),
        Reason::AutonomousAction(_) | Reason::AutonomousTransition(_) => "the model decided so".to_owned(),
        Reason::PhaseExhausted => "the state brings nothing new".to_owned(),
        Reason::MaxTurns => "the state took as many turns as it may".to_owned(),
        Reason::StallSoft => "the state takes many turns without progress".to_owned(),
        Reason::Escalation(_) => "the user is handed over to a human".to_owned(),
        Reason::Guard(..) => "the conversation guard stepped in".to_owned(),
        Reason::FinalState => "the dialogue is over".to_owned(),
        Reason::FallbackAny => "nothing else moved, and the state has a transition for any input".to_owned(),
        Reason::InvalidProposal => {
            "something wanted to go to a state that does not exist, so the turn was given up".to_owned()
        }
        Reason::NotUnderstood => "nobody could read what was said".to_owned(),
        Reason::ProcessingError => "the turn could not be processed, so it was given up".to_owned(),
        Reason::ChoiceStuck => "no way of the choice could be taken".to_owned(),
        Reason::NoBranch => "a branch was to end, but none is running".to_owned(),
        Reason::Navigated => "this is where it was led".to_owned(),
        Reason::UndeclaredTaken => "it was led there, though the state does not declare it".to_owned(),
        Reason::UndeclaredTransition => {
            let (target, near) = line.refused_move().unwrap_or_default();
            let near = near.map_or(String::new(), |near| format!(" (did you mean {near}?)"));
            format!("the state declares no move to {}{near}", crate::diagnostic::escape_control(target))
        }
        Reason::ConsentNeeded => "the state needs data of the user, who was not asked yet".to_owned(),
        Reason::ConsentSettled => "the user has said what may be done with the data".to_owned(),
        Reason::ConsentRefused => "the user does not want the data to be used".to_owned(),
        Reason::DataMissing => "data that the state needs is not there".to_owned(),
        Reason::DataInvalid => "the data that the state needs cannot be used".to_owned(),
        Reason::StoreDown => "the store of the data does not answer".to_owned(),
        Reason::PayloadInvalid => "what was to be written breaks its schema".to_owned(),
        Reason::ContractClass(class) => {
            format!("the turn is of the class {}", Choice::name(line.machine, class))
        }
        Reason::Became(class) => {
            format!("what the backend came to makes it a turn of {}", Choice::name(line.machine, class))
        }
        Reason::Unclassified => "no class takes the turn".to_owned(),
        Reason::PhaseSkipped(phase) => {
            format!("the phase {} may be skipped", line.phase(Some(phase)).unwrap_or_default())
        }
    }
}

/// The place of a rule, with the mixin and the state through which it came, in parentheses.
pub(super) fn at(rule: Option<RuleId>, line: &RecordView<'_>) -> String {
    let Some(rule) = rule else {
        return String::new();
    };
    let origin = line.machine.origin_of(rule);
    let mixin = origin.mixin.as_ref().map(|mixin| format!(", mixin {mixin}")).unwrap_or_default();
    format!(" ({}{mixin})", line.rule_place(rule))
}

/// A proposal that lost, as a line.
pub(super) fn rejected(line: &RecordView<'_>) -> Vec<String> {
    let words = |proposal: &crate::engine::Proposal| {
        let what = match proposal.proposed {
            Proposed::Action(action) => {
                format!("to answer {}", line.session.action_name(action, line.machine))
            }
            Proposed::Move(state) => format!("to go to {}", line.state(state)),
        };
        let by = proposal.by.map_or("the engine", SourceKind::name);
        let rank = if proposal.rank == crate::machine::UNRANKED {
            "no rank".to_owned()
        } else {
            format!("rank {}", proposal.rank)
        };
        format!(
            "{by} wanted {what}: {} [{}, {rank}]{}",
            phrase(proposal.reason, line),
            proposal.level.name(),
            at(proposal.rule, line)
        )
    };
    line.record.rejected.iter().map(words).collect()
}
