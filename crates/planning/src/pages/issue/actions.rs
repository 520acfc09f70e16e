//! What the forms of an issue's page do.

use super::story::Rewritten;
use super::{ENTRIES, IssueForms, render};
use crate::guarded::{self, Writer};
use crate::model::{EscalationStatus, IssueKind, Severity};
use crate::pages::{desk, lines, words};
use crate::rules::comments::{self, Comment, Said};
use crate::rules::issues::places::{found_signed_in, found_to_write, subscribe};
use crate::rules::issues::{Assignees, IssueInput, StateEvent, noteable};
use crate::rules::{awards, todos};
use crate::store::issues::timeline;
use crate::store::notes::shown;
use identity::pages::challenge::Solved;
use identity::pages::refusal::{Refusal, outcome};
use identity::spam::Guarded;
use identity::users::ids_by_usernames;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::flash;
use kernel::http::params::Text;
use kernel::http::{Flat, Paging, Params, Patch, RequestContext, Response};
use kernel::time::Date;
use spaces::access::Purpose;
use spaces::pages::{Address, Visit};
use std::sync::Arc;

kernel::choices! {
    pub enum Action {
        Close = "close",
        Reopen = "reopen",
        Subscribe = "subscribe",
        Unsubscribe = "unsubscribe",
        Todo = "todo",
        Award = "award",
        Marks = "marks",
        Status = "status",
    }
}

kernel::params! {
    pub struct ChangeForm {
        pub issue_iid: i64,
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
        pub kind as "issue_type": Option<IssueKind>,
        pub severity: Option<Severity>,
        pub escalation_status: Option<EscalationStatus>,
        pub confidential: Option<bool>,
        pub locked: Option<bool>,
    }
}

kernel::params! {
    /// A note as it is typed.
    #[derive(Default)]
    pub struct Draft {
        pub body: Text,
        pub internal: Option<bool>,
        /// The discussion it answers in.
        pub discussion_id: Text,
    }
}

kernel::params! {
    pub struct NoteForm {
        pub issue_iid: i64,
        pub draft: Flat<Draft>,
        /// Close or reopen the issue as well.
        pub state_event: Option<StateEvent>,
    }
}

kernel::params! {
    pub struct NoteChange {
        pub issue_iid: i64,
        pub note_id: i64,
        /// The text, in Markdown; none deletes it.
        pub body: Text,
        pub delete: Option<bool>,
    }
}

struct Here {
    /// The project, by its id, and the issue's number.
    place: guarded::Place,
    url: String,
    inside: bool,
}

async fn here(app: &App, viewer: &Viewer, address: &Address, iid: i64) -> Result<Here> {
    let (viewer, address) = (viewer.clone(), address.clone());
    app.read(move |tx| {
        let (space, desk) = desk(tx, &viewer, &address, Purpose::ReadMembers)?;
        Ok(Here {
            place: (space.reference(), iid),
            url: format!("{}/-/issues/{iid}", space.url()),
            inside: desk.is_reporter(),
        })
    })
    .await
}

pub async fn change(
    app: App,
    Visit { viewer, address }: Visit,
    request: Arc<RequestContext>,
    form: Params<ChangeForm>,
    paging: Paging,
) -> Result<Response> {
    let Params(form) = form;
    let here = here(&app, &viewer, &address, form.issue_iid).await?;
    let done = match form.action {
        Action::Close | Action::Reopen | Action::Marks | Action::Status => {
            match wanted(&app, &form).await {
                Ok(wanted) => {
                    // It writes no texts, so there is nothing to solve.
                    let writer = Writer::by_form(viewer.clone(), request, None);
                    guarded::edit(&app, writer, here.place, wanted, |_, _, _| Ok(()))
                        .await
                        .and_then(Guarded::rest)
                }
                Err(error) => Err(error),
            }
        }
        _ => aside(&app, &viewer, here.place, &form).await,
    };
    match done {
        Ok(()) => flash::done(&app, &here.url, told(form.action)),
        Err(error) => {
            let fields = ["labels", "assignees", "due_date", "weight"];
            let iid = form.issue_iid;
            let typed = IssueForms {
                refusal: Refusal::of(error, &fields)?,
                marks: (form.action == Action::Marks).then_some(form),
                ..IssueForms::default()
            };
            render(&app, viewer, address, iid, paging, typed).await
        }
    }
}

