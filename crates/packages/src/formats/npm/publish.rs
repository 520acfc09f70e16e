//! Publishing a version.

use super::body::Body;
use super::{NPM, done, envelope, manifest, names, refusal, tags};
use crate::rules::publish::{Destination, Repeat};
use crate::upload;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::{RequestContext, Response, Upload};
use kernel::ids::Reference;

/// Stores the version in the body and puts its tag on it.
pub async fn publish(
    app: &App,
    viewer: &Viewer,
    project: &Reference,
    name: &str,
    asked: &RequestContext,
    body: Upload,
) -> Result<Response> {
    upload::admit(app, viewer, project, &destination(name, None)).await?;
    let Body { envelope, file } = Body::receive(app, asked, body).await?;
    let publication = envelope::publication(&envelope, name)?;
    drop(envelope);
    let received = file
        .filter(|file| file.stored().size > 0)
        .ok_or_else(|| Error::BadRequest("Attachment data is empty.".into()))?;
    let mut to = destination(name, Some(&publication.version));
    upload::admit(app, viewer, project, &to).await?;
    manifest::check_declared(&publication, received.stored())?;
    let (size, of) = (
        received.stored().size,
        (to.name.clone(), publication.version),
    );
    let archive = upload::inspect(&received, move |file| {
        manifest::archive(file, size, &of.0, &of.1)
    });
    to.metadata = Some(archive.await?.kept(received.stored())?);
    let stored = upload::keep(app, received).await?;
    let tag = publication.tag;
    upload::publish_then(
        app,
        viewer,
        project,
        to,
        stored,
        move |tx, _, package, _| tags::put(tx, package, &tag),
    )
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
