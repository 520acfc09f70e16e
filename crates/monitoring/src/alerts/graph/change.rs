//! Mutations of alerts: statuses, incidents, to-dos, and who looks after them.

use super::{AlertView, caller, sentences};
use crate::alerts::issues;
use crate::alerts::model::{Alert, Status};
use crate::alerts::rules::alerts::{AlertAccess, authorize};
use crate::alerts::store::arrive::noteable;
use identity::users::find_by_username;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result as Wrote};
use kernel::graph::{
    Context, Done, Fault, Graph, HasTypeRef, ID, MutationBuilder, STRING, named, object,
};
use kernel::graph_input;
use kernel::ids::Reference;
use planning::graph::writer;
use planning::model::Issue;
use planning::store::todos::Todo;
use spaces::access::Purpose;
use std::sync::Arc;
use store::Tx;

const MOST: usize = 100;

struct Changed {
    alert: Arc<AlertView>,
    issue: Option<Arc<Issue>>,
    todo: Option<Arc<Todo>>,
}

graph_input! {
    #[derive(Clone)]
    struct At {
        /// Full path of the project.
        project_path: String = ID.required(),
        /// Number of the alert.
        iid: String = STRING.required(),
    }
}

graph_input! {
    struct SetStatus {
        ..at: At,
        /// What becomes of it.
        status: String = named("AlertManagementStatus").required(),
    }
}

graph_input! {
    struct SetAssignees {
        ..at: At,
        /// The users, of whom the first is kept; at most 100.
        assignee_usernames: Vec<String> = STRING.required().list().required(),
        /// How the set changes.
        operation_mode: Option<String> = named("MutationOperationMode") => "REPLACE",
    }
}

pub fn graph(g: &mut Graph) {
    mutation(g, "updateAlertStatus", "Says what becomes of an alert.").handle(
        |it: SetStatus, context| async move {
            let status = Status::from_text(&it.status.to_ascii_lowercase());
            let status = status.ok_or_else(|| Error::invalid("base", "Invalid status"))?;
            change(it.at, context, move |tx, here| here.set_status(tx, status)).await
        },
    );
    mutation(g, "alertSetAssignees", "Says who looks after an alert.").handle(
        |it: SetAssignees, context| async move {
            if it.assignee_usernames.len() > MOST {
                let text = "assigneeUsernames cannot have more than 100 entries";
                return Err(Fault::argument(text));
            }
            let (names, mode) = (it.assignee_usernames, it.operation_mode);
            change(it.at, context, move |tx, here| {
                let users = assignees(tx, &here.alert, &names, mode.as_deref())?;
                here.assign(tx, &users)
            })
            .await
        },
    );
    mutation(g, "createAlertIssue", "Makes an incident of an alert.").handle(create_issue);
    let text = "Puts an alert among the caller's to-dos.";
    mutation(g, "alertTodoCreate", text).handle(create_todo);
}

fn mutation<'g>(
    g: &'g mut Graph, name: &'static str, text: &'static str,
) -> MutationBuilder<'g, Changed> {
    g.mutation::<Changed>(name, text)
        .answers("alert", object::<AlertView>("AlertManagementAlert"), |it| {
            Some(it.alert.clone())
        })
        .answers("issue", object::<Issue>("Issue"), |it| it.issue.clone())
        .answers("todo", object::<Todo>("Todo"), |it| it.todo.clone())
}

impl At {
    fn place(&self) -> (Reference, i64) {
        let project = Reference::Path(self.project_path.clone());
        (project, self.iid.parse().unwrap_or(0))
    }

    fn authorize(&self, tx: &mut Tx<'_>, viewer: &Viewer) -> Wrote<AlertAccess> {
        let (project, iid) = self.place();
        authorize(tx, viewer, &project, iid, Purpose::ManageAlerts)
    }
}

impl Changed {
    fn new(app: &App, alert: Alert, project: &str) -> Changed {
        Changed {
            alert: Arc::new(AlertView::new(app, alert, project)),
            issue: None,
            todo: None,
        }
    }
}

async fn change(
    at: At, context: Context,
    work: impl Fn(&mut Tx<'_>, &mut AlertAccess) -> Wrote<()> + Send + Sync + 'static,
) -> Result<Done<Changed>, Fault> {
    let (app, viewer) = caller(&context)?;
    let wrote = app.write(move |tx| {
        let mut here = at.authorize(tx, &viewer)?;
        work(tx, &mut here)?;
        Ok((here.alert, here.project.full_path))
    });
    let (alert, project) = wrote.await.map_err(sentences)?;
    Ok(Done::from(Changed::new(&app, alert, &project)))
}

/// Who looks after an alert then: only the first is kept.
fn assignees(
    tx: &mut Tx<'_>, alert: &Alert, names: &[String], mode: Option<&str>,
) -> Wrote<Vec<i64>> {
    match (mode, alert.assignee_id) {
        (Some("APPEND"), Some(present)) => Ok(vec![present]),
        (Some("REMOVE"), None) => Ok(Vec::new()),
        (Some("REMOVE"), Some(present)) => {
            for name in names {
                if find_by_username(tx, name)?.is_some_and(|user| user.id == present) {
                    return Ok(Vec::new());
                }
            }
            Ok(vec![present])
        }
        _ => {
            for name in names {
                if let Some(user) = find_by_username(tx, name)? {
                    return Ok(vec![user.id]);
                }
            }
            match names.is_empty() {
                true => Ok(Vec::new()),
                false => Err(Error::invalid("base", "Assignee has no permissions")),
            }
        }
    }
}

async fn create_issue(at: At, context: Context) -> Result<Done<Changed>, Fault> {
    let (app, _) = caller(&context)?;
    let made = issues::create(&app, writer(&context)?, at.place()).await;
    let made = made.map_err(|error| match error {
        // Said of an alert that the viewer may see.
        Error::Forbidden(text) if !text.is_empty() => sentences(Error::invalid("base", text)),
        other => sentences(other),
    })?;
    let made = made.mutated()?;
    Ok(Done::from(Changed {
        issue: Some(Arc::new(made.issue)),
        ..Changed::new(&app, made.alert, &made.project.full_path)
    }))
}

async fn create_todo(at: At, context: Context) -> Result<Done<Changed>, Fault> {
    let (app, viewer) = caller(&context)?;
    let wrote = app.write(move |tx| {
        let here = at.authorize(tx, &viewer)?;
        let todo = planning::todos::mark(tx, &viewer, noteable(&here.alert))?;
        let pending = "You already have pending todo for this alert";
        let todo = todo.ok_or_else(|| Error::invalid("base", pending))?;
        Ok((here.alert, todo, here.project.full_path))
    });
    let (alert, todo, project) = wrote.await.map_err(sentences)?;
    Ok(Done::from(Changed {
        todo: Some(Arc::new(todo)),
        ..Changed::new(&app, alert, &project)
    }))
}
