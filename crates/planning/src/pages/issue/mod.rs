//! `…/-/issues/<number>`: one issue, what was said about it and what became of
//! it.

pub mod actions;
mod bulk;
pub mod fields;
mod resolving;
mod story;
mod ticking;

use super::boxes::Tickable;
use super::desk;
use super::notes::{NotePage, Open, Person, StoryQuery};
use super::views::{self, IssueView};
use crate::access::ProjectAccess;
use crate::model::{EscalationStatus, Issue};
use crate::rules::epics::promote::may_promote;
use crate::rules::issues::places::is_subscribed;
use crate::rules::issues::requests::{find, may_edit};
use crate::rules::references::Links;
use crate::rules::threads::Resolves;
use crate::store::awards::{self as award_rows, Awardable};
use crate::store::issues::links;
use actions::{ChangeForm, Draft, change, change_note, write_note};
use http::Method;
use identity::entities::load_basic;
use identity::pages::challenge::Challenge;
use identity::pages::refusal::Refusal;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::ui::Choice;
use kernel::html::{Html, Moment, Pages};
use kernel::http::{Flat, Paging, Params, Response, Routes};
use resolving::resolve;
use spaces::access::{DEVELOPER, GUEST, Purpose};
use spaces::pages::{Address, PROJECT, Section};
use store::Tx;
use ticking::tick;

/// Entries of a page.
const ENTRIES: i64 = 50;
/// Where the description stands on the page.
pub const DESCRIPTION: &str = "description";

pub fn routes(r: &mut Routes) {
    let one = format!("{PROJECT}/-/issues/{{issue_iid}}");
    bulk::routes(r);
    r.page(Method::GET, &one, show);
    r.page(Method::POST, &one, change);
    r.page(Method::POST, &format!("{one}/notes"), write_note);
    r.page(Method::POST, &format!("{one}/notes/{{note_id}}"), change_note);
    r.page(Method::POST, &format!("{one}/discussions/{{discussion_id}}"), resolve);
    r.page(Method::POST, &format!("{one}/tasks"), tick);
    r.page(Method::POST, &format!("{one}/notes/{{note_id}}/tasks"), tick);
}

kernel::params! {
    pub struct OneIssue {
        pub issue_iid: i64,
        pub story: Flat<StoryQuery>,
    }
}

#[derive(Default)]
struct IssueForms {
    draft: Draft,
    open: Open,
    fields: Option<ChangeForm>,
    refusal: Refusal,
}

async fn show(
    app: App,
    viewer: Viewer,
    address: Address,
    Params(path): Params<OneIssue>,
    paging: Paging,
) -> Result<Response> {
    let story = path.story.0;
    let open = Open {
        note_id: story.edit,
        is_alone: story.is_part(),
        ..Open::default()
    };
    let typed = IssueForms { open, ..IssueForms::default() };
    render(&app, viewer, address, (path.issue_iid, story), paging, typed).await
}

