//! `GET /-/suggest`: names for what somebody is typing, at most ten, none that
//! they may not see. Editors complete by it and fields pick from it, in pages
//! of every room; so it stands in the lowest room that knows all kinds.

mod emoji;
mod epics;
mod issues;
mod people;
mod places;
mod plans;

use crate::access::{Aim, ParentAccess, ParentRef, authorize};
use http::{HeaderValue, Method, StatusCode, header};
use identity::viewer::{SignedInViewer, Viewer};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::params::Text;
use kernel::http::routes::Surface;
use kernel::http::{Params, RequestContext, Response, Routes, refusal, reply};
use kernel::ids::{Reference, fold};
use serde::Serialize;
use spaces::store::contains;
use store::{Fragment, Tx};

/// Most names in one answer.
const MOST: i64 = 10;
/// Most characters looked for: no name is longer.
const LONGEST: usize = 255;

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, "/-/suggest", suggest).refuses(refuse);
}

kernel::choices! {
    enum Kind {
        People = "people",
        /// What a text may name by `@`: people, and groups.
        Mentions = "mentions",
        Labels = "labels",
        Milestones = "milestones",
        Projects = "projects",
        Groups = "groups",
        Issues = "issues",
        Epics = "epics",
        Emoji = "emoji",
    }
}

kernel::params! {
    struct Query {
        pub kind: Kind,
        /// What is typed so far.
        pub q: Text,
        /// Path of the project that it is typed for.
        pub project: Option<String>,
        /// Path of the group that it is typed for.
        pub group: Option<String>,
    }
}

/// One name.
#[derive(Debug, Default, Serialize)]
pub struct Suggestion {
    /// What a field takes: a user name, a title, a path, a number.
    value: String,
    label: String,
    /// What tells it from others of its kind; may be empty.
    detail: String,
    /// In place of a person's picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    letters: Option<String>,
    /// `#rrggbb`.
    #[serde(skip_serializing_if = "Option::is_none")]
    color: Option<String>,
}

async fn suggest(app: App, by: SignedInViewer, Params(query): Params<Query>) -> Result<Response> {
    let found = app.read(move |tx| find(tx, &by.viewer(), &query)).await?;
    Ok(unstored(reply::json(StatusCode::OK, &found)?))
}

/// Scripts read the answer, so a refusal is JSON, too.
fn refuse(error: Error, request: &RequestContext) -> Response {
    unstored(refusal::render(error, Surface::Api, request))
}

/// Names are private: nothing on the way may keep them.
fn unstored(mut response: Response) -> Response {
    response
        .headers_mut()
        .insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

fn find(tx: &mut Tx<'_>, viewer: &Viewer, query: &Query) -> Result<Vec<Suggestion>> {
    let typed: String = query.q.trim().chars().take(LONGEST).collect();
    let typed = fold(&typed);
    let here = here(tx, viewer, query)?;
    match query.kind {
        Kind::People => people::named(tx, viewer, here.as_ref(), &typed),
        Kind::Mentions => mentions(tx, viewer, here.as_ref(), &typed),
        Kind::Labels => plans::labels(tx, &somewhere(here)?.parent, &typed),
        Kind::Milestones => plans::milestones(tx, &somewhere(here)?.parent, &typed),
        Kind::Issues => issues::titled(tx, viewer, somewhere(here)?, &typed),
        Kind::Epics => epics::titled(tx, viewer, &somewhere(here)?, &typed),
        Kind::Projects => places::projects(tx, viewer, &typed),
        Kind::Groups => places::groups(tx, viewer, &typed),
        Kind::Emoji => Ok(emoji::named(&typed)),
    }
}

/// Places that groups have beside people, if there are as many.
const GROUPS: usize = 3;

/// People, then groups once something is typed.
fn mentions(
    tx: &mut Tx<'_>, viewer: &Viewer, here: Option<&ParentAccess>, typed: &str,
) -> Result<Vec<Suggestion>> {
    let mut found = people::named(tx, viewer, here, typed)?;
    let groups = match typed {
        "" => Vec::new(),
        typed => places::mentionable_groups(tx, viewer, typed)?,
    };
    let most = usize::try_from(MOST).unwrap_or_default();
    found.truncate(most - groups.len().min(GROUPS));
    found.extend(groups);
    found.truncate(most);
    Ok(found)
}

/// The project or group that something is typed for, if one is named.
fn here(tx: &mut Tx<'_>, viewer: &Viewer, query: &Query) -> Result<Option<ParentAccess>> {
    let path = |path: &String| Reference::Path(path.clone());
    let place = match (&query.project, &query.group) {
        (Some(_), Some(_)) => {
            return Err(Error::Parameters(vec!["project, group are mutually exclusive".into()]));
        }
        (Some(project), None) => ParentRef::Project(path(project)),
        (None, Some(group)) => ParentRef::Group(path(group)),
        (None, None) => return Ok(None),
    };
    match authorize(tx, viewer, &place, Aim::Read) {
        // Pages know the address that it has now.
        Err(Error::Moved(_)) => Err(Error::NotFound("Project")),
        found => found.map(Some),
    }
}

/// Refuses to look everywhere for what belongs to one place.
fn somewhere(here: Option<ParentAccess>) -> Result<ParentAccess> {
    here.ok_or_else(|| Error::Parameters(vec!["project or group is missing".into()]))
}

/// Adds the key of an order where names come first that begin with the text.
fn beginnings_first(sql: &mut Fragment, columns: &[&str], typed: &str) {
    let anywhere = contains(typed);
    let pattern = anywhere.strip_prefix('%').unwrap_or_default();
    sql.raw("case when ");
    for (at, column) in columns.iter().enumerate() {
        let or = if at == 0 { "" } else { " or " };
        sql.push(&format!("{or}{column} like "), pattern).raw(" escape '\\'");
    }
    sql.raw(" then 0 else 1 end, ");
}
