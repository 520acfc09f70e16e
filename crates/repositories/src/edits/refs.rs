//! Branches and tags come and go.

use super::landing::{self, Ended};
use super::pack::NewObjects;
use super::{Author, Refused, branch, initialize, pushing, written};
use crate::formats::object_id::ObjectId;
use crate::formats::ref_name::RefName;
use crate::model::Repository;
use crate::objects::{self, Commit};
use crate::store::{self, refs};
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Found, Result};
use spaces::model::Project;

/// Makes a branch where another ref or commit is; its commit.
pub async fn create_branch(
    app: &App, viewer: &Viewer, project: &Project, name: &str, from: &str,
) -> Result<Result<Commit, Refused>> {
    let refused = |text: String| Ok(Err(Refused::new(text)));
    let Some(name) = branch(name) else {
        return refused("Branch name is invalid".into());
    };
    let shown = name.as_branch().unwrap_or_default().to_owned();
    let to = pushing(app, viewer, project).await?;
    let (repository, there) = current(app, to.repository_id, &name).await?;
    if there.is_some() {
        return refused("Branch already exists".into());
    }
    let repository = match is_empty(app, &repository).await? {
        false => repository,
        // There is no ref to begin with before the first branch.
        true => match initialize(app, viewer, project, String::new()).await? {
            Ok(first) if repository.head == name => return Ok(Ok(first)),
            Ok(_) => current(app, to.repository_id, &name).await?.0,
            Err(refused) => return Ok(Err(refused)),
        },
    };
    let Some(commit) = commit_of(app, &repository, from).await? else {
        let from: String = from.chars().take(300).collect();
        return refused(format!(
            "Failed to create branch '{shown}': invalid reference name '{from}'"
        ));
    };
    let none = Some(NewObjects::default());
    match landing::land(app, &to, name, ObjectId::ZERO, commit.id, none).await? {
        Ended::Done => Ok(Ok(commit)),
        Ended::Moved => refused("Branch already exists".into()),
        Ended::Refused(text) if text == landing::CONFLICT => {
            refused(format!("Failed to create branch '{shown}': {text}"))
        }
        Ended::Refused(text) => refused(text),
    }
}

/// A tag to be.
#[derive(Debug, Clone)]
pub struct NewTag {
    pub name: String,
    /// The ref or commit it marks.
    pub target: String,
    /// With one it is annotated.
    pub message: Option<String>,
}

/// Makes a tag.
pub async fn create_tag(
    app: &App, viewer: &Viewer, project: &Project, tag: &NewTag,
) -> Result<Result<RefName, Refused>> {
    let refused = |text: String| Ok(Err(Refused::new(text)));
    if tag.target.is_empty() {
        return refused("Target is empty".into());
    }
    let Ok(name) = RefName::tag(&tag.name) else {
        return refused("Tag name invalid".into());
    };
    let to = pushing(app, viewer, project).await?;
    let (repository, there) = current(app, to.repository_id, &name).await?;
    let exists = || format!("Tag {} already exists", tag.name);
    if there.is_some() {
        return refused(exists());
    }
    let Some(commit) = commit_of(app, &repository, &tag.target).await? else {
        let target: String = tag.target.chars().take(300).collect();
        return refused(format!("Target {target} is invalid"));
    };
    let mut new = NewObjects::default();
    let id = match tag.message.as_deref().filter(|message| !message.trim().is_empty()) {
        Some(message) => {
            if let Err(text) = super::check_size(message, 0) {
                return Ok(Err(text));
            }
            let people = written::person(app, viewer, &Author::default()).await?;
            written::tag(&mut new, commit.id, &tag.name, &people.committer, message)?
        }
        None => commit.id,
    };
    match landing::land(app, &to, name.clone(), ObjectId::ZERO, id, Some(new)).await? {
        Ended::Done => Ok(Ok(name)),
        Ended::Moved => refused(exists()),
        Ended::Refused(text) if text == landing::CONFLICT => refused("Tag name invalid".into()),
        Ended::Refused(text) => refused(text),
    }
}

/// Deletes a branch or tag that points there still; nothing if it is not there.
pub async fn delete_ref(
    app: &App, viewer: &Viewer, project: &Project, name: RefName,
) -> Result<Result<(), Refused>> {
    let to = pushing(app, viewer, project).await?;
    for _ in 0..super::ATTEMPTS {
        let (_, there) = current(app, to.repository_id, &name).await?;
        let Some(there) = there else {
            return Ok(Ok(()));
        };
        match landing::land(app, &to, name.clone(), there, ObjectId::ZERO, None).await? {
            Ended::Done => return Ok(Ok(())),
            Ended::Moved => {}
            Ended::Refused(text) => return Ok(Err(Refused::new(text))),
        }
    }
    Ok(Err(super::moves_on(name.as_str())))
}

async fn is_empty(app: &App, repository: &Repository) -> Result<bool> {
    let id = repository.id;
    Ok(app.read(move |tx| refs::first_branches(tx, id, 1)).await?.is_empty())
}

/// A repository, and where a ref of it points now.
pub(super) async fn current(
    app: &App, repository: i64, name: &RefName,
) -> Result<(Repository, Option<ObjectId>)> {
    let name = name.clone();
    app.read(move |tx| {
        let repository = store::by_id(tx, repository)?.found("Repository")?;
        let found = refs::current(tx, repository.id, &[&name])?;
        Ok((repository, found.get(&name).copied()))
    })
    .await
}

/// The commit that somebody means.
pub(super) async fn commit_of(
    app: &App, repository: &Repository, text: &str,
) -> Result<Option<Commit>> {
    let Some(revision) = objects::revision(app, repository, text).await? else {
        return Ok(None);
    };
    objects::read(app, repository, move |objects| objects.commit_at(&revision)).await
}
