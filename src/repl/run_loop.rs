//! The loop: lines from a person at the terminal, or plain lines.

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
use fsmsim_syntax::terminal::{Escaping, Joined, printable, stream, tell};

/// What is written for a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ReplFormat {
    /// For people.
    #[default]
    Text,
    /// JSON lines.
    Jsonl,
}

/// Talks with a person at the terminal, or takes plain lines where standard input is none.
///
/// Returns whether every line was understood; a person at the terminal has seen what was not.
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
        // There is none at first.
        let _ = editor.load_history(path);
    }
    // Where nothing can be told meanwhile, the next line tells of an edit.
    let notice = editor.create_external_printer().ok().map(EditNotice::begin);
    let mut out = stream(Escaping::of_text());
    let mut goes_on = show(repl.first_words(), &mut out)?;
    for line in repl.first_line().unwrap_or_default().lines() {
        writeln!(out, "{}{}", repl.prompt(), printable(line))?;
        goes_on &= show(repl.take(line), &mut out)?;
    }
    if goes_on {
        writeln!(
            out,
            "Type {}, or `:help`. Tab completes, Ctrl-C clears the line, Ctrl-D leaves.",
            repl.line_format()
        )?;
    }
    while goes_on {
        out.flush()?;
        // The model may be another one since it was read again.
        editor.set_helper(Some(ReplHelper::of(repl)));
        if let Some(notice) = &notice {
            notice.watch(repl.rehearsal.watched_files());
        }
        match editor.readline(&repl.prompt()) {
            Ok(text) => {
                // What was pasted may have several lines.
                for line in text
                    .split('\n')
                    .filter(|line| !text.contains('\n') || !line.trim().is_empty())
                {
                    if goes_on && text.contains('\n') {
                        writeln!(out, "{}{}", repl.prompt(), printable(line))?;
                    }
                    goes_on = goes_on && show(repl.take(line), &mut out)?;
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
        // A history that cannot be kept is no reason to fail.
        let _ = path.parent().map(std::fs::create_dir_all);
        // Other dialogues may have added to it meanwhile.
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
        let goes_on = match repl.take(line) {
            ReplReply::Refuse(reason) => {
                understood = false;
                // What came before is seen before.
                out.flush()?;
                // Findings have their own head.
                let head = if reason.starts_with("error[") {
                    ""
                } else {
                    "error: "
                };
                tell(&format!("{head}{}\n", lines(&reason)));
                true
            }
            other => show(other, &mut out)?,
        };
        out.flush()?;
        Ok(goes_on)
    })?;
    out.flush()?;
    Ok(understood)
}

/// Takes lines from standard input for a program that plays a dialogue, turns as JSON or as a person types them, and commands;
/// answers each with a line of JSON: the record of a turn, what a command shows (`shown`), or why a line was not understood
/// (`refused`). The first line is the header of a trace, the last one its end.
fn as_json(repl: &mut Repl) -> io::Result<bool> {
    colored::control::set_override(false);
    let mut understood = true;
    let mut out = stream(Escaping::of_text());
    out.write_all(repl.rehearsal.header_line().as_bytes())?;
    let first = repl.first_words();
    let goes_on = answer(first, &mut out, &mut understood)?;
    out.flush()?;
    if goes_on {
        each_line(repl.first_line(), |line| {
            if line.trim().is_empty() {
                return Ok(true);
            }
            let goes_on = answer(repl.take(line), &mut out, &mut understood)?;
            out.flush()?;
            Ok(goes_on)
        })?;
    }
    out.write_all(repl.rehearsal.end_line().as_bytes())?;
    out.flush()?;
    Ok(understood)
}

/// Hands lines to `take` for as long as the dialogue goes on: first the turn that was interrupted or the opening, where there is one,
/// then what comes from standard input.
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

/// Shows what a line came to. Returns whether the dialogue goes on.
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
        // Findings are laid out already.
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

/// A text of several lines, each without control sequences.
fn lines(text: &str) -> String {
    text.lines().map(printable).joined("\n")
}

/// Where the history of lines is kept: the user's folder of state.
fn history_file() -> Option<PathBuf> {
    Some(UserFolder::State.path()?.join("history"))
}
