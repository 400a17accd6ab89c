//! `fsmsim explain`: what a code of a finding means, and what is built in.

use std::io::Write;

use clap::Args;
use strum::VariantArray;

use super::exit::{Exit, Stop};
use crate::diagnostic::{Code, Diagnostic, nearest};
use crate::reference::{Builtin, BuiltinKind, all};
use crate::report::{write_builtin, write_reference};
use crate::terminal::{Escaping, stream};

/// Arguments of `explain`.
#[derive(Debug, Args)]
pub(super) struct ExplainArgs {
    /// A code, such as FS0101; the name of something built in, such as `unclear_escalates` or `StallGuard`; or a kind of them:
    /// intents, categories, conditions, flags, limits, sources, states, actions, signals. Without it, all codes are listed
    name: Option<String>,
    /// All that is built in, as the page `docs/reference.md`
    #[arg(long, conflicts_with = "name")]
    page: bool,
}

/// Runs the command.
pub(super) fn run(args: &ExplainArgs) -> Result<Exit, Stop> {
    let mut out = stream(Escaping::of_text());
    let builtins = all();
    match &args.name {
        None if args.page => write_reference(&builtins, &mut out)?,
        None => {
            for code in Code::ALL {
                writeln!(out, "{code}  {}", code.title())?;
            }
        }
        Some(name) => explain(name, &builtins, &mut out)?,
    }
    out.flush()?;
    Ok(Exit::Ok)
}

fn explain(name: &str, builtins: &[Builtin], out: &mut impl Write) -> Result<(), Stop> {
    if let Ok(code) = name.parse::<Code>() {
        writeln!(out, "{code}: {}\n\n{}", code.title(), code.explanation())?;
        return Ok(());
    }
    if let Some(kind) = BuiltinKind::VARIANTS.iter().find(|kind| kind.name() == name) {
        for builtin in builtins.iter().filter(|builtin| builtin.kind == *kind) {
            writeln!(out, "{}  {}", builtin.name, builtin.says)?;
        }
        return Ok(());
    }
    let mut meant = builtins.iter().filter(|builtin| builtin.is_called(name)).peekable();
    if meant.peek().is_some() {
        for (number, builtin) in meant.enumerate() {
            if number > 0 {
                writeln!(out)?;
            }
            write_builtin(builtin, out)?;
        }
        return Ok(());
    }
    let code = nearest(&name.to_uppercase(), Code::ALL.iter().map(|code| code.as_str()));
    let kinds = BuiltinKind::VARIANTS.iter().map(|kind| kind.name());
    let names = builtins.iter().flat_map(|builtin| [builtin.last_name(), &*builtin.name]).chain(kinds);
    let near = code.or_else(|| nearest(name, names)).map(str::to_owned);
    let finding =
        Diagnostic::error(Code::BadArguments, format!("there is no code `{name}`, and nothing built in is called so"));
    Err(finding
        .suggest(near.as_deref(), "`fsmsim explain` lists the codes, `fsmsim explain sources` the sources")
        .into())
}
