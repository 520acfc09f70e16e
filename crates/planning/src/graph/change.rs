//! Mutations that set one thing of an issue.

use super::issue::number;
use super::{EPIC_ID, Moment, caller, writer};
use crate::guarded;
use crate::model::{EscalationStatus, Issue, Severity};
use crate::rules::issues::IssueInput;
use crate::rules::issues::places::{found_signed_in, found_to_write, subscribe};
use crate::rules::issues::requests::find;
use crate::rules::issues::{Assignees, moves};
use identity::users::ids_by_usernames;
use kernel::graph::{
    BOOLEAN, Context, Done, Fault, Graph, HasTypeRef, ID, INT, MutationBuilder, STRING, TIME,
    named, object,
};
use kernel::http::Patch;
use kernel::ids::Reference;
use kernel::time::{Timestamp, date_of};
use spaces::access::find_project;
use std::sync::Arc;

const MOST: usize = 100;

pub struct Changed(Arc<Issue>);

kernel::graph_input! {
    /// The issue that a mutation changes.
    pub struct At {
        /// Full path of the project.
        project_path: String = ID.required(),
        /// Number of the issue.
        iid: String = STRING.required(),
    }
}

impl At {
    pub fn place(&self) -> guarded::Place {
        let project = Reference::Path(self.project_path.clone());
        (project, number(&self.iid))
    }
}

pub fn one<'g>(
    g: &'g mut Graph, name: &'static str, text: &'static str,
) -> MutationBuilder<'g, Changed> {
    g.mutation::<Changed>(name, text)
        .answers("issue", object::<Issue>("Issue"), |it| Some(it.0.clone()))
}

pub fn shown(issue: Issue) -> Done<Changed> {
    Done::from(Changed(Arc::new(issue)))
}

/// Changes an issue as REST does.
pub async fn edit(
    place: guarded::Place, wanted: IssueInput, context: Context,
) -> Result<Done<Changed>, Fault> {
    let (app, _) = caller(&context)?;
    let writer = writer(&context)?;
    let changed = guarded::edit(&app, writer, place, wanted, |_, _, issue| Ok(issue));
    let issue = changed.await?.mutated()?;
    Ok(shown(issue))
}

macro_rules! setters {
    ($g:ident; $($name:literal, $text:literal,
        $input:ident { $(#[doc = $doc:literal])* $field:ident: $ty:ty = $shape:expr },
        |$it:ident| $wanted:expr;)*) => {$(
        kernel::graph_input! {
            struct $input {
                ..at: At,
                $(#[doc = $doc])* $field: $ty = $shape,
            }
        }
        one($g, $name, $text).handle(|$it: $input, context| async move {
            edit($it.at.place(), $wanted, context).await
        });
    )*};
}

pub fn graph(g: &mut Graph) {
    setters! { g;
        "issueSetLocked", "Locks the discussion of an issue, or unlocks it.",
            SetLocked {
                /// Whether only members comment.
                locked: bool = BOOLEAN.required()
            },
            |it| IssueInput { discussion_locked: Patch::Value(it.locked), ..IssueInput::default() };
        "issueSetConfidential", "Makes an issue confidential, or open to all.",
            SetConfidential {
                /// Whether few see it.
                confidential: bool = BOOLEAN.required()
            },
            |it| IssueInput { confidential: Some(it.confidential), ..IssueInput::default() };
        "issueSetDueDate", "Sets the day an issue is due.",
            SetDueDate {
                /// The day; null for none.
                due_date: Option<Moment<Timestamp>> = TIME
            },
            |it| IssueInput { due_on: patch(it.due_date.map(|at| date_of(at.0))), ..IssueInput::default() };
        "issueSetWeight", "Sets how heavy an issue is.",
            SetWeight {
                /// How heavy; null for nothing.
                weight: Option<i64> = INT
            },
            |it| IssueInput { weight: patch(it.weight), ..IssueInput::default() };
        "issueSetEpic", "Puts an issue into an epic, or takes it out.",
            SetEpic {
                /// The epic; null for none.
                epic_id: Option<i64> = EPIC_ID
            },
            |it| IssueInput { epic_id: patch(it.epic_id), ..IssueInput::default() };
        "issueSetSeverity", "Sets how bad an incident is.",
            SetSeverity {
                /// How bad it is.
                severity: String = named("IssuableSeverity").required()
            },
            |it| IssueInput {
                severity: Severity::from_text(&it.severity.to_ascii_lowercase()),
                ..IssueInput::default()
            };
        "issueSetEscalationStatus", "Says how far people are with an incident.",
            SetEscalationStatus {
                /// How far they are.
                status: String = named("IssueEscalationStatus").required()
            },
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

kernel::graph_input! {
    struct SetSubscription {
        ..at: At,
        /// Whether to be told.
        subscribed_state: bool = BOOLEAN.required(),
    }
}

fn subscription(g: &mut Graph) {
    let text = "Has the caller told of an issue, or no longer.";
    one(g, "issueSetSubscription", text).handle(|it: SetSubscription, context| async move {
        let (app, viewer) = caller(&context)?;
        let (project, iid) = it.at.place();
        let work = app.write(move |tx| {
            let (_, issue) = found_signed_in(tx, &viewer, &project, iid)?;
            subscribe(tx, &viewer, &issue, it.subscribed_state)?;
            Ok(issue)
        });
        let issue = work.await?;
        Ok(shown(issue))
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

fn assignees(g: &mut Graph) {
    one(g, "issueSetAssignees", "Sets who is assigned to an issue.").handle(
        |it: SetAssignees, context| async move {
            if it.assignee_usernames.len() > MOST {
                let text = "assigneeUsernames cannot have more than 100 entries";
                return Err(Fault::argument(text));
            }
            let (app, _) = caller(&context)?;
            let names = it.assignee_usernames;
            let ids = app.read(move |tx| ids_by_usernames(tx, &names)).await?;
            let wanted = IssueInput {
                assignees: match it.operation_mode.as_deref() {
                    Some("APPEND") => Assignees::Add(ids),
                    Some("REMOVE") => Assignees::Remove(ids),
                    _ => Assignees::Set(ids),
                },
                ..IssueInput::default()
            };
            edit(it.at.place(), wanted, context).await
        },
    );
}

kernel::graph_input! {
    struct Move {
        ..at: At,
        /// Full path of the project it goes to.
        target_project_path: String = ID.required(),
    }
}

fn moving(g: &mut Graph) {
    one(g, "issueMove", "Moves an issue to another project.").handle(
        |it: Move, context| async move {
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
            Ok(shown(issue))
        },
    );
}
