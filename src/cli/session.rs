//! `--session`: a dialogue that is saved under a name and can be resumed.

use std::sync::Arc;

use super::run_args::RunArgs;
#[cfg(feature = "sqlite")]
use super::session_replay::changed_model;
use super::{CommandResult, Context, refuse};
#[cfg(feature = "sqlite")]
use fsmsim_adapters::world::{SessionFile, SessionStore};
use fsmsim_adapters::world::{SessionName, StoredSession};
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::Profile;
use fsmsim_harness::rehearsal::Rehearsal;
use fsmsim_runtime::project::{ModelName, Project};
#[cfg(feature = "sqlite")]
use fsmsim_runtime::runtime::{SessionJournal, SessionView};
#[cfg(feature = "sqlite")]
use fsmsim_syntax::diagnostic::plural;
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic, Diagnostics};
#[cfg(feature = "sqlite")]
use fsmsim_syntax::files::safe_stem;
#[cfg(feature = "sqlite")]
use fsmsim_syntax::terminal::{printable, tell};

/// The name of a session, and its saved state.
pub(super) struct SessionSlot {
    name: SessionName,
    /// The saved session; `None` if it is new.
    pub(super) stored: Option<StoredSession>,
    /// Its store, if it exists.
    #[cfg(feature = "sqlite")]
    store: Option<SessionStore>,
}

impl SessionSlot {
    /// Looks up a session. A missing store is not created yet, because the arguments might be invalid.
    #[cfg(feature = "sqlite")]
    pub(super) fn find(name: &str, project: &Project) -> Checked<Self> {
        let name = SessionName::parse(name)?;
        let file = SessionFile::of(&project.root);
        let mut store = file.is_there().then(|| file.open(&name)).transpose()?;
        let stored = store.as_mut().map(SessionStore::load).transpose()?;
        let stored = stored.flatten();
        Ok(Self {
            name,
            stored,
            store,
        })
    }

    /// A new name for a dialogue at a terminal without `--session`, so that no input is lost. `None` if it cannot be saved,
    /// which is reported.
    #[cfg(feature = "sqlite")]
    pub(super) fn unnamed(args: &RunArgs, project: &Project) -> Option<Self> {
        let model = place_of(&args.model, project);
        let stem = std::path::Path::new(&model).file_stem();
        let stem = stem.unwrap_or_default().to_string_lossy();
        let slot = Self::numbered(&safe_stem(&stem, "dialogue"), project);
        slot.inspect_err(|why| {
            let title = printable(&why.title);
            tell(&format!("note: what is typed is not kept: {title}\n"));
        })
        .ok()
    }

    /// The first of the sessions `STEM-1`, `STEM-2`, … that does not exist. Opening its store locks it, so that other
    /// processes take other names.
    #[cfg(feature = "sqlite")]
    fn numbered(stem: &str, project: &Project) -> Checked<Self> {
        let file = SessionFile::of(&project.root);
        let known = file.list()?;
        let mut number = 0_u32;
        loop {
            number = number.saturating_add(1);
            let name = SessionName::parse(&format!("{stem}-{number}"))?;
            if known.iter().any(|known| known.name == name.as_str()) {
                continue;
            }
            let mut store = match file.open(&name) {
                Err(why) if why.code == Code::SessionInUse => continue,
                opened => opened?,
            };
            // Another process might have started and ended this session since the list was read.
            if store.load()?.is_none() {
                return Ok(Self {
                    name,
                    stored: None,
                    store: Some(store),
                });
            }
        }
    }

    /// A build without databases cannot save dialogues.
    #[cfg(not(feature = "sqlite"))]
    pub(super) fn unnamed(_: &RunArgs, _: &Project) -> Option<Self> {
        None
    }

    /// A build without databases cannot save dialogues.
    #[cfg(not(feature = "sqlite"))]
    pub(super) fn find(name: &str, _: &Project) -> Checked<Self> {
        Err(Box::new(not_kept(&no_session(&SessionName::parse(name)?))))
    }

