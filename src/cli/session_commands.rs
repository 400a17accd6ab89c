//! The commands on saved sessions: list, show, delete.

use std::io::Write;

use super::output::{TextOrJson, TextOrJsonl, escaping};
use super::{CommandResult, Context, Exit};
use fsmsim_adapters::stores::{SessionFile, SessionName, SessionStore, StoredSession};
use fsmsim_reports::report::{listed_session_json, session_json, write_session, write_sessions};
use fsmsim_runtime::project::Project;
use fsmsim_runtime::runtime::SessionView;
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic, nearest};
use fsmsim_syntax::terminal::{print_message, stream};

/// Opens an existing session.
pub(super) fn take(name: &str, project: &Project) -> Checked<(SessionStore, StoredSession)> {
    let name = SessionName::parse(name)?;
    let file = SessionFile::of(&project.root);
    let listed = file.list()?;
    let unknown = || {
        let near = nearest(name.as_str(), listed.iter().map(|session| &*session.name));
        let finding = Diagnostic::error(
            Code::UnknownSession,
            format!("unknown session `{}`", name.as_str()),
        );
        let help = "list the sessions with `fsmsim sessions list`, or start one with `fsmsim run MODEL --session NAME`";
        finding.about(file.shown()).suggest(near, help)
    };
    // No session is created for an unknown name.
    if listed.iter().all(|session| session.name != name.as_str()) {
        return Err(Box::new(unknown()));
    }
    let mut store = file.open(&name)?;
    let stored = store.load()?.ok_or_else(unknown)?;
    Ok((store, stored))
}

/// Lists the sessions.
pub(super) fn list(format: TextOrJsonl, context: &Context) -> CommandResult {
    let file = SessionFile::of(&context.project.root);
    let sessions = file.list()?;
    let mut out = stream(escaping(format == TextOrJsonl::Text));
    match format {
        TextOrJsonl::Text => write_sessions(&sessions, &mut out)?,
        TextOrJsonl::Jsonl => {
            for session in &sessions {
                writeln!(out, "{}", listed_session_json(session))?;
            }
        }
    }
    out.flush()?;
    if sessions.is_empty() {
        print_message(
            "note: no session is saved; start one with `fsmsim run MODEL --session NAME`\n",
        );
    }
    Ok(Exit::Ok)
}

/// Shows the details of a session.
pub(super) fn show(name: &str, format: TextOrJson, context: &Context) -> CommandResult {
    let (mut store, stored) = take(name, &context.project)?;
    let view = SessionView::read(&mut store, stored)?;
    format.print(|out| write_session(&view, out), || session_json(&view))
}

/// Deletes a session.
pub(super) fn delete(name: &str, context: &Context) -> CommandResult {
    let (store, _) = take(name, &context.project)?;
    let name = store.name().to_owned();
    store.delete()?;
    print_message(&format!("note: deleted the session `{name}`\n"));
    Ok(Exit::Ok)
}