fn told(action: Action) -> &'static str {
    match action {
        Action::Close => "Issue closed.",
        Action::Reopen => "Issue reopened.",
        Action::Subscribe => "You are told of what happens here.",
        Action::Unsubscribe => "You are no longer told of what happens here.",
        Action::Todo => "The issue is in your to-do list.",
        Action::Award => "Your reaction is noted.",
        Action::Marks | Action::Status => "Issue updated.",
    }
}

async fn wanted(app: &App, form: &ChangeForm) -> Result<IssueInput> {
    match form.action {
        Action::Close => return Ok(IssueInput::event(StateEvent::Close)),
        Action::Reopen => return Ok(IssueInput::event(StateEvent::Reopen)),
        Action::Status => {
            return Ok(IssueInput {
                escalation_status: form.escalation_status,
                ..IssueInput::default()
            });
        }
        _ => {}
    }
    let day = form.due_date.as_deref().unwrap_or_default().trim();
    let weight = form.weight.as_deref().unwrap_or_default().trim();
    let names: Vec<String> = words(form.assignees.as_deref().unwrap_or_default())
        .iter()
        .map(|name| name.trim_start_matches('@').to_owned())
        .collect();
    let wanted = names.clone();
    let ids = app.read(move |tx| ids_by_usernames(tx, &wanted)).await?;
    if ids.len() < names.len() {
        return Err(Error::invalid("assignees", "names somebody who is not here"));
    }
    Ok(IssueInput {
        labels: Some(words(form.labels.as_deref().unwrap_or_default())),
        assignees: Assignees::Set(ids),
        milestone_id: match form.milestone_id {
            Some(0) | None => Patch::Null,
            Some(id) => Patch::Value(id),
        },
        due_on: match (day.is_empty(), day.parse::<Date>()) {
            (true, _) => Patch::Null,
            (false, Ok(day)) => Patch::Value(day),
            (false, Err(_)) => return Err(Error::invalid("due_date", "is no date")),
        },
        weight: match (weight.is_empty(), weight.parse::<i64>()) {
            (true, _) => Patch::Null,
            (false, Ok(weight)) => Patch::Value(weight),
            (false, Err(_)) => return Err(Error::invalid("weight", "must be a number")),
        },
        kind: form.kind,
        severity: form.severity,
        confidential: Some(form.confidential.unwrap_or(false)),
        discussion_locked: Patch::Value(form.locked.unwrap_or(false)),
        ..IssueInput::default()
    })
}

async fn aside(
    app: &App,
    viewer: &Viewer,
    (project, iid): guarded::Place,
    form: &ChangeForm,
) -> Result<()> {
    let (viewer, action, name) = (viewer.clone(), form.action, form.name.clone());
    app.write(move |tx| {
        if action == Action::Award {
            let (desk, issue) = found_to_write(tx, &viewer, &project, iid)?;
            let name = name.as_deref().unwrap_or("thumbsup");
            return awards::toggle(tx, &viewer, &desk, &issue, name);
        }
        let (_, issue) = found_signed_in(tx, &viewer, &project, iid)?;
        match action {
            Action::Todo => todos::mark(tx, &viewer, noteable(&issue)).map(drop),
            _ => subscribe(tx, &viewer, &issue, action == Action::Subscribe).map(drop),
        }
    })
    .await
}

/// Where a note stands: the page of the story, and its place there.
pub(super) fn at(url: &str, page: i64, note: i64) -> String {
    match page {
        ..=1 => format!("{url}#note_{note}"),
        page => format!("{url}?page={page}#note_{note}"),
    }
}

