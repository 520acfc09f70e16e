//! What the forms beside a merge request do: each changes one thing alone.

use super::RequestForms;
use super::page::RequestPage;
use crate::access::sets_people;
use crate::model::{MergeRequest, as_draft, as_ready};
use crate::noteable::{MERGE_REQUEST, noteable};
use crate::pages::refused::spoken;
use crate::place::{Place, Wish};
use crate::rules::edit::edit;
use crate::rules::input::{Input, StateEvent};
use crate::rules::places;
use crate::rules::reviewers::ask_again;
use crate::talk::thing;
use ::store::Tx;
use identity::pages::refusal::Refusal;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::{flash, form};
use kernel::http::{Flat, Params, Patch, Response, Text};
use planning::access::ProjectAccess;
use planning::guarded::NoteablePath;
use planning::model::parse_span;
use planning::pages::talk::{TalkForms, TalkPage};
use planning::pages::{people_named, words};
use planning::rules::issues::Assignees;
use planning::rules::labelling::Labelling;
use planning::rules::topic::Topic;
use planning::rules::{awards, times, todos};
use planning::store::awards::Awardable;

/// The fields that show what is wrong with them.
const FIELDS: [&str; 6] = ["assignees", "reviewers", "labels", "milestone_id", "estimate", "spent"];
const NOT_ALLOWED: &str = "You may not change that here";

kernel::choices! {
    pub enum Action as "MergeRequestPageAction" {
        Close = "close",
        Reopen = "reopen",
        Ready = "ready",
        Draft = "draft",
        Subscribe = "subscribe",
        Unsubscribe = "unsubscribe",
        Todo = "todo",
        Award = "award",
        Assignees = "assignees",
        Reviewers = "reviewers",
        AskAgain = "ask_again",
        Labels = "labels",
        Milestone = "milestone",
        Estimate = "estimate",
        Spend = "spend",
        Lock = "lock",
        Unlock = "unlock",
    }
}

kernel::params! {
    pub struct ChangeForm {
        pub action: Action,
        /// A reaction.
        pub name: Option<String>,
        /// Logins, told apart by commas.
        pub assignees: Text,
        pub reviewers: Text,
        /// Who is asked again.
        pub user_id: Option<i64>,
        /// Titles of labels, told apart by commas.
        pub labels: Text,
        /// Id of a milestone; 0 for none.
        pub milestone_id: Option<i64>,
        /// Times, such as `1h 30m`.
        pub estimate: Text,
        pub spent: Text,
    }
}

impl ChangeForm {
    /// The field it is about, with what was typed there.
    pub fn typed(&self) -> Option<(&'static str, String)> {
        match self.action {
            Action::Assignees => Some(("assignees", self.assignees.to_string())),
            Action::Reviewers => Some(("reviewers", self.reviewers.to_string())),
            Action::Labels => Some(("labels", self.labels.to_string())),
            Action::Estimate => Some(("estimate", self.estimate.to_string())),
            Action::Spend => Some(("spent", self.spent.to_string())),
            _ => None,
        }
    }

    fn told(&self) -> &'static str {
        match self.action {
            Action::Close => "Merge request closed.",
            Action::Reopen => "Merge request reopened.",
            Action::Ready => "It is marked as ready.",
            Action::Draft => "It is marked as a draft.",
            Action::Subscribe => {
                "You are subscribed: news of this merge request are mailed to you."
            }
            Action::Unsubscribe => "You are no longer subscribed.",
            Action::Todo => "The merge request is in your to-do list.",
            Action::Award => "Your reaction is noted.",
            Action::AskAgain => "Another review is asked for.",
            _ => "Merge request updated.",
        }
    }
}

pub(super) async fn change(
    app: App, page: RequestPage, form: Params<ChangeForm>,
) -> Result<Response> {
    let Params(form) = form;
    let (place, url) = page.place(&app).await?;
    match done(&app, page.viewer(), place, &form).await {
        Ok(()) => flash::done(&app, &url, form.told()),
        Err(error) => {
            let error = form::rename(spoken(error, NOT_ALLOWED), "time_estimate", "estimate");
            let error = form::rename(error, "time_spent", "spent");
            let refusal = Refusal::of(error, &FIELDS)?;
            let talk = TalkForms { refusal, ..TalkForms::default() };
            let typed = RequestForms { talk, fields: Some(form), ..RequestForms::default() };
            page.show_again(&app, typed).await
        }
    }
}

