//! The page, and what it loads.

use std::io;

use crate::http::AccessToken;
use fsmsim_reports::report::{StudioAsset, StudioPage};

/// Under this name a tab keeps what lets it in, for when it is loaded again.
const KEPT: &str = "fsmsim-token";

/// The page, for scripts and styles with this mark alone.
pub(super) fn page(nonce: &str) -> io::Result<String> {
    StudioPage { nonce }.render()
}

/// What stands in place of the page for whoever does not say what lets it in. A tab that was let in before, and is loaded
/// again, says it.
pub(super) fn locked_page(nonce: &str) -> String {
    format!(
        "<!doctype html><html lang=en><meta charset=utf-8><title>fsmsim studio</title>\
         <p>Open the whole address that <code>fsmsim studio</code> printed: it ends in <code>?token=</code> and 32 signs.\n\
         <script nonce=\"{nonce}\">const kept=sessionStorage.getItem('{KEPT}');sessionStorage.removeItem('{KEPT}');\
         if(kept)location.replace('/?token='+encodeURIComponent(kept))</script>\n"
    )
}

/// A script or a style by its name, with what it is.
pub(super) fn asset(name: &str) -> Option<(&'static str, &'static str)> {
    StudioAsset::named(name).map(|asset| (asset.content_type, asset.text))
}

/// The address of the page.
pub(super) fn address(port: u16, token: &AccessToken) -> String {
    format!("http://127.0.0.1:{port}/?token={}", token.as_str())
}
