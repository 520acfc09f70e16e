//! The bytes of a connection, which end where nobody proves in time who they are.

use super::connection::Presence;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};

pub(super) struct Guarded {
    stream: TcpStream,
    presence: Arc<Presence>,
    deadline: Pin<Box<Sleep>>,
}

impl Guarded {
    /// A connection whose client has so long to sign in.
    pub(super) fn new(stream: TcpStream, presence: Arc<Presence>, patience: Duration) -> Guarded {
        Guarded { stream, presence, deadline: Box::pin(sleep(patience)) }
    }

    /// Fails once it took too long. Whoever waits is woken then.
    fn check(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        if !self.presence.is_known() && self.deadline.as_mut().poll(context).is_ready() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        Ok(())
    }
}

impl AsyncRead for Guarded {
    fn poll_read(
        mut self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.check(context)?;
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Guarded {
    fn poll_write(
        mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.check(context)?;
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
