//! A cache of models by path: each is loaded once.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::project::{Project, unknown_profile};
use fsmsim_adapters::llm::MockScript;
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::{Profile, Variant};
use fsmsim_dialects::dialect::{Loader, model_file};
use fsmsim_syntax::diagnostic::{Checked, Diagnostic, Diagnostics, SourceMap};
use fsmsim_syntax::document::DocumentReading;

/// The name of a model: a path with an optional profile. A section of a document is `FILE.md#Heading`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ModelName {
    pub path: PathBuf,
    /// The profile after `@`.
    pub profile: Option<Profile>,
}

impl ModelName {
    /// Parses `PATH` or `PATH@PROFILE`. Reports a suffix after the last `@` that is neither a profile nor part of an
    /// existing path.
    pub fn parse(text: &str, found: &mut Diagnostics) -> Option<Self> {
        let plain = || Self {
            path: PathBuf::from(text),
            profile: None,
        };
        let Some((path, suffix)) = text.rsplit_once('@') else {
            return Some(plain());
        };
        if let Some(profile) = Profile::from_name(suffix) {
            return Some(Self {
                path: PathBuf::from(path),
                profile: Some(profile),
            });
        }
        // A heading can contain this character.
        if Path::new(text).exists() || model_file(Path::new(text)) != Path::new(text) {
            return Some(plain());
        }
        unknown_profile(suffix).about(text).refuse(found)
    }

    /// Resolves the path as written in a project file.
    ///
    /// # Errors
    /// Returns the finding, without its location, if the path leads out of the project.
    pub fn within(self, project: &Project, file: &Path) -> Checked<Self> {
        let path = self
            .path
            .to_str()
            .map_or_else(|| Ok(self.path.clone()), |path| project.resolve(path, file))?;
        Ok(Self {
            path,
            profile: self.profile,
        })
    }
}

/// Models by path and profile. Each is loaded once, and its findings are stored.
#[derive(Default)]
pub struct ModelCache {
    loader: Loader,
    /// The configuration root to use instead of searching for one.
    config: Option<PathBuf>,
    /// Missing states of state sets run as stubs.
    with_stubs: bool,
    models: BTreeMap<(PathBuf, Variant), Loaded<Machine>>,
    mocks: BTreeMap<PathBuf, Loaded<MockScript>>,
}

/// A loaded value, if it can be read, and its findings.
type Loaded<T> = (Option<Arc<T>>, Diagnostics);

impl ModelCache {
    /// Creates an empty cache. With `config`, all flows use that configuration root.
    pub fn new(project: &Project, config: Option<PathBuf>) -> Self {
        let mut cache = Self {
            config,
            ..Self::default()
        };
        cache.loader.extra_keys = Arc::clone(&project.lint.extra_keys);
        cache.loader.named = Some(Arc::new(project.clone()));
        cache
    }

    /// Runs missing states of state sets as stubs, and reports them as warnings.
    #[must_use]
    pub fn with_stubs(mut self, with_stubs: bool) -> Self {
        self.with_stubs = with_stubs;
        self
    }

    /// Uses the text from these sources for files whose text they override.
    #[must_use]
    pub fn reading(mut self, sources: &SourceMap) -> Self {
        self.loader.sources = sources.unread();
        self
    }

    /// The model. Returns `None` if it is invalid: see [`findings`](Self::findings).
    pub fn load(&mut self, path: &Path, variant: impl Into<Variant>) -> Option<Arc<Machine>> {
        let variant = variant.into();
        let machine = self.load_with_errors(path, variant)?;
        let found = self.findings(path, variant);
        (!found.is_some_and(Diagnostics::has_errors)).then_some(machine)
    }

    /// The model, even if it has errors that do not affect its paths. Such a model can be checked, but not run.
    pub fn load_with_errors(
        &mut self,
        path: &Path,
        variant: impl Into<Variant>,
    ) -> Option<Arc<Machine>> {
        let variant = self.variant(variant.into());
        let key = (path.to_path_buf(), variant);
        if let Some((machine, _)) = self.models.get(&key) {
            return machine.clone();
        }
        let mut found = Diagnostics::default();
        let machine = self
            .loader
            .load_with_errors(path, variant, self.config.as_deref(), &mut found)
            .map(Arc::new);
        self.models.insert(key, (machine.clone(), found));
        machine
    }

