//! `…/-/issues/<number>`: one issue, what is said about it, and what becomes
//! of it.

use super::views::{self, Fact, IssueView, Marks, NoteView};
use super::{desk, in_form, lines, paged, tags, words, writer};
use crate::access::{Desk, Parent};
use crate::guarded;
use crate::model::{EscalationStatus, Issue, IssueKind, IssueState, Severity};
use crate::rules::comments::{self, Comment, Said};
use crate::rules::issues::places::{
    found, found_signed_in, found_to_write, is_subscribed, subscribe,
};
use crate::rules::issues::requests::{StateEvent, Wanted, may_edit};
use crate::rules::issues::{Assignees, noteable};
use crate::rules::{awards, todos};
use crate::store::awards::{self as award_rows, Awardable};
use crate::store::notes::{self as note_rows, Note};
use crate::store::{issues as rows, labels, milestones};
use http::{Method, StatusCode};
use identity::entities::load_basic;
use identity::model::User;
use identity::pages::page;
use identity::spam::Guarded;
use identity::users::ids_by_usernames;
use identity::viewer::{SignedInViewer, Viewer};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::ui::Choice;
use kernel::html::{Errors, Flash, Html, Moment, PageViewer, flash};
use kernel::http::{Asked, Paging, Params, Patch, Response, Routes};
use kernel::markup;
use kernel::time::{Date, Timestamp};
use spaces::access::{DEVELOPER, GUEST, MAINTAINER, Purpose};
use spaces::pages::{Address, places};
use std::collections::HashMap;
use std::sync::Arc;
use store::Tx;

/// Notes of one page.
const NOTES: i64 = 50;
/// Most milestones to choose from.
const GOALS: i64 = 100;

pub fn routes(r: &mut Routes) {
    for place in places(2) {
        let one = format!("{place}/-/issues/{{issue_iid}}");
        r.page(Method::GET, &one, show);
        r.page(Method::POST, &one, change);
        r.page(Method::POST, &format!("{one}/notes"), write_note);
        r.page(
            Method::POST,
            &format!("{one}/notes/{{note_id}}"),
            change_note,
        );
    }
}

kernel::choices! {
    /// What a button of the page does.
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
    /// An issue.
    pub struct OneIssue {
        /// Number of the issue.
        pub issue_iid: i64,
    }
}

kernel::params! {
    /// An issue and what becomes of it.
    pub struct ChangeForm {
        /// Number of the issue.
        pub issue_iid: i64,
        /// What to do.
        pub action: Action,
        /// Name of an emoji.
        pub name: Option<String>,
        /// Titles of labels, told apart by commas.
        pub labels: Option<String>,
        /// Logins of who is assigned, told apart by commas.
        pub assignees: Option<String>,
        /// Id of a milestone; 0 for none.
        pub milestone_id: Option<i64>,
        /// The day it is due.
        pub due_date: Option<String>,
        /// How heavy it is.
        pub weight: Option<String>,
        /// What it is about.
        pub kind as "issue_type": Option<IssueKind>,
        /// How bad an incident is.
        pub severity: Option<Severity>,
        /// How far people are with an incident.
        pub escalation_status: Option<EscalationStatus>,
        /// Seen by few.
        pub confidential: Option<bool>,
        /// Only members comment.
        pub locked: Option<bool>,
    }
}

kernel::params! {
    /// An issue and a new note.
    pub struct NoteForm {
        /// Number of the issue.
        pub issue_iid: i64,
        /// The text, in Markdown.
        pub body: Option<String>,
        /// For reporters only.
        pub internal: Option<bool>,
        /// The discussion it answers in.
        pub discussion_id: Option<String>,
        /// Close or reopen the issue as well.
        pub state_event: Option<StateEvent>,
    }
}

kernel::params! {
    /// A note and its new text.
    pub struct NoteChange {
        /// Number of the issue.
        pub issue_iid: i64,
        /// The note.
        pub note_id: i64,
        /// The text, in Markdown; none deletes it.
        pub body: Option<String>,
        /// Delete it.
        pub delete: Option<bool>,
    }
}

/// What was typed into a form that is shown again.
#[derive(Default)]
struct Typed {
    note: String,
    marks: Option<ChangeForm>,
    errors: Errors,
    refusal: Option<Flash>,
}

