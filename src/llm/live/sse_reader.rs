//! Server-sent events: an answer that comes piece by piece.

use std::io::{self, BufRead};

/// The events of a stream.
pub(super) struct SseReader<R> {
    reader: R,
}

impl<R: BufRead> SseReader<R> {
    pub(super) fn new(reader: R) -> Self {
        Self { reader }
    }

    /// The data of the next event that has some; nothing at the end of the stream.
    ///
    /// # Errors
    /// Those of reading.
    pub(super) fn next(&mut self) -> io::Result<Option<String>> {
        let mut data: Option<String> = None;
        let mut line = Vec::new();
        loop {
            line.clear();
            self.reader.read_until(b'\n', &mut line)?;
            // A line without an end is half a line.
            let Some(text) = line.strip_suffix(b"\n") else { return Ok(data) };
            let text = String::from_utf8_lossy(text.strip_suffix(b"\r").unwrap_or(text));
            if text.is_empty() {
                if data.is_some() {
                    return Ok(data);
                }
            } else if let Some(more) = text.strip_prefix("data:") {
                let more = more.strip_prefix(' ').unwrap_or(more);
                match &mut data {
                    Some(data) => {
                        data.push('\n');
                        data.push_str(more);
                    }
                    None => data = Some(more.to_owned()),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<String> {
        let mut events = SseReader::new(text.as_bytes());
        std::iter::from_fn(|| events.next().unwrap()).collect()
    }

    #[test]
    fn events_are_taken_out_of_their_lines() {
        let text = ": a comment\r\nevent: x\r\ndata: {\"a\":\r\ndata:1}\r\n\r\nretry: 5\n\n\ndata: [DONE]\n";
        assert_eq!(read(text), ["{\"a\":\n1}", "[DONE]"]);
        assert_eq!(read("data: {\"a\": 1"), [""; 0]);
        assert_eq!(read(""), [""; 0]);
    }
}
