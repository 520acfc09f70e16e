//! What a request of git is about, and what it brings.

use crate::access::Address;
use bytes::{Bytes, BytesMut};
use flate2::{Decompress, FlushDecompress, Status};
use futures_util::stream::BoxStream;
use futures_util::{StreamExt, stream};
use http::{Uri, header};
use kernel::error::{Error, Result};
use kernel::http::bodies;
use kernel::http::call::Upload;
use kernel::http::{RequestContext, Response, reply};

/// Bytes unpacked at once.
const CHUNK: usize = 64 * 1024;
/// How much more a body may be once it is unpacked.
const MAX_RATIO: u64 = 1100;

/// What an address names.
#[derive(Debug, PartialEq, Eq)]
pub enum Asked {
    Repository(Address),
    /// One that lacks `.git`.
    Without,
}

/// Reads `/group/project.git` and `ending`.
pub fn read(path: &str, ending: &str) -> Result<Asked> {
    let place = path.trim_end_matches('/').strip_suffix(ending).unwrap_or_default();
    let place = percent_encoding::percent_decode_str(place.trim_matches('/'));
    let place = place.decode_utf8().map_err(|_| Error::NotFound(""))?;
    let Some(place) = place.strip_suffix(".git") else {
        return Ok(Asked::Without);
    };
    Ok(Asked::Repository(Address::named(place)))
}

/// Leads on to the address with `.git`, which git then keeps.
pub fn with_ending(uri: &Uri) -> Result<Response> {
    let path = uri.path().strip_suffix("/info/refs").ok_or(Error::NotFound(""))?;
    let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    let mut response = reply::redirect(&format!("{path}.git/info/refs{query}"))?;
    *response.status_mut() = http::StatusCode::MOVED_PERMANENTLY;
    Ok(response)
}

/// A whole body of at most so many bytes, unpacked.
pub async fn unpacked(
    request: &RequestContext, body: Upload, most: usize, is_anonymous: bool,
) -> Result<Bytes> {
    let (mut body, mut all) = (inflated(request, body)?, BytesMut::new());
    while let Some(bytes) = body.next().await {
        let bytes = bytes?;
        if all.len() + bytes.len() > most {
            return Err(Error::TooLarge);
        }
        bodies::hold(bytes.len(), is_anonymous)?;
        all.extend_from_slice(&bytes);
    }
    Ok(all.freeze())
}

/// A body as it comes, unpacked if it is packed.
pub fn inflated(
    request: &RequestContext, body: Upload,
) -> Result<BoxStream<'static, Result<Bytes>>> {
    match request.header(header::CONTENT_ENCODING) {
        None | Some("identity") => Ok(body.boxed()),
        Some("gzip" | "x-gzip") => Ok(gunzipped(body)),
        Some(_) => Err(Error::Exact(415, "The body may be packed by gzip alone.".into())),
    }
}

struct Unpacking {
    body: Upload,
    decoder: Decompress,
    /// What came and is not unpacked yet.
    input: Bytes,
    ended: bool,
}

fn gunzipped(body: Upload) -> BoxStream<'static, Result<Bytes>> {
    // 16 beyond the size of the window means the format of gzip.
    let decoder = Decompress::new_gzip(15);
    let unpacking = Unpacking { body, decoder, input: Bytes::new(), ended: false };
    stream::try_unfold(unpacking, next).boxed()
}

async fn next(mut unpacking: Unpacking) -> Result<Option<(Bytes, Unpacking)>> {
    let wrong = || Error::BadRequest("the body is not packed by gzip".into());
    loop {
        if unpacking.ended {
            return Ok(None);
        }
        if unpacking.input.is_empty() {
            let next = unpacking.body.next().await;
            unpacking.input = next.ok_or_else(wrong)??;
        }
        let (before, made) = (unpacking.decoder.total_in(), unpacking.decoder.total_out());
        if made > CHUNK as u64 && made / before.max(1) > MAX_RATIO {
            return Err(Error::TooLarge);
        }
        let mut out = Vec::with_capacity(CHUNK);
        let status = unpacking
            .decoder
            .decompress_vec(&unpacking.input, &mut out, FlushDecompress::None)
            .map_err(|_| wrong())?;
        let used = (unpacking.decoder.total_in() - before) as usize;
        unpacking.input = unpacking.input.slice(used..);
        unpacking.ended = status == Status::StreamEnd;
        if !out.is_empty() {
            return Ok(Some((out.into(), unpacking)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::RepositoryKind;

    #[test]
    fn addresses_name_repositories() {
        let named = |full_path: &str, kind| {
            let full_path = full_path.to_owned();
            Some(Asked::Repository(Address { full_path, kind }))
        };
        let read = |path: &str| read(path, "/info/refs").ok();
        assert_eq!(read("/a/b.git/info/refs"), named("a/b", RepositoryKind::Project));
        assert_eq!(read("/a/b%2Dc.git/info/refs"), named("a/b-c", RepositoryKind::Project));
        assert_eq!(read("/a/b.wiki.git/info/refs"), named("a/b", RepositoryKind::Wiki));
        for path in ["snippets/7", "a/b/snippets/7"] {
            let sent = format!("/{path}.git/info/refs");
            assert_eq!(read(&sent), named(path, RepositoryKind::Snippet), "{path}");
        }
        for path in ["a/snippets", "a/snippets/x", "a/my-snippets/7"] {
            let sent = format!("/{path}.git/info/refs");
            assert_eq!(read(&sent), named(path, RepositoryKind::Project), "{path}");
        }
        assert_eq!(read("/a/b/info/refs"), Some(Asked::Without));
        assert_eq!(read("/a/%ff.git/info/refs"), None);
    }
}
