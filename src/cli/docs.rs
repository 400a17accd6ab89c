//! `fsmsim docs`: writes the generated pages of `docs/src/reference`.

use std::path::PathBuf;

use clap::builder::{PossibleValue, StyledStr};
use clap::{Arg, Args, Command, CommandFactory, ValueEnum};

use super::output::write_file;
use super::{Cli, CommandResult, Exit, GLOBAL};
use fsmsim_reports::report::{MarkdownPage, reference_pages};
use fsmsim_syntax::terminal::Joined;

/// The number of commands from which on the page describes an option only once.
const COMMON: usize = 8;

/// Arguments of `docs`.
#[derive(Debug, Args)]
pub(super) struct DocsArgs {
    /// Write the pages to this directory
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// Runs the command.
pub(super) fn run(args: &DocsArgs) -> CommandResult {
    let command_line = ("cli.md".to_owned(), command_line());
    for (path, page) in reference_pages().into_iter().chain([command_line]) {
        write_file(&args.out.join(path), &page.into_text())?;
    }
    Ok(Exit::Ok)
}

/// The page of all visible commands and the exit codes.
fn command_line() -> MarkdownPage {
    // Names and usages of subcommands are complete when the command is built.
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let introduction = "`fsmsim COMMAND --help` prints the help of one command. Every command also has the option `--help` and \
         the global options of [`fsmsim`](#fsmsim).";
    let mut page = MarkdownPage::new("Command line", introduction);
    let common = common_options(&command);
    page.section("Common options");
    page.paragraph("Many commands have these options.");
    page.list(common.clone());
    add(&command, &common, &mut page);
    page.section("Exit codes");
    page.paragraph(
        "If several codes apply, the program uses the one that is lowest in this table.",
    );
    let rows = Exit::value_variants().iter().map(|exit| {
        let value = exit.to_possible_value();
        let meaning = text(value.as_ref().and_then(PossibleValue::get_help));
        [exit.code().to_string(), meaning]
    });
    page.table(["code", "meaning"], rows);
    page
}

/// The options with the same description in many commands.
fn common_options(command: &Command) -> Vec<String> {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for inner in command
        .get_subcommands()
        .filter(|inner| !inner.is_hide_set())
    {
        let options = inner.get_arguments().filter(|arg| !arg.is_hide_set());
        for option in options.filter(|arg| title_of(arg) == "Options" && arg.get_id() != "help") {
            let item = item(option);
            match counts.iter_mut().find(|(known, _)| *known == item) {
                Some((_, commands)) => *commands += 1,
                None => counts.push((item, 1)),
            }
        }
    }
    let common = counts
        .into_iter()
        .filter(|(_, commands)| *commands >= COMMON);
    common.map(|(item, _)| item).collect()
}

/// Adds the sections of a command and its subcommands, without the descriptions of common options.
fn add(command: &Command, common: &[String], page: &mut MarkdownPage) {
    let name = command.get_bin_name().unwrap_or(command.get_name());
    page.section(&format!("`{name}`"));
    page.paragraph(&format!("{}.", text(command.get_about())));
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").lines();
    page.code("text", &usage.map(str::trim).joined("\n"));
    let is_root = !name.contains(' ');
    for title in ["Arguments", "Options", GLOBAL] {
        let listed = command.get_arguments().filter(|arg| {
            let is_repeated = arg.is_global_set() || arg.get_id() == "help";
            title_of(arg) == title && !arg.is_hide_set() && (is_root || !is_repeated)
        });
        let items = listed.map(item);
        let (described, items): (Vec<String>, Vec<String>) =
            items.partition(|item| common.contains(item));
        if !items.is_empty() {
            page.paragraph(&format!("{title}:"));
            page.list(items);
        }
        if !described.is_empty() {
            let names = described.iter().filter_map(|item| item.split(": ").next());
            let names = names.joined(", ");
            page.paragraph(&format!("[Common options](#common-options): {names}."));
        }
    }
    let examples = text(command.get_after_long_help());
    if let Some((title, lines)) = examples.split_once('\n') {
        page.paragraph(title);
        page.code("sh", &lines.lines().map(str::trim).joined("\n"));
    }
    for inner in command
        .get_subcommands()
        .filter(|inner| !inner.is_hide_set())
    {
        add(inner, common, page);
    }
}

/// The title of the list that contains an argument.
fn title_of(arg: &Arg) -> &'static str {
    if arg.is_positional() {
        "Arguments"
    } else if arg.is_global_set() {
        GLOBAL
    } else {
        "Options"
    }
}

/// An argument with its help, its default, and an inner list of its possible values.
fn item(arg: &Arg) -> String {
    let short = arg
        .get_short()
        .filter(|_| arg.get_long().is_some())
        .map(|short| format!("-{short}, "))
        .unwrap_or_default();
    let help = text(arg.get_long_help().or(arg.get_help()));
    let mut item = format!("`{short}{arg}`: {help}");
    // An option without a value has the default `false`.
    let defaults = arg
        .get_default_values()
        .iter()
        .map(|value| value.to_string_lossy())
        .joined(", ");
    if arg.get_action().takes_values() && !defaults.is_empty() {
        item.extend([" [default: `", &defaults, "`]"]);
    }
    for value in arg.get_possible_values() {
        item.extend(["\n\n* `", value.get_name(), "`"]);
        if let Some(help) = value.get_help() {
            item.extend([": ", &help.to_string()]);
        }
    }
    item
}

fn text(styled: Option<&StyledStr>) -> String {
    styled.map(ToString::to_string).unwrap_or_default()
}
