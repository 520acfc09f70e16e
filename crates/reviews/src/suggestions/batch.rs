//! Suggestions are applied, all that are asked for by one commit on the source branch. It is
//! noted before the branch moves, so that they are marked applied in the transaction of the
//! push; of two who apply at once, the second finds another file than was looked at.

use super::applying::{apply, by_path};
use super::around::LARGEST;
use super::change::Change;
use super::message::{MessageFacts, Person, author, message};
use super::model::{MOST_APPLIED, Suggestion};
use super::refusal::Refusal;
use super::shown::{Shown, of_notes};
use super::store as rows;
use crate::access::{desk, find};
use crate::model::MergeRequest;
use crate::rules::collaboration::{may_push_source, source_of};
use crate::store::{self, settings};
use crate::talk::thing;
use crate::threads::store as threads;
use ::store::Tx;
use identity::entities::load_basic;
use identity::model::User;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::ids::Reference;
use planning::access::ProjectAccess;
use planning::rules::comments::Talk;
use planning::rules::topic::Topic;
use planning::store::notes::{self, MERGE_REQUEST, Note};
use repositories::edits::{
    self, Action, ActionKind, Author, CHANGED, EditRequest, NOTHING, Refused,
};
use repositories::formats::object_id::ObjectId;
use repositories::formats::ref_name::RefName;
use repositories::model::{Repository, RepositoryKind};
use repositories::objects::{self, EntryKind, Objects, Path};
use repositories::place::Place;
use repositories::store::{of_project, refs};
use spaces::model::Project;
use std::collections::HashMap;

/// Applies suggestions that the viewer sees; `given` is the message of the commit.
///
/// # Errors
///
/// `NotFound` where one of them is not there for the viewer, `Forbidden` for who may not
/// push to the source branch, else those of [`Refusal`].
pub async fn apply_all(
    app: &App, viewer: &Viewer, ids: &[i64], given: Option<String>,
) -> Result<()> {
    viewer.signed_in()?;
    let mut ids = ids.to_vec();
    ids.sort_unstable();
    ids.dedup();
    if ids.is_empty() {
        return Err(Error::Parameters(vec!["ids is empty".into()]));
    }
    if ids.len() > MOST_APPLIED {
        let text = format!("At most {MOST_APPLIED} suggestions are applied at once");
        return Err(Error::BadRequest(text));
    }
    let by = viewer.clone();
    let batch = app.read(move |tx| Batch::find(tx, &by, &ids)).await?;
    let actions = batch.actions(app).await?;
    let request = batch.request(viewer, given.as_deref(), actions)?;
    let (head, noting, ids) = (batch.head, app.clone(), batch.ids.clone());
    let place = Place::code(&batch.source);
    let made = edits::commit_noted(app, viewer, &place, request, move |commit| {
        let (app, ids) = (noting.clone(), ids.clone());
        Box::pin(async move {
            if commit.parents.first() != Some(&head) {
                return Ok(Err(Refused::new(Refusal::FileChanged.text())));
            }
            app.write(move |tx| rows::note_commit(tx, &ids, commit.id)).await?;
            Ok(Ok(()))
        })
    });
    made.await?.map(drop).map_err(in_words)
}

/// Why the commit was not made, as clients read it.
fn in_words(refused: Refused) -> Error {
    if refused.is_forbidden {
        return Error::forbidden("");
    }
    if refused.text == NOTHING {
        return Refusal::SameContent.into();
    }
    match refused.text.starts_with(CHANGED) {
        true => Refusal::FileChanged.into(),
        false => refused.into(),
    }
}

