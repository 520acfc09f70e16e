//! The messages that merges get unless other ones are ordered, of many merge requests at
//! once.

use super::closing::closes_any;
use super::merge_words::{Messages, Order, Words, commit_texts};
use super::scene::Scene;
use crate::merging::messages::{CommitText, Context, Named};
use crate::model::{MergeRequest, Settings};
use crate::store::{settings, versions};
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use repositories::formats::object_id::ObjectId;
use repositories::model::{Repository, RepositoryKind};
use repositories::objects::{self, Objects};
use repositories::store::of_projects;
use spaces::access::find_projects;
use spaces::model::Project;
use std::collections::HashMap;

/// Merge requests whose commits are read at once, for messages that name them.
const MOST_READ: usize = 20;

/// A merge request, and what its messages are made of.
struct Draft {
    id: i64,
    /// Of its page.
    path: String,
    context: Context,
    author: Option<Named>,
    settings: Settings,
    /// The newest first; of messages that may name them.
    commits: Vec<ObjectId>,
    repository: Option<Repository>,
}

/// What the commits of a merge say where the viewer words nothing; none where a branch is gone.
///
/// # Errors
///
/// Those of [`of`].
pub async fn usual(app: &App, viewer: &Viewer, scene: &Scene) -> Result<Option<Messages>> {
    if scene.sides.is_none() {
        return Ok(None);
    }
    let messages = of(app, viewer, vec![scene.request.clone()]).await?;
    Ok(messages.into_values().next())
}

/// The messages of these merge requests, by id, as they are if the viewer merges them.
///
/// # Errors
///
/// `Unprocessable` where the commits of too many are to be read; `Unavailable` if too many
/// are busy with repositories.
pub async fn of(
    app: &App, viewer: &Viewer, requests: Vec<MergeRequest>,
) -> Result<HashMap<i64, Messages>> {
    let by = viewer.clone();
    let drafts = app.read(move |tx| drafts(tx, &by, &requests)).await?;
    if drafts.iter().filter(|draft| !draft.commits.is_empty()).count() > MOST_READ {
        let text = format!("No more than {MOST_READ} merge requests are read at once");
        return Err(Error::Unprocessable(text));
    }
    let merger = viewer.user().map(|user| Named::new(&user.name, &user.email));
    let mut messages = HashMap::new();
    for draft in drafts {
        let commits = commits(app, &draft).await?;
        messages.insert(draft.id, draft.messages(app, commits, merger.as_ref()));
    }
    Ok(messages)
}

fn drafts(tx: &mut Tx<'_>, viewer: &Viewer, requests: &[MergeRequest]) -> Result<Vec<Draft>> {
    let ids: Vec<i64> = requests.iter().map(|request| request.id).collect();
    let places: Vec<i64> = requests.iter().map(|request| request.target_project_id).collect();
    let projects: HashMap<i64, Project> =
        find_projects(tx, &places)?.into_iter().map(|one| (one.id, one)).collect();
    let closes = |request: &&MergeRequest| {
        let project = projects.get(&request.target_project_id);
        project.is_some_and(|project| closes_any(project, request))
    };
    let closing: Vec<i64> = requests.iter().filter(closes).map(|request| request.id).collect();
    let words = Words::read(tx, viewer, requests, &closing)?;
    let settings = settings::of_projects(tx, &places)?;
    let newest = versions::latest_of(tx, &ids)?;
    let templated = requests.iter().filter(|request| {
        settings.get(&request.target_project_id).is_some_and(Settings::has_templates)
    });
    let read: Vec<i64> = templated
        .filter_map(|request| newest.get(&request.id))
        .map(|one| one.id)
        .collect();
    let mut commits = versions::commits_of(tx, &read)?;
    let repositories: HashMap<Option<i64>, Repository> =
        of_projects(tx, places, RepositoryKind::Project)?
            .into_iter()
            .map(|one| (one.project_id, one))
            .collect();
    let draft = |request: &MergeRequest| {
        let version = newest.get(&request.id);
        let place = request.target_project_id;
        Draft {
            id: request.id,
            path: request.path(),
            context: words.context(request),
            author: words.author(request),
            settings: settings.get(&place).cloned().unwrap_or_default(),
            commits: version.and_then(|one| commits.remove(&one.id)).unwrap_or_default(),
            repository: repositories.get(&Some(place)).cloned(),
        }
    };
    Ok(requests.iter().map(draft).collect())
}

/// The oldest first.
async fn commits(app: &App, draft: &Draft) -> Result<Vec<CommitText>> {
    let (Some(repository), false) = (&draft.repository, draft.commits.is_empty()) else {
        return Ok(Vec::new());
    };
    let ids = draft.commits.clone();
    let read = move |objects: &Objects| objects.commits(&ids);
    let found = objects::read(app, repository, read).await?;
    Ok(commit_texts(&found))
}

impl Draft {
    fn messages(self, app: &App, commits: Vec<CommitText>, merger: Option<&Named>) -> Messages {
        let Draft { path, context, author, settings, .. } = self;
        let context = Context { url: app.url(&path), commits, ..context };
        Messages::of(context, &settings, &Order::default(), (merger, author.as_ref()))
    }
}
