//! The file that a browser opens to reach the studio.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::PathBuf;

use uuid::Uuid;

use fsmsim_syntax::files::{UserFolder, for_owner_alone};

/// A private file that redirects a browser to the page. The URL of the page contains the token, so it must not be a
/// process argument, which all users can see. The file is deleted when this value is dropped.
#[derive(Debug)]
pub struct BrowserFile(PathBuf);

impl BrowserFile {
    /// Creates a file that redirects to a URL of the studio.
    pub fn leading_to(address: &str) -> io::Result<Self> {
        let folder = UserFolder::State
            .path()
            .ok_or_else(|| io::Error::other("cannot find the state directory of the user"))?;
        std::fs::create_dir_all(&folder)?;
        let file = Self(folder.join(format!("studio-{}.html", Uuid::new_v4())));
        let mut page =
            for_owner_alone(OpenOptions::new().write(true).create_new(true)).open(&file.0)?;
        page.write_all(
            format!(
                "<!doctype html><html lang=en><meta charset=utf-8><meta name=referrer content=no-referrer>\
                 <meta http-equiv=refresh content=\"0;url={address}\"><title>fsmsim studio</title>\
                 <p><a href=\"{address}\">Open the studio</a>\n"
            )
            .as_bytes(),
        )?;
        Ok(file)
    }

    /// Opens the file in the default browser.
    pub fn open(&self) -> io::Result<()> {
        open::that_detached(&self.0)
    }
}

impl Drop for BrowserFile {
    fn drop(&mut self) {
        // A leftover file is harmless: its token is no longer valid.
        let _ = std::fs::remove_file(&self.0);
    }
}
