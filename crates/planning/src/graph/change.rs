//! Mutations that set one thing of an issue.

use super::issue::number;
use super::{IssueView, Moment, caller, writer};
use crate::guarded;
use crate::model::{EscalationStatus, Severity};
use crate::rules::issues::IssueInput;
use crate::rules::issues::places::{found_signed_in, found_to_write, subscribe};
use crate::rules::issues::requests::find;
use crate::rules::issues::{Assignees, moves};
use identity::users::ids_by_usernames;
use kernel::graph::{
    Argument, BOOLEAN, Context, Done, Fault, Graph, HasTypeRef, ID, INT, MutationBuilder, STRING,
    TIME, argument, named, object,
};
use kernel::http::Patch;
use kernel::ids::Reference;
use kernel::time::{Timestamp, date_of};
use serde::Deserialize;
use spaces::access::find_project;
use std::sync::Arc;

/// Most users named at once.
const MOST: usize = 100;

/// What a mutation of an issue shows.
pub struct Changed(pub Arc<IssueView>);

/// The issue that a mutation changes.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct At {
    project_path: String,
    iid: String,
}

impl At {
    pub fn place(&self) -> guarded::Place {
        let project = Reference::Path(self.project_path.clone());
        (project, number(&self.iid))
    }
}

/// A mutation of one issue.
pub fn one<'g>(
    g: &'g mut Graph,
    name: &'static str,
    text: &'static str,
) -> MutationBuilder<'g, Changed> {
    g.mutation::<Changed>(name, text)
        .input(said(
            "projectPath",
            ID.required(),
            "Full path of the project.",
        ))
        .input(said("iid", STRING.required(), "Number of the issue."))
        .answers("issue", object::<IssueView>("Issue"), |it| {
            Some(it.0.clone())
        })
}

pub fn said(name: &str, shape: impl HasTypeRef, text: &str) -> Argument {
    argument(name, shape).describe(text)
}

/// Changes an issue as REST does.
pub async fn edit(
    place: guarded::Place,
    wanted: IssueInput,
    context: Context,
) -> Result<Done<Changed>, Fault> {
    let (app, _) = caller(&context)?;
    let writer = writer(&context)?;
    let changed = guarded::edit(&app, writer, place, wanted, |_, _, issue| Ok(issue));
    let issue = changed.await?.mutated()?;
    Ok(Done::from(Changed(Arc::new(IssueView::new(&app, issue)))))
}

macro_rules! setters {
    ($g:ident; $($name:literal, $text:literal, $input:ident { $field:ident: $ty:ty },
        $argument:expr, |$it:ident| $wanted:expr;)*) => {$(
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct $input {
            #[serde(flatten)]
            at: At,
            $field: $ty,
        }
        one($g, $name, $text)
            .input($argument)
            .run(|$it: $input, context| async move {
                edit($it.at.place(), $wanted, context).await
            });
    )*};
}

pub fn graph(g: &mut Graph) {
    setters! { g;
        "issueSetLocked", "Locks the discussion of an issue, or unlocks it.",
            SetLocked { locked: bool },
            said("locked", BOOLEAN.required(), "Whether only members comment."),
            |it| IssueInput { discussion_locked: Patch::Value(it.locked), ..IssueInput::default() };
        "issueSetConfidential", "Makes an issue confidential, or open to all.",
            SetConfidential { confidential: bool },
            said("confidential", BOOLEAN.required(), "Whether few see it."),
            |it| IssueInput { confidential: Some(it.confidential), ..IssueInput::default() };
        "issueSetDueDate", "Sets the day an issue is due.",
            SetDueDate { due_date: Option<Moment<Timestamp>> },
            said("dueDate", TIME, "The day; null for none."),
            |it| IssueInput { due_on: patch(it.due_date.map(|at| date_of(at.0))), ..IssueInput::default() };
        "issueSetWeight", "Sets how heavy an issue is.",
            SetWeight { weight: Option<i64> },
            said("weight", INT, "How heavy; null for nothing."),
            |it| IssueInput { weight: patch(it.weight), ..IssueInput::default() };
        "issueSetSeverity", "Sets how bad an incident is.",
            SetSeverity { severity: String },
            said("severity", named("IssuableSeverity").required(), "How bad it is."),
            |it| IssueInput {
                severity: Severity::from_text(&it.severity.to_ascii_lowercase()),
                ..IssueInput::default()
            };
        "issueSetEscalationStatus", "Says how far people are with an incident.",
            SetEscalationStatus { status: String },
            said("status", named("IssueEscalationStatus").required(), "How far they are."),
            |it| IssueInput {
                escalation_status: EscalationStatus::from_text(&it.status.to_ascii_lowercase()),
                ..IssueInput::default()
            };
    }
    subscription(g);
    assignees(g);
    moving(g);
}

