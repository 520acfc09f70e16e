//! Publishing a version.

use super::body::Body;
use super::{NPM, done, envelope, manifest, names, refusal, tags};
use crate::client::Client;
use crate::rules::publish::{Destination, Repeat};
use crate::upload;
use kernel::error::{Error, Result};
use kernel::http::{Response, Upload};
use kernel::ids::Reference;

/// Stores the version in the body and puts its tag on it.
pub async fn publish(
    client: &Client, project: &Reference, name: &str, body: Upload,
) -> Result<Response> {
    upload::admit(client, project, &destination(name, None)).await?;
    let Body { envelope, file } = Body::receive(client, body).await?;
    let publication = envelope::publication(&envelope, name)?;
    drop(envelope);
    let received = file
        .filter(|file| file.stored().size > 0)
        .ok_or_else(|| Error::BadRequest("Attachment data is empty.".into()))?;
    let mut to = destination(name, Some(&publication.version));
    upload::admit(client, project, &to).await?;
    manifest::check_declared(&publication, received.stored())?;
    let (size, of) = (received.stored().size, (to.name.clone(), publication.version));
    let archive =
        upload::inspect(&received, move |file| manifest::archive(file, size, &of.0, &of.1));
    let archive = archive.await?;
    to.metadata = Some(archive.kept(received.stored())?);
    to.readme = archive.readme;
    let stored = upload::keep(&client.app, received).await?;
    let tag = publication.tag;
    upload::publish_then(client, project, to, stored, move |tx, _, package, _| {
        tags::put(tx, package, &tag)
    })
    .await
    .map_err(refusal::leased)?;
    done()
}

fn destination(name: &str, version: Option<&str>) -> Destination {
    let file_name = names::file_name(name, version.unwrap_or_default());
    Destination {
        repeat: Repeat::Version,
        refusal: refusal::taken,
        ..Destination::new(NPM, name, version, file_name)
    }
}
