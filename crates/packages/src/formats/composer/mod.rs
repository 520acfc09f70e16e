//! Composer packages (docs/interface/packages.md 2.9): repository documents of a group, and
//! archives of its projects.
//!
//! A version is made of a tag or branch. Its source is the archive that the
//! publisher sends along; without one it is the project's repository, behind
//! [`crate::source`].

mod documents;
mod manifest;
mod publish;

pub use manifest::hostile;

use crate::client::Client;
use crate::declare::{reads, writes};
use crate::model::PackageType;
use crate::scope::{Prefix, scope};
use crate::store::index;
use documents::DocumentKind;
use kernel::error::{Found, Result};
use kernel::http::{Params, Response, Routes};
use kernel::ids::Reference;

const PREFIX: &str = "/-/packages/composer";

/// The format's routes. The group's prefix is singular, as clients know it.
pub fn routes(r: &mut Routes) {
    let documents = "/group/{id}/-/packages/composer/{*document}";
    reads(r, documents, document).summary("Answers the repository protocol of Composer");
    writes(r.post("/projects/{id}/packages/composer", publish::publish))
        .streams_parts()
        .summary("Publishes a version of a Composer package");
    let archives = "/projects/{id}/packages/composer/archives/{vendor}/{archive}";
    reads(r, archives, archive).summary("Downloads the archive of a Composer package");
}

kernel::params! {
    pub struct OneDocument {
        /// The group.
        pub id: Reference,
        /// Its path, such as `packages.json` or `p2/acme/anvil.json`.
        pub document: String,
    }
}

kernel::params! {
    pub struct OneArchive {
        /// The project.
        pub id: Reference,
        /// First part of the package's name.
        pub vendor: String,
        /// Second part of the package's name, with `.zip`.
        pub archive: String,
        /// SHA-1 of the archive; without one the newest.
        pub sha: Option<String>,
    }
}

async fn document(params: Params<OneDocument>, client: Client) -> Result<Response> {
    let Params(OneDocument { id, document }) = params;
    let wanted = DocumentKind::parse(&document);
    let base_url = client.app.base_url().to_owned();
    // The group stays written as the client wrote it.
    let path = client.request.uri.path();
    let prefix = path.find(PREFIX).map_or(path, |at| &path[..at + PREFIX.len()]);
    let prefix = prefix.to_owned();
    let viewer = client.viewer.clone();
    let value = client.app.read(move |tx| {
        let scope = scope(tx, &viewer, &Prefix::Group(id))?;
        let wanted = wanted.found("Package")?;
        documents::make(tx, &scope, &wanted, &prefix, &base_url)
    });
    kernel::http::reply::json(http::StatusCode::OK, &value.await?)
}

async fn archive(params: Params<OneArchive>, client: Client) -> Result<Response> {
    let Params(params) = params;
    let file = client.read(move |tx, scope, _| {
        let name = params.archive.strip_suffix(".zip").found("Package")?;
        let name = format!("{}/{name}", params.vendor);
        let sha = params.sha.unwrap_or_default().to_lowercase();
        let versions = scope.of_format(PackageType::Composer).versions(tx, &name)?;
        let ids: Vec<i64> = versions.iter().map(|version| version.id).collect();
        let files = index::files(tx, &ids)?;
        let mut fitting = files.into_iter().filter(|one| sha.is_empty() || one.file.sha1 == sha);
        Ok(fitting.next_back().found("Package File")?.file)
    });
    client.send(&file.await?).await
}
