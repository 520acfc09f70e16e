//! How tar archives are packed. What their readers keep in memory is capped,
//! like what they give.

use super::Capped;
use flate2::bufread::MultiGzDecoder;
use lzma_rust2::XzReader;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::io::{self, BufRead, BufReader, Read};

/// Bytes read of an archive at once.
const PIECE: usize = 64 * 1024;
/// Most bytes of what was unpacked that an archive may refer back to, all of
/// which a reader has to keep: xz needs as many from its level 9 on twice,
/// zstd from its level 21 on.
const MAX_WINDOW: u64 = 32 * 1024 * 1024;
/// What else a reader of xz takes, in KiB.
const XZ_OVERHEAD: u32 = 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    Gzip,
    Xz,
    Zstd,
}

impl Packing {
    /// The bytes that were packed so. Of several streams one after the other
    /// they are those of all.
    pub(super) fn unpack<'p>(self, packed: impl Read + 'p) -> Box<dyn Read + 'p> {
        let packed = BufReader::with_capacity(PIECE, packed);
        match self {
            Packing::Gzip => Box::new(MultiGzDecoder::new(packed)),
            Packing::Xz => {
                let most = (MAX_WINDOW / 1024) as u32 + XZ_OVERHEAD;
                Box::new(XzReader::new_mem_limit(packed, true, most))
            }
            Packing::Zstd => Box::new(Frames::new(packed)),
        }
    }
}

/// The frames of an archive packed with zstd (RFC 8878, section 3).
struct Frames<R> {
    packed: R,
    decoder: FrameDecoder,
}

impl<R: BufRead> Frames<R> {
    fn new(packed: R) -> Frames<R> {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(MAX_WINDOW);
        Frames { packed, decoder }
    }

    /// Begins with the next frame, or passes over one that holds nothing.
    fn begin(&mut self) -> Result<(), FrameDecoderError> {
        let begun = self.decoder.reset(&mut self.packed);
        let Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
            length,
            ..
        })) = begun
        else {
            return begun;
        };
        let mut skipped = (&mut self.packed).take(length.into());
        match io::copy(&mut skipped, &mut io::sink()) {
            Ok(count) if count == u64::from(length) => Ok(()),
            _ => Err(FrameDecoderError::FailedToSkipFrame),
        }
    }
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            if self.decoder.can_collect() > 0 {
                return self.decoder.read(into);
            }
            if !self.decoder.is_finished() {
                let one = BlockDecodingStrategy::UptoBlocks(1);
                let decoded = self.decoder.decode_blocks(&mut self.packed, one);
                decoded.map_err(unreadable)?;
            } else if self.packed.fill_buf()?.is_empty() {
                return Ok(0);
            } else {
                self.begin().map_err(unreadable)?;
            }
        }
    }
}

fn unreadable(error: FrameDecoderError) -> io::Error {
    match error {
        FrameDecoderError::WindowSizeTooBig { .. } => io::ErrorKind::OutOfMemory.into(),
        _ => io::Error::other(Capped("the archive cannot be read")),
    }
}
