//! Consent to what a project wants to reach.

use std::io::{self, BufRead, IsTerminal};

use super::context::{Context, in_ci};
use super::exit::Stop;
use crate::project::TrustStore;
use crate::terminal::tell;

/// What a person may say instead of `y`.
const YES: [&str; 4] = ["y", "yes", "д", "да"];

/// Goes on only where the user has agreed to all that the project of this run wants to reach: in an earlier run, by `--trust`,
/// or now. Whoever makes anything go live asks here first.
pub(super) fn consent(context: &mut Context) -> Result<(), Stop> {
    let request = &context.project.trust;
    if request.is_empty() || context.trusts {
        return Ok(());
    }
    let store = TrustStore::of(&context.project.root);
    if store.as_ref().map_or(Ok(false), |store| store.holds(request))? {
        return Ok(());
    }
    let is_asked = !in_ci() && io::stdin().is_terminal() && io::stderr().is_terminal();
    let lines: Vec<String> = request.lines().collect();
    if !is_asked || !says_yes(&lines.join("\n  "))? {
        return Err(request.refusal().into());
    }
    // It was agreed to, whether or not that can be kept.
    if let Some(Err(finding)) = store.map(|store| store.add(request)) {
        context.report_one(*finding);
    }
    Ok(())
}

/// Asks whoever sits at the terminal.
fn says_yes(lines: &str) -> Result<bool, Stop> {
    tell("This project wants to send what is said to these addresses, and to read these variables:\n");
    tell(&format!("  {lines}\n"));
    tell("Do you agree, until these lines change? [y/N] ");
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    let answer = answer.trim().to_lowercase();
    Ok(YES.contains(&&*answer))
}
