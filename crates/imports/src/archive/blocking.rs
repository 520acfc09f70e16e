//! Streams as they are read and written on threads that may wait.

use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use kernel::error::{Error, Result};
use std::io::{self, Read};
use tokio::runtime::Handle;

/// A stream as a reader, for threads that may block.
pub struct Blocking<S> {
    runtime: Handle,
    stream: S,
    left: Bytes,
}

impl<S: Stream<Item = Result<Bytes>> + Unpin> Blocking<S> {
    pub fn over(runtime: Handle, stream: S) -> Blocking<S> {
        Blocking { runtime, stream, left: Bytes::new() }
    }
}

impl<S: Stream<Item = Result<Bytes>> + Unpin> Read for Blocking<S> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.left.is_empty() {
            match self.runtime.block_on(self.stream.next()) {
                Some(bytes) => self.left = bytes.map_err(io::Error::other)?,
                None => return Ok(0),
            }
        }
        let count = self.left.len().min(into.len());
        into[..count].copy_from_slice(&self.left.split_to(count));
        Ok(count)
    }
}

/// The error of ours that a reader met; what it says itself if it is none.
pub fn ours(error: io::Error) -> std::result::Result<Error, io::Error> {
    let is_ours = error.get_ref().is_some_and(|inner| inner.is::<Error>());
    match is_ours {
        true => match error.into_inner().map(|inner| inner.downcast::<Error>()) {
            Some(Ok(error)) => Ok(*error),
            _ => Ok(Error::internal("a stream broke")),
        },
        false => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::stream;

    #[tokio::test(flavor = "multi_thread")]
    async fn a_stream_is_read_in_pieces_and_its_error_comes_through() {
        let pieces = vec![
            Ok(Bytes::from_static(b"ab")),
            Ok(Bytes::new()),
            Ok(Bytes::from_static(b"cde")),
            Err(Error::NotFound("File")),
        ];
        let mut reader = Blocking::over(Handle::current(), stream::iter(pieces));
        let read = tokio::task::spawn_blocking(move || {
            let mut text = [0; 5];
            reader.read_exact(&mut text).expect("five bytes");
            (text, reader.read(&mut [0]).expect_err("an error"))
        });
        let (text, error) = read.await.expect("it ended");
        assert_eq!(&text, b"abcde");
        assert!(matches!(ours(error), Ok(Error::NotFound("File"))));
        assert!(ours(io::Error::from(io::ErrorKind::UnexpectedEof)).is_err());
    }
}
