//! Addresses that lead on: to the last release, and to what can be had with one.

use super::{OfProject, OneRelease};
use crate::access;
use crate::downloads;
use crate::model::part_of_address;
use identity::Caller;
use kernel::error::Result;
use kernel::http::paging::with_query;
use kernel::http::{Flat, Params, RequestContext, Response, Routes, reply};
use std::sync::Arc;

const LEADS: &str = "Where it is";

pub fn routes(r: &mut Routes) {
    let at = "/projects/{id}/releases/permalink/latest";
    r.get(at, latest).answers(302, LEADS).summary("Leads to the last release");
    r.get(&format!("{at}/{{*suffix}}"), latest)
        .under("further")
        .answers(302, LEADS)
        .summary("Leads to what belongs to the last release");
    r.get("/projects/{id}/releases/{tag_name}/downloads/{*asset_path}", download)
        .answers(302, LEADS)
        .summary("Leads to what can be had with a release");
}

kernel::params! {
    pub struct Latest {
        pub at: Flat<OfProject>,
        /// What follows the release in the address.
        pub suffix: Option<String>,
    }
}

kernel::params! {
    pub struct Download {
        pub at: Flat<OneRelease>,
        /// The path of a link below the release.
        pub asset_path: String,
    }
}

async fn latest(
    by: Caller, request: Arc<RequestContext>, asked: Params<Latest>,
) -> Result<Response> {
    let id = asked.at.id.clone();
    let viewer = by.viewer.clone();
    let found = by.app.read(move |tx| {
        let here = access::read_code(tx, &viewer, &id)?;
        let release = access::found(crate::store::latest(tx, here.project.id)?)?;
        Ok((here.project.id, release.tag))
    });
    let (project, tag) = found.await?;
    let suffix = downloads::suffix(&request, "/permalink/latest");
    let to = format!(
        "{}/api/v4/projects/{project}/releases/{}{suffix}",
        request.base_url,
        part_of_address(&tag)
    );
    reply::redirect(&downloads::with_its_query(&with_query(&request, &[], &["order_by"]), &to))
}

async fn download(by: Caller, asked: Params<Download>) -> Result<Response> {
    let (id, tag) = (asked.at.id.clone(), asked.at.tag_name.clone());
    let (viewer, path) = (by.viewer.clone(), asked.asset_path.clone());
    let url = by.app.read(move |tx| {
        let here = access::read(tx, &viewer, &id)?;
        downloads::find(tx, &here, &tag, &path)
    });
    reply::redirect(&url.await?)
}
