//! Merge requests below other things: issues, milestones, commits; and how many wait for
//! the caller.

use crate::entity::{Base, BasicEntity, Related, basic};
use crate::model::{MergeRequest, State};
use crate::store::elsewhere as rows;
use crate::store::filter::{Filter, Marks};
use ::store::{Fragment, Tx};
use code::access::{CodeRequest, SCOPES, commit};
use identity::Caller;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::http::{Ok200, Paged, Paging, Params, Routes};
use kernel::ids::{Reference, fold};
use planning::access::{Aim, ParentRef, ProjectAccess, authorize};
use planning::formats::references::{Name, named};
use planning::model::{Issue, IssueState};
use planning::rules::issues::noteable;
use planning::rules::issues::places::found;
use planning::rules::milestones;
use planning::rules::references::{own_address, project_path};
use planning::store::issues::filter::{Has, IssueFilter, Marks as IssueMarks};
use planning::store::listed::Alike;
use planning::store::listing::count;
use planning::store::notes::of_people;
use planning::store::todos::{self, State as TodoState, TodoFilter};
use repositories::objects::Objects;
use schemars::JsonSchema;
use serde::Serialize;
use spaces::model::Project;

/// Comments whose texts are read.
const MOST_NOTES: i64 = 500;
/// Names in them that are looked up.
const MOST_NAMES: usize = 200;

pub(super) fn routes(r: &mut Routes) {
    let issue = |rest: &str| format!("/projects/{{id}}/issues/{{issue_iid}}/{rest}");
    r.get(&issue("closed_by"), closed_by)
        .summary("Lists the merge requests that close an issue");
    r.get(&issue("related_merge_requests"), related)
        .summary("Lists the merge requests that name an issue, or that it names");
    for (places, word) in [("projects", "project"), ("groups", "group")] {
        let path = format!("/{places}/{{id}}/milestones/{{milestone_id}}/merge_requests");
        r.get(&path, of_milestone)
            .named(&format!("of_{word}_milestone"))
            .summary(format!("Lists the merge requests of a {word}'s milestone"));
    }
    r.get("/projects/{id}/repository/commits/{sha}/merge_requests", of_commit)
        .scopes(SCOPES)
        .summary("Lists the merge requests that bring a commit");
    r.get("/user_counts", counts)
        .named("user_counts")
        .summary("Counts what waits for the caller");
}

/// A page of those that meet a condition, as the caller sees them.
fn page(
    tx: &mut Tx<'_>, by: &Caller, condition: Fragment, paging: Paging,
) -> Result<Paged<BasicEntity>> {
    let page = rows::list(tx, &by.viewer, condition, paging)?;
    let around = Related::read(tx, &by.viewer, Base::Nothing, &page.items)?;
    Ok(page.map(|one| basic(&by.app, &one, &around, false)))
}

kernel::params! {
    /// Which issue.
    struct OfIssue {
        /// Id or path of the project.
        pub id: Reference,
        /// Number of the issue.
        pub issue_iid: i64,
    }
}

async fn closed_by(by: Caller, at: Params<OfIssue>, paging: Paging) -> Result<Paged<BasicEntity>> {
    by.read(move |tx, by| {
        let (_, issue) = found(tx, &by.viewer, &at.id, at.issue_iid)?;
        page(tx, by, rows::closing_one(issue.id), paging)
    })
    .await
}

async fn related(by: Caller, at: Params<OfIssue>, paging: Paging) -> Result<Paged<BasicEntity>> {
    by.read(move |tx, by| {
        let (here, issue) = found(tx, &by.viewer, &at.id, at.issue_iid)?;
        let named = named_by(tx, &by.viewer, &here, &issue)?;
        page(tx, by, rows::related_to(issue.id, &named), paging)
    })
    .await
}

