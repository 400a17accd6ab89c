//! The examples of the five documents that the product follows, played by the binary (`decisions.md`).

mod agent_cycle;
mod contract;
mod interview;
mod methods;
mod sales;
mod state_set;

use crate::support::recordings;

/// The text of the document that has this line. `None` if the folder of documents next to the recordings is missing.
fn document(line: &str) -> Option<String> {
    let folder = recordings()?.join("../seeds");
    let Ok(files) = std::fs::read_dir(&folder) else {
        eprintln!("skipped: {} does not exist", folder.display());
        return None;
    };
    let mut texts =
        files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap_or_default());
    let found = texts.find(|text| text.lines().any(|known| known == line));
    Some(found.unwrap_or_else(|| panic!("no document has the line `{line}`")))
}
