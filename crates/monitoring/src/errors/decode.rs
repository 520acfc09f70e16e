//! Compressed bodies, decoded as they arrive and within limits.
//!
//! Decoders write into a [`Sink`] that counts what they make and reads
//! envelopes on the way, so a bomb is stopped where it passes the limit. The
//! windows of the decoders are bounded, too: zstd 8 MiB, brotli 4 MiB, which is
//! what encoders take unless they are told otherwise.

use super::envelope::Parser;
use super::fault::Fault;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use brotli_decompressor::DecompressorWriter;
use flate2::write::{MultiGzDecoder, ZlibDecoder};
use std::io::{self, Write};

/// Bytes a decoder makes at once.
const STEP: usize = 16 * 1024;
/// Largest zstd window, as a power of two.
const MAX_WINDOW: u32 = 23;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    Identity,
    Gzip,
    /// zlib, which HTTP calls deflate.
    Deflate,
    Brotli,
    Zstd,
}

impl Encoding {
    /// The one a `Content-Encoding` names.
    pub fn named(header: Option<&str>) -> Result<Encoding, Fault> {
        let name = header.unwrap_or_default().trim().to_ascii_lowercase();
        match name.as_str() {
            "" | "identity" => Ok(Encoding::Identity),
            "gzip" | "x-gzip" => Ok(Encoding::Gzip),
            "deflate" => Ok(Encoding::Deflate),
            "br" => Ok(Encoding::Brotli),
            "zstd" => Ok(Encoding::Zstd),
            _ => Err(Fault::Malformed("the content encoding is unknown")),
        }
    }
}

#[derive(Debug)]
pub enum Form {
    /// An envelope, read on the way.
    Envelope(Box<Parser>),
    Whole(Vec<u8>),
}

/// Takes decoded bytes up to a limit.
#[derive(Debug)]
pub struct Sink {
    form: Form,
    taken: u64,
    limit: u64,
}

impl Sink {
    pub fn new(form: Form, limit: u64) -> Sink {
        Sink { form, taken: 0, limit }
    }

