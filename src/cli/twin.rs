//! `--twin`: the persistent store of user data.

use std::path::{Path, PathBuf};

use clap::Args;

use super::{Context, help, print_lines, refuse};
use fsmsim_adapters::stores::{MemoryTwin, Twin, TwinSpec};
#[cfg(feature = "sqlite")]
use fsmsim_adapters::stores::{Readiness, SqliteTwin, TwinFile};
use fsmsim_core::engine::Machine;
use fsmsim_runtime::script::AcceptedInputs;
#[cfg(feature = "serve")]
use fsmsim_server::mcp::UserTwins;
use fsmsim_syntax::diagnostic::{Checked, Diagnostic};
use fsmsim_syntax::terminal::printable;

const NAME_DATABASE: &str = "use a database for `--twin`: `.sqlite`, `.sqlite3` or `.db`";

/// The user data store of a dialogue.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct TwinArgs {
    #[arg(long, value_name = "FILE[:USER]", help = help::TWIN)]
    pub twin: Option<String>,
    #[arg(long, value_name = "FILE", help = help::TWIN_FROM, requires = "twin")]
    pub twin_from: Option<PathBuf>,
}

/// The named store, if any, optionally filled from a file. Set `names_twin` if the dialogue already names a store.
/// Nothing is written before all arguments are checked.
#[cfg_attr(
    not(feature = "sqlite"),
    expect(unused_variables, reason = "only databases report findings")
)]
pub(super) fn persistent_twin(
    args: &TwinArgs,
    machine: &Machine,
    names_twin: bool,
    context: &mut Context,
) -> Checked<Option<Box<dyn Twin>>> {
    let Some(twin) = &args.twin else {
        return Ok(None);
    };
    if !AcceptedInputs::of(machine).moves {
        return refuse("`--twin` is only for state sets", "omit `--twin`");
    }
    if names_twin {
        return refuse(
            "`--start` and `--twin` both name a twin",
            "omit one of the two",
        );
    }
    let spec = TwinSpec::parse(twin);
    let from = args.twin_from.as_deref();
    if spec.is_database()? {
        #[cfg(feature = "sqlite")]
        return open(&spec, from, context).map(Some);
    }
    read_only(&spec, from).map(Some)
}

/// The named database, with separate data for each user.
#[cfg(feature = "serve")]
pub(super) fn twins_of_users(
    args: &TwinArgs,
    machine: &Machine,
    names_twin: bool,
    context: &mut Context,
) -> Checked<UserTwins> {
    let spec = TwinSpec::parse(args.twin.as_deref().unwrap_or_default());
    if let Some(user) = &spec.user {
        return refuse(
            format!("cannot use the user `{user}` of `--twin` with `--user-from`"),
            "omit the user in `--twin`, or omit `--user-from`",
        );
    }
    if !spec.is_database()? {
        return refuse(
            "cannot use `--user-from` with a JSON file in `--twin`",
            NAME_DATABASE,
        );
    }
    if args.twin_from.is_some() {
        return refuse(
            "cannot use `--twin-from` with `--user-from`",
            "omit one of the two",
        );
    }
    persistent_twin(args, machine, names_twin, context)?;
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
        return Diagnostic::bad_arguments("cannot use `--twin-from` with a JSON file in `--twin`")
            .about(shown)
            .help(NAME_DATABASE)
            .fail();
    }
    let twin = MemoryTwin::load(&spec.path)?;
    print_lines(&format!(
        "note: `{}` is read-only: changes are lost when the dialogue ends\n",
        printable(&shown)
    ));
    Ok(Box::new(twin))
}

/// Opens a database, optionally filled from a file.
#[cfg(feature = "sqlite")]
fn open(spec: &TwinSpec, from: Option<&Path>, context: &mut Context) -> Checked<Box<dyn Twin>> {
    let file = TwinFile::new(&spec.path);
    let user = spec.user();
    let source = from.map(MemoryTwin::load_object).transpose()?;
    match file.ready()? {
        Readiness::There => {}
        Readiness::Created => {
            print_lines(&format!("note: created `{}`\n", printable(&file.shown())));
        }
        Readiness::Silent(finding) => context.report_one(*finding),
    }
    if let Some((source, from)) = source.zip(from) {
        file.fill(user, &source)?;
        print_lines(&format!(
            "note: `{}` now contains the data from `{}`\n",
            printable(user),
            printable(&from.display().to_string())
        ));
    }
    Ok(Box::new(SqliteTwin::new(file, user)))
}
