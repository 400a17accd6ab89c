//! How editors show what a name in a file names.

use lsp_types::{CompletionItemKind, SymbolKind};

pub(super) use fsmsim_syntax::shapes::{NamedKind, NamedRole};

/// How editors show something of the kind in an outline, and where it is offered.
pub(super) fn icons(kind: NamedKind) -> (SymbolKind, CompletionItemKind) {
    use CompletionItemKind as Offered;
    match kind {
        NamedKind::State => (SymbolKind::CLASS, Offered::CLASS),
        NamedKind::Intent => (SymbolKind::EVENT, Offered::EVENT),
        NamedKind::Slot => (SymbolKind::FIELD, Offered::FIELD),
        NamedKind::Mixin => (SymbolKind::INTERFACE, Offered::INTERFACE),
        NamedKind::Condition => (SymbolKind::BOOLEAN, Offered::STRUCT),
        NamedKind::Class | NamedKind::Point => (SymbolKind::STRUCT, Offered::STRUCT),
        NamedKind::Phase | NamedKind::Category => (SymbolKind::ENUM, Offered::ENUM_MEMBER),
        NamedKind::Model | NamedKind::File => (SymbolKind::FILE, Offered::FILE),
        _ => (SymbolKind::FUNCTION, Offered::FUNCTION),
    }
}

/// A parameter of a scenario, and what kind of thing it names there.
pub(super) type NamedParameter = (Box<str>, NamedKind);