pub async fn write_note(
    app: App,
    Visit { viewer, address }: Visit,
    request: Arc<RequestContext>,
    form: Params<NoteForm>,
    Solved(solution): Solved,
    paging: Paging,
) -> Result<Response> {
    let Params(form) = form;
    let here = here(&app, &viewer, &address, form.issue_iid).await?;
    let draft = Draft { body: lines(&form.draft.body).into(), ..form.draft.0 };
    let by = Writer::by_form(viewer.clone(), request, solution);
    let mut done = Ok(Guarded::Made(None));
    if !draft.body.trim().is_empty() || form.state_event.is_none() {
        done = say(&app, by.clone(), &here, &draft).await;
    }
    if let (Ok(Guarded::Made(_)), Some(event)) = (&done, form.state_event) {
        let wanted = IssueInput::event(event);
        let edited = guarded::edit(&app, by, here.place, wanted, |_, _, _| Ok(())).await;
        if let Err(error) = edited {
            done = Err(error);
        }
    }
    match outcome(&app, done.map_err(noted), &["body"]).await? {
        Ok(Some((id, page))) => flash::done(&app, &at(&here.url, page, id), "Note added."),
        Ok(None) => flash::done(&app, &here.url, "Done."),
        Err(refusal) => {
            let typed = IssueForms { draft, refusal, ..IssueForms::default() };
            render(&app, viewer, address, form.issue_iid, paging, typed).await
        }
    }
}

/// Writes a note; its id and the page it stands on, or nothing where the text
/// held commands only.
async fn say(
    app: &App,
    by: Writer,
    here: &Here,
    draft: &Draft,
) -> Result<Guarded<Option<(i64, i64)>>> {
    let answers = !draft.discussion_id.is_empty();
    let comment = Comment {
        body: draft.body.0.clone(),
        internal: draft.internal.unwrap_or(false),
        created_at: None,
        discussion_id: answers.then(|| draft.discussion_id.0.clone()),
        begins_thread: false,
    };
    let (place, inside, viewer) = (here.place.clone(), here.inside, by.viewer.clone());
    guarded::comment(app, by, place, comment, move |tx, issue, said| {
        let Said::Note(note, _) = said else {
            return Ok(None);
        };
        let seen = shown(&viewer, noteable(&issue), inside);
        let entries = timeline::count(tx, issue.id, seen)?;
        Ok(Some((note.id, (entries - 1).max(0) / ENTRIES + 1)))
    })
    .await
}

fn noted(error: Error) -> Error {
    match comments::refused_text(&error) {
        Some(problem) => Error::invalid("body", problem),
        None => error,
    }
}

pub async fn change_note(
    app: App,
    Visit { viewer, address }: Visit,
    request: Arc<RequestContext>,
    form: Params<NoteChange>,
    Solved(solution): Solved,
    paging: Paging,
) -> Result<Response> {
    let Params(form) = form;
    let here = here(&app, &viewer, &address, form.issue_iid).await?;
    if form.delete.unwrap_or(false) {
        guarded::destroy(&app, viewer, here.place, form.note_id).await?;
        return flash::done(&app, &here.url, "Note deleted.");
    }
    let by = Writer::by_form(viewer.clone(), request, solution);
    let body = lines(&form.body);
    let (which, text) = ((form.note_id, None), body.clone());
    let done = guarded::rewrite(&app, by, here.place, which, text, |_, _, note| Ok(note.id)).await;
    match outcome(&app, done.map_err(noted), &[]).await? {
        Ok(id) => {
            let page = paging.offset() / paging.per_page + 1;
            flash::done(&app, &at(&here.url, page, id), "Note updated.")
        }
        Err(refusal) => {
            let typed = IssueForms {
                rewritten: Some(Rewritten {
                    note_id: form.note_id,
                    body,
                    challenge: refusal.challenge.clone(),
                }),
                refusal,
                ..IssueForms::default()
            };
            render(&app, viewer, address, form.issue_iid, paging, typed).await
        }
    }
}