    pub(super) fn name(&self) -> &str {
        self.name.as_str()
    }

    /// The profile of the dialogue: that of the arguments, otherwise that of the session.
    pub(super) fn profile<'s>(&'s self, args: &'s RunArgs) -> Option<&'s str> {
        named_profile(args).or_else(|| Some(&*self.stored.as_ref()?.profile))
    }

    /// Checks that the arguments fit the saved session. Reports a changed model.
    pub(super) fn check(
        &mut self,
        args: &RunArgs,
        machine: &Arc<Machine>,
        context: &mut Context,
    ) -> CommandResult<()> {
        if args
            .llm
            .as_deref()
            .is_some_and(|who| who.starts_with("record:"))
        {
            let title = "a cassette holds a dialogue from its beginning, and a session is played piece by piece";
            let help = "leave `--session` out, or ask without recording: `--llm live`";
            return refuse(title, help);
        }
        let Some(stored) = &self.stored else {
            return Ok(());
        };
        let is_same_model = stored.fingerprint == machine.files.fingerprint();
        let differences = differences(stored, args, is_same_model, &context.project);
        if !differences.is_empty() {
            let title = format!(
                "the session `{}` cannot go on as it is called for",
                self.name()
            );
            let finding = Diagnostic::error(Code::OtherSession, title);
            let finding = differences.into_iter().fold(finding, Diagnostic::note);
            let help = "call for it as it began, or give another name to begin another session";
            return Err(finding.help(help).into());
        }
        #[cfg(feature = "sqlite")]
        if let Some(store) = self.store.as_mut().filter(|_| !is_same_model) {
            let view = SessionView::read(store, stored.clone())?;
            if let Some(finding) = changed_model(
                &view,
                machine,
                "the session goes on by the rules as they are now",
            ) {
                context.report_one(finding);
            }
        }
        Ok(())
    }

    /// Saves the dialogue from now on; a saved dialogue is resumed.
    #[cfg(feature = "sqlite")]
    pub(super) fn join(
        self,
        rehearsal: Rehearsal,
        args: &RunArgs,
        project: &Project,
    ) -> CommandResult<Rehearsal> {
        let file = SessionFile::of(&project.root);
        let mut store = self.store.map_or_else(|| file.open(&self.name), Ok)?;
        let Some(mut stored) = self.stored else {
            // Another process might have started the session since the lookup.
            if store.load()?.is_some() {
                let finding = store.unusable("it has begun meanwhile");
                return Err(finding
                    .help("run the command again to go on with it")
                    .into());
            }
            let profile = rehearsal.dialogue().settings().profile;
            let begun = StoredSession {
                permissive: args.permissive,
                twin: args.twin.clone(),
                ..beginning(&args.model, profile, &args.start, project)
            };
            let journal = SessionJournal::begin(store, begun, rehearsal.dialogue())?;
            let shown = printable(&file.shown());
            let name = self.name.as_str();
            tell(&format!(
                "note: the session `{name}` begins; it is kept in `{shown}`\n"
            ));
            return Ok(rehearsal.kept_in(Box::new(journal)));
        };
        stored.model = place_of(&args.model, project);
        let (journal, left) =
            SessionJournal::resume(store, stored, rehearsal.dialogue().machine())?;
        let (turns, left_line) = (left.turns, left.interrupted.clone());
        let rehearsal = rehearsal.resume(left).map_err(|why| {
            let title = format!("the turn that was interrupted cannot be played again: {why}");
            let finding = Diagnostic::error(Code::OtherSession, title).about(file.shown());
            finding.help(
                "name whom to ask (`--llm`) as before, and play it with the model of that time",
            )
        })?;
        let last = left_line.as_deref().and_then(|lines| lines.lines().last());
        let interrupted = match last {
            Some(line) if line.starts_with(':') => {
                "; what was changed by hand since is done again".to_owned()
            }
            Some(_) => format!(
                "; turn {} was interrupted, and is played again",
                turns.saturating_add(1)
            ),
            None => String::new(),
        };
        let state = printable(rehearsal.state());
        tell(&format!(
            "note: the session `{}` goes on in `{state}` after {}{interrupted}\n",
            self.name.as_str(),
            plural(turns, "turn")
        ));
        Ok(rehearsal.kept_in(Box::new(journal)))
    }

