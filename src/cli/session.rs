//! `--session`: a dialogue that is saved under a name and can be resumed.

use std::sync::Arc;

use super::run_args::RunArgs;
#[cfg(feature = "sqlite")]
use super::session_replay::changed_model;
use super::{CommandResult, Context, refuse};
#[cfg(feature = "sqlite")]
use fsmsim_adapters::stores::{SessionFile, SessionStore};
use fsmsim_adapters::stores::{SessionName, StoredSession};
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::Profile;
use fsmsim_harness::interactive::InteractiveDialogue;
use fsmsim_runtime::project::{ModelName, Project};
#[cfg(feature = "sqlite")]
use fsmsim_runtime::runtime::{SessionJournal, SessionView};
#[cfg(feature = "sqlite")]
use fsmsim_syntax::diagnostic::plural;
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic, Diagnostics};
#[cfg(feature = "sqlite")]
use fsmsim_syntax::files::safe_stem;
#[cfg(feature = "sqlite")]
use fsmsim_syntax::terminal::{print_message, printable};

/// The name of a session, and its saved state.
pub(super) struct SessionSlot {
    name: SessionName,
    /// The saved session; `None` if it is new.
    pub stored: Option<StoredSession>,
    /// The store of the session, if it exists.
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
        let stored = store
            .as_mut()
            .map(SessionStore::load)
            .transpose()?
            .flatten();
        Ok(Self {
            name,
            stored,
            store,
        })
    }

    /// A new name for a dialogue at a terminal without `--session`, so that no input is lost. If the dialogue cannot be
    /// saved, reports that and returns `None`.
    #[cfg(feature = "sqlite")]
    pub(super) fn unnamed(args: &RunArgs, project: &Project) -> Option<Self> {
        let model = place_of(&args.model, project);
        let stem = std::path::Path::new(&model)
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy();
        let slot = Self::numbered(&safe_stem(&stem, "dialogue"), project);
        slot.inspect_err(|why| {
            let title = printable(&why.title);
            print_message(&format!("note: the dialogue is not saved: {title}\n"));
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

    /// The profile of the dialogue: from the arguments, otherwise from the session.
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
            let title = "cannot record a session: a cassette contains a complete dialogue";
            let help = "omit `--session`, or use `--llm live`";
            return refuse(title, help);
        }
        let Some(stored) = &self.stored else {
            return Ok(());
        };
        let is_same_model = stored.fingerprint == machine.files.fingerprint();
        let differences = differences(stored, args, is_same_model, &context.project);
        if !differences.is_empty() {
            let finding = Diagnostic::error(
                Code::OtherSession,
                format!(
                    "cannot resume the session `{}` with different options",
                    self.name()
                ),
            );
            let finding = differences.into_iter().fold(finding, Diagnostic::note);
            return Err(finding
                .help("use the original options, or another name for a new session")
                .into());
        }
        #[cfg(feature = "sqlite")]
        if let Some(store) = self.store.as_mut().filter(|_| !is_same_model) {
            let view = SessionView::read(store, stored.clone())?;
            if let Some(finding) = changed_model(
                &view,
                machine,
                "the session continues with the current model",
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
        interactive: InteractiveDialogue,
        args: &RunArgs,
        project: &Project,
    ) -> CommandResult<InteractiveDialogue> {
        let file = SessionFile::of(&project.root);
        let mut store = self.store.map_or_else(|| file.open(&self.name), Ok)?;
        let Some(mut stored) = self.stored else {
            // Another process might have started the session since the lookup.
            if store.load()?.is_some() {
                let finding = store.unusable("another process has started it");
                return Err(finding
                    .help("run the command again to resume the session")
                    .into());
            }
            let profile = interactive.dialogue().settings().profile;
            let begun = StoredSession {
                permissive: args.permissive,
                twin: args.twins.twin.clone(),
                ..beginning(&args.model, profile, &args.start, project)
            };
            let journal = SessionJournal::begin(store, begun, interactive.dialogue())?;
            let shown = printable(&file.shown());
            let name = self.name.as_str();
            print_message(&format!(
                "note: started the session `{name}`, saved in `{shown}`\n"
            ));
            return Ok(interactive.kept_in(Box::new(journal), name));
        };
        stored.model = place_of(&args.model, project);
        let (journal, left) =
            SessionJournal::resume(store, stored, interactive.dialogue().machine())?;
        let turns = left.turns;
        let left_line = left.interrupted.clone();
        let interactive = interactive.resume(left).map_err(|why| {
            Diagnostic::error(
                Code::OtherSession,
                format!("cannot replay the interrupted turn: {why}"),
            )
            .about(file.shown())
            .help("use the same `--llm` and the same model as before")
        })?;
        let last = left_line.as_deref().and_then(|lines| lines.lines().last());
        let interrupted = match last {
            Some(line) if line.starts_with(':') => {
                "; later manual changes are applied again".to_owned()
            }
            Some(_) => format!(
                "; the interrupted turn {} is run again",
                turns.saturating_add(1)
            ),
            None => String::new(),
        };
        let state = printable(interactive.state());
        print_message(&format!(
            "note: resumed the session `{}` in `{state}` after {}{interrupted}\n",
            self.name.as_str(),
            plural(turns, "turn")
        ));
        Ok(interactive.kept_in(Box::new(journal), self.name.as_str()))
    }

    /// A build without databases cannot save dialogues.
    #[cfg(not(feature = "sqlite"))]
    pub(super) fn join(
        self,
        _: InteractiveDialogue,
        _: &RunArgs,
        _: &Project,
    ) -> CommandResult<InteractiveDialogue> {
        Err(not_kept(&no_session(&self.name)).into())
    }
}

/// The operation that a build without databases cannot perform.
#[cfg(not(feature = "sqlite"))]
fn no_session(name: &SessionName) -> String {
    format!("save the session `{}`", name.as_str())
}

/// The finding for options that need a build with databases.
#[cfg(not(feature = "sqlite"))]
pub(super) fn not_kept(what: &str) -> Diagnostic {
    Diagnostic::error(
        Code::NotBuilt,
        format!("cannot {what}: this program was built without SQLite"),
    )
    .help("build the program with the feature `sqlite`")
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

/// The differences between the arguments and the saved session. Omitted arguments are unchanged, except for the twin,
/// which must always be given.
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
        format!("the session uses the model `{}`", stored.model),
    );
    let profile = named_profile(args);
    let other = profile.is_some_and(|profile| profile != stored.profile);
    note(
        other,
        format!("the session uses the profile `{}`", stored.profile),
    );
    let start = args.start.trim();
    let given = stored.given.trim();
    let began = if given.is_empty() {
        "the session started without `--start`".to_owned()
    } else {
        format!("the session started with `--start '{given}'`")
    };
    note(!start.is_empty() && start != given, began);
    note(
        args.permissive && !stored.permissive,
        "the session does not use `--permissive`".to_owned(),
    );
    note(
        args.twins.twin != stored.twin,
        match &stored.twin {
            Some(twin) => format!("the session uses `--twin {twin}`"),
            None => "the session does not use `--twin`".to_owned(),
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
