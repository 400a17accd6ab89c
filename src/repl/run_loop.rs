//! The loop: lines from a person at the terminal, or plain lines.

use std::io::{self, BufRead, IsTerminal, Read, Write};
use std::path::PathBuf;

use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{CompletionType, Config, Editor};

use super::edit_notice::EditNotice;
use super::helper::ReplHelper;
use super::json_loop::json_loop;
use super::repl::{Repl, ReplReply};
use fsmsim_syntax::files::UserFolder;
use fsmsim_syntax::terminal::{Escaping, Joined, printable, stream, tell};

/// What is written for a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplFormat {
    /// Text for people.
    Text,
    /// A line of JSON.
    JsonLines,
}

/// Talks with a person at the terminal, or takes plain lines where standard input is none.
///
/// Returns whether every line was understood; a person at the terminal has seen what was not.
pub fn run_loop(repl: &mut Repl, format: ReplFormat) -> io::Result<bool> {
    if format == ReplFormat::JsonLines {
        return json_loop(repl);
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
            "Type `text / intent`, or `:help`. Tab completes, Ctrl-C clears the line, Ctrl-D leaves."
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
    // The turn that was interrupted comes before what is typed now, and so does the opening.
    let first = repl
        .first_line()
        .map(|line| line + "\n")
        .unwrap_or_default();
    let mut input = first.as_bytes().chain(io::stdin().lock());
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        if input.read_until(b'\n', &mut bytes)? == 0 {
            break;
        }
        let line = String::from_utf8_lossy(&bytes);
        let shown = printable(line.trim_end());
        if !shown.trim().is_empty() {
            writeln!(out, "{}{shown}", repl.prompt())?;
        }
        match repl.take(&line) {
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
            }
            other => {
                if !show(other, &mut out)? {
                    break;
                }
            }
        }
        out.flush()?;
    }
    out.flush()?;
    Ok(understood)
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
        ReplReply::Refuse(reason) => writeln!(out, "  {}", lines(&reason))?,
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
