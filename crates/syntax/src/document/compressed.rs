//! Gzip files. They are detected by their first bytes, not by their names.

use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;

/// The first bytes of gzip data.
const MAGIC: [u8; 2] = [0x1f, 0x8b];

/// A reader of the decompressed data. Uncompressed data is unchanged.
pub(super) fn unpacked(source: impl Read + 'static) -> io::Result<Box<dyn Read>> {
    let mut source = BufReader::new(source);
    let is_packed = source.fill_buf()?.starts_with(&MAGIC);
    Ok(if is_packed {
        Box::new(MultiGzDecoder::new(source))
    } else {
        Box::new(source)
    })
}

/// The path of the content of a compressed file: the path without the extension `.gz`.
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
