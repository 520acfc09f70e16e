//! `…/-/issues/<number>`: one issue, what was said about it and what became of
//! it.

pub mod actions;
pub mod story;
mod ticking;

use super::boxes::Tickable;
use super::notes::NotePage;
use super::views::{self, Fact, IssueView, Marks};
use super::{desk, kinds};
use crate::access::{Parent, ProjectAccess};
use crate::model::{EscalationStatus, Issue, Severity};
use crate::rules::issues::places::{found, is_subscribed};
use crate::rules::issues::requests::may_edit;
use crate::rules::references::Links;
use crate::store::awards::{self as award_rows, Awardable};
use crate::store::{issues as rows, labels, milestones};
use actions::{ChangeForm, Draft, change, change_note, write_note};
use http::Method;
use identity::entities::load_basic;
use identity::model::User;
use identity::pages::challenge::Challenge;
use identity::pages::refusal::Refusal;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::ui::Choice;
use kernel::html::{Html, Moment, Pages};
use kernel::http::{Paging, Params, Response, Routes};
use spaces::access::{DEVELOPER, GUEST, Purpose};
use spaces::pages::{Address, PROJECT, Section};
use store::Tx;
use story::Rewritten;
use ticking::tick;

const ENTRIES: i64 = 50;
/// Where the description stands on the page.
pub const DESCRIPTION: &str = "description";
const MAX_MILESTONES: i64 = 100;

pub fn routes(r: &mut Routes) {
    let one = format!("{PROJECT}/-/issues/{{issue_iid}}");
    r.page(Method::GET, &one, show);
    r.page(Method::POST, &one, change);
    r.page(Method::POST, &format!("{one}/notes"), write_note);
    r.page(Method::POST, &format!("{one}/notes/{{note_id}}"), change_note);
    r.page(Method::POST, &format!("{one}/tasks"), tick);
    r.page(Method::POST, &format!("{one}/notes/{{note_id}}/tasks"), tick);
}

kernel::params! {
    pub struct OneIssue {
        pub issue_iid: i64,
    }
}

#[derive(Default)]
struct IssueForms {
    draft: Draft,
    rewritten: Option<Rewritten>,
    marks: Option<ChangeForm>,
    refusal: Refusal,
}

async fn show(
    app: App,
    viewer: Viewer,
    address: Address,
    path: Params<OneIssue>,
    paging: Paging,
) -> Result<Response> {
    let typed = IssueForms::default();
    render(&app, viewer, address, path.issue_iid, paging, typed).await
}

async fn render(
    app: &App,
    viewer: Viewer,
    address: Address,
    iid: i64,
    paging: Paging,
    typed: IssueForms,
) -> Result<Response> {
    let status = typed.refusal.status();
    let shown = typed.refusal.page(app, &viewer, "Issue");
    let paging = Paging { per_page: ENTRIES, ..paging };
    let _turn = kernel::markup::turn().await?;
    let view = app
        .read(move |tx| {
            let (space, _) = desk(tx, &viewer, &address, Purpose::Read)?;
            let (desk, issue) = found(tx, &viewer, &space.reference(), iid)?;
            let list = format!("{}/-/issues", space.url());
            let head = space.head(tx, &viewer)?;
            let mut page = head.page_below(shown, Section::Issues);
            page.title = format!("{} (#{})", issue.title, issue.iid);
            let reader = Reader { viewer: &viewer, desk: &desk, issue: &issue };
            let url = format!("{list}/{}", issue.iid);
            let around = NotePage {
                viewer: &viewer,
                desk: &desk,
                url: &url,
                csrf: &page.csrf,
                page: Pages::of(&paging, 0, String::new()).page,
                writes: reader.writes(),
                may_answer: reader.may_write(),
            };
            let (story, total) = reader.story(tx, &around, &paging, typed.rewritten.as_ref())?;
            Ok(views::Issue {
                view: reader.view(tx, &around)?,
                marks: reader.marks(tx, typed.marks.as_ref())?,
                facts: reader.facts(tx)?,
                pages: Pages::of(&paging, total, url.clone()),
                story,
                may_write: reader.may_write(),
                may_write_inside: desk.is_reporter(),
                draft: typed.draft,
                errors: typed.refusal.errors,
                challenge: typed.refusal.challenge,
                is_rewriting: typed.rewritten.is_some(),
                head,
                issue,
                page,
                url,
            })
        })
        .await?;
    let html = Challenge::allow(view.challenge.as_ref(), Html::new(&view)?);
    Ok(html.status(status).response())
}

struct Reader<'r> {
    viewer: &'r Viewer,
    desk: &'r ProjectAccess,
    issue: &'r Issue,
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
            author: author.map(|user| user.username.clone()).unwrap_or_default(),
            created_at: Moment::new(issue.created_at, now),
            closed_at: Moment::maybe(issue.closed_at, now),
            upvoted: own,
            subscribed,
            is_signed_in: self.viewer.user_id().is_some(),
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
        let milestones_found = milestones::usable(tx, &parent, issue.milestone_id, MAX_MILESTONES)?;
        let mut choices = Choice::list(&[("0", "None")]);
        choices.extend(
            milestones_found
                .into_iter()
                .map(|goal| Choice { value: goal.id.to_string(), label: goal.title }),
        );
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
            kinds: kinds(),
            severities: Severity::ALL
                .iter()
                .map(|one| Choice { value: one.to_string(), label: one.to_string() })
                .collect(),
        }))
    }

    fn assigned(&self, tx: &mut Tx<'_>) -> Result<Vec<User>> {
        let ids = rows::assignees_of_one(tx, self.issue.id)?;
        let mut found = load_basic(tx, &ids)?;
        Ok(ids.iter().filter_map(|id| found.remove(id)).collect())
    }

    fn facts(&self, tx: &mut Tx<'_>) -> Result<Vec<Fact>> {
        let issue = self.issue;
        let mut facts = Vec::new();
        let worn = labels::of_issues(tx, &[issue.id])?.remove(&issue.id);
        let worn = worn.unwrap_or_default();
        if !worn.is_empty() {
            facts.push(Fact::Tags(worn));
        }
        let names = names(self.assigned(tx)?);
        if !names.is_empty() {
            facts.push(Fact::People("Assigned", names));
        }
        if let Some(id) = issue.milestone_id
            && let Some(goal) = milestones::by_ids(tx, &[id])?.remove(&id)
        {
            let url = goal.path();
            facts.push(Fact::Link("Milestone", goal.title, url));
        }
        let text = |label, text: Option<String>| text.map(|text| Fact::Text(label, text));
        facts.extend(text("Due", issue.due_on.map(|day| day.to_string())));
        facts.extend(text("Weight", issue.weight.map(|weight| weight.to_string())));
        if issue.is_incident() {
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
}

fn names(users: Vec<User>) -> Vec<String> {
    users.into_iter().map(|user| user.username).collect()
}
