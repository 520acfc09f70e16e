//! What changes code: commits, branches, tags.

use super::commits::CommitView;
use super::repository::{RepositoryView, views};
use crate::content::{self, NOT_BASE64};
use identity::graph::caller;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Found;
use kernel::graph::{
    BOOLEAN, Context, Done, Fault, Graph, GraphInput, HasTypeRef, ID, MutationBuilder, STRING,
    item, named, object,
};
use kernel::ids::Reference;
use repositories::edits::{self, Action, ActionKind, EditRequest, NewTag, Refused, Start};
use repositories::formats::ref_name::RefName;
use repositories::objects::{self, Commit};
use spaces::access::{Purpose, project};
use spaces::model::Project;
use std::any::Any;
use std::sync::Arc;

/// A branch or tag that was made.
struct NewRef {
    name: String,
    message: Option<String>,
    commit: Arc<CommitView>,
}

/// Nothing is left to be shown.
struct Gone;

kernel::graph_input! {
    /// What is done to one file.
    struct ActionInput {
        /// What is done.
        action: Deed = named("CommitActionMode").required(),
        /// Path of the file.
        file_path: String = STRING.required(),
        /// What it holds.
        content: Option<String> = STRING,
        /// How the content is written.
        encoding: Option<Encoding> = named("CommitEncoding"),
        /// Whether it may be started as a program.
        execute_filemode: Option<bool> = BOOLEAN,
        /// The last commit of the file that is known.
        last_commit_id: Option<String> = STRING,
        /// Where it was, for a move.
        previous_path: Option<String> = STRING,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "UPPERCASE")]
enum Deed {
    Create,
    Update,
    Delete,
    Move,
    Chmod,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "UPPERCASE")]
enum Encoding {
    Text,
    Base64,
}

kernel::graph_input! {
    struct CommitCreate {
        /// Full path of the project.
        project_path: String = ID.required(),
        /// The branch it goes to.
        branch: String = STRING.required(),
        /// The branch that a new one begins with.
        start_branch: Option<String> = STRING,
        /// What it says.
        message: String = STRING.required(),
        /// What is done to files, in turn.
        actions: Vec<ActionInput> = named("CommitAction").required().list().required(),
    }
}

kernel::graph_input! {
    struct RefCreate {
        /// Full path of the project.
        project_path: String = ID.required(),
        /// Its name.
        name: String = STRING.required(),
        /// The branch, tag or commit it begins with.
        target as "ref": String = STRING.required(),
    }
}

kernel::graph_input! {
    struct TagCreate {
        ..made: RefCreate,
        /// What an annotated tag says; others say nothing.
        message: Option<String> = STRING,
    }
}

kernel::graph_input! {
    struct RefDelete {
        /// Full path of the project.
        project_path: String = ID.required(),
        /// Its name.
        name: String = STRING.required(),
    }
}

pub fn graph(g: &mut Graph) {
    let deeds = [
        ("CREATE", "A file is made."),
        ("UPDATE", "A file is changed."),
        ("DELETE", "A file goes."),
        ("MOVE", "A file gets another path."),
        ("CHMOD", "Whether a file may be started as a program."),
    ];
    let deeds = deeds.into_iter().map(|(name, text)| item(name, text)).collect();
    g.enumeration("CommitActionMode", "What is done to a file.", deeds);
    let encodings = vec![item("TEXT", "As it is."), item("BASE64", "In base 64.")];
    g.enumeration("CommitEncoding", "How content is written.", encodings);
    g.input("CommitAction", "What is done to one file.", ActionInput::arguments());
    for (name, text) in [("Branch", "A branch."), ("Tag", "A tag.")] {
        let made = g
            .object::<NewRef>(name, text)
            .value("name", "Its name.", |it| it.name.clone())
            .field("commit", object::<CommitView>("Commit"), |it| Some(it.commit.clone()))
            .describe("The commit it leads to.");
        if name == "Tag" {
            made.value("message", "What it says, if it is annotated.", |it| it.message.clone());
        }
    }
    g.mutation::<CommitView>("commitCreate", "Changes files of a branch by one commit.")
        .answers("commit", object::<CommitView>("Commit"), |it| Some(again(it)))
        .handle(commit);
    making(g, "createBranch", "Makes a branch.", "branch", "Branch").handle(create_branch);
    making(g, "tagCreate", "Makes a tag.", "tag", "Tag").handle(create_tag);
    ending(g, "branchDelete", "Deletes a branch.", "branch", "Branch").handle(
        |it: RefDelete, context| async move {
            let name = RefName::branch(&it.name).ok();
            delete(it, name, "Branch", context).await
        },
    );
    ending(g, "tagDelete", "Deletes a tag.", "tag", "Tag").handle(
        |it: RefDelete, context| async move {
            let name = RefName::tag(&it.name).ok();
            delete(it, name, "Tag", context).await
        },
    );
}

fn again(it: &CommitView) -> Arc<CommitView> {
    Arc::new(CommitView { view: it.view.clone(), commit: it.commit.clone() })
}

/// A mutation that makes a branch or tag.
fn making<'g>(
    g: &'g mut Graph, name: &'static str, about: &'static str, field: &str, ty: &str,
) -> MutationBuilder<'g, Arc<NewRef>> {
    g.mutation::<Arc<NewRef>>(name, about)
        .answers(field, object::<NewRef>(ty), |it| Some(it.clone()))
}

/// A mutation that ends one: null is what is left.
fn ending<'g>(
    g: &'g mut Graph, name: &'static str, about: &'static str, field: &str, ty: &str,
) -> MutationBuilder<'g, Gone> {
    g.mutation::<Gone>(name, about)
        .answers(field, object::<NewRef>(ty), |_| None::<Arc<NewRef>>)
}

