//! Merge requests as other rooms ask for them: by name, by label, by the issues that they
//! close, by a commit.

use super::TABLES;
use crate::access::{Scope, visible};
use crate::model::MergeRequest;
use ::store::{Fragment, Tx, sql};
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::http::{Paged, Paging};
use planning::access::Scope as Planned;
use planning::requests::{Counts, NamedRequest};
use planning::store::pages::{self, KeyType, List, Order};
use repositories::formats::object_id::ObjectId;
use serde_json::json;

/// Those of projects of these folded paths and of these numbers that the viewer sees.
pub fn named(
    tx: &mut Tx<'_>, viewer: &Viewer, paths: &[String], iids: &[i64],
) -> Result<Vec<NamedRequest>> {
    let mut query = Fragment::new(
        "select merge_requests.id, merge_requests.target_project_id as project_id,
            projects.full_path, projects.full_path_folded, merge_requests.iid,
            merge_requests.title
         from merge_requests join projects on projects.id = merge_requests.target_project_id
         where",
    );
    query
        .in_list("projects.full_path_folded", paths)
        .raw(" and")
        .in_list("merge_requests.iid", iids)
        .raw(" and ")
        .append(visible(tx, viewer, &Scope::Everywhere));
    Ok(tx.query(query)?)
}

/// The projects and numbers of merge requests of these projects whose authors were banned, in
/// this order; at most so many of each.
pub fn of_banned(tx: &mut Tx<'_>, projects: &[i64], most: i64) -> Result<Vec<(i64, i64)>> {
    // Few are banned: they come first, by an index of their own.
    Ok(tx.all(
        sql!(
            "select project_id, iid from
                (select merge_requests.target_project_id as project_id, merge_requests.iid,
                    row_number() over (partition by merge_requests.target_project_id
                        order by merge_requests.iid) as place
                 from users cross join merge_requests
                 where users.state = 'banned' and merge_requests.author_id = users.id
                    and merge_requests.target_project_id in_list($1)) as hidden
             where place <= $2 order by project_id, iid"
        ),
        (projects, most),
    )?)
}

/// How many of those that the viewer sees close each of these issues.
pub fn closing(tx: &mut Tx<'_>, viewer: &Viewer, issues: &[i64]) -> Counts {
    let mut query = Fragment::new(
        "select closes.issue_id, count(distinct closes.merge_request_id)
         from merge_request_closing_issues closes
         join merge_requests on merge_requests.id = closes.merge_request_id
         join projects on projects.id = merge_requests.target_project_id where",
    );
    query
        .in_list("closes.issue_id", issues)
        .raw(" and ")
        .append(visible(tx, viewer, &Scope::Everywhere))
        .raw(" group by closes.issue_id");
    Ok(tx.query::<(i64, i64)>(query)?.into_iter().collect())
}

/// How many open ones that the viewer sees in a scope have each of these labels.
pub fn labelled(tx: &mut Tx<'_>, viewer: &Viewer, scope: &Planned, labels: &[i64]) -> Counts {
    let mut query = Fragment::new(
        "select worn.label_id, count(*) from merge_request_labels worn
         join merge_requests on merge_requests.id = worn.merge_request_id
         join projects on projects.id = merge_requests.target_project_id
         where merge_requests.state = 'opened' and",
    );
    query.in_list("worn.label_id", labels).raw(" and ");
    // Who sees the issues of a project may not see its code.
    let group = match scope {
        Planned::Group(group) => Scope::Group(group.clone()),
        Planned::Project(_) | Planned::Everywhere => Scope::Everywhere,
    };
    if let Planned::Project(here) = scope {
        query.push("merge_requests.target_project_id = ", here.project.id).raw(" and ");
    }
    query.append(visible(tx, viewer, &group)).raw(" group by worn.label_id");
    Ok(tx.query::<(i64, i64)>(query)?.into_iter().collect())
}

/// Puts a label in the place of others that are about to go.
pub fn labels_replaced(tx: &mut Tx<'_>, old: &[i64], by: i64) -> Result<()> {
    for statement in [
        sql!(
            "insert into merge_request_labels (merge_request_id, label_id)
             select distinct merge_request_id, cast($2 as bigint) from merge_request_labels
             where label_id in_list($1)
             on conflict do nothing"
        ),
        sql!("update merge_request_events set label_id = $2 where label_id in_list($1)"),
    ] {
        tx.execute(statement, (old, by))?;
    }
    Ok(())
}

/// The same of milestones.
pub fn milestones_replaced(tx: &mut Tx<'_>, old: &[i64], by: i64) -> Result<()> {
    for statement in [
        sql!("update merge_requests set milestone_id = $2 where milestone_id in_list($1)"),
        sql!("update merge_request_events set milestone_id = $2 where milestone_id in_list($1)"),
    ] {
        tx.execute(statement, (old, by))?;
    }
    Ok(())
}

/// Condition on `merge_requests`: those that say that they close an issue.
pub fn closing_one(issue: i64) -> Fragment {
    let mut closing = Fragment::new(
        "merge_requests.id in (select closes.merge_request_id
            from merge_request_closing_issues closes where closes.issue_id = ",
    );
    closing.bind(issue).raw(")");
    closing
}

/// Condition on `merge_requests`: those that name an issue, as its notes tell, close it, or
/// are among some others.
pub fn related_to(issue: i64, others: &[i64]) -> Fragment {
    let mut related = Fragment::new("(");
    related
        .append(closing_one(issue))
        .raw(
            " or merge_requests.id in (select notes.names_request_id from notes
                where notes.names_request_id is not null and notes.is_system
                    and notes.noteable_type = 'Issue' and notes.noteable_id = ",
        )
        .bind(issue)
        .raw(") or")
        .in_list("merge_requests.id", others)
        .raw(")");
    related
}

/// Condition on `merge_requests`: those of a project that bring a commit, or whose merge
/// made it.
pub fn of_commit(project_id: i64, id: ObjectId) -> Fragment {
    let mut of = Fragment::new("merge_requests.target_project_id = ");
    of.bind(project_id)
        .push(" and (merge_requests.merge_commit_id = ", id)
        .push(" or merge_requests.squash_commit_id = ", id)
        .push(" or merge_requests.rebased_commit_id = ", id)
        .push(
            " or merge_requests.id in (select versions.merge_request_id
                from merge_request_commits commits
                join merge_request_versions versions on versions.id = commits.version_id
                where commits.commit_id = ",
            id,
        )
        .raw(
            " and not exists (select 1 from merge_request_versions newer
                where newer.merge_request_id = versions.merge_request_id
                    and newer.id > versions.id)))",
        );
    of
}

/// One page of those that meet a condition and that the viewer sees, the newest first.
pub fn list(
    tx: &mut Tx<'_>, viewer: &Viewer, mut condition: Fragment, paging: Paging,
) -> Result<Paged<MergeRequest>> {
    condition.raw(" and ").append(visible(tx, viewer, &Scope::Everywhere));
    let list = List {
        select: Fragment::new(::store::concat!("select ", MergeRequest::COLUMNS)),
        from: Fragment::new(TABLES),
        condition,
        order: Order {
            by: "merge_requests.id".into(),
            key: Some(KeyType::Int),
            id: "merge_requests.id",
            descending: true,
        },
    };
    pages::page(tx, list, paging, |one: &MergeRequest| (json!(one.id), one.id))
}

/// How many somebody made.
pub fn made_by(tx: &mut Tx<'_>, user_id: i64) -> Result<i64> {
    Ok(tx.one(sql!("select count(*) from merge_requests where author_id = $1"), (user_id,))?)
}
