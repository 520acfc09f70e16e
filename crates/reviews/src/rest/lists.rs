//! Lists of merge requests: all, of a group, of a project, of a milestone.

use super::ALL;
use super::asked::{Asked, Wanted, Whose};
use crate::access::{Scope, desk};
use crate::entity::{Base, BasicEntity, Related, SimpleEntity, basic, simple};
use crate::model::MergeRequest;
use crate::rules::rechecks::begin;
use ::store::Tx;
use identity::Caller;
use identity::viewer::Viewer;
use kernel::error::{Error, Result, TIMED_OUT};
use kernel::http::{Flat, Paged, Paging, Params, Routes};
use kernel::ids::Reference;
use planning::store::listing;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use spaces::access::{DEVELOPER, Levels, Purpose, find_projects, group};
use spaces::model::Project;
use std::collections::HashSet;

pub(super) fn routes(r: &mut Routes) {
    r.get("/merge_requests", everywhere)
        .summary("Lists merge requests, by default those the caller made");
    r.get("/groups/{id}/merge_requests", of_group)
        .summary("Lists the merge requests of a group's projects");
    r.get(ALL, of_project).summary("Lists the merge requests of a project");
}

kernel::params! {
    struct OfPlace {
        /// Id or path.
        pub id: Reference,
        pub asked: Flat<Asked>,
    }
}

/// A merge request as a list shows it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "MergeRequestListed")]
enum Listed {
    /// With all that lists have.
    Basic(Box<BasicEntity>),
    /// In few words.
    Simple(SimpleEntity),
}

async fn everywhere(by: Caller, asked: Params<Asked>, paging: Paging) -> Result<Paged<Listed>> {
    let mut wanted = asked.wanted(&by.viewer, Whose::CreatedByMe)?;
    wanted.filter.non_archived = asked.non_archived.unwrap_or(false);
    page(by, wanted, paging, |_, _| Ok(Scope::Everywhere)).await
}

async fn of_group(by: Caller, at: Params<OfPlace>, paging: Paging) -> Result<Paged<Listed>> {
    let Params(OfPlace { id, asked }) = at;
    let mut wanted = asked.wanted(&by.viewer, Whose::All)?;
    wanted.filter.non_archived = asked.non_archived.unwrap_or(true);
    let place = move |tx: &mut Tx<'_>, viewer: &Viewer| {
        let group = group(tx, viewer, &id, Purpose::Read)?;
        Ok(Scope::Group(Box::new(group)))
    };
    page(by, wanted, paging, place).await
}

async fn of_project(by: Caller, at: Params<OfPlace>, paging: Paging) -> Result<Paged<Listed>> {
    let Params(OfPlace { id, asked }) = at;
    let mut wanted = asked.wanted(&by.viewer, Whose::All)?;
    wanted.filter.iids = asked.iids.clone();
    let place = move |tx: &mut Tx<'_>, viewer: &Viewer| {
        Ok(Scope::Project(Box::new(desk(tx, viewer, &id)?)))
    };
    page(by, wanted, paging, place).await
}

fn base(scope: &Scope) -> Base {
    match scope {
        Scope::Project(_) => Base::Project,
        Scope::Group(group) => Base::Group(group.full_path.clone()),
        Scope::Everywhere => Base::Nothing,
    }
}

/// The project that all of them are in, where that is one.
fn project(scope: &Scope) -> Option<&Project> {
    match scope {
        Scope::Project(here) => Some(&here.project),
        Scope::Group(_) | Scope::Everywhere => None,
    }
}

/// What a page needs beside its rows.
struct Read {
    page: Paged<MergeRequest>,
    around: Option<Related>,
    /// Those that shall be checked.
    unchecked: Vec<MergeRequest>,
}

async fn page(
    by: Caller, wanted: Wanted, paging: Paging,
    place: impl FnOnce(&mut Tx<'_>, &Viewer) -> Result<Scope> + Send + 'static,
) -> Result<Paged<Listed>> {
    let (app, viewer) = (by.app.clone(), by.viewer.clone());
    let Wanted { filter, sorting, is_simple, details, recheck } = wanted;
    let read = app.read(move |tx| {
        let scope = place(tx, &viewer)?;
        let page = listing::list::<MergeRequest>(tx, &viewer, &scope, &filter, sorting, paging)?;
        let around = match is_simple {
            true => None,
            false => {
                let (base, known) = (base(&scope), project(&scope));
                Some(Related::read_in(tx, &viewer, base, known, &page.items)?)
            }
        };
        let unchecked = match recheck {
            true => unchecked(tx, &viewer, &page.items)?,
            false => Vec::new(),
        };
        Ok(Read { page, around, unchecked })
    });
    let Read { page, around, unchecked } = read.await.map_err(timed_out)?;
    begin(&app, unchecked).await?;
    Ok(page.map(|one| match &around {
        Some(around) => Listed::Basic(Box::new(basic(&app, &one, around, details))),
        None => Listed::Simple(simple(&app, &one)),
    }))
}

/// Of a list that takes too long clients are told so.
fn timed_out(error: Error) -> Error {
    match error {
        Error::Unavailable(text) if text == TIMED_OUT => {
            Error::Exact(408, json!({"message": "Request timed out"}))
        }
        other => other,
    }
}

/// Those of which nobody knows whether they can be merged, and that the viewer may change.
fn unchecked(
    tx: &mut Tx<'_>, viewer: &Viewer, requests: &[MergeRequest],
) -> Result<Vec<MergeRequest>> {
    let ids: HashSet<i64> = requests.iter().map(|one| one.target_project_id).collect();
    let projects = find_projects(tx, &ids.into_iter().collect::<Vec<_>>())?;
    let levels = Levels::in_projects(tx, viewer, &projects.iter().collect::<Vec<_>>())?;
    let is_theirs = |one: &&MergeRequest| {
        let is_author = one.author_id.is_some() && one.author_id == viewer.user_id();
        let project = projects.iter().find(|project| project.id == one.target_project_id);
        is_author || project.is_some_and(|project| levels.of_project(project) >= DEVELOPER)
    };
    let wait = requests.iter().filter(|one| one.needs_check());
    Ok(wait.filter(is_theirs).cloned().collect())
}
