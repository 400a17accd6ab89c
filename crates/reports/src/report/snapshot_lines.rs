//! The difference between a snapshot and the current dialogue, as text.

use std::io::{self, Write};

use colored::Colorize;

use fsmsim_harness::review::ReviewEntry;
use fsmsim_harness::snapshot::{PendingSnapshot, SnapshotDifference, TurnDifference, TurnPresence};
use fsmsim_harness::suite::ExpectationUpdates;
use fsmsim_syntax::document::text_diff;
use fsmsim_syntax::terminal::printable;

/// Writes the turns that differ. `folder` is the prefix of paths in the project.
pub(super) fn write_snapshot_difference(
    difference: Option<&SnapshotDifference>,
    folder: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Some(difference) = difference else {
        return writeln!(
            out,
            "    no snapshot and no expectations: nothing is tested"
        );
    };
    // The other fields are listed with their expectations.
    if difference.turns.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "    the snapshot differs ({} accepted, {} now)",
        "-".red(),
        "+".green()
    )?;
    difference
        .turns
        .iter()
        .try_for_each(|turn| write_turn(turn, folder, out))
}

/// Writes what accepting a result changes: the snapshot, and each failed expectation. `folder` is the prefix of paths in
/// the project.
pub fn write_review_entry(
    entry: &ReviewEntry,
    updates: &ExpectationUpdates,
    folder: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    match entry.snapshot.as_ref().map(PendingSnapshot::difference) {
        Some(None) => write_conversation(entry, out)?,
        Some(difference) => write_snapshot_difference(difference.as_ref(), folder, out)?,
        None => {}
    }
    for edit in updates.edits_for(&entry.id) {
        let places = edit.checks.iter();
        let mut places = places.filter_map(|(id, place)| (*id == entry.id).then_some(place));
        let Some(place) = places.next() else { continue };
        writeln!(out, "    expectation at {}", printable(&place.to_string()))?;
        write_diff(text_diff(&edit.old, &edit.new), out)?;
    }
    Ok(())
}

/// Writes the utterances, replies and states of the current dialogue.
pub fn write_conversation(entry: &ReviewEntry, out: &mut dyn Write) -> io::Result<()> {
    for turn in &entry.turns {
        for line in turn.to_string().lines() {
            writeln!(out, "    {line}")?;
        }
    }
    Ok(())
}

fn write_turn(turn: &TurnDifference, folder: &str, out: &mut dyn Write) -> io::Result<()> {
    let presence = match turn.presence {
        TurnPresence::Both => "",
        TurnPresence::Accepted => "  (removed)",
        TurnPresence::Now => "  (new)",
    };
    writeln!(
        out,
        "    turn {}  {}{presence}",
        turn.turn,
        printable(&turn.intent).bold()
    )?;
    write_diff(turn.lines(), out)?;
    let old = turn.rules.0.as_deref();
    let new = turn.rules.1.as_deref();
    let rule_text = |rule: Option<&str>| {
        let Some(rule) = rule else {
            return "none".to_owned();
        };
        let two = rule.strip_prefix("action ").unwrap_or_default();
        printable(&match two.split_once(", transition ") {
            Some((one, other)) => format!("action {folder}{one}, transition {folder}{other}"),
            None => format!("{folder}{rule}"),
        })
    };
    match turn.presence {
        _ if old.is_none() && new.is_none() => Ok(()),
        TurnPresence::Both if old != new => {
            writeln!(out, "      rule: {} -> {}", rule_text(old), rule_text(new))
        }
        _ => writeln!(out, "      rule: {}", rule_text(new.or(old))),
    }
}

/// Writes the lines of a difference.
pub(super) fn write_diff(
    lines: impl IntoIterator<Item = String>,
    out: &mut dyn Write,
) -> io::Result<()> {
    for line in lines {
        let text = printable(&line);
        let text = match line.as_bytes().first() {
            Some(b'-') => text.red(),
            Some(b'+') => text.green(),
            _ => text.dimmed(),
        };
        writeln!(out, "      {text}")?;
    }
    Ok(())
}