    /// Reports what no flow uses in the configuration roots of models that were loaded since the last call.
    pub fn check_roots(&mut self, found: &mut Diagnostics) {
        self.loader.check_roots(found);
    }

    /// The model with other texts in the files with these paths. Returns `None` if it is invalid. The result is not
    /// cached.
    pub fn load_instead(
        &self,
        path: &Path,
        variant: impl Into<Variant>,
        texts: &[(String, String)],
    ) -> Option<Arc<Machine>> {
        let mut loader = Loader::default();
        loader.extra_keys = Arc::clone(&self.loader.extra_keys);
        loader.named.clone_from(&self.loader.named);
        for (file, text) in texts {
            loader.sources.put_instead(file, text.as_str());
        }
        let variant = self.variant(variant.into());
        loader
            .load(
                path,
                variant,
                self.config.as_deref(),
                &mut Diagnostics::default(),
            )
            .map(Arc::new)
    }

    /// The contents of a document with their origin, and the ignored parts. Returns `None` if the path is not a
    /// document.
    pub fn explain(&mut self, path: &Path) -> Option<DocumentReading> {
        self.loader.explain(path)
    }

    /// The mock at a path. Returns `None` if it is invalid: see [`mock_findings`](Self::mock_findings).
    pub fn mock(&mut self, path: &Path) -> Option<Arc<MockScript>> {
        let script = self.mock_with_errors(path);
        let is_invalid = self
            .mock_findings(path)
            .is_some_and(Diagnostics::has_errors);
        script.filter(|_| !is_invalid)
    }

    /// The mock at a path without its invalid rules. The names in those rules are kept. Returns `None` if it cannot be
    /// read.
    pub fn mock_with_errors(&mut self, path: &Path) -> Option<Arc<MockScript>> {
        if let Some((script, _)) = self.mocks.get(path) {
            return script.clone();
        }
        let mut found = Diagnostics::default();
        let script = MockScript::load(path, &mut self.loader.sources, &mut found).map(Arc::new);
        self.mocks
            .insert(path.to_path_buf(), (script.clone(), found));
        script
    }

    /// The findings of a mock.
    pub fn mock_findings(&self, path: &Path) -> Option<&Diagnostics> {
        self.mocks.get(path).map(|(_, found)| found)
    }

    /// The findings of a model.
    pub fn findings(&self, path: &Path, variant: impl Into<Variant>) -> Option<&Diagnostics> {
        self.models
            .get(&(path.to_path_buf(), self.variant(variant.into())))
            .map(|(_, found)| found)
    }

    /// The findings of a model without warnings and notes that apply to this profile only. A user who selects the
    /// profile on purpose knows them. `lint` reports them.
    pub fn lasting_findings(&mut self, path: &Path, variant: impl Into<Variant>) -> Diagnostics {
        let variant = self.variant(variant.into());
        let found = self.findings(path, variant).cloned().unwrap_or_default();
        let default = Variant {
            with_stubs: variant.with_stubs,
            ..Profile::default().into()
        };
        if variant == default || found.is_empty() || found.has_errors() {
            return found;
        }
        self.load(path, default);
        let others = self.findings(path, default).cloned().unwrap_or_default();
        let mut lasting = Diagnostics::default();
        let identity = |finding: &Diagnostic| self.sources().identity(finding);
        let others: BTreeSet<_> = others.items().iter().map(identity).collect();
        for item in found
            .items()
            .iter()
            .filter(|item| others.contains(&identity(item)))
        {
            lasting.push(item.clone());
        }
        lasting
    }

    fn variant(&self, wanted: Variant) -> Variant {
        Variant {
            with_stubs: self.with_stubs || wanted.with_stubs,
            ..wanted
        }
    }

    /// The files of all models.
    pub fn sources(&self) -> &SourceMap {
        &self.loader.sources
    }
}