async fn done(app: &App, viewer: &Viewer, place: Place, form: &ChangeForm) -> Result<()> {
    let by = viewer.clone();
    let action = form.action;
    match action {
        Action::Award => {
            let name = form.name.clone().unwrap_or_else(|| "thumbsup".to_owned());
            app.write(move |tx| react(tx, &by, &place, &name)).await
        }
        Action::Subscribe | Action::Unsubscribe | Action::Todo => {
            app.write(move |tx| remember(tx, &by, &place, action)).await
        }
        Action::Estimate | Action::Spend => {
            let typed = form.typed().map(|(_, text)| text).unwrap_or_default();
            app.write(move |tx| measure(tx, &by, &place, action, &typed)).await
        }
        Action::AskAgain => {
            let user_id = form.user_id.ok_or_else(|| Error::missing("user_id"))?;
            app.write(move |tx| ask(tx, &by, &place, user_id)).await
        }
        _ => {
            let wanted = wanted(app, form).await?;
            app.write(move |tx| {
                let (here, request) = place.find(tx, &by, Wish::Write)?;
                let wanted = titled(action, &request, wanted.clone());
                check_set(&here, action)?;
                edit(tx, &by, &here, &request, wanted).map(drop)
            })
            .await
        }
    }
}

/// What a form changes: the one thing it is about.
async fn wanted(app: &App, form: &ChangeForm) -> Result<Input> {
    let nothing = Input::default();
    Ok(match form.action {
        Action::Close => Input::event(StateEvent::Close),
        Action::Reopen => Input::event(StateEvent::Reopen),
        Action::Assignees => {
            let ids = people_named(app, "assignees", &form.assignees).await?;
            Input { assignees: Assignees::Set(ids), ..nothing }
        }
        Action::Reviewers => {
            let ids = people_named(app, "reviewers", &form.reviewers).await?;
            Input { reviewer_ids: Some(ids), ..nothing }
        }
        Action::Labels => {
            let wears = Labelling::these(words(&form.labels));
            Input { wears: Flat(wears), ..nothing }
        }
        Action::Milestone => {
            let milestone_id = match form.milestone_id {
                Some(0) | None => Patch::Null,
                Some(id) => Patch::Value(id),
            };
            Input { milestone_id, ..nothing }
        }
        Action::Lock | Action::Unlock => {
            let locked = Patch::Value(form.action == Action::Lock);
            Input { discussion_locked: locked, ..nothing }
        }
        _ => nothing,
    })
}

/// Its title says whether it is a draft.
fn titled(action: Action, request: &MergeRequest, wanted: Input) -> Input {
    match action {
        Action::Ready => Input { title: Some(as_ready(&request.title)), ..wanted },
        Action::Draft if !request.draft => {
            Input { title: Some(as_draft(&request.title)), ..wanted }
        }
        _ => wanted,
    }
}

/// Of a program what may not be set is left out; here it is refused.
fn check_set(here: &ProjectAccess, action: Action) -> Result<()> {
    let of_people =
        matches!(action, Action::Assignees | Action::Reviewers | Action::Lock | Action::Unlock);
    match of_people && !sets_people(here.level) {
        true => Err(Error::forbidden(NOT_ALLOWED)),
        false => Ok(()),
    }
}

fn react(tx: &mut Tx<'_>, viewer: &Viewer, place: &Place, name: &str) -> Result<()> {
    let (here, request) = place.authorize(tx, viewer)?;
    let to = Awardable::Thing(MERGE_REQUEST, request.id);
    awards::toggle(tx, viewer, &here, Topic::Thing(thing(request.id)), to, name)
}

/// What concerns the viewer alone.
fn remember(tx: &mut Tx<'_>, viewer: &Viewer, place: &Place, action: Action) -> Result<()> {
    let (_, request) = place.find(tx, viewer, Wish::WriteOwn)?;
    match action {
        Action::Todo => todos::mark(tx, viewer, noteable(&request)).map(drop),
        _ => places::subscribe(tx, viewer, &request, action == Action::Subscribe).map(drop),
    }
}

/// The merge request, for who sets people and tells of time.
fn to_set(tx: &mut Tx<'_>, viewer: &Viewer, place: &Place) -> Result<MergeRequest> {
    let (here, request) = place.find(tx, viewer, Wish::Write)?;
    match sets_people(here.level) {
        true => Ok(request),
        false => Err(Error::forbidden(NOT_ALLOWED)),
    }
}

fn ask(tx: &mut Tx<'_>, viewer: &Viewer, place: &Place, user_id: i64) -> Result<()> {
    let (here, request) = place.find(tx, viewer, Wish::Write)?;
    ask_again(tx, viewer, &here, &request, user_id)
}

fn measure(
    tx: &mut Tx<'_>, viewer: &Viewer, place: &Place, action: Action, typed: &str,
) -> Result<()> {
    let request = to_set(tx, viewer, place)?;
    let actor = viewer.user_id();
    let span = |field: &str| {
        parse_span(typed).ok_or_else(|| Error::invalid(field, "is no time, such as 1h 30m"))
    };
    match action {
        Action::Estimate if typed.trim().is_empty() => times::estimate(tx, actor, &request, 0),
        Action::Estimate => times::estimate(tx, actor, &request, span("estimate")?),
        _ => times::spend(tx, actor, &request, (span("spent")?, "")),
    }
    .map(drop)
}
