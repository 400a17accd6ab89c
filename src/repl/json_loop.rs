//! The loop of a program that plays a dialogue: a line in, a line of JSON out.

use std::io::{self, BufRead, Read, Write};

use serde_json::json;

use super::repl::{Repl, ReplReply};
use fsmsim_syntax::terminal::{Escaping, printable, stream, tell};

/// Takes lines from standard input, turns as JSON or as a person types them, and commands; answers each with a line of JSON:
/// the record of a turn, what a command shows (`shown`), or why a line was not understood (`refused`). The first line is the
/// header of a trace, the last one its end.
///
/// Returns whether every line was understood.
pub(super) fn json_loop(repl: &mut Repl) -> io::Result<bool> {
    colored::control::set_override(false);
    let mut understood = true;
    let mut out = stream(Escaping::of_text());
    out.write_all(repl.rehearsal.header_line().as_bytes())?;
    let first = repl.first_words();
    let mut goes_on = answer(first, &mut out, &mut understood)?;
    out.flush()?;
    let opening = repl
        .first_line()
        .map(|line| line + "\n")
        .unwrap_or_default();
    let mut input = opening.as_bytes().chain(io::stdin().lock());
    let mut bytes = Vec::new();
    while goes_on {
        bytes.clear();
        if input.read_until(b'\n', &mut bytes)? == 0 {
            break;
        }
        let line = String::from_utf8_lossy(&bytes);
        if line.trim().is_empty() {
            continue;
        }
        goes_on = answer(repl.take(&line), &mut out, &mut understood)?;
        out.flush()?;
    }
    out.write_all(repl.rehearsal.end_line().as_bytes())?;
    out.flush()?;
    Ok(understood)
}

/// Answers a line. Returns whether the dialogue goes on.
fn answer(reply: ReplReply, out: &mut impl Write, understood: &mut bool) -> io::Result<bool> {
    match reply {
        ReplReply::Played {
            notes,
            records,
            after,
            ..
        } => {
            out.write_all(records.as_bytes())?;
            out.flush()?;
            tell(
                &(notes + &after)
                    .lines()
                    .map(|line| printable(line) + "\n")
                    .collect::<String>(),
            );
        }
        ReplReply::Show(text) if text.is_empty() => {}
        ReplReply::Show(text) => writeln!(out, "{}", json!({ "shown": text }))?,
        ReplReply::Refuse(reason) => {
            *understood = false;
            writeln!(out, "{}", json!({ "refused": reason }))?;
        }
        ReplReply::Quit => return Ok(false),
    }
    Ok(true)
}
