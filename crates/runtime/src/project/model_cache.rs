//! Models by path: each is loaded once.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::project::{Project, unknown_profile};
use fsmsim_adapters::llm::MockScript;
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::{Profile, Variant};
use fsmsim_dialects::dialect::Loader;
use fsmsim_syntax::diagnostic::{Checked, Diagnostic, Diagnostics, SourceMap};
use fsmsim_syntax::document::DocumentReading;

/// A model as it is named: a path, and a profile where one is fixed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ModelName {
    pub path: PathBuf,
    /// The profile behind `@`.
    pub profile: Option<Profile>,
}

impl ModelName {
    /// Reads `PATH` or `PATH@PROFILE`. A finding where what follows the last `@` is neither a profile nor part of a path
    /// that exists.
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
        if Path::new(text).exists() {
            return Some(plain());
        }
        unknown_profile(suffix).about(text).refuse(found)
    }

    /// The same model with its path taken as a file of the project names it.
    ///
    /// # Errors
    /// The finding, without its place, about a path that leads out of the project.
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

/// Models by path and profile. Each is loaded once, and what was found then is kept.
#[derive(Default)]
pub struct ModelCache {
    loader: Loader,
    /// The configuration root that is used instead of looking for one.
    config: Option<PathBuf>,
    /// States that are missing from any set of states play as stubs.
    with_stubs: bool,
    models: BTreeMap<(PathBuf, Variant), Loaded<Machine>>,
    mocks: BTreeMap<PathBuf, Loaded<MockScript>>,
}

/// What was loaded, where it can be used, and what was found then.
type Loaded<T> = (Option<Arc<T>>, Diagnostics);

impl ModelCache {
    /// No model of the project yet; with `config`, all flows use that configuration root.
    pub fn new(project: &Project, config: Option<PathBuf>) -> Self {
        let mut cache = Self {
            config,
            ..Self::default()
        };
        cache.loader.known_keys = Arc::clone(&project.lint.known_keys);
        cache.loader.named = Some(Arc::new(project.clone()));
        cache
    }

    /// States that are missing from a set of states play as stubs, and are told as warnings.
    #[must_use]
    pub fn with_stubs(mut self, with_stubs: bool) -> Self {
        self.with_stubs = with_stubs;
        self
    }

    /// Files are read as these sources have them, where they have texts in the place of files.
    #[must_use]
    pub fn reading(mut self, sources: &SourceMap) -> Self {
        self.loader.sources = sources.unread();
        self
    }

    /// The model; `None` where it cannot be used. [`findings`](Self::findings) tells why.
    pub fn load(&mut self, path: &Path, variant: impl Into<Variant>) -> Option<Arc<Machine>> {
        let variant = self.variant(variant.into());
        let key = (path.to_path_buf(), variant);
        if let Some((machine, _)) = self.models.get(&key) {
            return machine.clone();
        }
        let mut found = Diagnostics::default();
        let machine = self
            .loader
            .load(path, variant, self.config.as_deref(), &mut found)
            .map(Arc::new);
        self.models.insert(key, (machine.clone(), found));
        machine
    }

    /// The model as it would be if one of its files held another text; `None` where it could not be used. It is not kept.
    pub fn load_instead(
        &self,
        path: &Path,
        variant: impl Into<Variant>,
        file: &str,
        text: &str,
    ) -> Option<Arc<Machine>> {
        let mut loader = Loader::default();
        loader.known_keys = Arc::clone(&self.loader.known_keys);
        loader.named.clone_from(&self.loader.named);
        loader.sources.put_instead(file, text);
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

    /// What is taken out of a document, from where, and what is not; `None` where the path is no such document.
    pub fn explain(&mut self, path: &Path) -> Option<DocumentReading> {
        self.loader.explain(path)
    }

    /// The mock of a path; `None` where it cannot be used. [`mock_findings`](Self::mock_findings) tells why.
    pub fn mock(&mut self, path: &Path) -> Option<Arc<MockScript>> {
        if let Some((script, _)) = self.mocks.get(path) {
            return script.clone();
        }
        let mut found = Diagnostics::default();
        let script = MockScript::load(path, &mut self.loader.sources, &mut found).map(Arc::new);
        self.mocks
            .insert(path.to_path_buf(), (script.clone(), found));
        script
    }

    /// What was found while loading a mock.
    pub fn mock_findings(&self, path: &Path) -> Option<&Diagnostics> {
        self.mocks.get(path).map(|(_, found)| found)
    }

    /// What was found while loading a model.
    pub fn findings(&self, path: &Path, variant: impl Into<Variant>) -> Option<&Diagnostics> {
        self.models
            .get(&(path.to_path_buf(), self.variant(variant.into())))
            .map(|(_, found)| found)
    }

    /// What was found while loading a model, but for remarks that hold under its profile alone: whoever plays it under that
    /// profile on purpose knows them. `lint` tells them.
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
