//! The bytes of a file as a stream.
//!
//! What the system has in memory is read where it is asked for: a detour over
//! another thread costs more than the read. The rest is read on a thread that
//! may wait for the disk. Buffers are used again, since making one (its pages,
//! its zeroes) costs about as much as filling it.

use std::fs::File;
use std::io::IoSliceMut;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use rustix::io::{ReadWriteFlags, preadv2};

use super::{ByteStream, blocking};
use crate::error::Result;

/// Bytes read at once: few enough to stay in a core's cache until they are
/// sent, and to keep other requests waiting for microseconds only.
const CHUNK: usize = 256 * 1024;
/// Buffers kept for later, 8 MiB in all.
const KEPT: usize = 32;

/// Buffers that nobody reads from now.
static FREE: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());

/// The bytes of `range`, which must lie within the file.
pub(super) fn stream(file: File, range: Range<u64>) -> ByteStream {
    stream::try_unfold((Arc::new(file), range), |(file, mut rest)| async move {
        if rest.is_empty() {
            return Ok(None);
        }
        let bytes = match from_memory(&file, &rest) {
            Some(bytes) => bytes,
            None => from_disk(file.clone(), rest.clone()).await?,
        };
        rest.start += bytes.len() as u64;
        Ok(Some((bytes, (file, rest))))
    })
    .boxed()
}

/// The beginning of `range`, if the system has it in memory and can say so.
fn from_memory(file: &File, range: &Range<u64>) -> Option<Bytes> {
    let mut buffer = Buffer::for_range(range);
    let into = &mut [IoSliceMut::new(buffer.filled())];
    let count = preadv2(file, into, range.start, ReadWriteFlags::NOWAIT).ok()?;
    buffer.length = count;
    (count > 0).then(|| Bytes::from_owner(buffer))
}

async fn from_disk(file: Arc<File>, range: Range<u64>) -> Result<Bytes> {
    blocking(move || {
        let mut buffer = Buffer::for_range(&range);
        file.read_exact_at(buffer.filled(), range.start)?;
        Ok(Bytes::from_owner(buffer))
    })
    .await
}

/// A buffer of [`CHUNK`] bytes, of which the first are in use. It goes back
/// to [`FREE`] when the last reader drops it.
struct Buffer {
    bytes: Vec<u8>,
    length: usize,
}

impl Buffer {
    /// One with room for the beginning of this range.
    fn for_range(range: &Range<u64>) -> Buffer {
        let free = FREE.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let rest = usize::try_from(range.end - range.start).unwrap_or(CHUNK);
        Buffer {
            bytes: free.unwrap_or_else(|| vec![0; CHUNK]),
            length: rest.min(CHUNK),
        }
    }

    fn filled(&mut self) -> &mut [u8] {
        &mut self.bytes[..self.length]
    }
}

impl AsRef<[u8]> for Buffer {
    fn as_ref(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let mut free = FREE.lock().unwrap_or_else(PoisonError::into_inner);
        if free.len() < KEPT {
            free.push(std::mem::take(&mut self.bytes));
        }
    }
}
