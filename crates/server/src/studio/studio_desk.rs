//! The state of the worker.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::empty_project::EmptyProject;
use super::event_hub::EventHub;
use super::operation::{Reply, StudioOperation};
use super::operations;
use super::project_watch::ProjectWatch;
use super::refusal::Refusal;
use super::studio_event::StudioEvent;
use super::studio_state::StudioState;

/// The state of the worker: a dialogue, or a project without a model.
pub struct StudioDesk {
    place: DeskPlace,
    events: Arc<EventHub>,
    /// Watches the files until there is a dialogue.
    watch: Option<ProjectWatch>,
}

enum DeskPlace {
    Empty(EmptyProject),
    Open(Box<StudioState>),
}

impl From<StudioState> for StudioDesk {
    fn from(bench: StudioState) -> Self {
        Self {
            events: Arc::clone(&bench.events),
            place: DeskPlace::Open(Box::new(bench)),
            watch: None,
        }
    }
}

impl From<EmptyProject> for StudioDesk {
    fn from(project: EmptyProject) -> Self {
        Self {
            events: Arc::default(),
            place: DeskPlace::Empty(project),
            watch: None,
        }
    }
}

impl StudioDesk {
    pub(super) fn events(&self) -> Arc<EventHub> {
        Arc::clone(&self.events)
    }

    /// The folder to watch.
    pub(super) fn folder(&self) -> &Path {
        match &self.place {
            DeskPlace::Empty(project) => &project.folder,
            DeskPlace::Open(bench) => bench.settings.project.folder(),
        }
    }

    pub(super) fn begin_to_watch(&mut self, watch: ProjectWatch) {
        match &mut self.place {
            DeskPlace::Empty(_) => self.watch = Some(watch),
            DeskPlace::Open(bench) => {
                bench.watch = Some(watch);
                bench.watch_model();
            }
        }
    }

    /// Runs an operation for a tab.
    pub(super) fn call(&mut self, operation: &StudioOperation, body: &[u8], reply: Reply) {
        let mut request = (operation.run, body);
        if let DeskPlace::Empty(project) = &mut self.place {
            // If the project has a model by now, the operation runs on its dialogue.
            let opened = match (project.open(), operation.name) {
                (Ok(None), "project/create") => {
                    let created = project.create(body);
                    if let Some(view) = operations::find("view") {
                        request = (view.run, b"{}");
                    }
                    created
                }
                (Ok(Some(bench)), _) => Ok(bench),
                (found, "view") => return reply.give(Ok(project.view(found.err()))),
                (Ok(None), _) => Err(Refusal::cannot(
                    "the project has no model yet",
                    "create a project from a template",
                )),
                (Err(refusal), _) => Err(refusal),
            };
            match opened {
                Ok(bench) => self.take(bench),
                Err(refusal) => return reply.give(Err::<(), _>(refusal)),
            }
        }
        if let DeskPlace::Open(bench) = &mut self.place {
            let (run, body) = request;
            run(bench, body, reply);
        }
    }

    /// Handles files of the project that were saved.
    pub(super) fn saved(&mut self, files: &BTreeSet<PathBuf>) {
        match &mut self.place {
            DeskPlace::Open(bench) => bench.saved(files),
            DeskPlace::Empty(project) => match project.open() {
                Ok(Some(bench)) => self.take(bench),
                Ok(None) => {}
                // The tabs then request the error.
                Err(_) => self.events.send(&StudioEvent::Moved),
            },
        }
    }

    /// Replaces the empty project with a dialogue, and notifies all tabs.
    fn take(&mut self, mut bench: StudioState) {
        bench.events = self.events();
        bench.events.set_tree(bench.tree);
        bench.watch = self.watch.take();
        bench.watch_model();
        self.place = DeskPlace::Open(Box::new(bench));
        self.events.send(&StudioEvent::Moved);
    }
}
