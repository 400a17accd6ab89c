//! `--twin`: the persistent store of user data.

use std::path::Path;

use super::{Context, refuse, refuse_file, tell_lines};
use fsmsim_adapters::world::{MemoryTwin, Twin, TwinSpec};
#[cfg(feature = "sqlite")]
use fsmsim_adapters::world::{Readiness, SqliteTwin, TwinFile};
use fsmsim_core::engine::Machine;
use fsmsim_runtime::script::AcceptedInputs;
#[cfg(feature = "serve")]
use fsmsim_server::mcp::UserTwins;
use fsmsim_syntax::diagnostic::Checked;
use fsmsim_syntax::terminal::printable;

const NAME_DATABASE: &str = "give `--twin` a file called `.sqlite`, `.sqlite3` or `.db`";

/// The named store, if any, optionally filled from a file; `names_twin` is whether the dialogue already names a store.
/// Nothing is written before all arguments are checked.
#[cfg_attr(
    not(feature = "sqlite"),
    expect(unused_variables, reason = "only databases are told about")
)]
pub(super) fn persistent_twin(
    twin: Option<&str>,
    from: Option<&Path>,
    machine: &Machine,
    names_twin: bool,
    context: &mut Context,
) -> Checked<Option<Box<dyn Twin>>> {
    let Some(twin) = twin else { return Ok(None) };
    if !AcceptedInputs::of(machine).moves {
        return refuse(
            "`--twin` is for sets of states: a flow keeps no data of users",
            "leave `--twin` out",
        );
    }
    if names_twin {
        return refuse(
            "`--start` and `--twin` both name a twin",
            "leave one of the two out",
        );
    }
    let spec = TwinSpec::parse(twin);
    if spec.is_database()? {
        #[cfg(feature = "sqlite")]
        return open(&spec, from, context).map(Some);
    }
    read_only(&spec, from).map(Some)
}

/// The named database, with separate data for each user.
#[cfg(feature = "serve")]
pub(super) fn twins_of_users(
    twin: &str,
    from: Option<&Path>,
    machine: &Machine,
    names_twin: bool,
    context: &mut Context,
) -> Checked<UserTwins> {
    let spec = TwinSpec::parse(twin);
    if let Some(user) = &spec.user {
        return refuse(
            format!(
                "`--twin` names the user `{user}`, and `--user-from` says that each request does"
            ),
            "leave the user out of `--twin`, or leave `--user-from` out",
        );
    }
    if !spec.is_database()? {
        return refuse(
            "the data of several users is in a database, and the twin is JSON",
            NAME_DATABASE,
        );
    }
    if from.is_some() {
        return refuse(
            "`--twin-from` fills the data of one user",
            "leave it out, or leave `--user-from` out",
        );
    }
    persistent_twin(Some(twin), None, machine, names_twin, context)?;
    Ok(users_of(&spec))
}

#[cfg(all(feature = "serve", feature = "sqlite"))]
fn users_of(spec: &TwinSpec) -> UserTwins {
    UserTwins::Each(TwinFile::new(&spec.path))
}

/// Unreachable without databases.
#[cfg(all(feature = "serve", not(feature = "sqlite")))]
fn users_of(_: &TwinSpec) -> UserTwins {
    UserTwins::one(Box::new(MemoryTwin::down()))
}

/// A JSON file, which is not modified.
fn read_only(spec: &TwinSpec, from: Option<&Path>) -> Checked<Box<dyn Twin>> {
    let shown = spec.path.display().to_string();
    if from.is_some() {
        let title = "`--twin-from` fills a database, and the twin is JSON";
        return refuse_file(shown, title, NAME_DATABASE);
    }
    let twin = MemoryTwin::load(&spec.path)?;
    tell_lines(&format!(
        "note: `{}` is only read: what the dialogue writes is gone after it\n",
        printable(&shown)
    ));
    Ok(Box::new(twin))
}

/// Opens a database, optionally filled from a file.
#[cfg(feature = "sqlite")]
fn open(spec: &TwinSpec, from: Option<&Path>, context: &mut Context) -> Checked<Box<dyn Twin>> {
    let (file, user) = (TwinFile::new(&spec.path), spec.user());
    let source = from.map(MemoryTwin::load_object).transpose()?;
    match file.ready()? {
        Readiness::There => {}
        Readiness::Created => tell_lines(&format!(
            "note: `{}` was not there and is created\n",
            printable(&file.shown())
        )),
        Readiness::Silent(finding) => context.report_one(*finding),
    }
    if let Some((source, from)) = source.zip(from) {
        file.fill(user, &source)?;
        tell_lines(&format!(
            "note: `{}` has the data of `{}` now\n",
            printable(user),
            printable(&from.display().to_string())
        ));
    }
    Ok(Box::new(SqliteTwin::new(file, user)))
}
