//! Files that are compressed with gzip: told by their first bytes, whatever they are called.

use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;

/// The first bytes of what is compressed.
const MAGIC: [u8; 2] = [0x1f, 0x8b];

/// What a stream says: unpacked, where it is compressed.
pub(super) fn unpacked(source: impl Read + 'static) -> io::Result<Box<dyn Read>> {
    let mut source = BufReader::new(source);
    let is_packed = source.fill_buf()?.starts_with(&MAGIC);
    Ok(if is_packed {
        Box::new(MultiGzDecoder::new(source))
    } else {
        Box::new(source)
    })
}

/// The path of what a compressed file holds: without the ending `.gz`.
pub fn unpacked_path(path: &Path) -> PathBuf {
    let is_packed = path
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("gz"));
    if is_packed {
        path.with_extension("")
    } else {
        path.to_path_buf()
    }
}