async fn show(
    app: App,
    viewer: Viewer,
    asked: Arc<Asked>,
    path: Params<OneIssue>,
    paging: Paging,
) -> Result<Response> {
    let address = Address::of(&asked)?;
    let start = Paging {
        per_page: NOTES,
        ..paging
    };
    render(
        &app,
        viewer,
        address,
        path.issue_iid,
        start,
        Typed::default(),
    )
    .await
}

async fn render(
    app: &App,
    viewer: Viewer,
    address: Address,
    iid: i64,
    paging: Paging,
    typed: Typed,
) -> Result<Response> {
    let status = match typed.refusal {
        Some(_) => StatusCode::UNPROCESSABLE_ENTITY,
        None => StatusCode::OK,
    };
    let mut shown = page(app, &viewer, "Issue");
    shown.flash = typed.refusal.clone().or(shown.flash);
    let view = app
        .read(move |tx| {
            let (space, _) = desk(tx, &viewer, &address, Purpose::Read)?;
            let (desk, issue) = found(tx, &viewer, &space.reference(), iid)?;
            let list = format!("{}/-/issues", space.url());
            let mut page = space.crumbs(shown, true).crumb("Issues", list.clone());
            page.title = format!("{} (#{})", issue.title, issue.iid);
            let reader = Reader {
                viewer: &viewer,
                desk: &desk,
                issue: &issue,
            };
            let url = format!("{list}/{}", issue.iid);
            let (notes, total) = reader.notes(tx, &paging)?;
            Ok(views::Issue {
                issue: reader.view(tx, &url)?,
                marks: reader.marks(tx, typed.marks.as_ref())?,
                facts: reader.facts(tx)?,
                pages: paged(&paging, total, url.clone()),
                notes,
                may_write: reader.may_write(),
                may_write_inside: desk.is_reporter(),
                note: typed.note,
                errors: typed.errors,
                head: space.head(tx, &viewer)?,
                page,
                url,
            })
        })
        .await?;
    Ok(Html::new(&view)?.status(status).response())
}

/// Somebody before an issue they see.
struct Reader<'r> {
    viewer: &'r Viewer,
    desk: &'r Desk,
    issue: &'r Issue,
}

