//! Messages over two streams, each in a line of its own.

use std::io;
use std::sync::Arc;

use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::Mutex;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::JoinHandle;

use super::bounded_lines::BoundedLines;
use super::incoming_line::IncomingLine;

/// So much is read at once.
const CHUNK: usize = 8192;
/// Messages that are read before somebody takes them.
const WAITING: usize = 16;

/// Messages over two streams, each in a line of its own. A line that is none is answered here, with the number of the request
/// where it has one: whoever waits for an answer gets one.
pub(super) struct MessageLines<W> {
    messages: Receiver<RxJsonRpcMessage<RoleServer>>,
    output: Arc<Mutex<Option<W>>>,
    reader: JoinHandle<()>,
}

impl<W: AsyncWrite + Send + Unpin + 'static> MessageLines<W> {
    /// The messages of these streams.
    pub(super) fn new(input: impl AsyncRead + Send + Unpin + 'static, output: W) -> Self {
        let (sender, messages) = channel(WAITING);
        let output = Arc::new(Mutex::new(Some(output)));
        let reader = tokio::spawn(read(input, sender, Arc::clone(&output)));
        Self {
            messages,
            output,
            reader,
        }
    }
}

/// Reads lines until there are no more, or nobody takes them.
async fn read<W: AsyncWrite + Send + Unpin>(
    mut input: impl AsyncRead + Unpin,
    messages: Sender<RxJsonRpcMessage<RoleServer>>,
    output: Arc<Mutex<Option<W>>>,
) {
    let (mut lines, mut chunk) = (BoundedLines::default(), vec![0; CHUNK]);
    loop {
        let read = input.read(&mut chunk).await.unwrap_or_default();
        match chunk.get(..read) {
            Some(bytes) if read > 0 => lines.take(bytes),
            _ => lines.end(),
        }
        while let Some(line) = lines.next() {
            match IncomingLine::of(&line) {
                IncomingLine::Message(message) => {
                    if messages.send(*message).await.is_err() {
                        return;
                    }
                }
                IncomingLine::Wrong(error, id) => {
                    // What cannot be told is not heard.
                    let _ = write(&output, TxJsonRpcMessage::<RoleServer>::error(error, id)).await;
                }
                IncomingLine::Nothing => {}
            }
        }
        if read == 0 {
            return;
        }
    }
}

async fn write<W: AsyncWrite + Unpin>(
    output: &Mutex<Option<W>>,
    message: TxJsonRpcMessage<RoleServer>,
) -> io::Result<()> {
    let mut line = serde_json::to_vec(&message)?;
    line.push(b'\n');
    let mut output = output.lock().await;
    let output = output.as_mut().ok_or(io::ErrorKind::NotConnected)?;
    output.write_all(&line).await?;
    output.flush().await
}

impl<W: AsyncWrite + Send + Unpin + 'static> Transport<RoleServer> for MessageLines<W> {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let output = Arc::clone(&self.output);
        async move { write(&output, message).await }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        self.messages.recv().await
    }

    async fn close(&mut self) -> io::Result<()> {
        self.reader.abort();
        drop(self.output.lock().await.take());
        Ok(())
    }
}
