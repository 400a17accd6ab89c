//! Lines of a stream, none of which is longer than it may be.

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};

use crate::http::{MAX_BODY, log};

/// What is read instead of a line that is too long: whoever reads it answers that it is no message.
const INSTEAD: &[u8] = b"{}\n";
/// So much is read at once.
const CHUNK: usize = 8192;

/// The lines of a stream. One that is longer than a message may be is passed over as it comes, and is never in memory whole;
/// in its place stands one that is no message, so that the client is told.
pub(super) struct BoundedLines<R> {
    inner: R,
    /// What can be read now.
    ready: VecDeque<u8>,
    /// The line that is being read, as far as it is short enough.
    line: Vec<u8>,
    /// The rest of the line is passed over.
    is_too_long: bool,
    most: usize,
}

impl<R> BoundedLines<R> {
    /// The lines of a stream.
    pub(super) fn new(inner: R) -> Self {
        Self { inner, ready: VecDeque::new(), line: Vec::new(), is_too_long: false, most: MAX_BODY }
    }

    fn take(&mut self, bytes: &[u8]) {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            let ends = part.ends_with(b"\n");
            if !self.is_too_long && self.line.len() + part.len() > self.most {
                log(&format!("refused: a line of more than {} bytes", self.most));
                self.is_too_long = true;
                self.line = Vec::new();
                self.ready.extend(INSTEAD);
            }
            if !self.is_too_long {
                self.line.extend_from_slice(part);
            }
            if ends {
                self.ready.extend(self.line.drain(..));
                self.is_too_long = false;
            }
        }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for BoundedLines<R> {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let lines = self.get_mut();
        while lines.ready.is_empty() {
            let mut chunk = [0; CHUNK];
            let mut read = ReadBuf::new(&mut chunk);
            ready!(Pin::new(&mut lines.inner).poll_read(context, &mut read))?;
            if read.filled().is_empty() {
                // The last line may have no end; it is handed over once.
                lines.ready.extend(lines.line.drain(..));
                if lines.ready.is_empty() {
                    return Poll::Ready(Ok(()));
                }
            }
            lines.take(read.filled());
        }
        let (first, _) = lines.ready.as_slices();
        let part = first.get(..first.len().min(into.remaining())).unwrap_or_default();
        into.put_slice(part);
        let read = part.len();
        lines.ready.drain(..read);
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;

    use super::*;

    #[test]
    fn a_line_that_is_too_long_is_passed_over() {
        let mut lines = BoundedLines { most: 4, ..BoundedLines::new(io::empty()) };
        for part in ["ab", "c\nabc", "de", "fgh\n", "x\n", "1234\n"] {
            lines.take(part.as_bytes());
            assert!(lines.line.len() <= 4);
        }
        let read: Vec<u8> = lines.ready.into_iter().collect();
        assert_eq!(String::from_utf8(read).unwrap(), "abc\n{}\nx\n{}\n");
    }

    #[tokio::test]
    async fn the_last_line_needs_no_end() {
        let mut read = String::new();
        BoundedLines::new(&b"a\nlast"[..]).read_to_string(&mut read).await.unwrap();
        assert_eq!(read, "a\nlast");
    }
}
