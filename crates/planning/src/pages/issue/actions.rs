//! What the forms of an issue's page do.

use super::IssueForms;
use super::page::IssuePage;
use crate::guarded::{self, Writer};
use crate::model::{EscalationStatus, IssueKind, Severity};
use crate::pages::talk::{TalkForms, TalkPage};
use crate::pages::words;
use crate::rules::epics::places as epics;
use crate::rules::epics::promote::promote;
use crate::rules::issues::places::{found_signed_in, found_to_write, subscribe};
use crate::rules::issues::{Assignees, IssueInput, StateEvent, noteable};
use crate::rules::labelling::Labelling;
use crate::rules::{awards, todos};
use crate::store::awards::Awardable;
use identity::pages::refusal::Refusal;
use identity::spam::Guarded;
use identity::users::ids_by_usernames;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::{flash, form};
use kernel::http::{Params, Patch, RequestContext, Response};
use kernel::ids::Reference;
use spaces::access::find_group;
use std::str::FromStr;
use std::sync::Arc;

kernel::choices! {
    pub enum Action {
        Close = "close",
        Reopen = "reopen",
        Subscribe = "subscribe",
        Unsubscribe = "unsubscribe",
        Todo = "todo",
        Award = "award",
        Assignees = "assignees",
        Labels = "labels",
        Milestone = "milestone",
        Due = "due",
        Weight = "weight",
        Epic = "epic",
        Type = "type",
        Severity = "severity",
        Status = "status",
        Confidential = "confidential",
        OpenToAll = "open_to_all",
        Lock = "lock",
        Unlock = "unlock",
        Promote = "promote",
    }
}

kernel::params! {
    pub struct ChangeForm {
        pub action: Action,
        pub name: Option<String>,
        /// Titles of labels, told apart by commas.
        pub labels: Option<String>,
        /// Logins of who is assigned, told apart by commas.
        pub assignees: Option<String>,
        /// Id of a milestone; 0 for none.
        pub milestone_id: Option<i64>,
        pub due_date: Option<String>,
        pub weight: Option<String>,
        /// An epic, as texts name it; none if it is blank.
        pub epic: Option<String>,
        pub kind as "issue_type": Option<IssueKind>,
        pub severity: Option<Severity>,
        pub escalation_status: Option<EscalationStatus>,
    }
}

impl ChangeForm {
    /// The field it is about, with what was typed there.
    pub fn typed(&self) -> Option<(&'static str, String)> {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        match self.action {
            Action::Assignees => Some(("assignees", text(&self.assignees))),
            Action::Labels => Some(("labels", text(&self.labels))),
            Action::Due => Some(("due_date", text(&self.due_date))),
            Action::Weight => Some(("weight", text(&self.weight))),
            Action::Epic => Some(("epic", text(&self.epic))),
            _ => None,
        }
    }
}

pub async fn change(
    app: App, page: IssuePage, request: Arc<RequestContext>, form: Params<ChangeForm>,
) -> Result<Response> {
    let Params(form) = form;
    let at = page.clone();
    let here = app.read(move |tx| at.here(tx)).await?;
    let viewer = page.viewer();
    let done = match form.action {
        Action::Subscribe | Action::Unsubscribe | Action::Todo | Action::Award => {
            aside(&app, viewer, here.spot, &form).await.map(|()| here.url)
        }
        Action::Promote => promoted(&app, viewer, here.spot).await,
        _ => match wanted(&app, &page, &form).await {
            Ok(wanted) => {
                // It writes no texts, so there is nothing to solve.
                let writer = Writer::by_form(viewer.clone(), request, None);
                guarded::edit(&app, writer, here.spot, wanted, |_, _, _| Ok(()))
                    .await
                    .and_then(Guarded::rest)
                    .map(|()| here.url)
            }
            Err(error) => Err(error),
        },
    };
    match done {
        Ok(url) => flash::done(&app, &url, told(form.action)),
        Err(error) => {
            let error = form::rename(error, "epic_id", "epic");
            let fields = ["labels", "assignees", "due_date", "weight", "epic"];
            let refusal = Refusal::of(error, &fields)?;
            let talk = TalkForms { refusal, ..TalkForms::default() };
            page.show_again(&app, IssueForms { talk, fields: Some(form) }).await
        }
    }
}

fn told(action: Action) -> &'static str {
    match action {
        Action::Close => "Issue closed.",
        Action::Reopen => "Issue reopened.",
        Action::Subscribe => "You are subscribed: news of this issue are mailed to you.",
        Action::Unsubscribe => "You are no longer subscribed.",
        Action::Todo => "The issue is in your to-do list.",
        Action::Award => "Your reaction is noted.",
        Action::Promote => "The issue is an epic now.",
        _ => "Issue updated.",
    }
}

