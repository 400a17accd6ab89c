//! The difference between a snapshot and the current dialogue, as text.

use std::io::{self, Write};

use colored::Colorize;

use fsmsim_harness::snapshot::{SnapshotDifference, TurnDifference, TurnPresence};
use fsmsim_syntax::terminal::printable;

/// Writes the turns that differ.
pub fn write_snapshot_difference(
    difference: Option<&SnapshotDifference>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Some(difference) = difference else {
        return writeln!(
            out,
            "    no snapshot and no expectations: nothing is tested"
        );
    };
    writeln!(
        out,
        "    the snapshot differs ({} accepted, {} now)",
        "-".red(),
        "+".green()
    )?;
    difference
        .turns
        .iter()
        .try_for_each(|turn| write_turn(turn, out))
}

/// Writes all turns of a dialogue: equal ones once, differing ones before and after the change.
pub fn write_snapshot_dialogue(
    dialogue: &SnapshotDifference,
    out: &mut dyn Write,
) -> io::Result<()> {
    for turn in &dialogue.turns {
        if turn.is_same {
            writeln!(
                out,
                "    turn {}  {}",
                turn.turn,
                printable(&turn.intent).bold()
            )?;
        } else {
            write_turn(turn, out)?;
        }
        for line in turn.kept.iter().flat_map(|field| field.lines()) {
            writeln!(out, "        {}", printable(line).dimmed())?;
        }
    }
    Ok(())
}

fn write_turn(turn: &TurnDifference, out: &mut dyn Write) -> io::Result<()> {
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
    let rule_text = |rule: Option<&str>| printable(rule.unwrap_or("none"));
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