impl Reader<'_> {
    fn writes(&self) -> bool {
        self.viewer.user_id().is_some() && !self.desk.project.archived
    }

    fn may_write(&self) -> bool {
        let locked = self.issue.discussion_locked == Some(true);
        self.writes() && (!locked || self.desk.level >= GUEST)
    }

    fn view(&self, tx: &mut Tx<'_>, url: &str) -> Result<IssueView> {
        let (issue, now) = (self.issue, tx.now());
        let people: Vec<i64> = issue.author_id.into_iter().collect();
        let people = load_basic(tx, &people)?;
        let author = issue.author_id.and_then(|id| people.get(&id));
        let to = Awardable::Issue(issue.id);
        let own = match self.viewer.user_id() {
            Some(user) => award_rows::of_user(tx, to, user, "thumbsup")?.is_some(),
            None => false,
        };
        let subscribed = match self.viewer.user_id() {
            Some(user) => is_subscribed(tx, user, issue)?,
            None => false,
        };
        Ok(IssueView {
            iid: issue.iid,
            title: issue.title.clone(),
            description: markup::render(issue.description.as_deref().unwrap_or_default()),
            is_open: issue.state == IssueState::Opened,
            is_confidential: issue.confidential,
            is_locked: issue.discussion_locked == Some(true),
            kind: match issue.kind {
                IssueKind::Issue => String::new(),
                kind => kind.to_string(),
            },
            author: author.map(|user| user.username.clone()).unwrap_or_default(),
            created_at: Moment::new(issue.created_at, now),
            closed_at: Moment::maybe(issue.closed_at, now),
            upvotes: issue.upvotes.unsigned_abs(),
            upvoted: own,
            subscribed,
            is_signed_in: self.viewer.user_id().is_some(),
            may_edit: self.writes() && may_edit(self.viewer, self.desk, issue),
            may_award: self.may_write(),
            escalation: self.escalation(),
            edit_url: format!("{url}/edit"),
        })
    }

    /// How far people are with an incident, for who may say so, and what they
    /// may say.
    fn escalation(&self) -> Option<(String, Vec<Choice>)> {
        let is_incident = self.issue.kind == IssueKind::Incident;
        let may = self.writes() && self.desk.level >= DEVELOPER;
        let choices = EscalationStatus::ALL.iter().map(|one| Choice {
            value: one.to_string(),
            label: one.label().to_owned(),
        });
        let status = self.issue.escalation_status.to_string();
        (is_incident && may).then(|| (status, choices.collect()))
    }

    /// The fields of the form beside the issue; as they were typed, if they
    /// were refused.
    fn marks(&self, tx: &mut Tx<'_>, typed: Option<&ChangeForm>) -> Result<Option<Marks>> {
        if !self.writes() || !self.desk.is_reporter() {
            return Ok(None);
        }
        let issue = self.issue;
        let worn = labels::of_issues(tx, &[issue.id])?.remove(&issue.id);
        let titles: Vec<String> = worn.into_iter().flatten().map(|it| it.title).collect();
        let names = names(self.assigned(tx)?);
        let parent = Parent::Project(Box::new(self.desk.project.clone()));
        let goals = milestones::usable(tx, &parent, issue.milestone_id, GOALS)?;
        let mut choices = Choice::list(&[("0", "None")]);
        choices.extend(goals.into_iter().map(|goal| Choice {
            value: goal.id.to_string(),
            label: goal.title,
        }));
        let text = |typed: Option<&Option<String>>, stored: String| {
            typed.and_then(Clone::clone).unwrap_or(stored)
        };
        let day = issue.due_on.map(|day| day.to_string());
        let weight = issue.weight.map(|weight| weight.to_string());
        let goal = typed.and_then(|it| it.milestone_id).or(issue.milestone_id);
        Ok(Some(Marks {
            labels: text(typed.map(|it| &it.labels), titles.join(", ")),
            assignees: text(typed.map(|it| &it.assignees), names.join(", ")),
            milestone: goal.unwrap_or(0).to_string(),
            milestones: choices,
            due_date: text(typed.map(|it| &it.due_date), day.unwrap_or_default()),
            weight: text(typed.map(|it| &it.weight), weight.unwrap_or_default()),
            kind: issue.kind.to_string(),
            kinds: Choice::list(&[
                ("issue", "Issue"),
                ("incident", "Incident"),
                ("task", "Task"),
            ]),
            severity: issue.severity.to_string(),
            severities: Severity::ALL
                .iter()
                .map(|one| Choice {
                    value: one.to_string(),
                    label: one.to_string(),
                })
                .collect(),
            confidential: issue.confidential,
            locked: issue.discussion_locked == Some(true),
        }))
    }

    fn assigned(&self, tx: &mut Tx<'_>) -> Result<Vec<User>> {
        let ids = rows::assignees_of(tx, &[self.issue.id])?.remove(&self.issue.id);
        let mut found = load_basic(tx, &ids.clone().unwrap_or_default())?;
        let ids = ids.unwrap_or_default().into_iter();
        Ok(ids.filter_map(|id| found.remove(&id)).collect())
    }

    /// What everyone is told beside the issue.
    fn facts(&self, tx: &mut Tx<'_>) -> Result<Vec<Fact>> {
        let issue = self.issue;
        let mut facts = Vec::new();
        let worn = labels::of_issues(tx, &[issue.id])?.remove(&issue.id);
        let worn = worn.unwrap_or_default();
        if !worn.is_empty() {
            facts.push(Fact::Tags(tags(&worn)));
        }
        let names = names(self.assigned(tx)?);
        if !names.is_empty() {
            facts.push(Fact::People("Assigned", names));
        }
        if let Some(id) = issue.milestone_id
            && let Some(goal) = milestones::by_ids(tx, &[id])?.remove(&id)
        {
            let url = format!("/{}/-/milestones/{}", goal.parent_path, goal.iid);
            facts.push(Fact::Link("Milestone", goal.title, url));
        }
        let text = |label, text: Option<String>| text.map(|text| Fact::Text(label, text));
        facts.extend(text("Due", issue.due_on.map(|day| day.to_string())));
        facts.extend(text(
            "Weight",
            issue.weight.map(|weight| weight.to_string()),
        ));
        if issue.kind == IssueKind::Incident {
            facts.push(Fact::Text("Severity", issue.severity.to_string()));
            let status = issue.escalation_status.label().to_owned();
            facts.push(Fact::Text("Status", status));
        }
        let span = crate::model::human_span;
        facts.extend(text("Estimated", span(issue.time_estimate)));
        facts.extend(text("Spent", span(issue.time_spent)));
        if issue.task_count > 0 {
            let (done, all) = (issue.task_completed_count, issue.task_count);
            facts.push(Fact::Text("Check boxes", format!("{done} of {all} done")));
        }
        Ok(facts)
    }

    /// One page of the notes, oldest first, and how many there are.
    fn notes(&self, tx: &mut Tx<'_>, paging: &Paging) -> Result<(Vec<NoteView>, i64)> {
        let about = noteable(self.issue);
        let inside = self.desk.is_reporter();
        let total = note_rows::count(tx, about, inside)?;
        let found = note_rows::page(tx, about, inside, paging.per_page, paging.offset())?;
        let mut ids: Vec<i64> = found.iter().filter_map(|note| note.author_id).collect();
        ids.sort_unstable();
        ids.dedup();
        let people = load_basic(tx, &ids)?;
        let now = tx.now();
        let one = |note: &Note| self.note(note, &people, now);
        Ok((found.iter().map(one).collect(), total))
    }

    fn note(&self, note: &Note, people: &HashMap<i64, User>, now: Timestamp) -> NoteView {
        let author = note.author_id.and_then(|id| people.get(&id));
        let own = note.author_id.is_some() && note.author_id == self.viewer.user_id();
        let name = author.map_or("Somebody", |user| user.name.as_str());
        NoteView {
            id: note.id,
            author: author.map(|user| user.username.clone()).unwrap_or_default(),
            name: name.to_owned(),
            initials: PageViewer::initials(name),
            body: note.body.clone(),
            html: markup::render(&note.body),
            is_system: note.is_system,
            is_internal: note.internal,
            is_edited: note.updated_at > note.created_at,
            in_thread: note.in_thread,
            discussion_id: note.discussion_id.clone(),
            created_at: Moment::new(note.created_at, now),
            may_change: self.writes() && !note.is_system && (own || self.desk.level >= MAINTAINER),
        }
    }
}

