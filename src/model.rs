use std::fmt;
use std::path::Path;
use std::sync::Arc;

use fsmsim_core::engine::Machine;
use fsmsim_core::machine::Profile;
use fsmsim_dialects::dialect::Loader;
use fsmsim_syntax::diagnostic;

use crate::{Diagnostics, Dialogue};

/// A compiled dialogue definition. Cloning is cheap; a model can be shared between threads.
#[derive(Clone)]
pub struct Model {
    pub(crate) machine: Arc<Machine>,
    warnings: Diagnostics,
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Model").field(&self.name()).finish()
    }
}

impl Model {
    /// Loads a definition: a file or a folder, as on the command line.
    ///
    /// # Errors
    /// Returns all findings if at least one of them is an error.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, Diagnostics> {
        let mut loader = Loader::default();
        let mut found = diagnostic::Diagnostics::default();
        let machine = loader.load(path.as_ref(), Profile::default(), None, &mut found);
        let warnings = Diagnostics::new(&found, &loader.sources);
        match machine {
            Some(machine) if !found.has_errors() => Ok(Self {
                machine: Arc::new(machine),
                warnings,
            }),
            _ => Err(warnings),
        }
    }

    /// The name in the definition.
    pub fn name(&self) -> &str {
        &self.machine.header.name
    }

    /// The names of the states, in the order of the definition.
    ///
    /// ```
    /// let model = fsmsim::Model::load("flows/support.yaml")?;
    /// assert_eq!(model.states().next(), Some("greeting"));
    /// # Ok::<(), fsmsim::Diagnostics>(())
    /// ```
    pub fn states(&self) -> impl Iterator<Item = &str> {
        self.machine.declared_names()
    }

    /// Warnings about the definition.
    pub fn warnings(&self) -> &Diagnostics {
        &self.warnings
    }

    /// Starts a dialogue. The name identifies it in a trace.
    pub fn dialogue(&self, name: impl Into<String>) -> Dialogue {
        Dialogue::new(&self.machine, name.into())
    }
}