/// Those that an issue names, as far as the viewer sees its notes.
fn named_by(
    tx: &mut Tx<'_>, viewer: &Viewer, here: &ProjectAccess, issue: &Issue,
) -> Result<Vec<i64>> {
    let own = own_address(tx)?;
    let notes = of_people(tx, viewer, noteable(issue), MOST_NOTES)?;
    let seen = notes.iter().filter(|note| here.is_reporter() || !note.internal);
    let texts = seen.map(|note| note.body.as_str()).chain([issue.text()]);
    let names = texts.flat_map(|text| named(text, own));
    let mut places: Vec<(String, i64)> = Vec::new();
    for place in names.filter_map(|name| place(&here.project, &name)) {
        if places.len() < MOST_NAMES && !places.contains(&place) {
            places.push(place);
        }
    }
    if places.is_empty() {
        return Ok(Vec::new());
    }
    let (paths, iids): (Vec<String>, Vec<i64>) = places.iter().cloned().unzip();
    let mut known = rows::named(tx, viewer, &paths, &iids)?;
    known.retain(|one| places.contains(&(one.full_path_folded.clone(), one.iid)));
    Ok(known.into_iter().map(|one| one.id).collect())
}

/// The folded path of the project that a name means, and the number.
fn place(project: &Project, name: &Name) -> Option<(String, i64)> {
    match name {
        Name::MergeRequest(path, iid) => {
            Some((fold(&project_path(project, path.as_deref())), *iid))
        }
        _ => None,
    }
}

kernel::params! {
    struct OfMilestone {
        /// Id of the milestone.
        pub milestone_id: i64,
    }
}

async fn of_milestone(
    by: Caller, place: ParentRef, asked: Params<OfMilestone>, paging: Paging,
) -> Result<Paged<BasicEntity>> {
    by.read(move |tx, by| {
        let here = authorize(tx, &by.viewer, &place, Aim::Read)?;
        let goal = milestones::find(tx, &here, asked.milestone_id)?;
        let mut condition = Fragment::new("merge_requests.milestone_id = ");
        condition.bind(goal.id);
        page(tx, by, condition, paging)
    })
    .await
}

kernel::params! {
    struct OfCommit {
        /// Commit, branch or tag.
        pub sha: String,
        /// Only in this state.
        pub state: Option<State>,
    }
}

async fn of_commit(
    at: CodeRequest, asked: Params<OfCommit>, paging: Paging,
) -> Result<Paged<BasicEntity>> {
    let (code, revision) = at.at(Some(asked.sha.as_str()), "Commit").await?;
    let find = move |objects: &Objects| commit(objects, &revision, "Commit");
    let found = at.objects(&code, find).await?;
    let (by, project, state) = (at.caller.clone(), code.project.id, asked.state);
    by.read(move |tx, by| {
        let mut condition = rows::of_commit(project, found.id);
        if let Some(state) = state {
            condition.push(" and merge_requests.state = ", state);
        }
        page(tx, by, condition, paging)
    })
    .await
}

/// How much waits for somebody.
#[derive(Debug, Serialize, JsonSchema)]
struct UserCounts {
    /// Those assigned to them, and those they review.
    merge_requests: i64,
    assigned_issues: i64,
    assigned_merge_requests: i64,
    review_requested_merge_requests: i64,
    todos: i64,
}

async fn counts(by: Caller) -> Result<Ok200<UserCounts>> {
    by.read(|tx, by| {
        let (viewer, user_id) = (&by.viewer, by.viewer.signed_in()?.user.id);
        let me = Some(Has::This(user_id));
        let mine = Alike { assignee: me.clone(), ..Alike::default() };
        let assigned = open(tx, viewer, Marks { alike: mine.clone(), ..Marks::default() })?;
        let reviewed = open(tx, viewer, Marks { reviewer: me, ..Marks::default() })?;
        let waiting = IssueFilter {
            state: Some(IssueState::Opened),
            is: IssueMarks { alike: mine, ..IssueMarks::default() },
            ..IssueFilter::default()
        };
        let everywhere = planning::access::Scope::Everywhere;
        let pending = TodoFilter {
            states: Some(vec![TodoState::Pending]),
            ..TodoFilter::default()
        };
        Ok(Ok200(UserCounts {
            merge_requests: assigned + reviewed,
            assigned_issues: count::<Issue>(tx, viewer, &everywhere, &waiting)?,
            assigned_merge_requests: assigned,
            review_requested_merge_requests: reviewed,
            todos: todos::count(tx, viewer, user_id, &pending)?,
        }))
    })
    .await
}

/// How many open ones that the viewer sees pass.
fn open(tx: &mut Tx<'_>, viewer: &Viewer, is: Marks) -> Result<i64> {
    let filter = Filter {
        state: Some(State::Opened),
        is,
        non_archived: true,
        ..Filter::default()
    };
    count::<MergeRequest>(tx, viewer, &crate::access::Scope::Everywhere, &filter)
}
