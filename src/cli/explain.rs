//! `fsmsim explain`: what a code of a finding means.

use std::io::Write;

use clap::Args;

use super::exit::{Exit, Stop};
use crate::diagnostic::{Code, Diagnostic, nearest};
use crate::terminal::{Escaping, stream};

/// Arguments of `explain`.
#[derive(Debug, Args)]
pub(super) struct ExplainArgs {
    /// The code, such as FS0101; without it, all codes are listed
    code: Option<String>,
}

/// Runs the command.
pub(super) fn run(args: &ExplainArgs) -> Result<Exit, Stop> {
    let mut out = stream(Escaping::of_text());
    let Some(name) = &args.code else {
        for code in Code::ALL {
            writeln!(out, "{code}  {}", code.title())?;
        }
        out.flush()?;
        return Ok(Exit::Ok);
    };
    if let Ok(code) = name.parse::<Code>() {
        writeln!(out, "{code}: {}\n\n{}", code.title(), code.explanation())?;
        out.flush()?;
        return Ok(Exit::Ok);
    }
    let near = nearest(&name.to_uppercase(), Code::ALL.iter().map(|code| code.as_str())).map(str::to_owned);
    let finding = Diagnostic::error(Code::BadArguments, format!("there is no code `{name}`"));
    Err(finding.suggest(near.as_deref(), "`fsmsim explain` lists the codes").into())
}