async fn render(
    app: &App,
    viewer: Viewer,
    address: Address,
    (iid, asked): (i64, StoryQuery),
    paging: Paging,
    typed: IssueForms,
) -> Result<Response> {
    let status = typed.refusal.status();
    let shown = typed.refusal.page(app, &viewer, "Issue");
    let paging = Paging { per_page: ENTRIES, ..paging };
    let challenge = typed.refusal.challenge.clone();
    let view = kernel::markup::read(app, move |tx| {
        let (space, desk) = desk(tx, &viewer, &address, Purpose::Read)?;
        let issue = find(tx, &viewer, &desk, iid)?;
        let head = space.head(tx, &viewer)?;
        let mut page = head.page_below(shown.clone(), Section::Issues);
        page.title = format!("{} (#{})", issue.title, issue.iid);
        let reader = Reader { viewer: &viewer, desk: &desk, issue: &issue };
        let url = format!("{}/-/issues/{}", space.url(), issue.iid);
        let around = NotePage {
            viewer: &viewer,
            desk: &desk,
            url: &url,
            here: &asked.here(&url),
            csrf: &page.csrf,
            page: Pages::of(&paging, 0, String::new()).page,
            writes: reader.writes(),
            may_answer: reader.may_write(),
            resolves: Resolves::about(&viewer, &desk, (&issue).into()),
            open: &typed.open,
        };
        let (story, total) = reader.story(tx, &around, &asked, &paging)?;
        // The challenge stands where the text was typed.
        let of_draft = typed.open.typed.is_none() && typed.open.answer.is_none();
        Ok(views::Issue {
            to_resolve: reader.unresolved(tx)?,
            view: reader.view(tx, &around)?,
            side: reader.fields(tx, typed.fields.as_ref())?,
            may_set: reader.may_set(),
            is_part: asked.is_part(),
            pages: Pages::of(&paging, total, asked.list(&url)),
            story,
            may_write: reader.may_write(),
            may_write_inside: desk.is_reporter(),
            draft: typed.draft.clone(),
            errors: typed.refusal.errors.clone(),
            challenge: typed.refusal.challenge.clone().filter(|_| of_draft),
            head,
            issue,
            page,
            url,
        })
    })
    .await?;
    let html = Challenge::allow(challenge.as_ref(), Html::new(&view)?);
    Ok(html.status(status).response())
}

struct Reader<'r> {
    viewer: &'r Viewer,
    desk: &'r ProjectAccess,
    issue: &'r Issue,
}

/// Most issues that are named as blocking one.
const MOST_NAMED: usize = 5;

/// What is asked before an issue is closed that others block.
fn closing(blockers: &[Issue], issue: &Issue) -> Option<String> {
    let name = |one: &Issue| match one.project_id == issue.project_id {
        true => format!("#{}", one.iid),
        false => format!("{}#{}", one.project_path, one.iid),
    };
    let named: Vec<String> = blockers.iter().take(MOST_NAMED).map(name).collect();
    let more = match blockers.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!named.is_empty()).then(|| {
        let verb = if blockers.len() == 1 { "is" } else { "are" };
        format!("It is blocked by {}{more}, which {verb} still open.", named.join(", "))
    })
}

impl Reader<'_> {
    fn writes(&self) -> bool {
        self.viewer.user_id().is_some() && !self.desk.project.archived
    }

    fn may_write(&self) -> bool {
        self.writes() && (!self.issue.is_locked() || self.desk.level >= GUEST)
    }

    fn view(&self, tx: &mut Tx<'_>, around: &NotePage<'_>) -> Result<IssueView> {
        let (issue, now) = (self.issue, tx.now());
        let project = Some(&self.desk.project);
        let links = Links::find(tx, self.viewer, "", project, [issue.text()])?;
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
        let may_edit = self.writes() && may_edit(self.viewer, self.desk, issue);
        let description = Tickable {
            text: issue.text(),
            id: "d-",
            action: may_edit.then(|| format!("{}/tasks", around.url)),
            csrf: around.csrf,
            page: 1,
        };
        Ok(IssueView {
            description: description.html(&links),
            author: Person::of(author),
            created_at: Moment::new(issue.created_at, now),
            closed_at: Moment::maybe(issue.closed_at, now),
            upvoted: own,
            subscribed,
            is_signed_in: self.viewer.user_id().is_some(),
            closing: match may_edit && issue.is_open() {
                true => closing(&links::blockers(tx, self.viewer, issue.id)?, issue),
                false => None,
            },
            may_promote: may_edit && may_promote(tx, self.viewer, self.desk, issue)?,
            may_edit,
            may_award: self.may_write(),
            escalation: self.escalation(),
        })
    }

    /// What may be said of how far people are with an incident, for who may
    /// say so.
    fn escalation(&self) -> Option<Vec<Choice>> {
        let may = self.writes() && self.desk.level >= DEVELOPER;
        let choices = EscalationStatus::ALL
            .iter()
            .map(|one| Choice { value: one.to_string(), label: one.label().to_owned() });
        (self.issue.is_incident() && may).then(|| choices.collect())
    }
}
