//! The body of a publication: its package file goes to the spool while it
//! arrives, the envelope around it stays in memory.

use super::scanner::{MAX_ENVELOPE, Scanner, Step};
use crate::client::Client;
use crate::model::PackageType;
use crate::upload;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::{Buf, Bytes, BytesMut};
use futures_util::{Stream, StreamExt};
use kernel::blobs::Received;
use kernel::error::{Error, Result};
use kernel::http::Upload;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// Bytes that base64 makes of three.
const QUAD: usize = 4;

pub struct Body {
    /// Its JSON with blanks in place of attachments.
    pub envelope: Vec<u8>,
    /// The package file in it.
    pub file: Option<Received>,
}

impl Body {
    /// Receives a body that may hold a package file, within the limits.
    pub async fn receive(client: &Client, body: Upload) -> Result<Body> {
        let limit = upload::limit(&client.app, PackageType::Npm).await?;
        // The file in base64 and the rest.
        upload::check_length(&client.request, limit, |limit| {
            let encoded = limit.div_ceil(3).saturating_mul(QUAD as u64);
            encoded.saturating_add(MAX_ENVELOPE as u64)
        })?;
        let mut arriving = Arriving::new(body);
        let mut file = None;
        while arriving.next_file().await? {
            if file.is_some() {
                return Err(Error::BadRequest("the body holds more than one package file".into()));
            }
            let decoded = Decoded {
                arriving: &mut arriving,
                decoder: Decoder::default(),
                ended: false,
            };
            file = Some(upload::receive_part(&client.app, limit, decoded).await?);
        }
        Ok(Body { envelope: arriving.scanner.finish().map_err(refused)?, file })
    }

    /// Receives a body that has nothing but an envelope.
    pub async fn envelope(body: Upload) -> Result<Vec<u8>> {
        let mut arriving = Arriving::new(body);
        if arriving.next_file().await? {
            return Err(Error::BadRequest("the body must not hold attachments".into()));
        }
        arriving.scanner.finish().map_err(refused)
    }
}

fn refused(text: &str) -> Error {
    Error::BadRequest(text.to_owned())
}

/// A body on its way through the scanner.
struct Arriving {
    body: Upload,
    scanner: Scanner,
    /// What arrived and is not yet scanned.
    chunk: Bytes,
}

impl Arriving {
    fn new(body: Upload) -> Arriving {
        Arriving { body, scanner: Scanner::default(), chunk: Bytes::new() }
    }

    /// Reads on to the next package file; false at the end of the body.
    async fn next_file(&mut self) -> Result<bool> {
        loop {
            if self.chunk.is_empty() {
                match self.body.next().await {
                    Some(chunk) => self.chunk = chunk?,
                    None => return Ok(false),
                }
            }
            if self.step(|_| Ok(()))? == Marker::Begin {
                return Ok(true);
            }
        }
    }

    /// Scans the chunk up to what is found in it.
    fn step(&mut self, mut text: impl FnMut(&[u8]) -> Result<()>) -> Result<Marker> {
        let mut rest = &self.chunk[..];
        let found = loop {
            match self.scanner.step(&mut rest).map_err(refused)? {
                Step::Hungry => break Marker::Nothing,
                Step::Begins => break Marker::Begin,
                Step::Text(more) => text(more)?,
                Step::Ends => break Marker::End,
            }
        };
        let left = rest.len();
        self.chunk.advance(self.chunk.len() - left);
        Ok(found)
    }
}

#[derive(PartialEq, Eq)]
enum Marker {
    Nothing,
    Begin,
    End,
}

/// The bytes of a package file within a body.
struct Decoded<'a> {
    arriving: &'a mut Arriving,
    decoder: Decoder,
    ended: bool,
}

impl Stream for Decoded<'_> {
    type Item = Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        while !this.ended {
            if this.arriving.chunk.is_empty() {
                match ready!(this.arriving.body.poll_next_unpin(context)) {
                    Some(Ok(chunk)) => this.arriving.chunk = chunk,
                    Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                    None => return Poll::Ready(Some(Err(refused("the body ends early")))),
                }
            }
            let mut bytes = BytesMut::new();
            let decoder = &mut this.decoder;
            let found = this.arriving.step(|text| decoder.decode(text, &mut bytes));
            match found {
                Ok(found) => this.ended = found == Marker::End,
                Err(error) => return Poll::Ready(Some(Err(error))),
            }
            if this.ended && !this.decoder.is_complete() {
                return Poll::Ready(Some(Err(not_base64())));
            }
            if !bytes.is_empty() {
                return Poll::Ready(Some(Ok(bytes.freeze())));
            }
        }
        Poll::Ready(None)
    }
}

fn not_base64() -> Error {
    refused("the attachment is not base64")
}

/// Base64 that comes in pieces (RFC 4648 section 4, with padding).
#[derive(Default)]
struct Decoder {
    rest: [u8; QUAD],
    held: usize,
    padded: bool,
}

impl Decoder {
    fn decode(&mut self, mut text: &[u8], into: &mut BytesMut) -> Result<()> {
        if self.held > 0 {
            let taken = (QUAD - self.held).min(text.len());
            self.rest[self.held..self.held + taken].copy_from_slice(&text[..taken]);
            self.held += taken;
            text = &text[taken..];
            if self.held < QUAD {
                return Ok(());
            }
            let quad = self.rest;
            self.held = 0;
            self.quads(&quad, into)?;
        }
        let whole = text.len() / QUAD * QUAD;
        self.quads(&text[..whole], into)?;
        self.held = text.len() - whole;
        self.rest[..self.held].copy_from_slice(&text[whole..]);
        Ok(())
    }

    fn quads(&mut self, text: &[u8], into: &mut BytesMut) -> Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        if self.padded {
            return Err(not_base64());
        }
        self.padded = text.ends_with(b"=");
        let begin = into.len();
        into.resize(begin + text.len() / QUAD * 3, 0);
        let decoded = STANDARD.decode_slice(text, &mut into[begin..]);
        into.truncate(begin + decoded.map_err(|_| not_base64())?);
        Ok(())
    }

    fn is_complete(&self) -> bool {
        self.held == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decode(text: &[u8], piece: usize) -> Option<Vec<u8>> {
        let (mut decoder, mut bytes) = (Decoder::default(), BytesMut::new());
        for piece in text.chunks(piece) {
            decoder.decode(piece, &mut bytes).ok()?;
        }
        decoder.is_complete().then(|| bytes.to_vec())
    }

    #[test]
    fn broken_text_is_refused() {
        for text in ["QQ", "QQ=", "QQ==QQ==", "Q===", "QQ=Q", "QUJD ", "QU_-", "====", "QR=="] {
            for piece in 1..9 {
                assert_eq!(decode(text.as_bytes(), piece), None, "{text} by {piece}");
            }
        }
    }

    proptest! {
        #[test]
        fn bytes_come_back(bytes: Vec<u8>, piece in 1_usize..20) {
            let text = STANDARD.encode(&bytes);
            prop_assert_eq!(decode(text.as_bytes(), piece), Some(bytes));
        }
    }
}
