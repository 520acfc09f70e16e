//! Mutations that set one thing of a merge request.

use crate::access::{desk_signed_in, desk_to_write, find};
use crate::model::{MergeRequest, as_draft, as_ready};
use crate::rules::edit::edit;
use crate::rules::input::Input;
use crate::rules::places::subscribe;
use crate::rules::rechecks::{recheck, renew};
use crate::store as rows;
use ::store::Tx;
use identity::graph::caller;
use identity::users::ids_by_usernames;
use identity::viewer::Viewer;
use kernel::error::{Error, Found, Result as Outcome};
use kernel::graph::{
    BOOLEAN, Context, Done, Fault, Graph, HasTypeRef, ID, MutationBuilder, STRING, named, object,
};
use kernel::http::{Flat, Patch};
use kernel::ids::Reference;
use planning::access::ProjectAccess;
use planning::graph::{MILESTONE_ID, bounded, number};
use planning::rules::issues::Assignees;
use planning::rules::labelling::Labelling;
use serde_json::Value as Json;
use std::sync::Arc;

pub struct Changed(Arc<MergeRequest>);

kernel::graph_input! {
    /// The merge request that a mutation changes.
    pub struct At {
        /// Full path of the project.
        project_path: String = ID.required(),
        /// Number of the merge request.
        iid: String = STRING.required(),
    }
}

impl At {
    pub fn place(&self) -> (Reference, i64) {
        (Reference::Path(self.project_path.clone()), number(&self.iid))
    }

    /// Does what changes a merge request that the caller sees.
    pub async fn write<R: Send + 'static>(
        &self, context: &Context,
        work: impl Fn(&mut Tx<'_>, &Viewer, &ProjectAccess, &MergeRequest) -> Outcome<R>
        + Send
        + 'static,
    ) -> Result<R, Fault> {
        let (app, viewer) = caller(context)?;
        let (project, iid) = self.place();
        let done = app.write(move |tx| {
            let here = desk_to_write(tx, &viewer, &project)?;
            let request = find(tx, &viewer, &here, iid)?;
            work(tx, &viewer, &here, &request)
        });
        done.await.map_err(in_words)
    }
}

pub fn one<'g>(
    g: &'g mut Graph, name: &'static str, text: &'static str,
) -> MutationBuilder<'g, Changed> {
    g.mutation::<Changed>(name, text).answers(
        "mergeRequest",
        object::<MergeRequest>("MergeRequest"),
        |it| Some(it.0.clone()),
    )
}

/// A refusal in the sentences that REST puts in a form of its own.
pub fn in_words(error: Error) -> Fault {
    let said = match &error {
        Error::Exact(_, body) => body.get("message"),
        _ => None,
    };
    let texts: Vec<String> = match said {
        Some(Json::String(text)) => vec![text.clone()],
        Some(Json::Array(all)) => all.iter().filter_map(Json::as_str).map(str::to_owned).collect(),
        _ => return error.into(),
    };
    Error::Invalid(vec![("base".to_owned(), texts)]).into()
}

/// Changes a merge request as REST does, to what `input` makes of it.
pub async fn edited(
    at: At, context: Context, input: impl Fn(&MergeRequest) -> Input + Send + 'static,
) -> Result<Done<Changed>, Fault> {
    let work = at.write(&context, move |tx, viewer, here, request| {
        let after = edit(tx, viewer, here, request, input(request))?;
        Ok((after.id, after.target_branch != request.target_branch))
    });
    let (id, is_elsewhere) = work.await?;
    settled(&context, id, is_elsewhere).await
}

/// What follows from a change, and the merge request after it.
pub async fn settled(
    context: &Context, id: i64, is_elsewhere: bool,
) -> Result<Done<Changed>, Fault> {
    let (app, viewer) = caller(context)?;
    // What git keeps cannot be undone with the rest of a request; a job is due, too.
    if is_elsewhere && !context.request.atomic {
        renew(&app, &viewer, id).await;
    }
    recheck(&app, &viewer, id).await?;
    shown(context, id).await
}

/// A merge request as it is after what was done to it, whoever sees it.
pub async fn shown(context: &Context, id: i64) -> Result<Done<Changed>, Fault> {
    let (app, _) = caller(context)?;
    let now = app.read(move |tx| rows::by_id(tx, id)?.found("")).await?;
    Ok(Done::from(Changed(Arc::new(now))))
}

pub fn graph(g: &mut Graph) {
    marks(g);
    people(g);
    labels(g);
    subscription(g);
}

kernel::graph_input! {
    struct SetDraft {
        ..at: At,
        /// Whether it is not ready.
        draft: bool = BOOLEAN.required(),
    }
}

kernel::graph_input! {
    struct SetLocked {
        ..at: At,
        /// Whether only members comment.
        locked: bool = BOOLEAN.required(),
    }
}

kernel::graph_input! {
    struct SetMilestone {
        ..at: At,
        /// What it is to be done for; null for nothing.
        milestone_id: Option<i64> = MILESTONE_ID,
    }
}

