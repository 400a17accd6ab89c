//! What a browser is given to open.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::PathBuf;

use uuid::Uuid;

use fsmsim_syntax::files::{UserFolder, for_owner_alone};

/// A file of the user's own that leads a browser to the page. What a browser is started with can be seen by all users of the
/// machine, and the address of the page holds what lets in. The file is gone with this value.
#[derive(Debug)]
pub struct BrowserFile(PathBuf);

impl BrowserFile {
    /// A file that leads to an address of the studio.
    pub fn leading_to(address: &str) -> io::Result<Self> {
        let folder = UserFolder::State
            .path()
            .ok_or_else(|| io::Error::other("the user has no folder of his own"))?;
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

    /// Opens it in the browser of the user.
    pub fn open(&self) -> io::Result<()> {
        open::that_detached(&self.0)
    }
}

impl Drop for BrowserFile {
    fn drop(&mut self) {
        // It leads nowhere any more.
        let _ = std::fs::remove_file(&self.0);
    }
}
