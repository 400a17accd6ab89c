//! What an import comes to.

use super::left_out::LeftOut;

/// What became of a file of another tool.
#[derive(Clone, Debug)]
pub struct Imported {
    /// What it is called: the name of its file without the ending.
    pub name: String,
    /// The files it became, the flow first.
    pub files: Vec<ImportedFile>,
    /// What a flow has no place for, in the order of the file.
    pub left_out: Vec<LeftOut>,
}

/// A file that an import makes.
#[derive(Clone, Debug)]
pub struct ImportedFile {
    /// What its name has behind that of the import.
    pub suffix: &'static str,
    /// What it holds.
    pub text: String,
}
