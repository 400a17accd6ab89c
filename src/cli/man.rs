//! `fsmsim man`: prints or writes man pages.

use std::path::PathBuf;

use clap::{Args, Command, CommandFactory};
use clap_mangen::Man;

use super::output::{print, write_file};
use super::{Cli, CommandResult, Context};
use fsmsim_syntax::terminal::Escaping;

/// Arguments of `man`.
#[derive(Debug, Args)]
pub(super) struct ManArgs {
    /// Write one page per command to this directory [default: print the page of `fsmsim`]
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
}

/// Runs the command.
pub(super) fn run(args: &ManArgs, _: &mut Context) -> CommandResult {
    // Subcommands get their version and global options when the command is built.
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let Some(folder) = &args.folder else {
        return print(Escaping::Plain, page(&command)?);
    };
    let mut pages = Vec::new();
    pages_of(&command, &mut pages)?;
    for (name, text) in &pages {
        let path = folder.join(format!("{name}.1"));
        write_file(&path, text)?;
    }
    let count = pages.len();
    let first = folder.join("fsmsim.1");
    let folder = folder.display();
    let first = first.display();
    print(
        Escaping::of_text(),
        format!("wrote {count} pages to {folder}: `man -l {first}`\n"),
    )
}

/// The pages of a command and its subcommands, by name: `fsmsim-sessions-show`.
fn pages_of(command: &Command, pages: &mut Vec<(String, String)>) -> CommandResult<()> {
    let name = command.get_display_name().unwrap_or(command.get_name());
    pages.push((name.to_owned(), page(command)?));
    command
        .get_subcommands()
        .filter(|inner| !inner.is_hide_set())
        .try_for_each(|inner| pages_of(inner, pages))
}

fn page(command: &Command) -> CommandResult<String> {
    let mut page = Vec::new();
    Man::new(command.clone()).render(&mut page)?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}
