//! Uploads: a form with the file and what twine read in it.

use super::documents::{Digest, FileMetadata};
use super::metadata::{self, Fields};
use super::names::{self, Kind};
use crate::client::Client;
use crate::keys::pypi as version;
use crate::model::PackageType;
use crate::rules::publish::{Destination, Repeat};
use crate::scope::Above;
use crate::store::files;
use crate::upload::{self, Uploaded};
use crate::upload_form::{SentFile, UploadForm};
use kernel::blobs::Stored;
use kernel::error::{Error, Result};
use kernel::http::{Params, Parts};
use sha2::{Digest as _, Sha256};

const CONTENT: &str = "content";

const DECLARED: [(&str, fn(&Stored) -> &str); 2] =
    [("md5_digest", |stored| &stored.md5), ("sha256_digest", |stored| &stored.sha256)];

pub async fn publish(params: Params<Above>, client: Client, parts: Parts) -> Result<Uploaded> {
    let project = &params.id;
    upload::admit_publisher(&client, project).await?;
    let mut form = UploadForm::receive(&client, PackageType::Pypi, parts, &[CONTENT]).await?;
    let sent = form.take_file(CONTENT).ok_or_else(|| Error::missing(CONTENT))?;
    let (mut to, kind) = destination(&form, &sent)?;
    check_declared(&form, sent.received.stored())?;
    upload::admit(&client, project, &to).await?;

    let own = upload::inspect(&sent.received, move |file| metadata::read(file, kind)).await?;
    let fields = Fields::parse(&own);
    fields.check(&to.name, to.version.as_deref().unwrap_or_default())?;
    let shown = fields.metadata(|field| form.text(field));
    to.readme = fields.readme(|field| form.text(field));
    // Only a wheel's metadata holds for whatever is built of it (PEP 658).
    let extract = (kind == Kind::Wheel).then_some(own);
    let kept = FileMetadata {
        requires_python: shown.requires_python.clone(),
        core_metadata: extract
            .as_ref()
            .map(|bytes| Digest { sha256: hex::encode(Sha256::digest(bytes)) }),
    };
    to.metadata = Some(serde_json::to_string(&shown).map_err(Error::internal)?);
    to.file_metadata = Some(serde_json::to_string(&kept).map_err(Error::internal)?);

    let stored = upload::keep(&client.app, sent.received).await?;
    upload::publish_then(&client, project, to, stored, move |tx, _, _, file| match &extract {
        Some(bytes) => files::add_extract(tx, file.id, bytes),
        None => Ok(()),
    })
    .await?;
    Ok(Uploaded)
}

/// Where the file is to go, by the form's name and version and its own name.
fn destination(form: &UploadForm, sent: &SentFile) -> Result<(Destination, Kind)> {
    let text = |field: &str| {
        let sent = form.text(field).map(str::trim);
        sent.filter(|text| !text.is_empty()).ok_or_else(|| Error::missing(field))
    };
    let (name, version) = (text("name")?, text("version")?);
    names::check(name)?;
    if version::normal(version).is_none() {
        return Err(names::invalid("Version"));
    }
    let kind = names::kind_of(&sent.name, name, version)?;
    let to = Destination {
        repeat: Repeat::File,
        refusal: taken,
        ..Destination::new(PackageType::Pypi, name, Some(version), sent.name.clone())
    };
    Ok((to, kind))
}

/// The text that twine takes for «uploaded before», old and new.
fn taken() -> Error {
    Error::BadRequest(
        "Validation failed: File name has already been taken (file already exists)".into(),
    )
}

fn check_declared(form: &UploadForm, stored: &Stored) -> Result<()> {
    for (field, digest) in DECLARED {
        let declared = form.text(field).map(str::trim).unwrap_or_default();
        if !declared.is_empty() && !declared.eq_ignore_ascii_case(digest(stored)) {
            return Err(names::invalid(field));
        }
    }
    Ok(())
}
