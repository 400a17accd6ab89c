//! Messages over a pair of streams, one per line.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::Arc;

use futures_core::Stream;
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;
use tokio_util::bytes::{Buf, BytesMut};
use tokio_util::codec::{Decoder, FramedRead};

use super::incoming_line::{BoundedLine, IncomingLine};
use crate::http::log;
use crate::limits::{MAX_BODY, MAX_LINE_HEAD};

/// Messages over a pair of streams, one per line. The transport of rmcp drops lines that are not messages. Here they
/// are answered with an error and, if possible, the ID of the request, so that the sender does not wait forever.
pub(super) struct MessageLines<R, W> {
    input: FramedRead<R, BoundedLines>,
    output: Arc<Mutex<Option<W>>>,
    /// Answers to lines that are not messages. A separate task writes them, because receiving can be canceled at any
    /// time.
    answer: Option<JoinHandle<io::Result<()>>>,
}

impl<R: AsyncRead, W> MessageLines<R, W> {
    pub(super) fn new(input: R, output: W) -> Self {
        Self {
            input: FramedRead::new(input, BoundedLines::default()),
            output: Arc::new(Mutex::new(Some(output))),
            answer: None,
        }
    }
}

async fn write<W: AsyncWrite + Unpin>(
    output: Arc<Mutex<Option<W>>>,
    message: TxJsonRpcMessage<RoleServer>,
) -> io::Result<()> {
    let mut line = serde_json::to_vec(&message)?;
    line.push(b'\n');
    let mut output = output.lock().await;
    let output = output.as_mut().ok_or(io::ErrorKind::NotConnected)?;
    output.write_all(&line).await?;
    output.flush().await
}

impl<R, W> Transport<RoleServer> for MessageLines<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        write(Arc::clone(&self.output), message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(answer) = &mut self.answer {
                // If this fails, the client has closed its end, so the answer is lost.
                let _ = answer.await;
                self.answer = None;
            }
            let line = poll_fn(|context| Pin::new(&mut self.input).poll_next(context)).await?;
            match IncomingLine::of(&line.ok()?) {
                IncomingLine::Message(message) => return Some(*message),
                IncomingLine::Wrong(error, id) => {
                    let answer = TxJsonRpcMessage::<RoleServer>::error(error, id);
                    self.answer = Some(tokio::spawn(write(Arc::clone(&self.output), answer)));
                }
                IncomingLine::Nothing => {}
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        drop(self.output.lock().await.take());
        Ok(())
    }
}

/// Cuts a stream into lines. A line over the limit is skipped without being held in memory.
#[derive(Default)]
struct BoundedLines {
    /// Bytes that have been searched for a line break.
    seen: usize,
    /// Whether the rest of the line is skipped.
    is_too_long: bool,
}

impl Decoder for BoundedLines {
    type Item = BoundedLine;
    type Error = io::Error;

    fn decode(&mut self, bytes: &mut BytesMut) -> io::Result<Option<BoundedLine>> {
        loop {
            let end = bytes
                .iter()
                .skip(self.seen)
                .position(|byte| *byte == b'\n')
                .map(|end| self.seen + end);
            self.seen = 0;
            let length = end.unwrap_or(bytes.len());
            if self.is_too_long {
                self.is_too_long = end.is_none();
                bytes.advance(end.map_or(length, |end| end + 1));
                if end.is_none() {
                    return Ok(None);
                }
            } else if length > MAX_BODY {
                log(&format!("refused: a line of more than {MAX_BODY} bytes"));
                self.is_too_long = true;
                return Ok(Some(BoundedLine::TooLong(bytes.split_to(MAX_LINE_HEAD))));
            } else if end.is_some() {
                let line = bytes.split_to(length);
                bytes.advance(1);
                return Ok(Some(BoundedLine::Whole(line)));
            } else {
                self.seen = length;
                return Ok(None);
            }
        }
    }

    /// The last line can lack a line break.
    fn decode_eof(&mut self, bytes: &mut BytesMut) -> io::Result<Option<BoundedLine>> {
        let line = self.decode(bytes)?;
        let is_rest = line.is_none() && !bytes.is_empty();
        Ok(line.or_else(|| is_rest.then(|| BoundedLine::Whole(bytes.split()))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_long_lines_are_skipped_and_the_last_needs_no_break() {
        let (mut lines, mut bytes, mut all) =
            (BoundedLines::default(), BytesMut::new(), Vec::new());
        let long = "x".repeat(MAX_BODY);
        for part in [
            "ab", "c\n", &long, "de", "fgh\n", "x\n", "12", &long, "\n", &long, "\nlast",
        ] {
            bytes.extend_from_slice(part.as_bytes());
            while let Some(line) = lines.decode(&mut bytes).unwrap() {
                all.push(line);
            }
            assert!(bytes.len() <= MAX_BODY);
        }
        all.extend(lines.decode_eof(&mut bytes).unwrap());
        let summary: Vec<(bool, usize)> = all
            .iter()
            .map(|line| match line {
                BoundedLine::Whole(line) => (true, line.len()),
                BoundedLine::TooLong(head) => (false, head.len()),
            })
            .collect();
        let too_long = (false, MAX_LINE_HEAD);
        assert_eq!(
            summary,
            [
                (true, 3),
                too_long,
                (true, 1),
                too_long,
                (true, MAX_BODY),
                (true, 4)
            ]
        );
    }
}
