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
use kernel::time::wire;
use planning::model::Issue;
use planning::todos::{Action, NewTodo};
use planning::{notes, todos};
use serde_json::{Value, json};
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

/// An alert with its project, before somebody who may do something with it.
#[derive(Debug, Clone)]
pub struct AlertAccess {
    pub viewer: Viewer,
    pub project: Project,
    pub alert: Alert,
}

/// The alert of this number, for somebody who may do this with alerts.
pub fn authorize(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Reference, iid: i64, purpose: Purpose,
) -> Result<AlertAccess> {
    let project = spaces::project(tx, viewer, project, purpose)?;
    AlertAccess::find(tx, viewer, &project, iid)
}

impl Alert {
    pub fn path(&self, project: &str) -> String {
        format!("/{project}/-/alert_management/{}/details", self.iid)
    }

    pub fn web_url(&self, base_url: &str, project: &str) -> String {
        format!("{base_url}{}", self.path(project))
    }

    /// As texts refer to it.
    pub fn reference(&self) -> String {
        format!("^alert#{}", self.iid)
    }
}

impl AlertAccess {
    /// The alert of this number in a project that was resolved for a purpose.
    pub fn find(
        tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, iid: i64,
    ) -> Result<AlertAccess> {
        Ok(AlertAccess {
            alert: rows::find(tx, project.id, iid)?.found("Alert")?,
            viewer: viewer.clone(),
            project: project.clone(),
        })
    }

    /// Path of the alert's page.
    pub fn path(&self) -> String {
        self.alert.path(&self.project.full_path)
    }

    fn actor(&self) -> Result<i64> {
        Ok(self.viewer.signed_in()?.user.id)
    }

    /// Says what becomes of it. An equal alert that is open forbids to open
    /// this one again: [`duplicate`] names it.
    pub fn set_status(&mut self, tx: &mut Tx<'_>, status: Status) -> Result<()> {
        let alert = &self.alert;
        if alert.status == status {
            return Ok(());
        }
        let actor = self.actor()?;
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
        self.changed(tx, json!({"status": status}))
    }

    /// Ignores it for a while: then it is triggered again.
    pub fn shelve(&mut self, tx: &mut Tx<'_>, seconds: i64) -> Result<()> {
        let alert = &self.alert;
        if !(60..=MAX_SHELVED).contains(&seconds) {
            let text = format!("must be between 60 and {MAX_SHELVED} seconds");
            return Err(Error::invalid("duration", text));
        }
        if !alert.status.is_open() {
            return Err(Error::invalid("status", "is resolved already"));
        }
        let actor = self.actor()?;
        let until = tx.now().checked_add(SignedDuration::from_secs(seconds));
        let until = until.map_err(Error::internal)?;
        rows::set_status(tx, alert.id, Status::Ignored, None, Some(until))?;
        let until = wire::text(until);
        let text = format!("shelved it until {until}");
        notes::system(tx, noteable(alert), Some(actor), &text)?;
        self.changed(tx, json!({"shelved_until": until}))
    }

    /// Says who looks after it: the first of these, or nobody. Who may not see
    /// alerts cannot.
    pub fn assign(&mut self, tx: &mut Tx<'_>, users: &[i64]) -> Result<()> {
        let (alert, actor) = (&self.alert, self.actor()?);
        let wanted = users.first().copied();
        if wanted == alert.assignee_id {
            return Ok(());
        }
        let both: Vec<i64> = [wanted, alert.assignee_id].into_iter().flatten().collect();
        let known = load_basic(tx, &both)?;
        if let Some(id) = wanted {
            let may = match known.get(&id) {
                Some(user) => may_look_after(tx, user, &self.project)?,
                None => false,
            };
            if !may {
                return Err(Error::invalid("assignee", "Assignee has no permissions"));
            }
        }
        rows::set_assignee(tx, alert.id, wanted)?;
        let name = |id: Option<i64>| Some(format!("@{}", known.get(&id?)?.username));
        let news = [
            name(wanted).map(|name| format!("assigned to {name}")),
            name(alert.assignee_id).map(|name| format!("unassigned {name}")),
        ];
        let news: Vec<String> = news.into_iter().flatten().collect();
        notes::system(tx, noteable(alert), Some(actor), &news.join(" and "))?;
        if let Some(user_id) = wanted {
            todos::create(tx, &todo(alert, user_id, actor, Action::Assigned))?;
        }
        self.changed(tx, json!({"assignee": wanted}))
    }

    /// Puts it among the viewer's to-dos; false if it is there already.
    pub fn add_todo(&self, tx: &mut Tx<'_>) -> Result<bool> {
        let own = self.actor()?;
        todos::create(tx, &todo(&self.alert, own, own, Action::Marked))
    }

    /// Makes an incident of it, if it has none, under the viewer's name.
    pub fn create_issue(&mut self, tx: &mut Tx<'_>, base_url: &str) -> Result<Issue> {
        let author = self.actor()?;
        self.may_become_issue()?;
        let issue = incidents::create(tx, base_url, &self.project, &self.alert, author)?;
        self.read_again(tx)?;
        Ok(issue)
    }

    /// Refuses an incident where there are no issues, or a second one.
    pub fn may_become_issue(&self) -> Result<()> {
        if self.project.archived || self.project.feature("issues") == "disabled" {
            return Err(Error::forbidden("You have no permissions"));
        }
        match self.alert.issue_id {
            Some(_) => Err(Error::invalid("issue", "An issue already exists")),
            None => Ok(()),
        }
    }

    /// Records what the viewer did, and reads what it came to.
    fn changed(&mut self, tx: &mut Tx<'_>, details: Value) -> Result<()> {
        let name = format!("{}{}", self.project.full_path, self.alert.reference());
        let target = (ALERT, self.alert.id, name.as_str());
        audit::record(tx, &self.viewer, "alert.update", target, details)?;
        self.read_again(tx)
    }

    fn read_again(&mut self, tx: &mut Tx<'_>) -> Result<()> {
        self.alert = rows::by_id(tx, self.alert.id)?.found("Alert")?;
        Ok(())
    }
}

/// The open alert that stands in the way of opening this one again.
pub fn duplicate(tx: &mut Tx<'_>, alert: &Alert) -> Result<Option<Alert>> {
    rows::other_open(tx, alert)
}

/// Takes an alert whose time has come from the shelf.
pub fn unshelve(tx: &mut Tx<'_>, alert: &Alert, bot: i64) -> Result<()> {
    rows::set_status(tx, alert.id, Status::Triggered, None, None)?;
    escalation::follow(tx, alert, Status::Triggered)?;
    let text = "changed the status to **Triggered**";
    notes::system(tx, noteable(alert), Some(bot), text)?;
    Ok(())
}

/// Ends an alert that nobody sends any more.
pub fn expire(tx: &mut Tx<'_>, alert: &Alert, bot: i64, at: Timestamp) -> Result<()> {
    rows::set_status(tx, alert.id, Status::Resolved, Some(at), None)?;
    let text = "changed the status to **Resolved** because it was sent no more";
    notes::system(tx, noteable(alert), Some(bot), text)?;
    Ok(())
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