/// Suggestions by their ids, each with its note, unjudged; those that are there.
pub fn by_ids(tx: &mut Tx<'_>, ids: &[i64]) -> Result<(Vec<Shown>, Vec<Note>)> {
    let suggestions = rows::by_ids(tx, ids)?;
    let mut note_ids: Vec<i64> = suggestions.iter().map(|one: &Suggestion| one.note_id).collect();
    note_ids.sort_unstable();
    note_ids.dedup();
    let notes = notes::by_ids(tx, &note_ids)?;
    let notes: Vec<Note> =
        notes.into_iter().filter(|note| note.noteable_type == MERGE_REQUEST).collect();
    let mut discussions: Vec<String> =
        notes.iter().map(|note| note.discussion_id.clone()).collect();
    discussions.sort_unstable();
    discussions.dedup();
    let threads = threads::of_discussions(tx, &discussions)?;
    let all: Vec<&Note> = notes.iter().collect();
    let found = of_notes(tx, &threads, &all)?;
    let mut shown: HashMap<i64, Shown> =
        found.into_values().flatten().map(|one| (one.suggestion.id, one)).collect();
    Ok((ids.iter().filter_map(|id| shown.remove(id)).collect(), notes))
}

/// What is applied, and where.
struct Batch {
    ids: Vec<i64>,
    changes: Vec<Change>,
    /// Who wrote the notes; none of somebody who is gone.
    authors: Vec<Option<User>>,
    source: Project,
    repository: Repository,
    branch: String,
    head: ObjectId,
    target: Project,
    /// The message that the project wants.
    template: Option<String>,
}

impl Batch {
    fn find(tx: &mut Tx<'_>, viewer: &Viewer, ids: &[i64]) -> Result<Batch> {
        let (shown, notes) = by_ids(tx, ids)?;
        if shown.len() != ids.len() {
            return Err(Error::NotFound(""));
        }
        let mut about: Vec<i64> = shown.iter().map(|one| one.request_id).collect();
        about.sort_unstable();
        about.dedup();
        let mut entered = Vec::new();
        for id in about {
            entered.push(enter(tx, viewer, id, &notes)?);
        }
        for (here, request) in &entered {
            here.writable()?;
            if !may_push_source(tx, viewer, request)? {
                return Err(Error::forbidden(""));
            }
        }
        let (here, request) = entered.swap_remove(0);
        let branch = |one: &MergeRequest| (one.source_project_id, one.source_branch.clone());
        if entered.iter().any(|(_, other)| branch(other) != branch(&request)) {
            return Err(Refusal::OtherBranch.into());
        }
        if let Some(refusal) = shown.iter().find_map(|one| one.refusal) {
            return Err(refusal.into());
        }
        let source = source_of(tx, &request)?.found("")?;
        let repository = of_project(tx, source.id, RepositoryKind::Project)?.found("Repository")?;
        let head = head(tx, &repository, &request)?;
        let changes: Vec<Change> = shown.into_iter().map(|one| one.change).collect();
        by_path(&changes)?;
        Ok(Batch {
            ids: ids.to_vec(),
            changes,
            authors: authors(tx, &notes)?,
            source,
            repository,
            branch: request.source_branch.clone(),
            head,
            template: settings::of_project(tx, here.project.id)?.suggestion_commit_message,
            target: here.project,
        })
    }

    /// What is written into each file.
    async fn actions(&self, app: &App) -> Result<Vec<Action>> {
        let (head, changes) = (self.head, self.changes.clone());
        let work = move |objects: &Objects| files(objects, head, &changes);
        Ok(objects::read(app, &self.repository, work).await??)
    }

    /// The commit that applies them.
    fn request(
        &self, viewer: &Viewer, given: Option<&str>, actions: Vec<Action>,
    ) -> Result<EditRequest> {
        let applier = &viewer.signed_in()?.user;
        let by = author(&self.authors.iter().map(id_of).collect::<Vec<_>>(), Some(applier.id));
        let named = |user: &&User| Some(user.id) == by;
        let writer = self.authors.iter().flatten().find(named);
        let others = self.authors.iter().flatten().filter(|user| Some(user.id) != by);
        let others: Vec<Person<'_>> =
            others.map(|user| Person { name: &user.name, email: &user.email }).collect();
        let mut paths: Vec<&str> = self.changes.iter().map(|one| one.path.as_str()).collect();
        paths.sort_unstable();
        paths.dedup();
        let facts = MessageFacts {
            branch_name: &self.branch,
            file_paths: &paths,
            project_name: &self.target.name,
            project_path: &self.target.full_path,
            user_full_name: &applier.name,
            username: &applier.username,
            suggestions_count: self.ids.len(),
            co_authors: &others,
        };
        let message = message(given, self.template.as_deref(), &facts);
        let author = Author {
            name: writer.map(|user| user.name.clone()),
            email: writer.map(|user| user.email.clone()),
        };
        Ok(EditRequest { author, ..EditRequest::new(&self.branch, &message, actions) })
    }
}

