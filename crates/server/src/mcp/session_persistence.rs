//! Stores dialogues that outlive the server.

use fsmsim_runtime::runtime::{Journal, ResumedDialogue};

/// A resumed dialogue: its journal and saved state.
type KeptDialogue = (Box<dyn Journal>, ResumedDialogue);

#[cfg(feature = "sqlite")]
pub use with_store::SessionPersistence;
#[cfg(not(feature = "sqlite"))]
pub use without_store::SessionPersistence;

#[cfg(feature = "sqlite")]
mod with_store {
    use super::KeptDialogue;
    use fsmsim_adapters::stores::{SessionFile, SessionName, StoredSession, derived_id};
    use fsmsim_runtime::runtime::{DialogueRunner, Journal, SessionJournal};
    use fsmsim_syntax::diagnostic::Checked;

    /// Stores dialogues as sessions of the project, so that they outlive the server.
    #[derive(Clone, Debug)]
    pub struct SessionPersistence {
        pub file: SessionFile,
        /// The initial state of each dialogue.
        pub begun: StoredSession,
    }

    impl SessionPersistence {
        /// Saves a dialogue from its start.
        pub(crate) fn begin(
            &self,
            session: &str,
            user: Option<&str>,
            dialogue: &DialogueRunner,
        ) -> Checked<Box<dyn Journal>> {
            let store = self.file.open(&stored_name(session, user)?)?;
            Ok(Box::new(SessionJournal::begin(
                store,
                self.begun.clone(),
                dialogue,
            )?))
        }

        /// Resumes a dialogue of an earlier server process; `None` if there is none with this ID, user and model.
        ///
        /// # Errors
        /// Returns a finding if the session is invalid, does not fit the current model, or is locked.
        pub(crate) fn resume(
            &self,
            session: &str,
            user: Option<&str>,
            dialogue: &mut DialogueRunner,
        ) -> Checked<Option<KeptDialogue>> {
            let name = stored_name(session, user)?;
            if !self.file.holds(&name)? {
                return Ok(None);
            }
            let mut store = self.file.open(&name)?;
            let is_ours = |stored: &StoredSession| {
                stored.model == self.begun.model && stored.given == self.begun.given
            };
            let Some(stored) = store.load()?.filter(is_ours) else {
                return Ok(None);
            };
            let (journal, left) = SessionJournal::resume(store, stored, dialogue.machine())?;
            dialogue.go_on(&left);
            Ok(Some((Box::new(journal), left)))
        }

        /// Deletes a dialogue that has ended and cannot be resumed.
        pub(crate) fn forget(&self, session: &str, user: Option<&str>) -> Checked {
            self.file.open(&stored_name(session, user)?)?.delete()
        }
    }

    /// The session name of a dialogue. It contains a hash of the user, so that other users cannot find the dialogue by
    /// its ID.
    fn stored_name(session: &str, user: Option<&str>) -> Checked<SessionName> {
        match user {
            Some(user) => {
                let user: String = derived_id(&["user", user])
                    .chars()
                    .filter(char::is_ascii_alphanumeric)
                    .take(31)
                    .collect();
                SessionName::parse(&format!("{session}.{user}"))
            }
            None => SessionName::parse(session),
        }
    }
}

#[cfg(not(feature = "sqlite"))]
mod without_store {
    use super::KeptDialogue;
    use fsmsim_runtime::runtime::{DialogueRunner, Journal};
    use fsmsim_syntax::diagnostic::Checked;

    /// A build without databases cannot store dialogues.
    #[derive(Clone, Copy, Debug)]
    pub enum SessionPersistence {}

    impl SessionPersistence {
        pub(crate) fn begin(
            &self,
            _: &str,
            _: Option<&str>,
            _: &DialogueRunner,
        ) -> Checked<Box<dyn Journal>> {
            match *self {}
        }

        pub(crate) fn resume(
            &self,
            _: &str,
            _: Option<&str>,
            _: &mut DialogueRunner,
        ) -> Checked<Option<KeptDialogue>> {
            match *self {}
        }

        pub(crate) fn forget(&self, _: &str, _: Option<&str>) -> Checked {
            match *self {}
        }
    }
}
