//! Links between issues.

use super::IssuePath;
use crate::access::Scope;
use crate::entity::issues::{IssueEntity, RelatedToIssues, issue};
use crate::model::{Issue, LinkType};
use crate::rules::issues::links::{self as rules, Linked};
use crate::rules::issues::places::{found, found_to_write};
use crate::store::issues as issue_rows;
use crate::store::issues::links::{self as rows, Link};
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::http::{Created, Flat, Ok200, Paged, Paging, Params, Routes};
use kernel::ids::Reference;
use kernel::time::wire;
use schemars::JsonSchema;
use serde::Serialize;
use store::Tx;

const BASE: &str = "/projects/{id}/issues/{issue_iid}/links";
const ONE: &str = "/projects/{id}/issues/{issue_iid}/links/{issue_link_id}";

pub(super) fn routes(r: &mut Routes) {
    r.get(BASE, list)
        .summary("Lists the issues that have to do with an issue");
    r.post(BASE, create).summary("Links an issue to another");
    r.get(ONE, show).summary("Shows a link between issues");
    r.delete(ONE, destroy)
        .summary("Removes a link between issues");
}

kernel::params! {
    pub struct CreateLink {
        pub at: Flat<IssuePath>,
        /// Id or path of the other one's project.
        pub target_project_id: Reference,
        /// Number of the other one.
        pub target_issue_iid: i64,
        /// What the first is to the other.
        pub link_type: Option<LinkType>,
    }
}

kernel::params! {
    pub struct LinkPath {
        pub at: Flat<IssuePath>,
        /// Id of the link.
        pub issue_link_id: i64,
    }
}

/// A link with both issues.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LinkEntity {
    /// Id.
    pub id: i64,
    /// Where it starts.
    pub source_issue: IssueEntity,
    /// Where it ends.
    pub target_issue: IssueEntity,
    /// What the first is to the second.
    pub link_type: LinkType,
}

/// An issue that has to do with another.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LinkedIssueEntity {
    /// The issue.
    #[serde(flatten)]
    pub issue: IssueEntity,
    /// Id of the link.
    pub issue_link_id: i64,
    /// What the issue asked about is to this one.
    pub link_type: LinkType,
    /// When they were linked.
    pub link_created_at: String,
    /// When the link was changed last.
    pub link_updated_at: String,
}

async fn list(
    app: App,
    viewer: Viewer,
    path: Params<IssuePath>,
    paging: Paging,
) -> Result<Paged<LinkedIssueEntity>> {
    let (page, around, own) = app
        .read(move |tx| {
            let (_, own) = found(tx, &viewer, &path.id, path.issue_iid)?;
            let seen = seen(tx, &viewer, own.id)?;
            let page = Paged::of_whole(seen, paging);
            let issues: Vec<Issue> = page.items.iter().map(|(_, issue)| issue.clone()).collect();
            let around = RelatedToIssues::read(tx, &viewer, &Scope::Everywhere, &issues)?;
            Ok((page, around, own))
        })
        .await?;
    Ok(page.map(|(link, other)| LinkedIssueEntity {
        issue: issue(&app, &other, &around, false),
        issue_link_id: link.id,
        link_type: link.seen_from(own.id),
        link_created_at: wire::text(link.created_at),
        link_updated_at: wire::text(link.updated_at),
    }))
}

/// The links of an issue whose other ends the viewer may see.
fn seen(tx: &mut Tx<'_>, viewer: &Viewer, issue_id: i64) -> Result<Vec<(Link, Issue)>> {
    let links = rows::of_issue(tx, issue_id)?;
    let others: Vec<i64> = links.iter().map(|link| link.other(issue_id)).collect();
    let issues = issue_rows::visible_by_ids(tx, viewer, &others)?;
    let with_issue = |link: Link| {
        let other = link.other(issue_id);
        let issue = issues.iter().find(|issue| issue.id == other)?.clone();
        Some((link, issue))
    };
    Ok(links.into_iter().filter_map(with_issue).collect())
}

/// A link with what its issues need, rendered after the transaction.
struct LoadedLink {
    linked: Linked,
    around: RelatedToIssues,
}

impl LoadedLink {
    fn read(tx: &mut Tx<'_>, viewer: &Viewer, linked: Linked) -> Result<LoadedLink> {
        let both = [linked.source.clone(), linked.target.clone()];
        let around = RelatedToIssues::read(tx, viewer, &Scope::Everywhere, &both)?;
        Ok(LoadedLink { linked, around })
    }

    fn entity(&self, app: &App) -> LinkEntity {
        LinkEntity {
            id: self.linked.link.id,
            source_issue: issue(app, &self.linked.source, &self.around, false),
            target_issue: issue(app, &self.linked.target, &self.around, false),
            link_type: self.linked.link.link_type,
        }
    }
}

async fn create(
    app: App,
    viewer: Viewer,
    params: Params<CreateLink>,
) -> Result<Created<LinkEntity>> {
    let shown = app
        .write(move |tx| {
            let (desk, issue) = found_to_write(tx, &viewer, &params.at.id, params.at.issue_iid)?;
            let target = (&params.target_project_id, params.target_issue_iid);
            let kind = params.link_type.unwrap_or(LinkType::RelatesTo);
            let linked = rules::create(tx, &viewer, &desk, &issue, target, kind)?;
            LoadedLink::read(tx, &viewer, linked)
        })
        .await?;
    Ok(Created(shown.entity(&app)))
}

async fn show(app: App, viewer: Viewer, path: Params<LinkPath>) -> Result<Ok200<LinkEntity>> {
    let shown = app
        .read(move |tx| {
            let (_, issue) = found(tx, &viewer, &path.at.id, path.at.issue_iid)?;
            let linked = rules::find(tx, &viewer, &issue, path.issue_link_id)?;
            LoadedLink::read(tx, &viewer, linked)
        })
        .await?;
    Ok(Ok200(shown.entity(&app)))
}

async fn destroy(app: App, viewer: Viewer, path: Params<LinkPath>) -> Result<Ok200<LinkEntity>> {
    let shown = app
        .write(move |tx| {
            let (desk, issue) = found_to_write(tx, &viewer, &path.at.id, path.at.issue_iid)?;
            let linked = rules::destroy(tx, &viewer, &desk, &issue, path.issue_link_id)?;
            LoadedLink::read(tx, &viewer, linked)
        })
        .await?;
    Ok(Ok200(shown.entity(&app)))
}