/// Makes an epic of an issue; the page of that.
async fn promoted(app: &App, viewer: &Viewer, place: guarded::Place) -> Result<String> {
    let viewer = viewer.clone();
    app.write(move |tx| {
        let (desk, issue) = found_to_write(tx, &viewer, &place.0, place.1)?;
        Ok(promote(tx, &viewer, &desk, &issue)?.path())
    })
    .await
}

/// What a form changes: the one field it is about.
async fn wanted(app: &App, page: &IssuePage, form: &ChangeForm) -> Result<IssueInput> {
    let text = |text: &Option<String>| text.as_deref().unwrap_or_default().trim().to_owned();
    let mut wanted = IssueInput::default();
    match form.action {
        Action::Close => return Ok(IssueInput::event(StateEvent::Close)),
        Action::Reopen => return Ok(IssueInput::event(StateEvent::Reopen)),
        Action::Assignees => wanted.assignees = assignees(app, &text(&form.assignees)).await?,
        Action::Labels => *wanted.wears = Labelling::these(words(&text(&form.labels))),
        Action::Milestone => {
            wanted.milestone_id = match form.milestone_id {
                Some(0) | None => Patch::Null,
                Some(id) => Patch::Value(id),
            }
        }
        Action::Due => wanted.due_on = typed("due_date", &text(&form.due_date), "is no date")?,
        Action::Weight => {
            wanted.weight = typed("weight", &text(&form.weight), "must be a number")?;
        }
        Action::Epic => wanted.epic_id = epic(app, page, &text(&form.epic)).await?,
        Action::Type => wanted.kind = form.kind,
        Action::Severity => wanted.severity = form.severity,
        Action::Status => wanted.escalation_status = form.escalation_status,
        Action::Confidential | Action::OpenToAll => {
            wanted.confidential = Some(form.action == Action::Confidential);
        }
        Action::Lock | Action::Unlock => {
            wanted.discussion_locked = Patch::Value(form.action == Action::Lock);
        }
        Action::Subscribe
        | Action::Unsubscribe
        | Action::Todo
        | Action::Award
        | Action::Promote => {}
    }
    Ok(wanted)
}

/// The epic that is named, as somebody names it in the group of the project.
async fn epic(app: &App, page: &IssuePage, text: &str) -> Result<Patch<i64>> {
    if text.is_empty() {
        return Ok(Patch::Null);
    }
    let (page, text) = (page.clone(), text.to_owned());
    app.read(move |tx| {
        let project = page.desk(tx)?.project;
        let group = Reference::Id(project.namespace_id);
        let here = find_group(tx, &group)?.unwrap_or_default();
        match epics::find_named(tx, page.viewer(), &here, &text)? {
            Some(epic) => Ok(Patch::Value(epic.id)),
            None => Err(Error::invalid("epic", "names no epic that you can see")),
        }
    })
    .await
}

/// The value of a text, none if it is blank.
pub fn typed<T: FromStr>(
    field: &'static str, text: &str, problem: &'static str,
) -> Result<Patch<T>> {
    match text {
        "" => Ok(Patch::Null),
        text => text.parse().map(Patch::Value).map_err(|_| Error::invalid(field, problem)),
    }
}

/// Who is named in a text, with commas between them.
pub async fn assignees(app: &App, text: &str) -> Result<Assignees> {
    people_named(app, "assignees", text).await.map(Assignees::Set)
}

/// The ids of those who are named in a field, with commas between them.
///
/// # Errors
///
/// `Invalid` of the field if one of them is not here.
pub async fn people_named(app: &App, field: &'static str, text: &str) -> Result<Vec<i64>> {
    let names: Vec<String> =
        words(text).iter().map(|name| name.trim_start_matches('@').to_owned()).collect();
    let wanted = names.clone();
    let ids = app.read(move |tx| ids_by_usernames(tx, &wanted)).await?;
    match ids.len() < names.len() {
        true => Err(Error::invalid(field, "names somebody who is not here")),
        false => Ok(ids),
    }
}

async fn aside(
    app: &App, viewer: &Viewer, (project, iid): guarded::Place, form: &ChangeForm,
) -> Result<()> {
    let (viewer, action, name) = (viewer.clone(), form.action, form.name.clone());
    app.write(move |tx| {
        if action == Action::Award {
            let (desk, issue) = found_to_write(tx, &viewer, &project, iid)?;
            let name = name.as_deref().unwrap_or("thumbsup");
            let to = Awardable::Issue(issue.id);
            return awards::toggle(tx, &viewer, &desk, &issue, to, name);
        }
        let (_, issue) = found_signed_in(tx, &viewer, &project, iid)?;
        match action {
            Action::Todo => todos::mark(tx, &viewer, noteable(&issue)).map(drop),
            _ => subscribe(tx, &viewer, &issue, action == Action::Subscribe).map(drop),
        }
    })
    .await
}
