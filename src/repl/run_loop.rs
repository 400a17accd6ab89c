//! The input loop: interactive at a terminal, otherwise line by line.

use std::io::{self, BufRead, IsTerminal, Read, Write};
use std::path::PathBuf;

use clap::ValueEnum;
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{CompletionType, Config, Editor};

use serde_json::json;

use super::edit_notice::EditNotice;
use super::helper::ReplHelper;
use super::render::wrapped;
use super::repl::{Repl, ReplReply};
use fsmsim_syntax::files::UserFolder;
use fsmsim_syntax::terminal::{Escaping, Joined, print_message, printable, stream};

/// The output format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ReplFormat {
    /// Human-readable text
    #[default]
    Text,
    /// JSON Lines: the records of the turns
    Jsonl,
}

/// Runs interactively at a terminal; without a terminal, reads plain lines from standard input.
///
/// Returns whether every line was valid; errors at a terminal do not count, because the user has seen them.
pub fn run_loop(repl: &mut Repl, format: ReplFormat) -> io::Result<bool> {
    if format == ReplFormat::Jsonl {
        return as_json(repl);
    }
    if io::stdin().is_terminal() {
        at_terminal(repl)?;
        return Ok(true);
    }
    plain(repl)
}

fn at_terminal(repl: &mut Repl) -> io::Result<()> {
    let config = Config::builder()
        .completion_type(CompletionType::List)
        .auto_add_history(true)
        .build();
    let mut editor: Editor<ReplHelper, FileHistory> =
        Editor::with_config(config).map_err(io::Error::other)?;
    let history = history_file();
    if let Some(path) = &history {
        // The file does not exist at first.
        let _ = editor.load_history(path);
    }
    // If the terminal does not support notices, an edit is reported at the next line.
    let notice = editor.create_external_printer().ok().map(EditNotice::begin);
    let mut out = stream(Escaping::of_text());
    let mut continues = show(repl.first_words(), &mut out)?;
    for line in repl.first_line().unwrap_or_default().lines() {
        writeln!(out, "{}{}", repl.prompt(), printable(line))?;
        continues &= show(repl.take(line), &mut out)?;
    }
    if continues {
        writeln!(
            out,
            "Type {}, or `:help`. Tab completes, Ctrl-C clears the line, Ctrl-D leaves.",
            repl.line_format()
        )?;
    }
    while continues {
        out.flush()?;
        // The model might have been reloaded.
        editor.set_helper(Some(ReplHelper::of(repl)));
        if let Some(notice) = &notice {
            notice.watch(repl.interactive.watched_files());
        }
        match editor.readline(&repl.prompt()) {
            Ok(text) => {
                // Pasted text can have several lines.
                for line in text
                    .split('\n')
                    .filter(|line| !text.contains('\n') || !line.trim().is_empty())
                {
                    if continues && text.contains('\n') {
                        writeln!(out, "{}{}", repl.prompt(), printable(line))?;
                    }
                    continues = continues && show(repl.take(line), &mut out)?;
                }
            }
            // Ctrl-C clears the line, Ctrl-D leaves.
            Err(ReadlineError::Interrupted) => {}
            Err(ReadlineError::Eof) => break,
            Err(ReadlineError::Io(error)) => return Err(error),
            Err(error) => return Err(io::Error::other(error)),
        }
    }
    if let Some(path) = &history {
        // A history error must not fail the command.
        let _ = path.parent().map(std::fs::create_dir_all);
        // Other dialogues might have added lines.
        let _ = editor.append_history(path);
    }
    Ok(())
}

