//! Links between issues.

use super::IssueRequest;
use crate::access::Scope;
use crate::entity::issues::{IssueEntity, RelatedToIssues, issue};
use crate::model::{Issue, Link, LinkType};
use crate::rules::issues::links::{self as rules, Linked};
use crate::store::issues as issue_rows;
use crate::store::linked_pairs::ISSUE_LINKS;
use identity::caller::Caller;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::http::{Created, Ok200, Paged, Paging, Params, Routes};
use kernel::ids::Reference;
use kernel::time::wire;
use schemars::JsonSchema;
use serde::Serialize;
use store::Tx;

const BASE: &str = "/projects/{id}/issues/{issue_iid}/links";
const ONE: &str = "/projects/{id}/issues/{issue_iid}/links/{issue_link_id}";

pub(super) fn routes(r: &mut Routes) {
    r.get(BASE, list).summary("Lists the issues that have to do with an issue");
    r.post(BASE, create).summary("Links an issue to another");
    r.get(ONE, show).summary("Shows a link between issues");
    r.delete(ONE, destroy).summary("Removes a link between issues");
}

kernel::params! {
    pub struct CreateLink {
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

async fn list(at: IssueRequest, paging: Paging) -> Result<Paged<LinkedIssueEntity>> {
    at.read(move |tx, by, _, own| {
        let seen = seen(tx, &by.viewer, own.id)?;
        let page = Paged::of_whole(seen, paging);
        let issues: Vec<Issue> = page.items.iter().map(|(_, issue)| issue.clone()).collect();
        let around = RelatedToIssues::read(tx, &by.viewer, &Scope::Everywhere, &issues)?;
        Ok(page.map(|(link, other)| LinkedIssueEntity {
            issue: issue(&by.app, &other, &around, false),
            issue_link_id: link.id,
            link_type: link.seen_from(own.id),
            link_created_at: wire::text(link.created_at),
            link_updated_at: wire::text(link.updated_at),
        }))
    })
    .await
}

/// The links of an issue whose other ends the viewer may see.
fn seen(tx: &mut Tx<'_>, viewer: &Viewer, issue_id: i64) -> Result<Vec<(Link, Issue)>> {
    let links = ISSUE_LINKS.of(tx, issue_id)?;
    let others: Vec<i64> = links.iter().map(|link| link.other(issue_id)).collect();
    let issues = issue_rows::visible_by_ids(tx, viewer, &others)?;
    let with_issue = |link: Link| {
        let other = link.other(issue_id);
        let issue = issues.iter().find(|issue| issue.id == other)?.clone();
        Some((link, issue))
    };
    Ok(links.into_iter().filter_map(with_issue).collect())
}

fn entity(tx: &mut Tx<'_>, by: &Caller, linked: Linked) -> Result<LinkEntity> {
    let both = [linked.source, linked.target];
    let around = RelatedToIssues::read(tx, &by.viewer, &Scope::Everywhere, &both)?;
    let [source, target] = both.map(|one| issue(&by.app, &one, &around, false));
    Ok(LinkEntity {
        id: linked.link.id,
        source_issue: source,
        target_issue: target,
        link_type: linked.link.link_type,
    })
}

async fn create(at: IssueRequest, params: Params<CreateLink>) -> Result<Created<LinkEntity>> {
    at.write(move |tx, by, desk, issue| {
        let target = (&params.target_project_id, params.target_issue_iid);
        let kind = params.link_type.unwrap_or(LinkType::RelatesTo);
        let linked = rules::create(tx, &by.viewer, &desk, &issue, target, kind)?;
        entity(tx, by, linked).map(Created)
    })
    .await
}

async fn show(at: IssueRequest, path: Params<LinkPath>) -> Result<Ok200<LinkEntity>> {
    at.read(move |tx, by, _, issue| {
        let linked = rules::find(tx, &by.viewer, &issue, path.issue_link_id)?;
        entity(tx, by, linked).map(Ok200)
    })
    .await
}

async fn destroy(at: IssueRequest, path: Params<LinkPath>) -> Result<Ok200<LinkEntity>> {
    at.write(move |tx, by, desk, issue| {
        let linked = rules::destroy(tx, &by.viewer, &desk, &issue, path.issue_link_id)?;
        entity(tx, by, linked).map(Ok200)
    })
    .await
}
