//! Links of releases.

use super::OneRelease;
use crate::access::{self, Releases};
use crate::entity::{self, LinkEntity};
use crate::model::{Link, Release};
use crate::rules::links::{self as rules, LinkChange, LinkInput};
use crate::store::{self, links as rows};
use identity::Caller;
use kernel::error::Result;
use kernel::http::{Created, Flat, Ok200, Paged, Paging, Params, Routes};

const ALL: &str = "/projects/{id}/releases/{tag_name}/assets/links";
const ONE: &str = "/projects/{id}/releases/{tag_name}/assets/links/{link_id}";

pub fn routes(r: &mut Routes) {
    r.get(ALL, list).job_tokens().summary("Lists the links of a release");
    r.post(ALL, create).job_tokens().summary("Adds a link to a release");
    r.get(ONE, show).job_tokens().summary("Shows a link of a release");
    r.put(ONE, update).job_tokens().summary("Changes a link of a release");
    r.delete(ONE, destroy).job_tokens().summary("Takes a link off a release");
}

kernel::params! {
    pub struct CreateLink {
        pub at: Flat<OneRelease>,
        pub input: Flat<LinkInput>,
    }
}

kernel::params! {
    /// A link of a release.
    pub struct OneLink {
        pub at: Flat<OneRelease>,
        /// Id of the link.
        pub link_id: i64,
    }
}

kernel::params! {
    pub struct UpdateLink {
        pub one: Flat<OneLink>,
        pub change: Flat<LinkChange>,
    }
}

fn shown(by: &Caller, (here, release, link): &(Releases, Release, Link)) -> LinkEntity {
    entity::link(&by.app, here, release, link)
}

async fn list(by: Caller, asked: Params<OneRelease>, paging: Paging) -> Result<Paged<LinkEntity>> {
    by.read(move |tx, by| {
        let here = access::read_code(tx, &by.viewer, &asked.id)?;
        let release = access::found(store::find(tx, here.project.id, &asked.tag_name)?)?;
        let links = rows::of_releases(tx, &[release.id])?;
        let page = Paged::of_whole(links, paging);
        Ok(page.map(|link| entity::link(&by.app, &here, &release, &link)))
    })
    .await
}

async fn create(by: Caller, asked: Params<CreateLink>) -> Result<Created<LinkEntity>> {
    by.write(move |tx, by| {
        let of = (&asked.at.id, asked.at.tag_name.as_str());
        let made = rules::create(tx, &by.viewer, of, &asked.input)?;
        Ok(Created(shown(by, &made)))
    })
    .await
}

async fn show(by: Caller, asked: Params<OneLink>) -> Result<Ok200<LinkEntity>> {
    by.read(move |tx, by| {
        let here = access::read_code(tx, &by.viewer, &asked.at.id)?;
        let release = access::found(store::find(tx, here.project.id, &asked.at.tag_name)?)?;
        let link = access::found(rows::find(tx, release.id, asked.link_id)?)?;
        Ok(Ok200(entity::link(&by.app, &here, &release, &link)))
    })
    .await
}

async fn update(by: Caller, asked: Params<UpdateLink>) -> Result<Ok200<LinkEntity>> {
    by.write(move |tx, by| {
        let (at, change) = (&asked.one.at, &asked.change);
        let of = (&at.id, at.tag_name.as_str());
        let changed = rules::update(tx, &by.viewer, of, asked.one.link_id, change)?;
        Ok(Ok200(shown(by, &changed)))
    })
    .await
}

async fn destroy(by: Caller, asked: Params<OneLink>) -> Result<Ok200<LinkEntity>> {
    by.write(move |tx, by| {
        let of = (&asked.at.id, asked.at.tag_name.as_str());
        let gone = rules::destroy(tx, &by.viewer, of, asked.link_id)?;
        Ok(Ok200(shown(by, &gone)))
    })
    .await
}
