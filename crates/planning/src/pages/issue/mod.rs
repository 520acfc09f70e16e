//! `…/-/issues/<number>`: one issue, what was said about it and what became of
//! it.

pub mod actions;
mod bulk;
pub mod fields;
mod page;

use super::boxes::Tickable;
use super::desk;
use super::notes::{NotePage, Person, StoryQuery};
use super::talk::{self, ENTRIES, StoryReader, TalkForms, TalkView, Writing};
use super::views::{self, IssueView};
use crate::access::{Desk, ProjectAccess};
use crate::model::{EscalationStatus, Issue};
use crate::requests::begins;
use crate::rules::epics::promote::may_promote;
use crate::rules::issues::noteable;
use crate::rules::issues::places::is_subscribed;
use crate::rules::issues::requests::{find, may_edit};
use crate::rules::references::Links;
use crate::store::awards::{self as award_rows, Awardable};
use crate::store::issues::links;
use crate::store::issues::timeline::Timeline;
use crate::store::notes::shown;
use crate::store::threads;
use crate::store::threads::Resolves;
use actions::{ChangeForm, change};
use http::Method;
use identity::entities::load_basic;
use identity::pages::challenge::Challenge;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::ui::Choice;
use kernel::html::{Html, Moment, Pages};
use kernel::http::{Flat, Paging, Params, Response, Routes};
use page::IssuePage;
use spaces::access::{DEVELOPER, GUEST, Purpose};
use spaces::pages::{Address, PROJECT, Section};
use store::Tx;

pub fn routes(r: &mut Routes) {
    let one = format!("{PROJECT}/-/issues/{{issue_iid}}");
    bulk::routes(r);
    r.page(Method::GET, &one, show);
    r.page(Method::POST, &one, change);
    talk::routes::<IssuePage>(r, &one);
}

kernel::params! {
    pub struct OneIssue {
        pub issue_iid: i64,
        pub story: Flat<StoryQuery>,
    }
}

#[derive(Default)]
struct IssueForms {
    talk: TalkForms,
    fields: Option<ChangeForm>,
}

async fn show(
    app: App, viewer: Viewer, address: Address, Params(path): Params<OneIssue>, paging: Paging,
) -> Result<Response> {
    let story = path.story.0;
    let talk = TalkForms::untyped(&story);
    let typed = IssueForms { talk, ..IssueForms::default() };
    render(&app, viewer, address, (path.issue_iid, story), paging, typed).await
}

async fn render(
    app: &App, viewer: Viewer, address: Address, (iid, asked): (i64, StoryQuery), paging: Paging,
    typed: IssueForms,
) -> Result<Response> {
    let refusal = &typed.talk.refusal;
    let status = refusal.status();
    let shown = refusal.page(app, &viewer, "Issue");
    let paging = Paging { per_page: ENTRIES, ..paging };
    let challenge = refusal.challenge.clone();
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
            desk: (&desk).into(),
            url: &url,
            here: &asked.here(&url),
            csrf: &page.csrf,
            page: Pages::of(&paging, 0, String::new()).page,
            writes: reader.writes(),
            may_answer: reader.may_write(),
            resolves: Resolves::about(&viewer, &desk, (&issue).into()),
            open: &typed.talk.open,
        };
        let timeline = Timeline::new(tx, &viewer, noteable(&issue), desk.is_reporter());
        let story = StoryReader { timeline, around: &around, noun: "issue" };
        let (story, total) = story.story(tx, &asked, &paging)?;
        let view = reader.view(tx, &around)?;
        let said = (story, Pages::of(&paging, total, asked.list(&url)));
        let talk = TalkView::new((&url, &page.csrf), reader.writing(&view), said, &typed.talk);
        Ok(views::Issue {
            talk: talk.part(asked.is_part()).to_resolve(reader.unresolved(tx)?),
            view,
            side: reader.fields(tx, typed.fields.as_ref())?,
            may_set: reader.may_set(),
            is_part: asked.is_part(),
            errors: typed.talk.refusal.errors.clone(),
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
        let links = Links::find(tx, self.viewer, "", Desk::from(self.desk), [issue.text()])?;
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
            beginning: begins(tx, self.viewer, self.desk, issue)?,
            may_edit,
            may_award: self.may_write(),
            escalation: self.escalation(),
        })
    }

    fn writing(&self, view: &IssueView) -> Writing {
        let state = match self.issue.is_open() {
            true => ("close", "Comment and close"),
            false => ("reopen", "Comment and reopen"),
        };
        Writing {
            is_signed_in: view.is_signed_in,
            may_write: self.may_write(),
            may_write_inside: self.desk.is_reporter(),
            is_locked: self.issue.is_locked(),
            state: (view.may_edit && view.closing.is_none()).then_some(state),
            hint: "Markdown. Lines such as /close are carried out.",
        }
    }

    /// How many threads are not resolved.
    fn unresolved(&self, tx: &mut Tx<'_>) -> Result<u64> {
        let notes = shown(tx, self.viewer, noteable(self.issue), self.desk.is_reporter());
        Ok(threads::unresolved(tx, notes)?.unsigned_abs())
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
