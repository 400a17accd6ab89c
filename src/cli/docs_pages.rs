//! The documentation pages of this version.

macro_rules! pages {
    ($($name:literal)*) => {
        /// The pages by name, ordered by their importance for authors.
        pub(super) const PAGES: &[(&str, &str)] = &[
            $(($name, include_str!(concat!("../../docs/", $name, ".md"))),)*
        ];
    };
}

pages! {
    "tutorial"
    "flows"
    "conditions"
    "effects"
    "sales"
    "markdown"
    "interviews"
    "contracts"
    "cycles"
    "sources"
    "operations"
    "profiles"
    "scenarios"
    "selection"
    "coverage"
    "explore"
    "generate"
    "mutate"
    "models"
    "traces"
    "reports"
    "glossary"
    "reference/built-ins"
    "architecture"
    "assistants"
    "convert"
    "editors"
    "eval"
    "install"
    "mistakes"
    "repl"
    "scale"
    "schemas"
    "sessions"
    "simulation"
    "studio"
    "subjects"
    "verify"
    "authoring"
}
