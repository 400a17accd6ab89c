//! Converts between paths and the URIs that editors use.

use std::path::{Component, Path, PathBuf};

use gen_lsp_types::Uri;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// Characters that a URI does not escape.
const KEPT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The path of a file URI; `None` for other URIs.
pub(super) fn path_of(uri: impl AsRef<str>) -> Option<PathBuf> {
    let path = uri.as_ref().strip_prefix("file://")?;
    let path = path.strip_prefix("localhost").unwrap_or(path);
    let path = percent_decode_str(path).decode_utf8().ok()?;
    // On Windows, `/C:/…` is the path `C:/…`.
    let is_drive = cfg!(windows) && path.get(2..3) == Some(":");
    let path = if is_drive { path.get(1..)? } else { &path };
    let path = tidy(Path::new(path));
    path.is_absolute().then_some(path)
}

/// The URI of a file.
pub(super) fn uri_of(path: &Path) -> Option<Uri> {
    let text = path.to_str()?;
    let text = if cfg!(windows) {
        format!("/{}", text.replace('\\', "/"))
    } else {
        text.to_owned()
    };
    let text = utf8_percent_encode(&text, KEPT);
    Some(Uri(format!("file://{text}")))
}

/// Removes `.` and resolves `..` in a path.
pub(super) fn tidy(path: &Path) -> PathBuf {
    let mut tidied = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => _ = tidied.pop(),
            part => tidied.push(part),
        }
    }
    tidied
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn uris_and_paths_convert_both_ways() {
        let path = Path::new("/a b/поток#1.yaml");
        let uri = uri_of(path).unwrap();
        assert!(uri.0.starts_with("file:///a%20b/") && uri.0.ends_with("%231.yaml"));
        assert_eq!(path_of(uri).unwrap(), path);
        assert_eq!(path_of("file:///a/./b/../c").unwrap(), Path::new("/a/c"));
        for other in ["untitled:Untitled-1", "https://a/b", "file://%FF"] {
            assert_eq!(path_of(other), None, "{other}");
        }
    }
}