fn names(users: Vec<User>) -> Vec<String> {
    users.into_iter().map(|user| user.username).collect()
}

/// The project of the address, by its id, and the issue's page.
async fn place(
    app: &App,
    viewer: &Viewer,
    address: &Address,
    iid: i64,
) -> Result<(guarded::Place, String)> {
    let (viewer, address) = (viewer.clone(), address.clone());
    app.read(move |tx| {
        let (space, _) = desk(tx, &viewer, &address, Purpose::ReadMembers)?;
        let url = format!("{}/-/issues/{iid}", space.url());
        Ok(((space.reference(), iid), url))
    })
    .await
}

fn first_page() -> Paging {
    Paging {
        per_page: NOTES,
        start: kernel::http::Start::Page(1),
    }
}

async fn change(
    app: App,
    viewer: SignedInViewer,
    asked: Arc<Asked>,
    form: Params<ChangeForm>,
) -> Result<Response> {
    let Params(form) = form;
    let (viewer, address) = (viewer.viewer(), Address::of(&asked)?);
    let (place, url) = place(&app, &viewer, &address, form.issue_iid).await?;
    let done = match form.action {
        Action::Close | Action::Reopen | Action::Marks | Action::Status => {
            match wanted(&app, &form).await {
                Ok(wanted) => {
                    let writer = writer(viewer.clone(), asked);
                    guarded::edit(&app, writer, place, wanted, |_, _, _| Ok(()))
                        .await
                        .and_then(Guarded::rest)
                }
                Err(error) => Err(error),
            }
        }
        _ => aside(&app, &viewer, place, &form).await,
    };
    match done {
        Ok(()) => flash::done(&app, &url, told(form.action)),
        Err(error) => {
            let fields = ["labels", "assignees", "due_date", "weight"];
            let (errors, refusal) = in_form(error, &fields)?;
            let iid = form.issue_iid;
            let typed = Typed {
                errors,
                refusal,
                marks: (form.action == Action::Marks).then_some(form),
                ..Typed::default()
            };
            render(&app, viewer, address, iid, first_page(), typed).await
        }
    }
}

fn told(action: Action) -> &'static str {
    match action {
        Action::Close => "The issue is closed.",
        Action::Reopen => "The issue is open again.",
        Action::Subscribe => "You are told of what happens here.",
        Action::Unsubscribe => "You are no longer told of what happens here.",
        Action::Todo => "The issue is in your to-do list.",
        Action::Award => "Your reaction is noted.",
        Action::Marks | Action::Status => "The issue is changed.",
    }
}

