//! Icons of names in editors.

use gen_lsp_types::{CompletionItemKind, SymbolKind};

pub(super) use fsmsim_syntax::shapes::{NamedKind, NamedRole};

/// The icons for a kind of name in the outline and in completion lists.
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

/// A scenario parameter, and the kind of the name that it replaces.
pub(super) type NamedParameter = (Box<str>, NamedKind);
