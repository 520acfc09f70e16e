//! What people do with an alert.

use super::incidents;
use crate::access::may_look_after;
use crate::alerts::model::{Alert, Status};
use crate::alerts::store::alerts as rows;
use crate::alerts::store::arrive::{ALERT, noteable};
use crate::on_call::rules::escalation;
use identity::entities::load_basic;
use identity::viewer::Viewer;
use jiff::{SignedDuration, Timestamp};
use kernel::audit;
use kernel::error::{Error, Found, Result};
use kernel::ids::Reference;
use planning::model::Issue;
use planning::todos::{Action, NewTodo};
use planning::{notes, todos};
use serde_json::json;
use spaces::Project;
use spaces::access::Purpose;
use store::Tx;

/// How long an alert is shelved unless said otherwise, in seconds.
pub const SHELVED: i64 = 7_200;
/// Longest time for which an alert is shelved, in seconds.
const MAX_SHELVED: i64 = 30 * 24 * 3_600;
/// What is said when a status cannot be left because an equal alert is open.
pub const DUPLICATE: &str = "An alert with the same fingerprint is already open. To change the \
    status of this alert, resolve the linked alert.";

/// The project with the alert of this number, for somebody who may do this
/// with alerts.
pub fn authorize(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    project: &Reference,
    iid: i64,
    purpose: Purpose,
) -> Result<(Project, Alert)> {
    let project = spaces::project(tx, viewer, project, purpose)?;
    let alert = rows::find(tx, project.id, iid)?.found("Alert")?;
    Ok((project, alert))
}

impl Alert {
    /// Path of its page.
    pub fn path(&self, project: &str) -> String {
        format!("/{project}/-/alert_management/{}/details", self.iid)
    }

    /// Address of its page.
    pub fn web_url(&self, base_url: &str, project: &str) -> String {
        format!("{base_url}{}", self.path(project))
    }

    /// As texts refer to it.
    pub fn reference(&self) -> String {
        format!("^alert#{}", self.iid)
    }
}

/// Says what becomes of an alert; what it is then. An equal alert that is
/// open forbids to open this one again: [`duplicate`] names it.
pub fn set_status(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    project: &Project,
    alert: &Alert,
    status: Status,
) -> Result<Alert> {
    if alert.status == status {
        return Ok(alert.clone());
    }
    let actor = viewer.signed_in()?.user.id;
    if !alert.status.is_open() && duplicate(tx, alert)?.is_some() {
        return Err(Error::invalid("status", DUPLICATE));
    }
    let ended_at = (!status.is_open()).then(|| tx.now());
    rows::set_status(tx, alert.id, status, ended_at, None)?;
    escalation::follow(tx, alert, status)?;
    let text = format!("changed the status to **{}**", status.label());
    notes::system(tx, noteable(alert), Some(actor), &text)?;
    if status == Status::Resolved {
        todos::close_for(tx, Some(actor), noteable(alert))?;
    }
    record(tx, viewer, project, alert, json!({"status": status}))?;
    rows::by_id(tx, alert.id)?.found("Alert")
}

/// The open alert that stands in the way of opening this one again.
pub fn duplicate(tx: &mut Tx<'_>, alert: &Alert) -> Result<Option<Alert>> {
    rows::other_open(tx, alert)
}

/// Ignores an alert for a while: then it is triggered again.
pub fn shelve(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    project: &Project,
    alert: &Alert,
    seconds: i64,
) -> Result<Alert> {
    if !(60..=MAX_SHELVED).contains(&seconds) {
        let text = format!("must be between 60 and {MAX_SHELVED} seconds");
        return Err(Error::invalid("duration", text));
    }
    if !alert.status.is_open() {
        return Err(Error::invalid("status", "is resolved already"));
    }
    let actor = viewer.signed_in()?.user.id;
    let until = tx.now().checked_add(SignedDuration::from_secs(seconds));
    let until = until.map_err(Error::internal)?;
    rows::set_status(tx, alert.id, Status::Ignored, None, Some(until))?;
    let text = format!("shelved it until {}", kernel::time::wire::text(until));
    notes::system(tx, noteable(alert), Some(actor), &text)?;
    record(
        tx,
        viewer,
        project,
        alert,
        json!({"shelved_until": kernel::time::wire::text(until)}),
    )?;
    rows::by_id(tx, alert.id)?.found("Alert")
}