    /// A build without databases cannot save dialogues.
    #[cfg(not(feature = "sqlite"))]
    pub(super) fn join(self, _: Rehearsal, _: &RunArgs, _: &Project) -> CommandResult<Rehearsal> {
        Err(not_kept(&no_session(&self.name)).into())
    }
}

/// The error title of a build without databases.
#[cfg(not(feature = "sqlite"))]
fn no_session(name: &SessionName) -> String {
    format!("the session `{}` cannot be kept", name.as_str())
}

/// The finding for options that need a build with databases.
#[cfg(not(feature = "sqlite"))]
pub(super) fn not_kept(what: &str) -> Diagnostic {
    let title = format!("this program was built without SQLite, so {what}");
    Diagnostic::bad_arguments(title).help("build it with the feature `sqlite`")
}

/// The initial session data that does not depend on the dialogue.
#[cfg(feature = "sqlite")]
pub(super) fn beginning(
    model: &str,
    profile: Profile,
    start: &str,
    project: &Project,
) -> StoredSession {
    StoredSession {
        model: place_of(model, project),
        profile: profile.name().to_owned(),
        given: start.to_owned(),
        ..StoredSession::default()
    }
}

/// The differences between the arguments and the saved session. Omitted arguments are unchanged, except for the twin, which
/// must always be given.
fn differences(
    stored: &StoredSession,
    args: &RunArgs,
    is_same_model: bool,
    project: &Project,
) -> Vec<String> {
    let mut differences = Vec::new();
    let mut note = |differs: bool, had: String| differences.extend(differs.then_some(had));
    // The same files can have another path now.
    let moved = !is_same_model && place_of(&args.model, project) != stored.model;
    note(
        moved,
        format!("it is played with the model `{}`", stored.model),
    );
    let profile = named_profile(args);
    let other = profile.is_some_and(|profile| profile != stored.profile);
    note(
        other,
        format!("it is played in the profile `{}`", stored.profile),
    );
    let (start, given) = (args.start.trim(), stored.given.trim());
    let began = if given.is_empty() {
        "it began without `--start`".to_owned()
    } else {
        format!("it began with `--start '{given}'`")
    };
    note(!start.is_empty() && start != given, began);
    note(
        args.permissive && !stored.permissive,
        "it is not played with `--permissive`".to_owned(),
    );
    note(
        args.twin != stored.twin,
        match &stored.twin {
            Some(twin) => format!("it is played with `--twin {twin}`"),
            None => "it is played without a twin".to_owned(),
        },
    );
    differences
}

/// The profile of the arguments, if any.
fn named_profile(args: &RunArgs) -> Option<&str> {
    let of_model = || {
        ModelName::parse(&args.model, &mut Diagnostics::default())?
            .profile
            .map(Profile::name)
    };
    args.options.profile.as_deref().or_else(of_model)
}

/// The path of a model, relative to the project if it is inside.
pub(super) fn place_of(model: &str, project: &Project) -> String {
    let name = ModelName::parse(model, &mut Diagnostics::default());
    let path = name.map_or_else(|| model.into(), |name| name.path);
    let (Ok(path), Ok(root)) = (path.canonicalize(), project.folder().canonicalize()) else {
        return path.display().to_string();
    };
    let inner = path.strip_prefix(root).unwrap_or(&path);
    inner
        .to_string_lossy()
        .replace(std::path::MAIN_SEPARATOR, "/")
}
