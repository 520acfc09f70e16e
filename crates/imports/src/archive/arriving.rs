//! A form that brings the file of a project: streamed to the blob store, never whole in memory.

use super::format::Manifest;
use super::settings::FileLimits;
use super::unpack;
use http::header;
use kernel::app::App;
use kernel::blobs::{Received, Stored};
use kernel::error::{Error, Result};
use kernel::http::params::{Json, Source, insert};
use kernel::http::{Parts, RequestContext};

/// Most fields of a form, and bytes of one that is no file.
const MOST_PARTS: usize = 200;
const MOST_TEXT: usize = 64 * 1024;
/// What a form may have beside its file, in bytes.
const ENVELOPE: u64 = 1024 * 1024;

/// What was sent.
#[derive(Default)]
pub struct Form {
    /// Fields by their names, brackets taken apart.
    pub fields: Source,
    /// The field `file`.
    pub file: Option<Received>,
}

/// Reads a form, whatever the order of its fields. Called once it is known that its sender may.
///
/// # Errors
///
/// 413 for a file that is too large, 400 for a form that is none.
pub async fn read(app: &App, request: &RequestContext, mut parts: Parts) -> Result<Form> {
    let limits: FileLimits = app.settings().get(app).await?;
    let most = limits.imported();
    let announced = request.header(header::CONTENT_LENGTH);
    let announced: Option<u64> = announced.and_then(|text| text.trim().parse().ok());
    if let (Some(length), Some(most)) = (announced, most)
        && length > most.saturating_add(ENVELOPE)
    {
        return Err(Error::TooLarge);
    }
    let (mut form, mut count) = (Form::default(), 0);
    while let Some(part) = parts.next().await? {
        count += 1;
        if count > MOST_PARTS {
            return Err(Error::BadRequest("the form has too many fields".into()));
        }
        let name = part.name().to_owned();
        if name == "file" && form.file.is_none() {
            form.file = Some(app.blobs().receive(part.bytes(), most).await?);
            continue;
        }
        let (text, _) = part.beginning(MOST_TEXT, MOST_TEXT).await?;
        if text.contains('\0') {
            return Err(Error::Parameters(vec![format!("{name} is invalid")]));
        }
        insert(&mut form.fields, &name, Json::String(text))?;
    }
    Ok(form)
}

impl Form {
    /// The file that was sent.
    ///
    /// # Errors
    ///
    /// 400 without one.
    pub fn take_file(&mut self) -> Result<Received> {
        self.file.take().ok_or_else(|| Error::missing("file"))
    }
}

/// Keeps a file that came, if it begins as one of a project.
///
/// # Errors
///
/// 400 for others.
pub async fn keep(app: &App, file: Received) -> Result<(Stored, Manifest)> {
    let manifest = unpack::manifest(&file).await?.map_err(Error::BadRequest)?;
    Ok((app.blobs().keep(file).await?, manifest))
}
