//! How a merge is made: what was ordered of it, what its project wants, and its messages.

use super::closing::closes_any;
use super::scene::Scene;
use super::sides::Sides;
use crate::approvals::store::given;
use crate::merging::messages::{CommitText, Context, Named, merge_message, squash_message};
use crate::merging::methods::{Method, Squash, Wish};
use crate::model::{MergeRequest, ReviewState, Reviewer, Settings, SquashOption, Version};
use crate::store::{closing, people, versions};
use ::store::Tx;
use identity::entities::load_basic;
use identity::model::User;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use planning::model::Issue;
use planning::store::issues::visible_by_ids;
use repositories::edits::merges::People;
use repositories::objects::{self, Commit, Objects, Person};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::slice::from_ref;

/// What somebody says with a merge; it is kept where that is made later.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// The head as they know it.
    pub sha: Option<String>,
    pub merge_commit_message: Option<String>,
    pub squash_commit_message: Option<String>,
}

/// What rows tell about the words of a merge.
struct Told {
    author: Option<User>,
    context: Context,
    commits: Vec<repositories::formats::object_id::ObjectId>,
}

/// How a merge request is merged by somebody.
///
/// # Errors
///
/// `Unavailable` if too many are busy with repositories.
pub async fn wish(
    app: &App, viewer: &Viewer, scene: &Scene, sides: &Sides, (order, by): (&Order, &People),
) -> Result<Wish> {
    let method = Method::from_text(&scene.project.merge_method).unwrap_or(Method::Merge);
    let is_squashed = SquashOption::of(&scene.project.squash_option).decides(scene.request.squash);
    let Told { author, mut context, commits } = tell(app, viewer, scene).await?;
    context.url = app.url(&scene.request.path());
    if scene.settings.has_templates() {
        let read = move |objects: &Objects| objects.commits(&commits);
        let found = objects::read(app, &sides.target, read).await?;
        context.commits = commit_texts(&found);
    }
    let author = author.map_or_else(
        || by.committer.clone(),
        |user| Person { name: user.name, email: user.email, ..by.committer.clone() },
    );
    let (merger, owner) = (named_person(&by.committer), named_person(&author));
    let people = (Some(&merger), Some(&owner));
    let Messages { merge, squash } = Messages::of(context, &scene.settings, order, people);
    let given = order.squash_commit_message.as_deref();
    let squash = is_squashed.then(|| Squash {
        message: squash,
        is_worded: given.is_some_and(|text| !text.trim().is_empty()),
        author,
    });
    let start = scene.version.as_ref().map_or(sides.heads.target, |version| version.start_id);
    let rebases = scene.settings.automatic_rebase;
    Ok(Wish { method, start, squash, message: merge, rebases })
}

/// What the commits of a merge say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Messages {
    pub merge: String,
    /// Of the one commit in place of many.
    pub squash: String,
}

impl Messages {
    /// As somebody merges what somebody else made, in whose name the one commit is.
    pub(super) fn of(
        context: Context, settings: &Settings, order: &Order,
        (merger, author): (Option<&Named>, Option<&Named>),
    ) -> Messages {
        let of_merge = Context { merger: merger.cloned(), author: merger.cloned(), ..context };
        let template = settings.merge_commit_template.as_deref();
        let merge = merge_message(order.merge_commit_message.as_deref(), template, &of_merge);
        let of_squash = Context { author: author.or(merger).cloned(), ..of_merge };
        let template = settings.squash_commit_template.as_deref();
        let given = order.squash_commit_message.as_deref();
        Messages { merge, squash: squash_message(given, template, &of_squash) }
    }
}

async fn tell(app: &App, viewer: &Viewer, scene: &Scene) -> Result<Told> {
    let (request, version, viewer) = (scene.request.clone(), scene.version.clone(), viewer.clone());
    let closes = closes_any(&scene.project, &request);
    app.read(move |tx| told(tx, &viewer, &request, version.as_ref(), closes)).await
}

fn told(
    tx: &mut Tx<'_>, viewer: &Viewer, request: &MergeRequest, version: Option<&Version>,
    closes: bool,
) -> Result<Told> {
    let closing = if closes { vec![request.id] } else { Vec::new() };
    let mut words = Words::read(tx, viewer, from_ref(request), &closing)?;
    let commits = match version {
        Some(version) => versions::commits(tx, version.id)?,
        None => Vec::new(),
    };
    let context = words.context(request);
    Ok(Told { author: words.take_author(request), context, commits })
}

/// The open issues that go with it and that the viewer sees, as its project names them.
pub fn named_closing(
    tx: &mut Tx<'_>, viewer: &Viewer, request: &MergeRequest,
) -> Result<Vec<(String, Issue)>> {
    let found = closed(tx, viewer, &[request.id])?.remove(&request.id).unwrap_or_default();
    Ok(found.into_iter().map(|issue| (name_of(request, &issue), issue)).collect())
}

