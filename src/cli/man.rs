//! `fsmsim man`: the pages of the manual.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, Command, CommandFactory};
use clap_mangen::Man;

use super::Cli;
use super::exit::{Exit, Stop};
use fsmsim_syntax::diagnostic::Diagnostic;
use fsmsim_syntax::files::write_whole;
use fsmsim_syntax::terminal::{Escaping, stream};

/// Arguments of `man`.
#[derive(Debug, Args)]
pub(super) struct ManArgs {
    /// The folder to write to, a page for each command; without it, the page of `fsmsim` itself is printed
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
}

/// Runs the command.
pub(super) fn run(args: &ManArgs) -> Result<Exit, Stop> {
    // What a subcommand takes from the whole, its version and options, is known when all is put together.
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let Some(folder) = &args.folder else {
        let mut out = stream(Escaping::Plain);
        out.write_all(page(&command)?.as_bytes())?;
        out.flush()?;
        return Ok(Exit::Ok);
    };
    let mut pages = Vec::new();
    pages_of(&command, &mut pages)?;
    for (name, text) in &pages {
        let path = folder.join(format!("{name}.1"));
        write_whole(&path, text).map_err(|error| Diagnostic::unwritten(&path, &error))?;
    }
    let mut out = stream(Escaping::of_text());
    writeln!(
        out,
        "{} pages in {}: `man -l {}`",
        pages.len(),
        folder.display(),
        folder.join("fsmsim.1").display()
    )?;
    out.flush()?;
    Ok(Exit::Ok)
}

/// The pages of a command and of its subcommands, by name: `fsmsim-sessions-show`.
fn pages_of(command: &Command, pages: &mut Vec<(String, String)>) -> Result<(), Stop> {
    pages.push((
        command
            .get_display_name()
            .unwrap_or(command.get_name())
            .to_owned(),
        page(command)?,
    ));
    command
        .get_subcommands()
        .filter(|inner| !inner.is_hide_set())
        .try_for_each(|inner| pages_of(inner, pages))
}

fn page(command: &Command) -> Result<String, Stop> {
    let mut page = Vec::new();
    Man::new(command.clone()).render(&mut page)?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}