fn plain(repl: &mut Repl) -> io::Result<bool> {
    let mut understood = true;
    let mut out = stream(Escaping::of_text());
    if !show(repl.first_words(), &mut out)? {
        return Ok(understood);
    }
    each_line(repl.first_line(), |line| {
        let shown = printable(line.trim_end());
        if !shown.trim().is_empty() {
            writeln!(out, "{}{shown}", repl.prompt())?;
        }
        let continues = match repl.take(line) {
            ReplReply::Refuse(reason) => {
                understood = false;
                // Earlier output must appear before the error.
                out.flush()?;
                // Findings have their own prefix.
                let head = if reason.starts_with("error[") {
                    ""
                } else {
                    "error: "
                };
                print_message(&format!("{head}{}\n", lines(&reason)));
                true
            }
            other => show(other, &mut out)?,
        };
        out.flush()?;
        Ok(continues)
    })?;
    out.flush()?;
    Ok(understood)
}

/// Reads lines from a program: turns as JSON or in input syntax, and commands. Answers each with a JSON line: the
/// record of a turn, the output of a command (`output`), or the error (`error`). The first line is the header of a
/// trace, the last one its end.
fn as_json(repl: &mut Repl) -> io::Result<bool> {
    colored::control::set_override(false);
    let mut understood = true;
    let mut out = stream(Escaping::of_text());
    out.write_all(repl.interactive.header_line().as_bytes())?;
    let first = repl.first_words();
    let continues = answer(first, &mut out, &mut understood)?;
    out.flush()?;
    if continues {
        each_line(repl.first_line(), |line| {
            if line.trim().is_empty() {
                return Ok(true);
            }
            let continues = answer(repl.take(line), &mut out, &mut understood)?;
            out.flush()?;
            Ok(continues)
        })?;
    }
    out.write_all(repl.interactive.end_line().as_bytes())?;
    out.flush()?;
    Ok(understood)
}

/// Passes lines to `take` until the dialogue ends: first the interrupted turn or the opening, if there is one, then
/// standard input.
fn each_line(
    first: Option<String>,
    mut take: impl FnMut(&str) -> io::Result<bool>,
) -> io::Result<()> {
    let first = first.map(|line| line + "\n").unwrap_or_default();
    let mut input = first.as_bytes().chain(io::stdin().lock());
    let mut bytes = Vec::new();
    while input.read_until(b'\n', &mut bytes)? > 0 && take(&String::from_utf8_lossy(&bytes))? {
        bytes.clear();
    }
    Ok(())
}

/// Writes the answer to a line. Returns whether the dialogue continues.
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
            print_message(
                &(notes + &after)
                    .lines()
                    .map(|line| printable(line) + "\n")
                    .collect::<String>(),
            );
        }
        ReplReply::Show(text) if text.is_empty() => {}
        ReplReply::Show(text) => writeln!(out, "{}", json!({ "output": text }))?,
        ReplReply::Refuse(reason) => {
            *understood = false;
            writeln!(out, "{}", json!({ "error": reason }))?;
        }
        ReplReply::Quit => return Ok(false),
    }
    Ok(true)
}

/// Shows the reply to a line. Returns whether the dialogue continues.
fn show(reply: ReplReply, out: &mut impl Write) -> io::Result<bool> {
    match reply {
        ReplReply::Show(text) => out.write_all(text.as_bytes())?,
        ReplReply::Played {
            notes,
            shown,
            after,
            ..
        } => {
            for part in [notes, shown, after] {
                out.write_all(part.as_bytes())?;
            }
        }
        // Findings are already formatted.
        ReplReply::Refuse(reason) if reason.contains('\n') => {
            writeln!(out, "  {}", lines(&reason))?;
        }
        ReplReply::Refuse(reason) => {
            out.write_all(wrapped(&printable(&reason), "  ", "    ").as_bytes())?;
        }
        ReplReply::Quit => return Ok(false),
    }
    Ok(true)
}

/// A text of several lines, without control sequences.
fn lines(text: &str) -> String {
    text.lines().map(printable).joined("\n")
}

/// The history file in the state folder of the user.
fn history_file() -> Option<PathBuf> {
    Some(UserFolder::State.path()?.join("history"))
}