fn id_of(user: &Option<User>) -> Option<i64> {
    user.as_ref().map(|user| user.id)
}

/// A merge request and its project, for who sees it and these of its notes.
fn enter(
    tx: &mut Tx<'_>, viewer: &Viewer, id: i64, notes: &[Note],
) -> Result<(ProjectAccess, MergeRequest)> {
    let hidden = |error: Error| match error {
        Error::Forbidden(_) | Error::Moved(_) | Error::NotFound(_) => Error::NotFound(""),
        other => other,
    };
    let request = store::by_id(tx, id)?.found("")?;
    let place = Reference::Id(request.target_project_id);
    let here = desk(tx, viewer, &place).map_err(hidden)?;
    let request = find(tx, viewer, &here, request.iid)?;
    let own = notes.iter().filter(|note| note.noteable_id == id);
    let ids: Vec<i64> = own.map(|note| note.id).collect();
    let mut seen = Talk::new(viewer, &here, Topic::Thing(thing(id))).shown(tx);
    seen.raw(" and").in_list("notes.id", &ids);
    match notes::select(tx, seen)?.len() == ids.len() {
        true => Ok((here, request)),
        false => Err(Error::NotFound("")),
    }
}

/// Where the source branch is: where the notes were followed to.
fn head(tx: &mut Tx<'_>, repository: &Repository, request: &MergeRequest) -> Result<ObjectId> {
    let branch = RefName::branch(&request.source_branch).map_err(|_| Refusal::NoBranch)?;
    let tip = refs::current(tx, repository.id, &[&branch])?.remove(&branch);
    match tip {
        None => Err(Refusal::NoBranch.into()),
        Some(tip) if Some(tip) != request.head_id => Err(Refusal::FileChanged.into()),
        Some(tip) => Ok(tip),
    }
}

/// Who wrote these notes, each once.
fn authors(tx: &mut Tx<'_>, notes: &[Note]) -> Result<Vec<Option<User>>> {
    let mut ids: Vec<Option<i64>> = notes.iter().map(|note| note.author_id).collect();
    ids.sort_unstable();
    ids.dedup();
    let known: Vec<i64> = ids.iter().flatten().copied().collect();
    let mut users = load_basic(tx, &known)?;
    Ok(ids.into_iter().map(|id| users.remove(&id?)).collect())
}

/// The new text of each file.
fn files(
    objects: &Objects, head: ObjectId, changes: &[Change],
) -> Result<Result<Vec<Action>, Refusal>> {
    let tree = objects.commit(head)?.found("Commit")?.tree;
    let files = match by_path(changes) {
        Ok(files) => files,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let mut actions = Vec::with_capacity(files.len());
    for (path, changes) in files {
        let Some((id, content)) = content(objects, tree, path)? else {
            return Ok(Err(Refusal::NoFile));
        };
        match apply(&content, &changes) {
            Ok(made) => actions.push(Action {
                content: Some(made.into()),
                seen: Some(id),
                ..Action::new(ActionKind::Update, path)
            }),
            Err(refusal) => return Ok(Err(refusal)),
        }
    }
    Ok(Ok(actions))
}

fn content(objects: &Objects, tree: ObjectId, path: &str) -> Result<Option<(ObjectId, Vec<u8>)>> {
    let Ok(path) = Path::read(path) else {
        return Ok(None);
    };
    let is_file = |kind: EntryKind| matches!(kind, EntryKind::File | EntryKind::Program);
    let Some(entry) = objects.entry(tree, &path)?.filter(|entry| is_file(entry.kind)) else {
        return Ok(None);
    };
    let content = objects.blob(entry.id, LARGEST)?.and_then(|blob| blob.content);
    Ok(content.map(|content| (entry.id, content)))
}
