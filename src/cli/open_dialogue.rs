//! Opens an interactive dialogue with its model, recognizers and storage.

use std::path::Path;

use super::llm::{AnswererFinder, DIALOGUE, RECORD};
use super::memory::LastingMemory;
use super::run_args::RunArgs;
use super::session::{SessionSlot, place_of};
use super::twin::persistent_twin;
use super::{CommandResult, Context, Stop, refuse, refuse_as};
use fsmsim_adapters::llm::{AnswererConfig, CassettePath, DialogueKey};
use fsmsim_core::machine::Profile;
use fsmsim_harness::interactive::{InteractiveDialogue, ModelReader};
use fsmsim_runtime::project::{ModelCache, ModelName, Project};
use fsmsim_syntax::diagnostic::{Code, Diagnostics, render};

/// An interactive dialogue that is ready to run.
pub(super) struct OpenedDialogue {
    pub interactive: InteractiveDialogue,
    /// The recognizers, if there are any.
    pub answerers: Option<AnswererConfig>,
}

/// The function that reloads the model of the dialogue.
fn model_reader(
    args: &RunArgs,
    profile: Profile,
    permissive: bool,
    project: &Project,
) -> ModelReader {
    let project = project.clone();
    let config = args.options.config.clone();
    let path = ModelName::parse(&args.model, &mut Diagnostics::default())
        .map(|name| name.path)
        .unwrap_or_default();
    Box::new(move || {
        let mut models = ModelCache::new(&project, config.clone()).with_stubs(permissive);
        let machine = models.load(&path, profile);
        machine.ok_or_else(|| {
            let found = models
                .findings(&path, profile)
                .map(Diagnostics::without_key_notes)
                .unwrap_or_default();
            render(&found, models.sources(), false)
        })
    })
}

/// Opens the dialogue that the arguments describe. A dialogue at a terminal gets a session name if it has none.
pub(super) fn open_dialogue(
    args: &RunArgs,
    is_typed: bool,
    context: &mut Context,
) -> CommandResult<OpenedDialogue> {
    let mut session = args
        .session
        .as_deref()
        .map(|name| SessionSlot::find(name, &context.project))
        .transpose()?;
    let stored = session.as_ref().and_then(|slot| slot.stored.as_ref());
    if args.from.is_some() && stored.is_some() {
        let name = session.as_ref().map(SessionSlot::name).unwrap_or_default();
        let title = format!("cannot use `--from` with the existing session `{name}`");
        return refuse_as(
            Code::OtherSession,
            title,
            "use another name, or resume the session and `:load` the scenario",
        );
    }
    let (start, permissive) = stored.map_or((&args.start, args.permissive), |stored| {
        (&stored.start, stored.permissive)
    });
    let start = start.clone();
    let mut models = args.options.models(&context.project).with_stubs(permissive);
    let profile = session
        .as_ref()
        .map_or(args.options.profile.as_deref(), |slot| slot.profile(args));
    let machine = context.load(&args.model, profile, &mut models)?;
    if args.permissive && !machine.policies.inputs().stubs {
        return refuse(
            "`--permissive` is only for flows and state sets",
            "omit `--permissive`",
        );
    }
    if let Some(slot) = &mut session {
        slot.check(args, &machine, context)?;
    }
    let machine_profile = machine.settings().profile;
    let mut finder = AnswererFinder::new(&mut models, context);
    let answerers = args
        .llm
        .as_deref()
        .map(|who| finder.of_dialogue(who, DIALOGUE))
        .transpose()?;
    let reader = model_reader(args, machine_profile, permissive, &context.project);
    let mut interactive = InteractiveDialogue::new(&machine, &start, permissive)
        .map_err(Stop::rendered)?
        .of_model(&place_of(&args.model, &context.project))
        .reading_again(reader);
    let names_twin = interactive.names_twin();
    if let Some(twin) = persistent_twin(&args.twins, &machine, names_twin, context)? {
        interactive = interactive.keeping(twin);
    }
    if let Some((answerers, file)) = &answerers {
        let command = args.command(file.as_deref().unwrap_or(Path::new("FILE")));
        let cassette = file.clone().map(|path| CassettePath { path, command });
        let key = DialogueKey {
            seed: 0,
            dialogue: DIALOGUE,
            number: 0,
            cassette: cassette.as_ref(),
        };
        interactive = interactive.asking(answerers.answerer(&key));
    }
    let records = args
        .llm
        .as_deref()
        .is_some_and(|who| who.starts_with(RECORD));
    if session.is_none() && !records && is_typed {
        session = SessionSlot::unnamed(args, &context.project);
    }
    let named = session
        .as_ref()
        .map(|slot| (slot.name(), slot.stored.is_some()));
    let memory = LastingMemory::find(args.memory.as_deref(), named, &machine, &context.project)?;
    if let Some(memory) = &memory {
        interactive = memory.join(interactive)?;
    }
    if let Some(slot) = session {
        interactive = slot.join(interactive, args, &context.project)?;
    }
    if let Some(memory) = &memory {
        interactive = memory.audit(interactive)?;
    }
    let answerers = answerers.map(|(answerers, _)| answerers);
    Ok(OpenedDialogue {
        interactive,
        answerers,
    })
}
