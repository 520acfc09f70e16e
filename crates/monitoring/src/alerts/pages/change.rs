//! What becomes of an alert: the forms of its page.

use super::show::{AlertForms, AlertPage};
use crate::alerts::model::Status;
use crate::alerts::rules::alerts::{AlertAccess, SHELVED};
use identity::users::find_by_username;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::{Params, Response};
use store::Tx;

kernel::choices! {
    /// What a form asks for.
    pub enum Action {
        Status = "status",
        Assign = "assign",
        Todo = "todo",
        Shelve = "shelve",
    }
}

kernel::params! {
    pub struct ChangeForm {
        pub action: Action,
        pub status: Option<Status>,
        /// Sign-in name of who looks after it; blank for nobody.
        pub assignee: Option<String>,
        /// In seconds.
        pub duration: Option<i64>,
    }
}

pub(super) async fn change(
    app: App, page: AlertPage, form: Params<ChangeForm>,
) -> Result<Response> {
    let Params(form) = form;
    let typed = AlertForms { assignee: form.assignee.clone(), ..AlertForms::default() };
    page.change(&app, typed, move |tx, here| apply(tx, here, &form)).await
}

fn apply(tx: &mut Tx<'_>, here: &mut AlertAccess, form: &ChangeForm) -> Result<String> {
    Ok(match form.action {
        Action::Status => {
            let status = form.status.ok_or_else(|| Error::missing("status"))?;
            here.set_status(tx, status)?;
            format!("The alert is {status}.")
        }
        Action::Assign => {
            let name = form.assignee.as_deref().unwrap_or_default().trim();
            let name = name.trim_start_matches('@');
            let users = named(tx, name)?;
            here.assign(tx, &users)?;
            match users.is_empty() {
                true => "Nobody looks after the alert.".to_owned(),
                false => format!("The alert is assigned to @{name}."),
            }
        }
        Action::Todo => match here.add_todo(tx)? {
            true => "The alert is among your to-dos.".to_owned(),
            false => "The alert was among your to-dos already.".to_owned(),
        },
        Action::Shelve => {
            here.shelve(tx, form.duration.unwrap_or(SHELVED))?;
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
