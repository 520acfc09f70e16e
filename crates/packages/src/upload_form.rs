//! Uploads as multipart forms: some files and the texts beside them.

use crate::client::Client;
use crate::model::PackageType;
use crate::upload;
use kernel::blobs::Received;
use kernel::error::{Error, Result};
use kernel::http::openapi::Operation;
use kernel::http::params::{self, FromParams, Source};
use kernel::http::{Call, FromCall, Parts, Upload};
use serde_json::Value;

/// Most bytes kept of one text; the rest of a longer one is dropped, as
/// clients send whole manuals as descriptions.
const MAX_TEXT: usize = 64 * 1024;
/// Most bytes of all texts together, dropped ones too.
const MAX_TEXTS: usize = 16 * 1024 * 1024;
/// Most parts of a form.
const MAX_PARTS: usize = 1_000;

/// A body that is a file, or a form with one.
pub enum Body {
    File(Upload),
    Form(Parts),
}

impl FromCall for Body {
    async fn from_call(call: &mut Call) -> Result<Self> {
        match call.is_multipart() {
            true => Parts::from_call(call).await.map(Body::Form),
            false => Upload::from_call(call).await.map(Body::File),
        }
    }

    fn describe(operation: &mut Operation<'_>) {
        Upload::describe(operation);
    }
}

/// A form that arrived whole.
#[derive(Default)]
pub struct UploadForm {
    texts: Vec<(String, String)>,
    files: Vec<SentFile>,
}

pub struct SentFile {
    pub field: String,
    /// Its name, as the client says.
    pub name: String,
    pub received: Received,
}

impl UploadForm {
    /// Receives a form whose files come in these fields, each once at most.
    /// Files in other fields are read and dropped.
    pub async fn receive(
        client: &Client, package_type: PackageType, mut parts: Parts, files: &[&str],
    ) -> Result<UploadForm> {
        let limit = upload::limit(&client.app, package_type).await?;
        upload::check_announced(&client.request, limit)?;
        let mut form = UploadForm::default();
        let (mut count, mut room) = (0, MAX_TEXTS);
        while let Some(part) = parts.next().await? {
            count += 1;
            if count > MAX_PARTS {
                return Err(Error::BadRequest("the form has too many fields".into()));
            }
            let field = part.name().to_owned();
            if files.contains(&field.as_str()) {
                let name = part.file_name().unwrap_or_default().to_owned();
                if form.files.iter().any(|file| file.field == field) {
                    let text = format!("{field} is sent more than once");
                    return Err(Error::BadRequest(text));
                }
                let received = upload::receive_part(&client.app, limit, part.bytes()).await?;
                form.files.push(SentFile { field, name, received });
                continue;
            }
            let (text, taken) = part.beginning(MAX_TEXT, room).await?;
            room -= taken;
            form.texts.push((field, text));
        }
        Ok(form)
    }

    /// The text of a field; of several the first.
    pub fn text(&self, field: &str) -> Option<&str> {
        self.texts.iter().find(|(name, _)| name == field).map(|(_, text)| text.as_str())
    }

    /// The texts as parameters.
    pub fn params<T: FromParams>(&self) -> Result<T> {
        let mut source = Source::new();
        for (name, text) in self.texts.iter().filter(|(name, _)| !name.is_empty()) {
            params::insert(&mut source, name, Value::String(text.clone()))?;
        }
        T::from_params(&source).map_err(Error::Parameters)
    }

    pub fn texts<'f>(&'f self, field: &'f str) -> impl Iterator<Item = &'f str> {
        self.texts
            .iter()
            .filter(move |(name, _)| name == field)
            .map(|(_, text)| text.as_str())
    }

    /// Takes the file of a field out of the form.
    pub fn take_file(&mut self, field: &str) -> Option<SentFile> {
        let at = self.files.iter().position(|file| file.field == field)?;
        Some(self.files.swap_remove(at))
    }
}