/// Takes an alert whose time has come from the shelf.
pub fn unshelve(tx: &mut Tx<'_>, alert: &Alert, bot: i64) -> Result<()> {
    rows::set_status(tx, alert.id, Status::Triggered, None, None)?;
    escalation::follow(tx, alert, Status::Triggered)?;
    notes::system(
        tx,
        noteable(alert),
        Some(bot),
        "changed the status to **Triggered**",
    )?;
    Ok(())
}

/// Ends an alert that nobody sends any more.
pub fn expire(tx: &mut Tx<'_>, alert: &Alert, bot: i64, at: Timestamp) -> Result<()> {
    rows::set_status(tx, alert.id, Status::Resolved, Some(at), None)?;
    let text = "changed the status to **Resolved** because it was sent no more";
    notes::system(tx, noteable(alert), Some(bot), text)?;
    Ok(())
}

/// Says who looks after an alert: the first of these, or nobody. Who may not
/// see alerts cannot.
pub fn assign(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    project: &Project,
    alert: &Alert,
    users: &[i64],
) -> Result<Alert> {
    let actor = viewer.signed_in()?.user.id;
    let wanted = users.first().copied();
    if wanted == alert.assignee_id {
        return Ok(alert.clone());
    }
    let both: Vec<i64> = [wanted, alert.assignee_id].into_iter().flatten().collect();
    let known = load_basic(tx, &both)?;
    if let Some(id) = wanted {
        let may = match known.get(&id) {
            Some(user) => may_look_after(tx, user, project)?,
            None => false,
        };
        if !may {
            return Err(Error::invalid("assignee", "Assignee has no permissions"));
        }
    }
    rows::set_assignee(tx, alert.id, wanted)?;
    let name = |id: &Option<i64>| {
        id.and_then(|id| known.get(&id))
            .map(|user| format!("@{}", user.username))
    };
    let said = [
        name(&wanted).map(|name| format!("assigned to {name}")),
        name(&alert.assignee_id).map(|name| format!("unassigned {name}")),
    ];
    let said: Vec<String> = said.into_iter().flatten().collect();
    notes::system(tx, noteable(alert), Some(actor), &said.join(" and "))?;
    if let Some(user_id) = wanted {
        todos::create(tx, &todo(alert, user_id, actor, Action::Assigned))?;
    }
    record(tx, viewer, project, alert, json!({"assignee": wanted}))?;
    rows::by_id(tx, alert.id)?.found("Alert")
}

fn todo(alert: &Alert, user_id: i64, author_id: i64, action: Action) -> NewTodo {
    NewTodo {
        user_id,
        author_id: Some(author_id),
        action,
        target: noteable(alert),
        note_id: None,
    }
}

/// Gives the viewer an alert to look at; false if they have it already.
pub fn add_todo(tx: &mut Tx<'_>, viewer: &Viewer, alert: &Alert) -> Result<bool> {
    let own = viewer.signed_in()?.user.id;
    todos::create(tx, &todo(alert, own, own, Action::Marked))
}

/// Makes an incident of an alert that has none, under the viewer's name.
pub fn create_issue(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    base_url: &str,
    project: &Project,
    alert: &Alert,
) -> Result<Issue> {
    let author = viewer.signed_in()?.user.id;
    may_become_issue(project, alert)?;
    incidents::create(tx, base_url, project, alert, author)
}

/// Refuses an incident where there are no issues, or a second one.
pub fn may_become_issue(project: &Project, alert: &Alert) -> Result<()> {
    if project.archived || project.feature("issues") == "disabled" {
        return Err(Error::forbidden("You have no permissions"));
    }
    match alert.issue_id {
        Some(_) => Err(Error::invalid("issue", "An issue already exists")),
        None => Ok(()),
    }
}

/// Records what a user did to an alert.
fn record(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    project: &Project,
    alert: &Alert,
    details: serde_json::Value,
) -> Result<()> {
    let name = format!("{}{}", project.full_path, alert.reference());
    let target = (ALERT, alert.id, name.as_str());
    audit::record(tx, viewer, "alert.update", target, details)
}
