//! What becomes of an alert: the forms of its page.

use super::project_of;
use super::show::{AlertForms, FIELDS, render};
use crate::alerts::model::{Alert, Status};
use crate::alerts::rules::alerts as rules;
use crate::alerts::store::alerts as rows;
use identity::pages::refusal::Refusal;
use identity::users::find_by_username;
use identity::viewer::{SignedInViewer, Viewer};
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::html::flash;
use kernel::http::{Paging, Params, RequestContext, Response};
use spaces::Project;
use spaces::access::Purpose;
use spaces::pages::Address;
use std::sync::Arc;
use store::Tx;

kernel::choices! {
    /// What a form asks for.
    pub enum Action {
        /// Another status.
        Status = "status",
        /// Somebody to look after it.
        Assign = "assign",
        /// A to-do of one's own.
        Todo = "todo",
        /// Some quiet.
        Shelve = "shelve",
    }
}

kernel::params! {
    /// What becomes of an alert.
    pub struct ChangeForm {
        /// Number of the alert.
        pub alert_iid: i64,
        /// What to do.
        pub action: Action,
        /// Its status.
        pub status: Option<Status>,
        /// Sign-in name of who looks after it; blank for nobody.
        pub assignee: Option<String>,
        /// For so many seconds.
        pub duration: Option<i64>,
    }
}

pub(super) async fn change(
    app: App,
    viewer: SignedInViewer,
    asked: Arc<RequestContext>,
    form: Params<ChangeForm>,
    paging: Paging,
) -> Result<Response> {
    let Params(form) = form;
    let (viewer, address) = (viewer.viewer(), Address::of(&asked)?);
    let (asker, place, wanted) = (viewer.clone(), address.clone(), form.clone());
    let done = app
        .write(move |tx| {
            let space = place.authorize(tx, &asker, Purpose::ManageAlerts)?;
            let project = project_of(&space)?;
            let alert = rows::find(tx, project.id, wanted.alert_iid)?.found("Alert")?;
            let said = apply(tx, &asker, project, &alert, &wanted)?;
            Ok((alert.path(&project.full_path), said))
        })
        .await;
    match done {
        Ok((path, said)) => flash::done(&app, &path, said),
        Err(error) => {
            let typed = AlertForms {
                assignee: form.assignee,
                refusal: Refusal::of(error, FIELDS)?,
                ..AlertForms::default()
            };
            render(&app, viewer, address, form.alert_iid, paging, typed).await
        }
    }
}

fn apply(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    project: &Project,
    alert: &Alert,
    form: &ChangeForm,
) -> Result<String> {
    Ok(match form.action {
        Action::Status => {
            let status = form.status.ok_or_else(|| Error::missing("status"))?;
            rules::set_status(tx, viewer, project, alert, status)?;
            format!("The alert is {status}.")
        }
        Action::Assign => {
            let name = form.assignee.as_deref().unwrap_or_default().trim();
            let name = name.trim_start_matches('@');
            let users = named(tx, name)?;
            rules::assign(tx, viewer, project, alert, &users)?;
            match users.is_empty() {
                true => "Nobody looks after the alert.".to_owned(),
                false => format!("The alert is assigned to @{name}."),
            }
        }
        Action::Todo => match rules::add_todo(tx, viewer, alert)? {
            true => "The alert is among your to-dos.".to_owned(),
            false => "The alert was among your to-dos already.".to_owned(),
        },
        Action::Shelve => {
            let seconds = form.duration.unwrap_or(rules::SHELVED);
            rules::shelve(tx, viewer, project, alert, seconds)?;
            "The alert is ignored for a while.".to_owned()
        }
    })
}

/// The user of a name; none of a blank one.
fn named(tx: &mut Tx<'_>, name: &str) -> Result<Vec<i64>> {
    if name.is_empty() {
        return Ok(Vec::new());
    }
    match find_by_username(tx, name)? {
        Some(user) => Ok(vec![user.id]),
        None => Err(Error::invalid("assignee", "is not the name of a user")),
    }
}
