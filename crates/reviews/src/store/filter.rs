//! What lists of merge requests are narrowed to, the same for every interface.

use crate::model::{ReviewState, State};
use crate::noteable::MERGE_REQUEST;
use ::store::Fragment;
use kernel::time::Timestamp;
use planning::store::issues::filter::Has;
use planning::store::listed::{Alike, Listed, all_but};

/// Merge requests, as lists narrow them.
pub const REQUESTS: Listed = Listed {
    table: "merge_requests",
    one: "merge_request",
    kind: MERGE_REQUEST,
};

/// A list to which some conditions apply; also what `not` leaves out.
#[derive(Debug, Clone, Default)]
pub struct Marks {
    pub alike: Alike,
    pub reviewer: Option<Has<i64>>,
    pub reviewer_username: Option<String>,
}

kernel::params! {
    /// When something happened; both ends count.
    #[derive(Default)]
    pub struct Times {
        /// Only made since.
        pub created_after: Option<Timestamp>,
        /// Only made until.
        pub created_before: Option<Timestamp>,
        /// Only changed since.
        pub updated_after: Option<Timestamp>,
        /// Only unchanged since.
        pub updated_before: Option<Timestamp>,
        /// Only merged since.
        pub merged_after: Option<Timestamp>,
        /// Only merged until.
        pub merged_before: Option<Timestamp>,
        /// Only deployed since.
        pub deployed_after: Option<Timestamp>,
        /// Only deployed until.
        pub deployed_before: Option<Timestamp>,
    }
}

/// Who approved, or may.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Approvers {
    Any,
    Nobody,
    /// All of these.
    These(Vec<i64>),
}

#[derive(Debug, Clone, Default)]
pub struct Filter {
    pub state: Option<State>,
    pub is: Marks,
    pub not: Marks,
    pub iids: Option<Vec<i64>>,
    pub milestone_id: Option<i64>,
    pub merge_user_id: Option<i64>,
    pub merge_user_username: Option<String>,
    pub approvers: Option<Approvers>,
    pub approved_by: Option<Approvers>,
    pub approved: Option<bool>,
    pub review_state: Option<ReviewState>,
    pub draft: Option<bool>,
    pub source_branch: Option<String>,
    pub target_branch: Option<String>,
    pub source_project_id: Option<i64>,
    /// Deployed to the environment of this name.
    pub environment: Option<String>,
    pub search: Option<String>,
    pub in_title: bool,
    pub in_description: bool,
    pub times: Times,
    /// None of archived projects.
    pub non_archived: bool,
}

/// Adds what a filter asks for to a condition on `merge_requests` and `projects`.
pub fn narrow(sql: &mut Fragment, filter: &Filter) {
    if let Some(state) = filter.state {
        sql.push(" and merge_requests.state = ", state);
    }
    if let Some(iids) = &filter.iids {
        sql.raw(" and").in_list("merge_requests.iid", iids);
    }
    for (test, id) in [
        (" and merge_requests.milestone_id = ", filter.milestone_id),
        (" and merge_requests.merge_user_id = ", filter.merge_user_id),
        (" and merge_requests.source_project_id = ", filter.source_project_id),
    ] {
        if let Some(id) = id {
            sql.push(test, id);
        }
    }
    for (test, name) in [
        (" and merge_requests.source_branch = ", &filter.source_branch),
        (" and merge_requests.target_branch = ", &filter.target_branch),
    ] {
        if let Some(name) = name {
            sql.push(test, name.as_str());
        }
    }
    if let Some(name) = &filter.merge_user_username {
        sql.raw(" and ").append(REQUESTS.by_name("merge_user_id", name));
    }
    if let Some(draft) = filter.draft {
        sql.push(" and merge_requests.draft = ", draft);
    }
    if filter.non_archived {
        sql.raw(" and not projects.archived");
    }
    narrow_review(sql, filter);
    narrow_times(sql, filter);
    REQUESTS.search(sql, filter.search.as_deref(), (filter.in_title, filter.in_description));
    all_but(sql, marks(&filter.is), marks(&filter.not));
}

fn narrow_review(sql: &mut Fragment, filter: &Filter) {
    if let Some(state) = filter.review_state {
        sql.push(
            " and exists (select 1 from merge_request_reviewers r
                where r.merge_request_id = merge_requests.id and r.state = ",
            state,
        )
        .raw(")");
    }
    let approval = "select 1 from merge_request_approvals a
        where a.merge_request_id = merge_requests.id";
    narrow_approvers(sql, filter.approved_by.as_ref(), approval, "a.user_id");
    let may = "select 1 from approval_rules rule
        join approval_rule_users u on u.rule_id = rule.id
        where rule.merge_request_id = merge_requests.id";
    narrow_approvers(sql, filter.approvers.as_ref(), may, "u.user_id");
    if let Some(approved) = filter.approved {
        sql.raw(if approved { " and exists (" } else { " and not exists (" })
            .raw(approval)
            .raw(")");
    }
}

fn narrow_approvers(sql: &mut Fragment, wanted: Option<&Approvers>, rows: &str, user: &str) {
    match wanted {
        None => {}
        Some(Approvers::Any) => {
            sql.raw(&format!(" and exists ({rows})"));
        }
        Some(Approvers::Nobody) => {
            sql.raw(&format!(" and not exists ({rows})"));
        }
        Some(Approvers::These(ids)) => {
            for id in ids {
                sql.push(&format!(" and exists ({rows} and {user} = "), *id).raw(")");
            }
        }
    }
}

fn narrow_times(sql: &mut Fragment, filter: &Filter) {
    let times = &filter.times;
    for (column, both) in [
        ("created_at", (times.created_after, times.created_before)),
        ("updated_at", (times.updated_after, times.updated_before)),
        ("merged_at", (times.merged_after, times.merged_before)),
    ] {
        REQUESTS.between(sql, column, both);
    }
    let is_of_deployment = filter.environment.is_some()
        || times.deployed_after.is_some()
        || times.deployed_before.is_some();
    if !is_of_deployment {
        return;
    }
    sql.raw(
        " and exists (select 1 from deployments
            join environments on environments.id = deployments.environment_id
            where deployments.project_id = merge_requests.target_project_id
                and deployments.status = 'success' and deployments.sha in
                    (merge_requests.merge_commit_id, merge_requests.squash_commit_id,
                     merge_requests.rebased_commit_id, merge_requests.head_id)",
    );
    if let Some(name) = &filter.environment {
        sql.push(" and environments.name = ", name.as_str());
    }
    for (test, at) in [
        (" and deployments.finished_at >= ", times.deployed_after),
        (" and deployments.finished_at <= ", times.deployed_before),
    ] {
        if let Some(at) = at {
            sql.push(test, at);
        }
    }
    sql.raw(")");
}

fn marks(marks: &Marks) -> Vec<Fragment> {
    let mut tests = REQUESTS.alike(&marks.alike);
    tests.extend(marks.reviewer.as_ref().map(|who| REQUESTS.people("reviewers", who)));
    let reviewer = marks.reviewer_username.as_deref();
    tests.extend(reviewer.map(|name| REQUESTS.person_named("reviewers", name)));
    tests
}
