//! How editors show what a name in a file names.

use lsp_types::{CompletionItemKind, SymbolKind};

pub(super) use fsmsim_syntax::shapes::{NamedKind, NamedRole};

/// How editors show something of the kind in an outline.
pub(super) fn symbol(kind: NamedKind) -> SymbolKind {
    match kind {
        NamedKind::State => SymbolKind::CLASS,
        NamedKind::Intent => SymbolKind::EVENT,
        NamedKind::Slot => SymbolKind::FIELD,
        NamedKind::Mixin => SymbolKind::INTERFACE,
        NamedKind::Condition => SymbolKind::BOOLEAN,
        NamedKind::Class | NamedKind::Point => SymbolKind::STRUCT,
        NamedKind::Phase | NamedKind::Category => SymbolKind::ENUM,
        NamedKind::Model | NamedKind::File => SymbolKind::FILE,
        _ => SymbolKind::FUNCTION,
    }
}

/// How editors show something of the kind where it is offered.
pub(super) fn completion_kind(kind: NamedKind) -> CompletionItemKind {
    match kind {
        NamedKind::State => CompletionItemKind::CLASS,
        NamedKind::Intent => CompletionItemKind::EVENT,
        NamedKind::Slot => CompletionItemKind::FIELD,
        NamedKind::Mixin => CompletionItemKind::INTERFACE,
        NamedKind::Condition | NamedKind::Class | NamedKind::Point => CompletionItemKind::STRUCT,
        NamedKind::Phase | NamedKind::Category => CompletionItemKind::ENUM_MEMBER,
        NamedKind::Model | NamedKind::File => CompletionItemKind::FILE,
        _ => CompletionItemKind::FUNCTION,
    }
}

/// A parameter of a scenario, and what kind of thing it names there.
pub(super) type NamedParameter = (Box<str>, NamedKind);