fn marks(g: &mut Graph) {
    let text = "Marks a merge request as one that is not ready, or as ready.";
    one(g, "mergeRequestSetDraft", text).handle(|it: SetDraft, context| {
        edited(it.at, context, move |request| {
            let title = match it.draft {
                true => as_draft(&request.title),
                false => as_ready(&request.title),
            };
            Input { title: Some(title), ..Input::default() }
        })
    });
    let text = "Locks the discussion of a merge request, or unlocks it.";
    one(g, "mergeRequestSetLocked", text).handle(|it: SetLocked, context| {
        edited(it.at, context, move |_| Input {
            discussion_locked: Patch::Value(it.locked),
            ..Input::default()
        })
    });
    let text = "Says what a merge request is to be done for.";
    one(g, "mergeRequestSetMilestone", text).handle(|it: SetMilestone, context| {
        edited(it.at, context, move |_| Input {
            milestone_id: it.milestone_id.map_or(Patch::Null, Patch::Value),
            ..Input::default()
        })
    });
}

kernel::graph_input! {
    struct SetAssignees {
        ..at: At,
        /// The users; at most 100.
        assignee_usernames: Vec<String> = STRING.required().list().required(),
        /// How the set changes.
        operation_mode: Option<String> = named("MutationOperationMode") => "REPLACE",
    }
}

kernel::graph_input! {
    struct SetReviewers {
        ..at: At,
        /// The users; at most 100.
        reviewer_usernames: Vec<String> = STRING.required().list().required(),
        /// How the set changes.
        operation_mode: Option<String> = named("MutationOperationMode") => "REPLACE",
    }
}

/// The users of these names who are there.
async fn users(context: &Context, names: Vec<String>, argument: &str) -> Result<Vec<i64>, Fault> {
    let names = bounded(Some(names), argument)?;
    let (app, _) = caller(context)?;
    Ok(app.read(move |tx| ids_by_usernames(tx, &names)).await?)
}

fn people(g: &mut Graph) {
    let text = "Sets who is assigned to a merge request.";
    one(g, "mergeRequestSetAssignees", text).handle(|it: SetAssignees, context| async move {
        let ids = users(&context, it.assignee_usernames, "assigneeUsernames").await?;
        let assignees = match it.operation_mode.as_deref() {
            Some("APPEND") => Assignees::Add(ids),
            Some("REMOVE") => Assignees::Remove(ids),
            _ => Assignees::Set(ids),
        };
        let input = Input { assignees, ..Input::default() };
        edited(it.at, context, move |_| input.clone()).await
    });
    let text = "Sets who reviews a merge request.";
    one(g, "mergeRequestSetReviewers", text).handle(|it: SetReviewers, context| async move {
        let ids = users(&context, it.reviewer_usernames, "reviewerUsernames").await?;
        let input = match it.operation_mode.as_deref() {
            Some("APPEND") => Input { add_reviewer_ids: ids, ..Input::default() },
            Some("REMOVE") => Input { remove_reviewer_ids: ids, ..Input::default() },
            _ => Input { reviewer_ids: Some(ids), ..Input::default() },
        };
        edited(it.at, context, move |_| input.clone()).await
    });
}

kernel::graph_input! {
    struct SetLabels {
        ..at: At,
        /// The labels; at most 100.
        label_ids: Vec<i64> = named("LabelID").required().list().required(),
        /// How the set changes.
        operation_mode: Option<String> = named("MutationOperationMode") => "REPLACE",
    }
}

fn labels(g: &mut Graph) {
    let text = "Sets the labels of a merge request.";
    one(g, "mergeRequestSetLabels", text).handle(|it: SetLabels, context| async move {
        let ids = bounded(Some(it.label_ids), "labelIds")?;
        let wears = match it.operation_mode.as_deref() {
            Some("APPEND") => Labelling::also_ids(ids),
            Some("REMOVE") => Labelling { remove_label_ids: ids, ..Labelling::default() },
            _ => Labelling { label_ids: Some(ids), ..Labelling::default() },
        };
        let input = Input { wears: Flat(wears), ..Input::default() };
        edited(it.at, context, move |_| input.clone()).await
    });
}

kernel::graph_input! {
    struct SetSubscription {
        ..at: At,
        /// Whether to be told.
        subscribed_state: bool = BOOLEAN.required(),
    }
}

fn subscription(g: &mut Graph) {
    let text = "Has the caller told of a merge request, or no longer.";
    one(g, "mergeRequestSetSubscription", text).handle(|it: SetSubscription, context| async move {
        let (app, viewer) = caller(&context)?;
        let (project, iid) = it.at.place();
        let work = app.write(move |tx| {
            let here = desk_signed_in(tx, &viewer, &project)?;
            let request = find(tx, &viewer, &here, iid)?;
            subscribe(tx, &viewer, &request, it.subscribed_state)?;
            Ok(request)
        });
        Ok(Done::from(Changed(Arc::new(work.await?))))
    });
}