/// Somebody and a project they may push to.
struct To {
    app: App,
    viewer: Viewer,
    project: Project,
}

/// Finds the project for pushing. What is pushed stays, whatever becomes of the rest of
/// a request, so it is no part of those that are undone together.
async fn find(context: &Context, path: String) -> Result<To, Fault> {
    if context.request.atomic {
        let text = "Code cannot be changed in a request whose mutations are undone together";
        return Err(Fault::argument(text));
    }
    let (app, viewer) = caller(context)?;
    let reader = viewer.clone();
    let found = app.read(move |tx| project(tx, &reader, &Reference::Path(path), Purpose::PushCode));
    let project = found.await?;
    Ok(To { app, viewer, project })
}

impl To {
    /// The repository as it is after a change.
    async fn view(&self, context: &Context) -> Result<Arc<RepositoryView>, Fault> {
        let found = views(context, vec![self.project.clone()]).await?;
        found.into_iter().flatten().next().ok_or_else(Fault::not_available)
    }
}

fn refused<P: Any>(refused: Refused) -> Done<P> {
    Done { errors: vec![refused.text], payload: None }
}

impl ActionInput {
    fn action(self) -> Result<Action, Fault> {
        let needed = match self.action {
            Deed::Update if self.content.is_none() => Some("content"),
            Deed::Move if self.previous_path.is_none() => Some("previousPath"),
            Deed::Chmod if self.execute_filemode.is_none() => Some("executeFilemode"),
            _ => None,
        };
        if let Some(needed) = needed {
            return Err(Fault::argument(format!("{needed} is missing")));
        }
        let kind = match self.action {
            Deed::Create => ActionKind::Create,
            Deed::Update => ActionKind::Update,
            Deed::Delete => ActionKind::Delete,
            Deed::Move => ActionKind::Move,
            Deed::Chmod => ActionKind::Chmod,
        };
        let is_base64 = self.encoding == Some(Encoding::Base64);
        let content = self.content.map(|text| {
            content::decoded(&text, is_base64).ok_or_else(|| Fault::argument(NOT_BASE64))
        });
        let checks = !matches!(kind, ActionKind::Create | ActionKind::Chmod);
        Ok(Action {
            previous_path: self.previous_path.filter(|_| kind == ActionKind::Move),
            content: content.transpose()?,
            is_program: self.execute_filemode,
            last_commit_id: self.last_commit_id.filter(|id| checks && !id.is_empty()),
            ..Action::new(kind, self.file_path)
        })
    }
}

async fn commit(input: CommitCreate, context: Context) -> Result<Done<CommitView>, Fault> {
    let to = find(&context, input.project_path).await?;
    let actions = input.actions.into_iter().map(ActionInput::action);
    let actions = actions.collect::<Result<Vec<_>, Fault>>()?;
    let request = EditRequest {
        start: input.start_branch.filter(|name| !name.is_empty()).map(Start::Branch),
        may_be_empty: true,
        ..EditRequest::new(&input.branch, &input.message, actions)
    };
    match edits::commit(&to.app, &to.viewer, &to.project, request).await? {
        Ok(commit) => Ok(CommitView { view: to.view(&context).await?, commit }.into()),
        Err(why) => Ok(refused(why)),
    }
}

async fn create_branch(input: RefCreate, context: Context) -> Result<Done<Arc<NewRef>>, Fault> {
    let to = find(&context, input.project_path).await?;
    let made =
        edits::create_branch(&to.app, &to.viewer, &to.project, &input.name, &input.target).await?;
    match made {
        Ok(commit) => made_of(&to, &context, input.name, None, commit).await,
        Err(why) => Ok(refused(why)),
    }
}

async fn create_tag(input: TagCreate, context: Context) -> Result<Done<Arc<NewRef>>, Fault> {
    let RefCreate { project_path, name, target } = input.made;
    let to = find(&context, project_path).await?;
    let message = input.message.filter(|text| !text.trim().is_empty());
    let tag = NewTag { name, target, message };
    let found = match edits::create_tag(&to.app, &to.viewer, &to.project, &tag).await? {
        Ok(found) => found,
        Err(why) => return Ok(refused(why)),
    };
    let repository = to.view(&context).await?.repository.clone().found("Repository")?;
    let commit = match objects::revision(&to.app, &repository, found.as_str()).await? {
        Some(revision) => {
            let read = move |objects: &objects::Objects| objects.commit_at(&revision);
            objects::read(&to.app, &repository, read).await?
        }
        None => None,
    };
    made_of(&to, &context, tag.name, tag.message, commit.found("Tag")?).await
}

async fn made_of(
    to: &To, context: &Context, name: String, message: Option<String>, commit: Commit,
) -> Result<Done<Arc<NewRef>>, Fault> {
    let commit = Arc::new(CommitView { view: to.view(context).await?, commit });
    Ok(Arc::new(NewRef { name, message, commit }).into())
}

async fn delete(
    input: RefDelete, name: Option<RefName>, thing: &'static str, context: Context,
) -> Result<Done<Gone>, Fault> {
    let to = find(&context, input.project_path).await?;
    let name = name.found(thing)?;
    let view = to.view(&context).await?;
    let repository = view.repository.clone().found(thing)?;
    if objects::revision(&to.app, &repository, name.as_str()).await?.is_none() {
        return Err(Fault::not_available());
    }
    match edits::delete_ref(&to.app, &to.viewer, &to.project, name).await? {
        Ok(()) => Ok(Gone.into()),
        Err(why) => Ok(refused(why)),
    }
}
