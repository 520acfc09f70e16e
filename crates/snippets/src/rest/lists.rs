//! Lists of snippets.

use super::{OF_PROJECT, OWN, PlaceRequest};
use crate::access::{to_list, visible};
use crate::entity::{self, SnippetEntity};
use crate::store::{self, Between};
use ::store::{Fragment, Tx};
use identity::Caller;
use kernel::error::{Found, Result};
use kernel::http::{Paged, Paging, Params, Routes};
use kernel::time::Timestamp;
use spaces::model::PUBLIC;

pub(super) fn routes(r: &mut Routes) {
    r.get(OWN, own)
        .named("snippets_own")
        .summary("Lists the snippets that the caller wrote");
    r.get(&format!("{OWN}/public"), public)
        .named("snippets_public")
        .summary("Lists the snippets of people that everybody sees");
    r.get(&format!("{OWN}/all"), all)
        .named("snippets_all")
        .summary("Lists all snippets that the caller sees");
    r.get(OF_PROJECT, of_project)
        .named("project_snippets_list")
        .summary("Lists the snippets of a project");
}

kernel::params! {
    struct Dates {
        /// Only made since.
        pub created_after: Option<Timestamp>,
        /// Only made before.
        pub created_before: Option<Timestamp>,
    }
}

impl From<Dates> for Between {
    fn from(asked: Dates) -> Between {
        let Dates { created_after, created_before } = asked;
        Between { created_after, created_before }
    }
}

type Listed = Result<Paged<SnippetEntity>>;

fn page(
    tx: &mut Tx<'_>, by: &Caller, condition: Fragment, between: &Between, paging: Paging,
) -> Listed {
    let page = store::list(tx, condition, between, paging)?;
    let authors = entity::authors(tx, &page.items)?;
    Ok(page.map(|one| entity::snippet(&by.app, &one, &authors)))
}

/// Of somebody signed in: those that they see and that meet one condition more.
async fn narrowed(
    by: Caller, asked: Dates, paging: Paging, more: impl Fn(&mut Fragment, i64) + Send + 'static,
) -> Listed {
    let user = by.viewer.signed_in()?.user.id;
    by.read(move |tx, by| {
        let mut condition = visible(tx, &by.viewer);
        more(&mut condition, user);
        page(tx, by, condition, &asked.into(), paging)
    })
    .await
}

async fn own(by: Caller, asked: Params<Dates>, paging: Paging) -> Listed {
    let of_caller = |condition: &mut Fragment, user: i64| {
        condition.push(" and snippets.author_id = ", user);
    };
    narrowed(by, asked.0, paging, of_caller).await
}

async fn public(by: Caller, asked: Params<Dates>, paging: Paging) -> Listed {
    let open = |condition: &mut Fragment, _: i64| {
        condition.push(" and snippets.project_id is null and snippets.visibility = ", PUBLIC);
    };
    narrowed(by, asked.0, paging, open).await
}

async fn all(by: Caller, asked: Params<Dates>, paging: Paging) -> Listed {
    narrowed(by, asked.0, paging, |_, _| {}).await
}

async fn of_project(at: PlaceRequest, asked: Params<Dates>, paging: Paging) -> Listed {
    let project = at.project.found("Project")?;
    at.caller
        .read(move |tx, by| {
            let (project, _) = to_list(tx, &by.viewer, &project)?;
            let mut condition = visible(tx, &by.viewer);
            condition.push(" and snippets.project_id = ", project.id);
            page(tx, by, condition, &asked.0.into(), paging)
        })
        .await
}
