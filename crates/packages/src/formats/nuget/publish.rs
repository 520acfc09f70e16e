//! Uploads of packages and of their symbols, and deletion.

use super::nuspec::{self, Nuspec};
use super::{At, NUGET, file_name, symbols};
use crate::client::Client;
use crate::rules::destroy::Deletion;
use crate::rules::publish::{Destination, add_beside};
use crate::scope::Above;
use crate::store::{files, packages};
use crate::upload::{self, Uploaded};
use crate::upload_form::{SentFile, UploadForm};
use kernel::error::{Error, Found, Result};
use kernel::http::{NoContent, Params, Parts};
use kernel::ids::Reference;
use spaces::access::Purpose;
use store::Tx;

const PACKAGE: &str = "package";

pub async fn package(params: Params<Above>, client: Client, parts: Parts) -> Result<Uploaded> {
    let project = &params.id;
    let sent = receive(&client, project, parts).await?;
    let found = upload::inspect(&sent.received, nuspec::read).await?;
    if found.nuspec.is_of_symbols() {
        let text = "a package of symbols is published at symbolpackage";
        return Err(Error::BadRequest(text.into()));
    }
    let to = Destination {
        metadata: Some(found.nuspec.kept()?),
        readme: found.readme,
        ..destination(&found.nuspec, "nupkg")
    };
    upload::admit(&client, project, &to).await?;
    let stored = upload::keep(&client.app, sent.received).await?;
    upload::publish_then(&client, project, to, stored, move |tx, _, _, file| {
        files::add_extract(tx, file.id, &found.bytes)
    })
    .await?;
    Ok(Uploaded)
}

pub async fn symbols(params: Params<Above>, client: Client, parts: Parts) -> Result<Uploaded> {
    let project = &params.id;
    let sent = receive(&client, project, parts).await?;
    let limit = upload::limit(&client.app, NUGET).await?;
    let server = client.app.clone();
    let read = move |file| symbols::read(&server, file, limit);
    let (nuspec, found) = upload::inspect(&sent.received, read).await?;
    let to = destination(&nuspec, "snupkg");
    upload::admit(&client, project, &to).await?;
    let own = nuspec.clone();
    let known = client.enter(project, Purpose::PublishPackage, move |tx, entered| {
        let (name, version) = (own.id.as_str(), Some(own.version.as_str()));
        let package = packages::find(tx, entered.project.id, NUGET, name, version)?;
        check_published(tx, package.found("Package")?.id, &own)
    });
    known.await?;

    let stored = upload::keep(&client.app, sent.received).await?;
    let mut debug_files = Vec::new();
    for symbol in found {
        let kept = symbol.kept()?;
        let stored = upload::keep(&client.app, symbol.received).await?;
        debug_files.push((symbol.name, symbol.identity.signature, kept, stored));
    }
    let of = client.viewer.clone();
    upload::publish_then(&client, project, to, stored, move |tx, _, package, _| {
        check_published(tx, package.id, &nuspec)?;
        for (name, signature, kept, stored) in &debug_files {
            let file = add_beside(tx, &of, package, name, stored, Some(kept))?;
            files::set_channel(tx, file.id, signature)?;
        }
        Ok(())
    })
    .await?;
    Ok(Uploaded)
}

/// The archive of a form, from somebody who may publish here.
async fn receive(client: &Client, project: &Reference, parts: Parts) -> Result<SentFile> {
    upload::admit_publisher(client, project).await?;
    let mut form = UploadForm::receive(client, NUGET, parts, &[PACKAGE]).await?;
    form.take_file(PACKAGE).ok_or_else(|| Error::missing(PACKAGE))
}

/// Where the file of this kind goes. Clients take 409 for «published before».
fn destination(nuspec: &Nuspec, kind: &str) -> Destination {
    let file_name = file_name(&nuspec.id, &nuspec.version, kind);
    Destination {
        refusal: || Error::Conflict("409 Conflict".into()),
        ..Destination::new(NUGET, &nuspec.id, Some(&nuspec.version), file_name)
    }
}

/// Refuses symbols of a package that was not published itself.
fn check_published(tx: &mut Tx<'_>, package_id: i64, nuspec: &Nuspec) -> Result<()> {
    let own = file_name(&nuspec.id, &nuspec.version, "nupkg");
    let published = files::newest(tx, package_id, &own)?;
    published.found("Package").map(|_| ())
}

pub async fn destroy(params: Params<At>, client: Client) -> Result<NoContent> {
    let Params(At { id, of }) = params;
    let deleted = client.change(&id, Purpose::DestroyPackage, move |tx, entered, client| {
        let (name, version) = (&of.nuget_name, Some(&*of.nuget_version));
        let package = packages::find(tx, entered.project.id, NUGET, name, version)?;
        let id = package.found("Package")?.id;
        Deletion::by(client).package(tx, entered, id)
    });
    deleted.await.map(|()| NoContent)
}
