//! Where dialogues are kept that outlive the server.

use fsmsim_runtime::runtime::{Journal, ResumedDialogue};

/// A dialogue that was left: where it is kept, and how it was.
type KeptDialogue = (Box<dyn Journal>, ResumedDialogue);

#[cfg(feature = "sqlite")]
pub use with_store::SessionKeeper;
#[cfg(not(feature = "sqlite"))]
pub use without_store::SessionKeeper;

#[cfg(feature = "sqlite")]
mod with_store {
    use super::KeptDialogue;
    use fsmsim_adapters::world::{SessionFile, SessionName, StoredSession, derived_id};
    use fsmsim_runtime::runtime::{DialogueRunner, Journal, SessionJournal};
    use fsmsim_syntax::diagnostic::Checked;

    /// Where dialogues are kept that outlive the server: the sessions of the project.
    #[derive(Clone, Debug)]
    pub struct SessionKeeper {
        /// The sessions of the project.
        pub file: SessionFile,
        /// How each of them begins.
        pub begun: StoredSession,
    }

    impl SessionKeeper {
        /// Keeps a dialogue from its beginning.
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

        /// The dialogue that a server before this one has left; nothing where there is none of this name, this user and this
        /// model.
        ///
        /// # Errors
        /// The finding about what cannot be read, does not fit the model as it is now, or is played elsewhere.
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

        /// A dialogue has ended that nobody can go on with.
        pub(crate) fn forget(&self, session: &str, user: Option<&str>) -> Checked {
            self.file.open(&stored_name(session, user)?)?.delete()
        }
    }

    /// The name under which a dialogue is kept. That of one with a user tells the user apart, so that nobody finds it by its
    /// session alone.
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

    /// Nothing can be kept: there is no such thing in a build without databases.
    #[derive(Clone, Copy, Debug)]
    pub enum SessionKeeper {}

    impl SessionKeeper {
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
