//! The in-memory folder for the files of the readers.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use clap::Parser;
use fsmsim::cli::{Cli, run};

/// The line between the parts of an input.
const BETWEEN: &[u8] = b"%%%%\n";

/// The folder of one reader.
pub(crate) struct Workspace {
    folder: PathBuf,
}

/// The common folder of all readers, with files of the repository. It is the working directory.
static COMMON: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = std::env::var_os("FSMSIM_FUZZ_WORKSPACE")
        .map_or_else(|| std::env::temp_dir().join("fsmsim-fuzz"), PathBuf::from);
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR"));
    copy(&fuzz.join("workspace"), &folder);
    for part in ["flows", "states", "fixtures"] {
        copy(&fuzz.join("..").join(part), &folder.join(part));
    }
    std::env::set_current_dir(&folder).expect("the folder was just created");
    folder
});

thread_local! {
    /// Parsed command lines, so that each is parsed only once.
    static TYPED: RefCell<BTreeMap<&'static str, Cli>> = const { RefCell::new(BTreeMap::new()) };
}

/// The parts of an input.
pub(crate) fn parts(input: &[u8]) -> Vec<&[u8]> {
    let mut parts = Vec::new();
    let mut rest = input;
    while let Some(at) = rest
        .windows(BETWEEN.len())
        .position(|window| window == BETWEEN)
    {
        parts.push(&rest[..at]);
        rest = &rest[at + BETWEEN.len()..];
    }
    parts.push(rest);
    parts
}

impl Workspace {
    /// The common folder of all readers.
    pub(crate) fn common() -> &'static Path {
        &COMMON
    }

    /// The folder of a reader.
    pub(crate) fn of(reader: &str) -> Self {
        Self {
            folder: COMMON.join(reader),
        }
    }

    /// The path of a file of the reader.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Writes the parts of an input to these files. Removes files without a part.
    pub(crate) fn put(&self, files: &[&str], input: &[u8]) {
        let mut parts = parts(input).into_iter();
        for file in files {
            let path = self.path(file);
            match parts.next() {
                Some(part) => {
                    if fs::write(&path, part).is_err() {
                        fs::create_dir_all(path.parent().unwrap_or(&self.folder))
                            .expect("folders can be made");
                        fs::write(&path, part).expect("files can be written");
                    }
                }
                None => drop(fs::remove_file(path)),
            }
        }
    }

    /// Runs a function in the folder of the reader.
    pub(crate) fn entered(&self, act: impl FnOnce()) {
        std::env::set_current_dir(&self.folder).expect("the folder of the reader is there");
        act();
        std::env::set_current_dir(Self::common()).expect("the folder of all readers is there");
    }

    /// Runs a command line.
    pub(crate) fn run(&self, line: &'static str) {
        TYPED.with_borrow_mut(|typed| {
            let typed = typed
                .entry(line)
                .or_insert_with(|| Cli::parse_from(["fsmsim"].into_iter().chain(line.split(' '))));
            run(typed).expect("results can be written");
        });
    }

    /// Runs a command line with the input as standard input.
    pub(crate) fn piped(&self, input: &[u8], line: &'static str) {
        self.put(&["input"], input);
        let file = File::open(self.path("input")).expect("the input was written just now");
        rustix::stdio::dup2_stdin(file).expect("standard input can be replaced");
        self.run(line);
        // Discard unread input, so that the next command does not get it.
        std::io::stdin()
            .lock()
            .read_to_end(&mut Vec::new())
            .expect("a file can be read");
    }
}

fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        fs::create_dir_all(to).expect("folders can be made");
        for entry in fs::read_dir(from)
            .expect("folders of the repository can be read")
            .flatten()
        {
            copy(&entry.path(), &to.join(entry.file_name()));
        }
    } else if from.extension() != Some(OsStr::new("snap")) {
        fs::copy(from, to).expect("files of the repository can be copied");
    }
}
