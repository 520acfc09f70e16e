//! `POST …/diffs/viewed`: the viewer has looked at a file, or has not.

use super::listing::{Listing, change_of};
use super::look::Look;
use super::reviewer::Reviewer;
use super::subject::url_of;
use super::versions::Compared;
use crate::model::MergeRequest;
use crate::store::viewed as rows;
use code::pages::parts::diff::id_of;
use http::StatusCode;
use kernel::error::{Error, Found, Result};
use kernel::http::{Params, Response, reply};
use repositories::model::{Repository, RepositoryKind};
use repositories::store::of_project;
use serde::Serialize;
use std::collections::{HashMap, HashSet};

const CHANGED: &str = "The file changed since you opened the page, so it was not marked. Reload \
                       the page and try again.";

kernel::params! {
    pub struct ViewedForm {
        /// The name of the file on the page.
        pub file: String,
        /// What the file was as it was seen.
        pub change: String,
        pub viewed: bool,
    }
}

/// What the script of the page is told.
#[derive(Debug, Serialize)]
struct Told {
    /// Files that were looked at, and all.
    viewed: usize,
    of: usize,
}

/// Those of these files whose present change was looked at, by their names on the page.
pub fn of_listing(listing: &Listing, seen: &HashMap<String, String>) -> HashSet<String> {
    if seen.is_empty() {
        return HashSet::new();
    }
    let named = listing.files().map(|file| (id_of(&file.new_path), file));
    let viewed = named.filter(|(id, file)| seen.get(id) == Some(&change_of(file)));
    viewed.map(|(id, _)| id).collect()
}

/// The merge request, its repository and its newest version, for who sees it.
async fn newest(by: &Reviewer) -> Result<(MergeRequest, Repository, Compared)> {
    let by = by.clone();
    let app = by.app.clone();
    app.read(move |tx| {
        let request = by.find(tx)?.request;
        let compared = Compared::read(tx, &request, &Look::default())?.found("File")?;
        let project = request.target_project_id;
        let repository = of_project(tx, project, RepositoryKind::Project)?.found("File")?;
        Ok((request, repository, compared))
    })
    .await
}

pub async fn mark(by: Reviewer, Params(form): Params<ViewedForm>) -> Result<Response> {
    let (request, repository, compared) = newest(&by).await?;
    let url = url_of(&request);
    let listing = Listing::read(&by.app, repository.id, &compared, false).await?;
    let at = listing.place(&form.file).found("File")?;
    let found = listing.files().nth(at).found("File")?;
    let (file, now) = (id_of(&found.new_path), change_of(found));
    if form.viewed && now != form.change {
        return Err(Error::Conflict(CHANGED.into()));
    }
    let user_id = by.visit.viewer.signed_in()?.user.id;
    let (key, name, viewed) = ((request.id, user_id), file.clone(), form.viewed);
    let seen = by.app.write(move |tx| {
        match viewed {
            true => rows::mark(tx, key, (name.as_str(), now.as_str()))?,
            false => rows::unmark(tx, key, &name)?,
        }
        rows::of_user(tx, key.0, key.1)
    });
    let seen = seen.await?;
    if !by.wants_json() {
        let page = listing.page_of(&file).unwrap_or(1);
        let to = format!("{}#{file}", by.look.at_page(&url, page));
        return reply::see_other(&to);
    }
    let viewed = of_listing(&listing, &seen).len();
    reply::json(StatusCode::OK, &Told { viewed, of: listing.count() })
}
