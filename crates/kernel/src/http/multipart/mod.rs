//! Bodies of the type `multipart/form-data` (RFC 7578): read whole for
//! parameters, part by part for uploads.

mod ended;

use super::bodies;
use super::call::{Call, FromCall, SentFile, Upload};
use super::operation::Operation;
use super::params::{self, Source};
use crate::error::{Error, Result};
use axum::body::Body;
use futures_util::StreamExt;
use http::header;
use serde_json::Value;

/// Most bytes of a text that is read before it is known who may send a file.
const MAX_FIRST: usize = 1024;

/// Reads a whole form of at most `most` bytes: its texts, and the files
/// it carries.
pub(super) async fn read_fields(
    body: Body, most: usize, kind: &str, into: &mut Source,
) -> Result<Vec<SentFile>> {
    let boundary = multer::parse_boundary(kind)
        .map_err(|_| Error::BadRequest("the multipart body has no boundary".into()))?;
    let mut parts = multer::Multipart::new(bodies::counted(body, most), boundary);
    let mut count = 0;
    let mut files = Vec::new();
    while let Some(part) = parts.next_field().await.map_err(multipart_error)? {
        count += 1;
        if count > 1_000 {
            return Err(Error::BadRequest("too many multipart fields".into()));
        }
        let name = part.name().unwrap_or_default().to_owned();
        let is_file = part.file_name().is_some();
        let bytes = part.bytes().await.map_err(multipart_error)?;
        if is_file {
            files.push(SentFile { field: name, bytes });
            continue;
        }
        if name.is_empty() {
            continue;
        }
        let text = String::from_utf8(bytes.to_vec())
            .map_err(|_| Error::Parameters(vec![format!("{name} is invalid")]))?;
        params::insert(into, &name, Value::String(text))?;
    }
    Ok(files)
}

/// A multipart failure as a refusal of the request.
pub fn multipart_error(error: multer::Error) -> Error {
    match error {
        multer::Error::StreamSizeExceeded { .. } | multer::Error::FieldSizeExceeded { .. } => {
            Error::TooLarge
        }
        error => bodies::refusal(&error)
            .unwrap_or_else(|| Error::BadRequest("the multipart body is malformed".into())),
    }
}

/// The parts of a multipart body as they arrive, for uploads that carry more
/// than one file. The route must be declared with
/// [`streams`](super::routes::Declared::streams).
///
/// A body that is no form is refused when it is read, so after who sends it.
pub struct Parts(Option<multer::Multipart<'static>>);

impl Parts {
    pub(super) fn of(call: &mut Call) -> Parts {
        let kind = call.request.header(header::CONTENT_TYPE).unwrap_or_default();
        let Ok(boundary) = multer::parse_boundary(kind) else {
            return Parts(None);
        };
        let body = ended::mended(call.take_body().into_data_stream(), &boundary);
        Parts(Some(multer::Multipart::new(body, boundary)))
    }

    /// The text of the next part, if its field has this name.
    pub(super) async fn first_text(&mut self, name: &str) -> Result<Option<String>> {
        if self.0.is_none() {
            return Ok(None);
        }
        match self.next().await? {
            Some(part) if part.name() == name => {
                Ok(Some(part.beginning(MAX_FIRST, MAX_FIRST).await?.0))
            }
            _ => Ok(None),
        }
    }

    /// The next part. The one before must have been read or is skipped.
    pub async fn next(&mut self) -> Result<Option<Part>> {
        let Some(parts) = &mut self.0 else {
            let text = "the body must be multipart/form-data";
            return Err(Error::BadRequest(text.into()));
        };
        let next = parts.next_field().await.map_err(multipart_error)?;
        Ok(next.map(Part))
    }
}

/// One part of a [`Parts`].
pub struct Part(multer::Field<'static>);

impl Part {
    /// Name of its field; empty without one.
    pub fn name(&self) -> &str {
        self.0.name().unwrap_or_default()
    }

    /// Name of the file it carries, as the client sent it.
    pub fn file_name(&self) -> Option<&str> {
        self.0.file_name()
    }

    /// The beginning of its text, of at most `kept` bytes, and how many bytes
    /// it had; more than `most` are [`Error::TooLarge`].
    pub async fn beginning(mut self, kept: usize, most: usize) -> Result<(String, usize)> {
        let (mut bytes, mut count) = (Vec::new(), 0);
        while let Some(more) = self.0.chunk().await.map_err(multipart_error)? {
            count += more.len();
            if count > most {
                return Err(Error::TooLarge);
            }
            let room = kept.saturating_sub(bytes.len()).min(more.len());
            bytes.extend_from_slice(&more[..room]);
        }
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            // A character cut in two at the end is no fault of the client.
            Err(error) if count > kept && error.utf8_error().error_len().is_none() => {
                let whole = error.utf8_error().valid_up_to();
                let mut bytes = error.into_bytes();
                bytes.truncate(whole);
                String::from_utf8(bytes).map_err(|_| not_utf8())?
            }
            Err(_) => return Err(not_utf8()),
        };
        Ok((text, count))
    }

    /// Its bytes as they arrive.
    pub fn bytes(self) -> Upload {
        Upload::of(self.0.map(|chunk| chunk.map_err(multipart_error)))
    }
}

impl FromCall for Parts {
    async fn from_call(call: &mut Call) -> Result<Self> {
        Ok(call.take_begun().unwrap_or_else(|| Parts::of(call)))
    }

    fn describe(operation: &mut Operation<'_>) {
        operation.takes_files();
    }
}

fn not_utf8() -> Error {
    Error::BadRequest("a field of the form is not UTF-8".into())
}
