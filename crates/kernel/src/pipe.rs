//! From writers that know no `await` into answers and the blob store, in pieces.

use crate::error::{Error, Result};
use bytes::Bytes;
use futures_util::{Stream, stream};
use std::io::{self, Write};
use tokio::sync::mpsc::{self, Sender};

/// Bytes of a piece, and pieces that wait for their reader.
const PIECE: usize = 64 * 1024;
const WAITING: usize = 4;

/// Gathers what is written into pieces, and waits for their reader. For threads that may
/// block.
pub struct Pipe {
    gathered: Vec<u8>,
    sender: Sender<Result<Bytes>>,
}

/// Both ends of a pipe. Dropping the reader breaks it; a writer that was not closed has left
/// something out, which only who wrote can tell.
pub fn pipe() -> (Pipe, impl Stream<Item = Result<Bytes>> + Unpin + Send + 'static) {
    let (sender, mut receiver) = mpsc::channel(WAITING);
    let pipe = Pipe { gathered: Vec::with_capacity(PIECE), sender };
    (pipe, stream::poll_fn(move |context| receiver.poll_recv(context)))
}

impl Pipe {
    /// Ends with a failure: who reads knows that there was more.
    pub fn fail(self, error: Error) {
        // Who went away is told nothing.
        let _ = self.sender.blocking_send(Err(error));
    }

    /// Hands on what is left.
    pub fn close(mut self) -> io::Result<()> {
        self.hand_on()
    }

    fn hand_on(&mut self) -> io::Result<()> {
        if self.gathered.is_empty() {
            return Ok(());
        }
        let piece = std::mem::replace(&mut self.gathered, Vec::with_capacity(PIECE));
        let sent = self.sender.blocking_send(Ok(piece.into()));
        sent.map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))
    }
}

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.gathered.extend_from_slice(bytes);
        if self.gathered.len() >= PIECE {
            self.hand_on()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::StreamExt;

    #[tokio::test]
    async fn all_that_is_written_comes_out_in_pieces() {
        let (mut pipe, pieces) = pipe();
        let text = b"0123456789".repeat(60_000);
        let sent = text.clone();
        let writing = std::thread::spawn(move || {
            for part in sent.chunks(7) {
                pipe.write_all(part).unwrap();
            }
            pipe.close().unwrap();
        });
        let pieces: Vec<Result<Bytes>> = pieces.collect().await;
        writing.join().unwrap();
        let out: Vec<Bytes> = pieces.into_iter().map(Result::unwrap).collect();
        assert_eq!((out.concat() == text, out.len()), (true, 10));
    }

    #[test]
    fn a_pipe_that_nobody_reads_breaks() {
        let (mut pipe, pieces) = pipe();
        drop(pieces);
        assert!(pipe.write_all(&[0; PIECE]).is_err());
    }
}
