//! How editors show what a name in a file names.

use gen_lsp_types::{CompletionItemKind, SymbolKind};

pub(super) use fsmsim_syntax::shapes::{NamedKind, NamedRole};

/// How editors show something of the kind in an outline, and where it is offered.
pub(super) fn icons(kind: NamedKind) -> (SymbolKind, CompletionItemKind) {
    use CompletionItemKind as Offered;
    match kind {
        NamedKind::State => (SymbolKind::Class, Offered::Class),
        NamedKind::Intent => (SymbolKind::Event, Offered::Event),
        NamedKind::Slot => (SymbolKind::Field, Offered::Field),
        NamedKind::Mixin => (SymbolKind::Interface, Offered::Interface),
        NamedKind::Condition => (SymbolKind::Boolean, Offered::Struct),
        NamedKind::Class | NamedKind::Point => (SymbolKind::Struct, Offered::Struct),
        NamedKind::Phase | NamedKind::Category => (SymbolKind::Enum, Offered::EnumMember),
        NamedKind::Model | NamedKind::File => (SymbolKind::File, Offered::File),
        _ => (SymbolKind::Function, Offered::Function),
    }
}

/// A parameter of a scenario, and what kind of thing it names there.
pub(super) type NamedParameter = (Box<str>, NamedKind);
