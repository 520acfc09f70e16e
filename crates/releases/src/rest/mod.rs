//! REST of releases (docs/interface/releases.md «REST»).

mod evidence;
mod groups;
mod latest;
mod links;

use crate::access;
use crate::entity::{self, ReleaseEntity};
use crate::rules::{self, ReleaseChange, ReleaseInput};
use crate::store::{self, ReleaseFilter};
use identity::Caller;
use kernel::error::Result;
use kernel::http::{Created, Flat, Ok200, Paged, Paging, Params, Routes};
use kernel::ids::Reference;

pub fn routes(r: &mut Routes) {
    r.get("/projects/{id}/releases", list)
        .job_tokens()
        .summary("Lists the releases of a project");
    r.post("/projects/{id}/releases", create)
        .job_tokens()
        .summary("Makes a release, and its tag if there is none");
    latest::routes(r);
    r.get("/projects/{id}/releases/{tag_name}", show)
        .job_tokens()
        .summary("Shows a release");
    r.put("/projects/{id}/releases/{tag_name}", update)
        .job_tokens()
        .summary("Changes a release");
    r.delete("/projects/{id}/releases/{tag_name}", destroy)
        .job_tokens()
        .summary("Deletes a release; its tag stays");
    links::routes(r);
    evidence::routes(r);
    groups::routes(r);
}

kernel::params! {
    /// Which project.
    pub struct OfProject {
        /// Id or path of the project.
        pub id: Reference,
    }
}

kernel::params! {
    /// A release of a project.
    pub struct OneRelease {
        /// Id or path of the project.
        pub id: Reference,
        /// Its tag.
        pub tag_name: String,
    }
}

kernel::params! {
    pub struct ListReleases {
        pub at: Flat<OfProject>,
        pub filter: Flat<ReleaseFilter>,
        /// Show the descriptions as HTML, too.
        pub include_html_description: Option<bool>,
    }
}

kernel::params! {
    pub struct CreateRelease {
        pub at: Flat<OfProject>,
        pub input: Flat<ReleaseInput>,
    }
}

kernel::params! {
    pub struct ShowRelease {
        pub at: Flat<OneRelease>,
        /// Show the description as HTML, too.
        pub include_html_description: Option<bool>,
    }
}

kernel::params! {
    pub struct UpdateRelease {
        pub at: Flat<OneRelease>,
        pub change: Flat<ReleaseChange>,
    }
}

async fn list(
    by: Caller, asked: Params<ListReleases>, paging: Paging,
) -> Result<Paged<ReleaseEntity>> {
    let (asked, viewer) = (asked.0, by.viewer.clone());
    let with_html = asked.include_html_description == Some(true);
    let (here, page) = by
        .app
        .read(move |tx| {
            let here = access::read(tx, &viewer, &asked.at.id)?;
            let condition = store::in_project(here.project.id);
            let page = store::list(tx, condition, &asked.filter, paging)?;
            Ok((here, page))
        })
        .await?;
    let entities = entity::all(&by.app, &by.viewer, here, page.items.clone(), with_html).await?;
    Ok(page.replace(|_| entities))
}

async fn create(by: Caller, asked: Params<CreateRelease>) -> Result<Created<ReleaseEntity>> {
    let CreateRelease { at, input } = asked.0;
    let made = rules::create(&by.app, &by.viewer, &at.id, input.0).await?;
    entity::one(&by.app, &by.viewer, made, false).await.map(Created)
}

async fn show(by: Caller, asked: Params<ShowRelease>) -> Result<Ok200<ReleaseEntity>> {
    let (asked, viewer) = (asked.0, by.viewer.clone());
    let with_html = asked.include_html_description == Some(true);
    let found = by
        .app
        .read(move |tx| {
            let here = access::read_code(tx, &viewer, &asked.at.id)?;
            let release = store::find(tx, here.project.id, &asked.at.tag_name)?;
            Ok((here, access::found(release)?))
        })
        .await?;
    entity::one(&by.app, &by.viewer, found, with_html).await.map(Ok200)
}

async fn update(by: Caller, asked: Params<UpdateRelease>) -> Result<Ok200<ReleaseEntity>> {
    let (asked, viewer) = (asked.0, by.viewer.clone());
    let changed = by.app.write(move |tx| {
        rules::update(tx, &viewer, &asked.at.id, &asked.at.tag_name, &asked.change)
    });
    entity::one(&by.app, &by.viewer, changed.await?, false).await.map(Ok200)
}

async fn destroy(by: Caller, asked: Params<OneRelease>) -> Result<Ok200<ReleaseEntity>> {
    by.write(move |tx, by| {
        let (here, release, related) = rules::destroy(tx, &by.viewer, &asked.id, &asked.tag_name)?;
        Ok(Ok200(entity::release(&by.app, &here, &release, &related, None)))
    })
    .await
}
