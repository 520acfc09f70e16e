//! What the forms of an issue's page do.

use super::{ENTRIES, IssueForms, render};
use crate::formats::quick_actions;
use crate::guarded::{self, Writer};
use crate::model::{EscalationStatus, IssueKind, Severity};
use crate::pages::notes::{Open, StoryQuery, at, noted};
use crate::pages::{desk, lines, words};
use crate::rules::comments::{Comment, Said};
use crate::rules::epics::promote::promote;
use crate::rules::issues::places::{found_signed_in, found_to_write, subscribe};
use crate::rules::issues::{Assignees, IssueInput, StateEvent, noteable};
use crate::rules::{awards, todos};
use crate::store::issues::timeline::Timeline;
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
use spaces::access::Purpose;
use spaces::pages::{Address, Visit};
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

impl ChangeForm {
    /// The field it is about, with what was typed there.
    pub fn typed(&self) -> Option<(&'static str, String)> {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        match self.action {
            Action::Assignees => Some(("assignees", text(&self.assignees))),
            Action::Labels => Some(("labels", text(&self.labels))),
            Action::Due => Some(("due_date", text(&self.due_date))),
            Action::Weight => Some(("weight", text(&self.weight))),
            _ => None,
        }
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
        Action::Subscribe | Action::Unsubscribe | Action::Todo | Action::Award => {
            aside(&app, &viewer, here.place, &form).await.map(|()| here.url)
        }
        Action::Promote => promoted(&app, &viewer, here.place).await,
        _ => match wanted(&app, &form).await {
            Ok(wanted) => {
                // It writes no texts, so there is nothing to solve.
                let writer = Writer::by_form(viewer.clone(), request, None);
                guarded::edit(&app, writer, here.place, wanted, |_, _, _| Ok(()))
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
            let fields = ["labels", "assignees", "due_date", "weight"];
            let iid = form.issue_iid;
            let typed = IssueForms {
                refusal: Refusal::of(error, &fields)?,
                fields: Some(form),
                ..IssueForms::default()
            };
            render(&app, viewer, address, (iid, StoryQuery::default()), paging, typed).await
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
async fn wanted(app: &App, form: &ChangeForm) -> Result<IssueInput> {
    let text = |text: &Option<String>| text.as_deref().unwrap_or_default().trim().to_owned();
    let mut wanted = IssueInput::default();
    match form.action {
        Action::Close => return Ok(IssueInput::event(StateEvent::Close)),
        Action::Reopen => return Ok(IssueInput::event(StateEvent::Reopen)),
        Action::Assignees => wanted.assignees = assignees(app, &text(&form.assignees)).await?,
        Action::Labels => wanted.labels = Some(words(&text(&form.labels))),
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

/// The value of a text, none if it is blank.
pub fn typed<T: FromStr>(
    field: &'static str,
    text: &str,
    problem: &'static str,
) -> Result<Patch<T>> {
    match text {
        "" => Ok(Patch::Null),
        text => text.parse().map(Patch::Value).map_err(|_| Error::invalid(field, problem)),
    }
}

/// Who is named in a text, with commas between them.
pub async fn assignees(app: &App, text: &str) -> Result<Assignees> {
    let names: Vec<String> =
        words(text).iter().map(|name| name.trim_start_matches('@').to_owned()).collect();
    let wanted = names.clone();
    let ids = app.read(move |tx| ids_by_usernames(tx, &wanted)).await?;
    match ids.len() < names.len() {
        true => Err(Error::invalid("assignees", "names somebody who is not here")),
        false => Ok(Assignees::Set(ids)),
    }
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
    let added = added(&draft.body);
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
        Ok(Some(place)) => flash::done(&app, &format!("{}{place}", here.url), added),
        Ok(None) => flash::done(&app, &here.url, "Done."),
        Err(refusal) => {
            let typed = unsaid(draft, refusal);
            render(&app, viewer, address, (form.issue_iid, StoryQuery::default()), paging, typed)
                .await
        }
    }
}

/// What is said of a comment, a command in it that is none included.
fn added(text: &str) -> String {
    match quick_actions::unknown(text) {
        Some(word) => {
            format!("Comment added. There is no command {word}: it stands in the text.")
        }
        None => "Comment added.".to_owned(),
    }
}

/// Writes a note; where it stands below the issue's address, or nothing where the
/// text held commands only.
async fn say(app: &App, by: Writer, here: &Here, draft: &Draft) -> Result<Guarded<Option<String>>> {
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
        let timeline = Timeline {
            viewer: &viewer,
            noteable: noteable(&issue),
            is_reporter: inside,
        };
        let place = timeline.place_of(tx, &note)?;
        Ok(Some(match place.is_in_story() {
            true => at("", place.entries_before / ENTRIES + 1, note.id),
            false => {
                let thread = format!("?thread={}", note.discussion_id);
                at(&thread, place.notes_before / ENTRIES + 1, note.id)
            }
        }))
    })
    .await
}

/// The page after a note that was not taken: its text stands where it was
/// typed.
fn unsaid(draft: Draft, refusal: Refusal) -> IssueForms {
    if draft.discussion_id.is_empty() {
        return IssueForms { draft, refusal, ..IssueForms::default() };
    }
    let open = Open::answer(draft.discussion_id.0, draft.body.0, &refusal);
    IssueForms { open, refusal, ..IssueForms::default() }
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
        return flash::done(&app, &here.url, "Comment deleted.");
    }
    let by = Writer::by_form(viewer.clone(), request, solution);
    let body = lines(&form.body);
    let (which, text) = ((form.note_id, None), body.clone());
    let done = guarded::rewrite(&app, by, here.place, which, text, |_, _, note| Ok(note.id)).await;
    match outcome(&app, done.map_err(noted), &[]).await? {
        Ok(id) => {
            let page = paging.offset() / paging.per_page + 1;
            flash::done(&app, &at(&here.url, page, id), "Comment updated.")
        }
        Err(refusal) => {
            let open = Open::edit(form.note_id, body, &refusal);
            let typed = IssueForms { open, refusal, ..IssueForms::default() };
            render(&app, viewer, address, (form.issue_iid, StoryQuery::default()), paging, typed)
                .await
        }
    }
}
