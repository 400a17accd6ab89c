//! Consent to the external services of a project.

use std::io::{self, BufRead, IsTerminal};

use super::{CommandResult, Context, in_ci};
use fsmsim_harness::scenario::SubjectInventory;
use fsmsim_runtime::project::{Project, TrustRequest, TrustStore};
use fsmsim_syntax::terminal::print_message;

/// The answers that count as yes.
const YES: [&str; 4] = ["y", "yes", "д", "да"];

/// Continues only if the user has agreed to all external services of the project: in an earlier run, with `--trust`, or
/// now. All code that uses live services must call this first.
pub(super) fn consent(context: &mut Context) -> CommandResult<()> {
    let request = &context.project.trust;
    if request.is_empty() || context.trusts {
        return Ok(());
    }
    let store = TrustStore::of(&context.project.root);
    if store
        .as_ref()
        .map_or(Ok(false), |store| store.holds(request))?
    {
        return Ok(());
    }
    ask(
        request,
        "This project sends messages to these addresses and reads these environment variables:",
    )?;
    // The consent applies to this run even if it cannot be stored.
    if let Some(Err(finding)) = store.map(|store| store.add(request)) {
        context.report_one(*finding);
    }
    Ok(())
}

/// Continues only if the user has agreed to all subjects of the selected scenarios, as [`consent`] does. Stores the
/// consent in the project.
pub(super) fn consent_to_subjects(
    census: SubjectInventory,
    project: &mut Project,
    context: &mut Context,
) -> CommandResult<()> {
    let store = if census.subjects.is_empty() {
        None
    } else {
        TrustStore::of(&project.root)
    };
    let mut open = Vec::new();
    for subject in &census.subjects {
        if !context.trusts
            && !store
                .as_ref()
                .map_or(Ok(false), |store| store.holds_subject(&subject.reach))?
        {
            open.push(subject);
        }
    }
    if !open.is_empty() {
        let request = TrustRequest::of_subjects(open.iter().map(|subject| subject.lines.clone()));
        ask(
            &request,
            "The scenarios run these systems and send messages to them:",
        )?;
        if let Some(Err(finding)) =
            store.map(|store| store.add_subjects(open.iter().map(|subject| &*subject.reach)))
        {
            context.report_one(*finding);
        }
    }
    census
        .subjects
        .into_iter()
        .for_each(|subject| project.subjects.add(subject.reach));
    Ok(())
}

/// Shows these lines and asks for consent. Returns an error without a terminal, or if the user says no.
fn ask(request: &TrustRequest, question: &str) -> CommandResult<()> {
    let is_asked = !in_ci() && io::stdin().is_terminal() && io::stderr().is_terminal();
    let lines: Vec<String> = request.lines().collect();
    if !is_asked || !says_yes(question, &lines.join("\n  "))? {
        return Err(request.refusal().into());
    }
    Ok(())
}

/// Asks the user at the terminal.
fn says_yes(question: &str, lines: &str) -> CommandResult<bool> {
    print_message(&format!("{question}\n"));
    print_message(&format!("  {lines}\n"));
    print_message("Allow this until these lines change? [y/N] ");
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    let answer = answer.trim().to_lowercase();
    Ok(YES.contains(&&*answer))
}
