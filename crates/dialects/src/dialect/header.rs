//! The header of single-file definitions.

use std::path::Path;

use fsmsim_core::machine::MachineHeader;
use fsmsim_syntax::diagnostic::Diagnostics;
use fsmsim_syntax::document::{Fields, Node};

/// The name of a file without its extension.
pub(crate) fn stem_of(path: &Path) -> String {
    path.file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// Reads the header of a file: the map under the name of its dialect (`key` is that name in backticks). The file name
/// is the default model name.
pub(super) fn read_header(
    about: Option<&Node>,
    (dialect, key): (&'static str, &'static str),
    path: &Path,
    found: &mut Diagnostics,
) -> MachineHeader {
    let mut header = MachineHeader {
        name: stem_of(path),
        dialect,
        source: path.display().to_string(),
        ..MachineHeader::default()
    };
    if let Some(mut fields) = about.and_then(|node| Fields::open(node, key, found)) {
        if let Some(name) = fields.text("name") {
            name.clone_into(&mut header.name);
        }
        fields
            .text("version")
            .unwrap_or_default()
            .clone_into(&mut header.version);
        fields
            .text("description")
            .unwrap_or_default()
            .clone_into(&mut header.description);
        fields.finish();
    }
    header
}