    fn take(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        self.taken = self.taken.saturating_add(bytes.len() as u64);
        if self.taken > self.limit {
            return Err(Fault::TooLarge("the body"));
        }
        match &mut self.form {
            Form::Envelope(parser) => parser.feed(bytes),
            Form::Whole(all) => {
                all.extend_from_slice(bytes);
                Ok(())
            }
        }
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.take(bytes).map_err(io::Error::other)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub struct Decoder(Kind);

enum Kind {
    Identity(Sink),
    Gzip(Box<MultiGzDecoder<Sink>>),
    Deflate(Box<ZlibDecoder<Sink>>),
    Brotli(Box<Brotli>),
    Zstd(Box<zstd::stream::write::Decoder<'static, Sink>>),
}

struct Brotli {
    decoder: DecompressorWriter<Sink>,
    begun: bool,
}

impl Decoder {
    pub fn new(encoding: Encoding, sink: Sink) -> Result<Decoder, Fault> {
        Ok(Decoder(match encoding {
            Encoding::Identity => Kind::Identity(sink),
            Encoding::Gzip => Kind::Gzip(Box::new(MultiGzDecoder::new(sink))),
            Encoding::Deflate => Kind::Deflate(Box::new(ZlibDecoder::new(sink))),
            Encoding::Brotli => Kind::Brotli(Box::new(Brotli {
                decoder: DecompressorWriter::new(sink, STEP),
                begun: false,
            })),
            Encoding::Zstd => {
                let made = zstd::stream::write::Decoder::new(sink).and_then(|mut decoder| {
                    decoder.window_log_max(MAX_WINDOW)?;
                    Ok(decoder)
                });
                Kind::Zstd(Box::new(made.map_err(fault)?))
            }
        }))
    }

    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        match &mut self.0 {
            Kind::Identity(sink) => sink.take(bytes),
            Kind::Gzip(decoder) => decoder.write_all(bytes).map_err(fault),
            Kind::Deflate(decoder) => decoder.write_all(bytes).map_err(fault),
            Kind::Brotli(brotli) => brotli.feed(bytes),
            Kind::Zstd(decoder) => decoder.write_all(bytes).map_err(fault),
        }
    }

    /// What was made of the bytes, once nothing more comes.
    pub fn finish(self) -> Result<Form, Fault> {
        let sink = match self.0 {
            Kind::Identity(sink) => sink,
            Kind::Gzip(decoder) => decoder.finish().map_err(fault)?,
            Kind::Deflate(decoder) => decoder.finish().map_err(fault)?,
            Kind::Brotli(mut brotli) => {
                brotli.decoder.close().map_err(fault)?;
                let decoder = brotli.decoder;
                decoder.into_inner().unwrap_or_else(|sink| sink)
            }
            Kind::Zstd(mut decoder) => {
                decoder.flush().map_err(fault)?;
                decoder.into_inner()
            }
        };
        Ok(sink.form)
    }
}

impl Brotli {
    fn feed(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        if let (false, Some(first)) = (self.begun, bytes.first()) {
            if has_large_window(*first) {
                return Err(Fault::Malformed("the window is too large"));
            }
            self.begun = true;
        }
        self.decoder.write_all(bytes).map_err(fault)
    }
}

/// Whether a Brotli stream that begins so asks for a window beyond 4 MiB
/// (RFC 7932 section 9.1), or for one of up to 1 GiB, which is no part of the
/// content encoding: decoders take twice as much memory as that.
fn has_large_window(first: u8) -> bool {
    let is_long = first & 0x7f == 0x11;
    let power = match (first & 1, (first >> 1) & 7) {
        (1, more) if more > 0 => 17 + more,
        _ => 0,
    };
    is_long || power > 22
}

/// A sink's own refusal, or that the bytes cannot be decoded.
fn fault(error: io::Error) -> Fault {
    let own = error.get_ref().and_then(|inner| inner.downcast_ref::<Fault>());
    own.copied().unwrap_or(Fault::Malformed("the compression is broken"))
}

/// The JSON of a body of the old endpoint: sent as it is, or as zlib in
/// base64, which clients do not say in any header. At most `packed` bytes of
/// zlib and `limit` bytes of JSON are taken.
pub fn sniff(body: Vec<u8>, packed: u64, limit: u64) -> Result<Vec<u8>, Fault> {
    let text = body.trim_ascii();
    if text.first().is_none_or(|first| *first == b'{') {
        return Ok(body);
    }
    let zlib = STANDARD.decode(text).map_err(|_| Fault::Malformed("the event is not JSON"))?;
    if zlib.len() as u64 > packed {
        return Err(Fault::TooLarge("the body"));
    }
    let sink = Sink::new(Form::Whole(Vec::new()), limit);
    let mut decoder = Decoder::new(Encoding::Deflate, sink)?;
    decoder.feed(&zlib)?;
    match decoder.finish()? {
        Form::Whole(json) => Ok(json),
        Form::Envelope(_) => Err(Fault::Malformed("the event is not JSON")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::{GzEncoder, ZlibEncoder};

    const TEXT: &[u8] = b"{\"message\":\"hello hello hello hello\"}";

    fn packed(encoding: Encoding, text: &[u8]) -> Vec<u8> {
        match encoding {
            Encoding::Identity => text.to_vec(),
            Encoding::Gzip => {
                let mut writer = GzEncoder::new(Vec::new(), Compression::best());
                writer.write_all(text).unwrap();
                writer.finish().unwrap()
            }
            Encoding::Deflate => {
                let mut writer = ZlibEncoder::new(Vec::new(), Compression::best());
                writer.write_all(text).unwrap();
                writer.finish().unwrap()
            }
            Encoding::Zstd => zstd::encode_all(text, 3).unwrap(),
            // One uncompressed piece and the end, after RFC 7932 section 9.2.
            Encoding::Brotli => {
                let length = text.len() as u32 - 1;
                let head: u32 = (length << 4) | (1 << 20);
                let mut all = vec![head as u8, (head >> 8) as u8, (head >> 16) as u8];
                all.extend_from_slice(text);
                all.push(3);
                all
            }
        }
    }

    fn unpacked(encoding: Encoding, bytes: &[u8], limit: u64) -> Result<Vec<u8>, Fault> {
        let sink = Sink::new(Form::Whole(Vec::new()), limit);
        let mut decoder = Decoder::new(encoding, sink)?;
        for piece in bytes.chunks(7) {
            decoder.feed(piece)?;
        }
        match decoder.finish()? {
            Form::Whole(all) => Ok(all),
            Form::Envelope(_) => panic!("it was to be kept whole"),
        }
    }

    const ALL: [Encoding; 5] = [
        Encoding::Identity,
        Encoding::Gzip,
        Encoding::Deflate,
        Encoding::Brotli,
        Encoding::Zstd,
    ];

    #[test]
    fn every_encoding_is_decoded_within_its_limit() {
        for encoding in ALL {
            let bytes = packed(encoding, TEXT);
            assert_eq!(unpacked(encoding, &bytes, 1_000).unwrap(), TEXT, "{encoding:?}");
            let stopped = unpacked(encoding, &bytes, 10);
            assert_eq!(stopped, Err(Fault::TooLarge("the body")), "{encoding:?}");
        }
    }

    #[test]
    fn a_bomb_is_stopped_at_the_limit() {
        for encoding in [Encoding::Gzip, Encoding::Deflate, Encoding::Zstd] {
            let bytes = packed(encoding, &vec![0; 30_000_000]);
            let stopped = unpacked(encoding, &bytes, 1_000_000);
            assert_eq!(stopped, Err(Fault::TooLarge("the body")), "{encoding:?}");
        }
    }

    #[test]
    fn broken_bytes_are_malformed() {
        for encoding in ALL.into_iter().skip(1) {
            for bytes in [b"no such thing".as_slice(), b"\xff\xff\xff\xff\xff\xff"] {
                let read = unpacked(encoding, bytes, 1_000);
                assert!(matches!(read, Err(Fault::Malformed(_))), "{encoding:?} {read:?}");
            }
        }
        let large = unpacked(Encoding::Brotli, &[0x11, 0x1e, 0, 0], 1_000);
        assert_eq!(large, Err(Fault::Malformed("the window is too large")));
    }

    #[test]
    fn the_old_endpoint_takes_base64_of_zlib() {
        let base64 = STANDARD.encode(packed(Encoding::Deflate, TEXT));
        assert_eq!(sniff(base64.clone().into_bytes(), 1_000, 1_000).unwrap(), TEXT);
        assert_eq!(sniff(TEXT.to_vec(), 1_000, 1_000).unwrap(), TEXT);
        assert_eq!(sniff(base64.clone().into_bytes(), 1_000, 10), Err(Fault::TooLarge("the body")));
        assert_eq!(sniff(base64.into_bytes(), 10, 1_000), Err(Fault::TooLarge("the body")));
        assert!(sniff(b"eJx".to_vec(), 1_000, 1_000).is_err());
    }

    #[test]
    fn encodings_go_by_their_names() {
        assert_eq!(Encoding::named(None), Ok(Encoding::Identity));
        assert_eq!(Encoding::named(Some(" X-GZIP ")), Ok(Encoding::Gzip));
        assert!(Encoding::named(Some("compress")).is_err());
    }
}
