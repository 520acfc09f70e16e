//! The end of a form as one old client writes it.
//!
//! `nuget` 2.8 on Unix writes the platform's line end, a bare LF, before the
//! last boundary, where RFC 2046 section 5.1.1 wants CRLF. Of a body that ends
//! so, and only there, the missing CR is put in; all else is read as strictly
//! as before.

use bytes::{Bytes, BytesMut};
use futures_util::stream::{self, Stream, StreamExt};

/// A body whose last bytes are looked at before they go on.
struct Mending<S> {
    body: S,
    /// The last boundary behind a bare LF.
    ending: Vec<u8>,
    /// What arrived last: more than `ending` has, once there is as much.
    held: Bytes,
}

/// The body with a CR before its last boundary.
pub(super) fn mended<S, E>(
    body: S, boundary: &str,
) -> impl Stream<Item = Result<Bytes, E>> + use<S, E>
where
    S: Stream<Item = Result<Bytes, E>> + Unpin,
{
    let mending = Mending {
        body,
        ending: format!("\n--{boundary}--").into_bytes(),
        held: Bytes::new(),
    };
    stream::unfold(Some(mending), |mending| async {
        let mut mending = mending?;
        loop {
            match mending.body.next().await {
                Some(Ok(chunk)) => match mending.take(chunk) {
                    ready if ready.is_empty() => continue,
                    ready => return Some((Ok(ready), Some(mending))),
                },
                Some(Err(error)) => return Some((Err(error), None)),
                None => return Some((Ok(mending.last()), None)),
            }
        }
    })
}

impl<S> Mending<S> {
    /// Takes what arrived; what can go on of what came before.
    fn take(&mut self, chunk: Bytes) -> Bytes {
        if chunk.len() > self.ending.len() {
            return std::mem::replace(&mut self.held, chunk);
        }
        let mut all = BytesMut::from(&self.held[..]);
        all.extend_from_slice(&chunk);
        let kept = all.len().saturating_sub(self.ending.len() + 1);
        self.held = all.split_off(kept).freeze();
        all.freeze()
    }

    /// What is left at the end.
    fn last(self) -> Bytes {
        match self.held.strip_suffix(&self.ending[..]) {
            Some([] | [.., b'\r']) | None => self.held,
            Some(before) => {
                let mut whole = BytesMut::from(before);
                whole.extend_from_slice(b"\r");
                whole.extend_from_slice(&self.ending);
                whole.freeze()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::TryStreamExt;
    use std::convert::Infallible;

    /// The body after it arrived in chunks of this size.
    async fn read(body: &[u8], size: usize) -> Vec<u8> {
        let chunks = body.chunks(size).map(Bytes::copy_from_slice);
        let chunks: Vec<Result<Bytes, Infallible>> = chunks.map(Ok).collect();
        let read = mended(stream::iter(chunks), "cut").try_collect::<Vec<Bytes>>();
        read.await.expect("no chunk fails").concat()
    }

    #[tokio::test]
    async fn only_the_line_end_before_the_last_boundary_is_mended() {
        let head = "--cut\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n";
        for (body, wanted) in [
            (format!("{head}PK\n--cut--"), format!("{head}PK\r\n--cut--")),
            (format!("{head}\n--cut--"), format!("{head}\r\n--cut--")),
        ] {
            for size in 1..=body.len() {
                assert_eq!(read(body.as_bytes(), size).await, wanted.as_bytes(), "{size}");
            }
        }
        for same in [
            format!("{head}PK\r\n--cut--"),
            format!("{head}PK\r\n--cut--\r\n"),
            format!("{head}PK\n--cut--\n"),
            format!("{head}PK\n--cut\r\nname: b\r\n\r\nc\r\n--cut--"),
            format!("{head}PK\n--cut-- and more"),
            format!("{head}PK\n--other--"),
            format!("{head}PK\n--cut-"),
            "\n--cut--".to_owned(),
            "cut".to_owned(),
            String::new(),
        ] {
            for size in 1..=same.len().max(1) {
                let read = read(same.as_bytes(), size).await;
                assert_eq!(String::from_utf8(read).unwrap(), same, "{size}");
            }
        }
    }
}
