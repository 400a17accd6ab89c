//! Saved sessions: the list, and the details of one.

use std::io::{self, Write};

use serde_json::{Value as Json, json};

use fsmsim_adapters::stores::{ListedSession, StoredAnswer};
use fsmsim_core::machine::Profile;
use fsmsim_core::trace::{ReportedPoint, aligned};
use fsmsim_runtime::runtime::{SessionView, is_answered, saved_state};
use fsmsim_syntax::diagnostic::plural;
use fsmsim_syntax::terminal::printable;

/// The number of columns of the list.
const COLUMNS: usize = 4;
/// The text for a state that cannot be read.
const UNREADABLE: &str = "(cannot be read)";

/// Writes the sessions of a project as a table.
pub fn write_sessions(sessions: &[ListedSession], out: &mut impl Write) -> io::Result<()> {
    let rows: Vec<[String; COLUMNS]> = sessions.iter().map(row).collect();
    out.write_all(aligned(&rows, COLUMNS).as_bytes())
}

fn row(session: &ListedSession) -> [String; COLUMNS] {
    let state = saved_state(&session.saved).unwrap_or_else(|| UNREADABLE.to_owned());
    let unfinished = if session.unfinished.is_some() {
        " and 1 unfinished"
    } else {
        ""
    };
    let turns = format!("{}{unfinished}", plural(session.turns as usize, "turn"));
    [session.name.clone(), session.model.clone(), state, turns].map(|cell| printable(&cell))
}

pub fn listed_session_json(session: &ListedSession) -> Json {
    json!({
        "session": session.name,
        "model": session.model,
        "state": saved_state(&session.saved),
        "turns": session.turns,
        "unfinished": session.unfinished,
    })
}

/// Writes the details of a session.
pub fn write_session(view: &SessionView, out: &mut impl Write) -> io::Result<()> {
    let stored = &view.stored;
    writeln!(out, "{}", view.name)?;
    let mut row = |label: &str, value: &str| writeln!(out, "  {label:11}{}", printable(value));
    row("model", &stored.model)?;
    // The session does not know whether the profile changes the behavior of its model.
    if *stored.profile != *Profile::default().name() {
        row("profile", &stored.profile)?;
    }
    if !stored.start.trim().is_empty() {
        row("start", stored.start.trim())?;
    }
    if stored.permissive {
        row("permissive", "yes")?;
    }
    if let Some(twin) = &stored.twin {
        row("twin", twin)?;
    }
    row("turns", &stored.turns.to_string())?;
    let last = view.last().unwrap_or_default();
    let mut state = view.state().unwrap_or_else(|| UNREADABLE.to_owned());
    if let Some(phase) = &last.phase.to {
        state.extend(["   phase ", phase]);
    }
    if last.is_final == Some(true) {
        state += "   the dialogue has ended";
    }
    row("state", &state)?;
    if let Some(turn) = &view.interrupted {
        let number = stored.turns.saturating_add(1);
        row("unfinished", &format!("turn {number}: {}", turn.line))?;
        for answer in &turn.answers {
            let not = if is_answered(answer) { "" } else { "not " };
            row("", &format!("{}: {not}answered", need(answer)))?;
        }
    }
    for (number, point) in last.points().iter().enumerate() {
        let label = if number == 0 { "points" } else { "" };
        row(label, &point_row(point))?;
    }
    Ok(())
}

/// The details of a session as JSON.
pub fn session_json(view: &SessionView) -> Json {
    let stored = &view.stored;
    let last = view.last().unwrap_or_default();
    let unfinished = view.interrupted.as_ref().map(|turn| {
        let answers = turn
            .answers
            .iter()
            .map(|answer| json!({"need": need(answer), "answered": is_answered(answer)}));
        json!({
            "turn": stored.turns.saturating_add(1),
            "line": turn.line,
            "answers": answers.collect::<Json>(),
        })
    });
    json!({
        "session": view.name,
        "model": stored.model,
        "profile": stored.profile,
        "start": stored.start,
        "permissive": stored.permissive,
        "twin": stored.twin,
        "turns": stored.turns,
        "state": view.state(),
        "phase": last.phase.to,
        "final": last.is_final == Some(true),
        "points": last.points,
        "unfinished": unfinished,
    })
}

/// The name of the effect or request that an answer belongs to.
fn need(answer: &StoredAnswer) -> &str {
    if answer.effect.is_empty() {
        &answer.need
    } else {
        &answer.effect
    }
}

fn point_row(point: &ReportedPoint) -> String {
    let ReportedPoint {
        id,
        state,
        confidence,
        answers,
    } = point;
    let answers = match answers.len() {
        0 => String::new(),
        answers => format!("   {}", plural(answers, "answer")),
    };
    format!("{state:<11}  {confidence:.2}  {id}{answers}")
}