/// What rows tell about the words of merges, read for many merge requests at once.
pub(super) struct Words {
    reviewers: HashMap<i64, Vec<i64>>,
    approvers: HashMap<i64, Vec<i64>>,
    users: HashMap<i64, User>,
    closes: HashMap<i64, Vec<Issue>>,
}

impl Words {
    /// Issues are told of those whose merge closes any.
    pub(super) fn read(
        tx: &mut Tx<'_>, viewer: &Viewer, requests: &[MergeRequest], closing: &[i64],
    ) -> Result<Words> {
        let ids: Vec<i64> = requests.iter().map(|request| request.id).collect();
        let spoken = |all: Vec<Reviewer>| -> Vec<i64> {
            all.iter().filter(|one| has_spoken(one)).map(|one| one.user_id).collect()
        };
        let reviewers = people::reviewers_of(tx, &ids)?.into_iter();
        let reviewers: HashMap<i64, Vec<i64>> =
            reviewers.map(|(id, all)| (id, spoken(all))).collect();
        let given = given::of(tx, &ids)?.into_iter();
        let approvers: HashMap<i64, Vec<i64>> = given
            .map(|(id, all)| (id, all.iter().map(|one| one.user_id).collect()))
            .collect();
        let named = reviewers.values().chain(approvers.values()).flatten().copied();
        let named: Vec<i64> =
            named.chain(requests.iter().filter_map(|request| request.author_id)).collect();
        Ok(Words {
            users: load_basic(tx, &named)?,
            closes: closed(tx, viewer, closing)?,
            reviewers,
            approvers,
        })
    }

    /// What the variables of its messages stand for, apart from commits and who merges.
    pub(super) fn context(&self, request: &MergeRequest) -> Context {
        let of = |people: &HashMap<i64, Vec<i64>>| {
            people.get(&request.id).map(|ids| named(&self.users, ids)).unwrap_or_default()
        };
        let closes = self.closes.get(&request.id).into_iter().flatten();
        Context {
            source_branch: request.source_branch.clone(),
            target_branch: request.target_branch.clone(),
            title: request.title.clone(),
            description: request.text().to_owned(),
            closes: closes.map(|issue| name_of(request, issue)).collect(),
            full_reference: format!("{}{}", request.project_path, request.reference()),
            local_reference: request.reference(),
            source_project_id: request.source_project_id,
            reviewers: of(&self.reviewers),
            approvers: of(&self.approvers),
            ..Context::default()
        }
    }

    /// Who made it, as messages name them.
    pub(super) fn author(&self, request: &MergeRequest) -> Option<Named> {
        let user = self.users.get(&request.author_id?)?;
        Some(Named::new(&user.name, &user.email))
    }

    fn take_author(&mut self, request: &MergeRequest) -> Option<User> {
        self.users.remove(&request.author_id?)
    }
}

/// Whether a reviewer said something.
fn has_spoken(reviewer: &Reviewer) -> bool {
    !matches!(reviewer.state, ReviewState::Unreviewed | ReviewState::ReviewStarted)
}

/// The open issues that go with each of these merge requests and that the viewer sees.
fn closed(tx: &mut Tx<'_>, viewer: &Viewer, requests: &[i64]) -> Result<HashMap<i64, Vec<Issue>>> {
    if requests.is_empty() {
        return Ok(HashMap::new());
    }
    let closing = closing::of_requests(tx, requests)?;
    let ids: Vec<i64> = closing.values().flatten().copied().collect();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let found = visible_by_ids(tx, viewer, &ids)?;
    let open = |ids: Vec<i64>| -> Vec<Issue> {
        found
            .iter()
            .filter(|it| it.is_open() && ids.contains(&it.id))
            .cloned()
            .collect()
    };
    Ok(closing.into_iter().map(|(request, ids)| (request, open(ids))).collect())
}

/// An issue as the project of a merge request names it.
fn name_of(request: &MergeRequest, issue: &Issue) -> String {
    match issue.project_id == request.target_project_id {
        true => format!("#{}", issue.iid),
        false => format!("{}#{}", issue.project_path, issue.iid),
    }
}

fn named(users: &HashMap<i64, User>, ids: &[i64]) -> Vec<Named> {
    let found = ids.iter().filter_map(|id| users.get(id));
    found.map(|user| Named::new(&user.name, &user.email)).collect()
}

fn named_person(person: &Person) -> Named {
    Named::new(&person.name, &person.email)
}

/// Commits, the newest first, as messages name them, the oldest first.
pub fn commit_texts(commits: &[Commit]) -> Vec<CommitText> {
    let text = |commit: &Commit| CommitText {
        message: commit.message.clone(),
        author: named_person(&commit.author),
        is_merge: commit.parents.len() > 1,
    };
    commits.iter().rev().map(text).collect()
}
