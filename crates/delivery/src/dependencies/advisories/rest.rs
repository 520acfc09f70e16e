//! REST of advisories, for administrators.

use super::entity::{AdvisoryEntity, LoadEntity};
use super::model::MOST_BYTES;
use super::rules;
use super::store::{self, loads};
use http::StatusCode;
use identity::Caller;
use identity::viewer::Admin;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::http::{NoContent, Ok200, Paged, Paging, Params, Response, Routes, Upload, reply};
use sbom::osv::Package;

const ALL: &str = "/admin/advisories";
const ONE: &str = "/admin/advisories/{advisory_id}";

pub fn routes(r: &mut Routes) {
    r.get(ALL, list).summary("Lists what is known to be wrong with packages");
    r.post(ALL, load)
        .streams()
        .answers(202, "It is to be read")
        .answers(413, "It is too large")
        .summary("Loads advisories: one, a list, lines, or a zip archive of them (OSV)");
    r.get("/admin/advisory_loads/{load_id}", show_load)
        .summary("Shows how far a file of advisories is");
    r.get(ONE, show).summary("Shows an advisory");
    r.delete(ONE, destroy).summary("Deletes an advisory");
}

kernel::params! {
    pub struct ListAdvisories {
        /// Only those about the package of this package URL.
        pub purl: Option<String>,
    }
}

kernel::params! {
    pub struct OneAdvisory {
        /// The id of its database.
        pub advisory_id: String,
    }
}

kernel::params! {
    pub struct OneLoad {
        /// The file.
        pub load_id: i64,
    }
}

async fn list(
    app: App, _: Admin, asked: Params<ListAdvisories>, paging: Paging,
) -> Result<Paged<AdvisoryEntity>> {
    let key = asked.0.purl.map(|purl| match Package::of_purl(&purl) {
        Some(package) => Ok(package.key()),
        None => Err(Error::BadRequest("purl is invalid".into())),
    });
    let key = key.transpose()?;
    Paged::read(&app, paging, move |tx, paging| {
        let (rows, total) = store::page(tx, key.as_deref(), paging)?;
        Ok((rows.into_iter().map(AdvisoryEntity::from).collect(), total))
    })
    .await
}

async fn load(by: Caller, _: Admin, body: Upload) -> Result<Response> {
    let app = by.app.clone();
    app.read(rules::check).await?;
    let received = app.blobs().receive(body, Some(MOST_BYTES)).await?;
    if received.stored().size == 0 {
        return Err(Error::missing("file"));
    }
    let stored = app.blobs().keep(received).await?;
    let load = by.write(move |tx, by| rules::load(tx, &by.viewer, &stored)).await?;
    reply::json(StatusCode::ACCEPTED, &LoadEntity::from(load))
}

async fn show_load(app: App, _: Admin, one: Params<OneLoad>) -> Result<Ok200<LoadEntity>> {
    app.read(move |tx| {
        let load = loads::by_id(tx, one.load_id)?.found("Advisory load")?;
        Ok(Ok200(load.into()))
    })
    .await
}

async fn show(app: App, _: Admin, one: Params<OneAdvisory>) -> Result<Ok200<AdvisoryEntity>> {
    app.read(move |tx| Ok(Ok200(rules::find(tx, &one.advisory_id)?.into()))).await
}

async fn destroy(by: Caller, _: Admin, one: Params<OneAdvisory>) -> Result<NoContent> {
    by.write(move |tx, by| {
        rules::destroy(tx, &by.viewer, &one.advisory_id)?;
        Ok(NoContent)
    })
    .await
}