/// What the form wants of the issue.
async fn wanted(app: &App, form: &ChangeForm) -> Result<Wanted> {
    let state = match form.action {
        Action::Close => Some(StateEvent::Close),
        Action::Reopen => Some(StateEvent::Reopen),
        _ => None,
    };
    if state.is_some() {
        return Ok(Wanted {
            state_event: state,
            ..Wanted::default()
        });
    }
    if form.action == Action::Status {
        return Ok(Wanted {
            escalation_status: form.escalation_status,
            ..Wanted::default()
        });
    }
    let day = form.due_date.as_deref().unwrap_or_default().trim();
    let weight = form.weight.as_deref().unwrap_or_default().trim();
    let names: Vec<String> = words(form.assignees.as_deref())
        .iter()
        .map(|name| name.trim_start_matches('@').to_owned())
        .collect();
    let asked = names.clone();
    let ids = app.read(move |tx| ids_by_usernames(tx, &asked)).await?;
    if ids.len() < names.len() {
        return Err(Error::invalid(
            "assignees",
            "names somebody who is not here",
        ));
    }
    Ok(Wanted {
        labels: Some(words(form.labels.as_deref())),
        assignees: Some(Assignees::Set(ids)),
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
        ..Wanted::default()
    })
}

/// What concerns the viewer alone.
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

async fn write_note(
    app: App,
    viewer: SignedInViewer,
    asked: Arc<Asked>,
    form: Params<NoteForm>,
) -> Result<Response> {
    let Params(form) = form;
    let (viewer, address) = (viewer.viewer(), Address::of(&asked)?);
    let (place, url) = place(&app, &viewer, &address, form.issue_iid).await?;
    let body = lines(form.body.as_deref());
    let comment = Comment {
        body: body.clone(),
        internal: form.internal.unwrap_or(false),
        created_at: None,
        discussion_id: form.discussion_id.clone(),
        begins_thread: false,
    };
    let event = form.state_event;
    let writes = !body.trim().is_empty() || event.is_none();
    let by = writer(viewer.clone(), asked);
    let mut done = Ok(None);
    if writes {
        let said = guarded::comment(&app, by.clone(), place.clone(), comment, |_, _, said| {
            Ok(match said {
                Said::Note(note, _) => Some(note.id),
                Said::Commands(_) => None,
            })
        });
        done = said.await.and_then(Guarded::rest);
    }
    if let (Ok(_), Some(event)) = (&done, event) {
        let wanted = Wanted {
            state_event: Some(event),
            ..Wanted::default()
        };
        let edited = guarded::edit(&app, by, place, wanted, |_, _, _| Ok(()));
        if let Err(error) = edited.await.and_then(Guarded::rest) {
            done = Err(error);
        }
    }
    match done {
        Ok(Some(id)) => flash::done(&app, &format!("{url}#note_{id}"), "The note is written."),
        Ok(None) => flash::done(&app, &url, "Done."),
        Err(error) => {
            let (errors, refusal) = in_form(noted(error), &["body"])?;
            let typed = Typed {
                note: body,
                errors,
                refusal,
                ..Typed::default()
            };
            render(&app, viewer, address, form.issue_iid, first_page(), typed).await
        }
    }
}

/// A refusal of a note's text, said beside its field.
fn noted(error: Error) -> Error {
    match comments::refused_text(&error) {
        Some(problem) => Error::invalid("body", problem),
        None => error,
    }
}

async fn change_note(
    app: App,
    viewer: SignedInViewer,
    asked: Arc<Asked>,
    form: Params<NoteChange>,
) -> Result<Response> {
    let Params(form) = form;
    let (viewer, address) = (viewer.viewer(), Address::of(&asked)?);
    let (place, url) = place(&app, &viewer, &address, form.issue_iid).await?;
    if form.delete.unwrap_or(false) {
        app.write(move |tx| {
            let (desk, issue) = found_to_write(tx, &viewer, &place.0, place.1)?;
            comments::destroy(tx, &viewer, &desk, &issue, form.note_id)
        })
        .await?;
        return flash::done(&app, &url, "The note is deleted.");
    }
    let by = writer(viewer.clone(), asked);
    let body = lines(form.body.as_deref());
    let which = (form.note_id, None);
    let done = guarded::rewrite(&app, by, place, which, body, |_, _, note| Ok(note.id)).await;
    match done.and_then(Guarded::rest) {
        Ok(id) => flash::done(&app, &format!("{url}#note_{id}"), "The note is changed."),
        Err(error) => {
            let (errors, refusal) = in_form(noted(error), &[])?;
            let typed = Typed {
                errors,
                refusal,
                ..Typed::default()
            };
            render(&app, viewer, address, form.issue_iid, first_page(), typed).await
        }
    }
}