/// What is set, or removed by null.
fn patch<T>(value: Option<T>) -> Patch<T> {
    value.map_or(Patch::Null, Patch::Value)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SetSubscription {
    #[serde(flatten)]
    at: At,
    subscribed_state: bool,
}

fn subscription(g: &mut Graph) {
    let text = "Has the caller told of an issue, or no longer.";
    one(g, "issueSetSubscription", text)
        .input(said(
            "subscribedState",
            BOOLEAN.required(),
            "Whether to be told.",
        ))
        .run(|it: SetSubscription, context| async move {
            let (app, viewer) = caller(&context)?;
            let (project, iid) = it.at.place();
            let work = app.write(move |tx| {
                let (_, issue) = found_signed_in(tx, &viewer, &project, iid)?;
                subscribe(tx, &viewer, &issue, it.subscribed_state)?;
                Ok(issue)
            });
            let issue = work.await?;
            Ok(Done::from(Changed(Arc::new(IssueView::new(&app, issue)))))
        });
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SetAssignees {
    #[serde(flatten)]
    at: At,
    assignee_usernames: Vec<String>,
    operation_mode: Option<String>,
}

fn assignees(g: &mut Graph) {
    one(g, "issueSetAssignees", "Sets who is assigned to an issue.")
        .input(said(
            "assigneeUsernames",
            STRING.required().list().required(),
            "The users; at most 100.",
        ))
        .input(
            said(
                "operationMode",
                named("MutationOperationMode"),
                "How the set changes.",
            )
            .default("REPLACE"),
        )
        .run(|it: SetAssignees, context| async move {
            if it.assignee_usernames.len() > MOST {
                let text = "assigneeUsernames cannot have more than 100 entries";
                return Err(Fault::argument(text));
            }
            let (app, _) = caller(&context)?;
            let names = it.assignee_usernames;
            let ids = app.read(move |tx| ids_by_usernames(tx, &names)).await?;
            let wanted = IssueInput {
                assignees: Some(match it.operation_mode.as_deref() {
                    Some("APPEND") => Assignees::Add(ids),
                    Some("REMOVE") => Assignees::Remove(ids),
                    _ => Assignees::Set(ids),
                }),
                ..IssueInput::default()
            };
            edit(it.at.place(), wanted, context).await
        });
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Move {
    #[serde(flatten)]
    at: At,
    target_project_path: String,
}

fn moving(g: &mut Graph) {
    one(g, "issueMove", "Moves an issue to another project.")
        .input(said(
            "targetProjectPath",
            ID.required(),
            "Full path of the project it goes to.",
        ))
        .run(|it: Move, context| async move {
            let (app, viewer) = caller(&context)?;
            let (project, iid) = it.at.place();
            let target = Reference::Path(it.target_project_path);
            let work = app.write(move |tx| {
                let (desk, issue) = found_to_write(tx, &viewer, &project, iid)?;
                // A project that is not there is refused as one that is hidden.
                let to = find_project(tx, &target)?.map_or(0, |to| to.id);
                let made = moves::relocate(tx, &viewer, &desk, &issue, to)?;
                let there = Reference::Id(made.project_id);
                let desk = crate::access::desk(tx, &viewer, &there)?;
                find(tx, &viewer, &desk, made.iid)
            });
            let issue = work.await?;
            Ok(Done::from(Changed(Arc::new(IssueView::new(&app, issue)))))
        });
}
