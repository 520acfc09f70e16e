//! `…/-/alert_management/<number>/details`: one alert, what was sent, what
//! became of it.

use super::views::AlertDetails;
use crate::alerts::model::{Alert, Status};
use crate::alerts::payload::flat;
use crate::alerts::related::Related;
use crate::alerts::rules::alerts::{AlertAccess, duplicate};
use crate::alerts::store::{alerts as rows, history, images};
use crate::alerts::talk::thing;
use crate::hours::{DAYS, HOURS, before, last_days, last_hours, of_days, of_hours};
use identity::pages::challenge::Challenge;
use identity::pages::refusal::{Refusal, outcome};
use identity::spam::Guarded;
use kernel::app::App;
use kernel::error::{Found, Result};
use kernel::html::ui::Choice;
use kernel::html::{Errors, Html, Page, Pages, flash};
use kernel::http::{Call, Flat, FromCall, Paging, Params, Response};
use kernel::time::Timestamp;
use planning::access::ProjectAccess;
use planning::pages::notes::{NotePage, Open, Story, StoryQuery};
use planning::rules::comments::Talk;
use planning::rules::references::{Links, TextOptions};
use planning::store::threads::Resolves;
use serde_json::Value;
use spaces::access::Purpose;
use spaces::pages::{Section, Space, Visit};
use store::Tx;

const IMAGES: i64 = 100;
/// Fields of the forms that show what is wrong with them.
const FIELDS: &[&str] = &["status", "assignee", "duration", "file", "url", "url_text", "body"];

/// How long an alert may be ignored, in seconds.
const DURATIONS: &[(&str, &str)] = &[
    ("3600", "1 hour"),
    ("7200", "2 hours"),
    ("28800", "8 hours"),
    ("86400", "1 day"),
    ("604800", "1 week"),
];

kernel::params! {
    struct OneAlert {
        pub alert_iid: i64,
        pub story: Flat<StoryQuery>,
    }
}

/// The page of an alert, for one who looks at it or sends one of its forms.
#[derive(Clone)]
pub(super) struct AlertPage {
    pub visit: Visit,
    iid: i64,
    story: StoryQuery,
    pub paging: Paging,
}

impl FromCall for AlertPage {
    async fn from_call(call: &mut Call) -> Result<AlertPage> {
        let visit = Visit::from_call(call).await?;
        let one: Params<OneAlert> = Params::from_call(call).await?;
        let paging = Paging::from_call(call).await?;
        let Params(one) = one;
        Ok(AlertPage { visit, iid: one.alert_iid, story: one.story.0, paging })
    }
}

/// What was typed into a form that is shown again.
#[derive(Default)]
pub(super) struct AlertForms {
    pub assignee: Option<String>,
    pub note: Option<TypedNote>,
}

/// A note as it was typed.
#[derive(Debug, Clone)]
pub(super) enum TypedNote {
    New(String),
    /// In a discussion that was there.
    Answer(String, String),
    /// Of a note that was there.
    Edit(i64, String),
}

impl AlertForms {
    pub fn note(note: TypedNote) -> AlertForms {
        AlertForms { note: Some(note), ..AlertForms::default() }
    }

    /// Fields of the form that show what is wrong with them.
    fn fields(&self) -> &'static [&'static str] {
        match self.note {
            Some(TypedNote::Edit(..) | TypedNote::Answer(..)) => &[],
            _ => FIELDS,
        }
    }

    /// The forms that stand open among the notes.
    fn open(&self, story: &StoryQuery, refusal: &Refusal) -> Open {
        match self.note.clone() {
            Some(TypedNote::Edit(id, body)) => Open::edit(id, body, refusal),
            Some(TypedNote::Answer(discussion, body)) => Open::answer(discussion, body, refusal),
            _ => Open::of(story),
        }
    }
}

pub(super) async fn show(app: App, page: AlertPage) -> Result<Response> {
    page.render(&app, AlertForms::default(), Refusal::default()).await
}

impl AlertPage {
    /// The alert with its project, for who changes alerts.
    pub fn authorize_to_change(&self, tx: &mut Tx<'_>) -> Result<AlertAccess> {
        let space = self.visit.authorize(tx, Purpose::ManageAlerts)?;
        AlertAccess::find(tx, &self.visit.viewer, space.project()?, self.iid)
    }

    /// Does what a form asks of the alert, which says what it did.
    pub async fn change(
        self, app: &App, typed: AlertForms,
        work: impl Fn(&mut Tx<'_>, &mut AlertAccess) -> Result<String> + Send + 'static,
    ) -> Result<Response> {
        let page = self.clone();
        let done = app.write(move |tx| {
            let mut here = page.authorize_to_change(tx)?;
            let text = work(tx, &mut here)?;
            Ok(Guarded::Made((here.path(), text)))
        });
        self.answer(app, done.await, typed).await
    }

    /// Leads on with a message from a form that was accepted, or shows the
    /// page again with what was typed and refused.
    pub async fn answer(
        self, app: &App, done: Result<Guarded<(String, String)>>, typed: AlertForms,
    ) -> Result<Response> {
        match outcome(app, done, typed.fields()).await? {
            Ok((path, text)) => flash::done(app, &path, text),
            Err(refusal) => self.render(app, typed, refusal).await,
        }
    }

    async fn render(self, app: &App, typed: AlertForms, refusal: Refusal) -> Result<Response> {
        let status = refusal.status();
        let page = refusal.page(app, &self.visit.viewer, "Alert");
        let challenge = refusal.challenge.clone();
        let view = kernel::markup::read(app, move |tx| {
            let space = self.visit.authorize(tx, Purpose::ReadAlerts)?;
            let open = typed.open(&self.story, &refusal);
            let mut view = self.details(tx, page.clone(), &space, &typed, &open)?;
            // A challenge stands where what it lets pass was typed.
            match typed.note {
                None => view.incident_challenge = refusal.challenge.clone(),
                Some(TypedNote::New(_)) => view.draft_challenge = refusal.challenge.clone(),
                Some(_) => {}
            }
            view.errors = refusal.errors.clone();
            Ok(view)
        })
        .await?;
        let html = Challenge::allow(challenge.as_ref(), Html::new(&view)?);
        Ok(html.status(status).response())
    }

    fn details(
        &self, tx: &mut Tx<'_>, page: Page, space: &Space, typed: &AlertForms, open: &Open,
    ) -> Result<AlertDetails> {
        let (now, project) = (tx.now(), space.project()?);
        let alert = rows::find(tx, project.id, self.iid)?.found("Alert")?;
        let desk = ProjectAccess { level: space.level(), project: project.clone() };
        let project = space.full_path();
        let all = format!("{}/-/alert_management", space.url());
        let head = space.head(tx, &self.visit.viewer)?;
        let mut page = head.page_below(page, Section::Alerts);
        page.title = format!("{} ({})", alert.title, alert.reference());
        let related = Related::read(tx, std::slice::from_ref(&alert))?;
        let owner = related.assignee(&alert).cloned();
        let sent = history::hours(tx, alert.id, before(now, 24 * DAYS))?;
        let equal = match alert.status.is_open() {
            true => None,
            false => duplicate(tx, &alert)?,
        };
        let (url, here) = (format!("{all}/{}", alert.iid), alert.path(project));
        let around = NotePage {
            viewer: &self.visit.viewer,
            desk: (&desk).into(),
            url: &url,
            here: &self.story.here(&here),
            csrf: &page.csrf,
            page: Pages::of(&self.paging, 0, String::new()).page,
            writes: !desk.project.archived,
            may_answer: !desk.project.archived,
            resolves: Resolves::None,
            open,
        };
        let (story, pages) = self.story(tx, &around, &alert, &here)?;
        let description = description(tx, &around, &alert)?;
        Ok(AlertDetails {
            page,
            head,
            facts: facts(tx, &alert)?,
            description,
            runbook: alert.runbook().map(|text| {
                let leads = is_web(&text);
                (text, leads)
            }),
            fields: fields(&alert.payload),
            statuses: statuses(),
            assignee: match (&typed.assignee, &owner) {
                (Some(typed), _) => typed.clone(),
                (None, Some(user)) => user.username.clone(),
                (None, None) => String::new(),
            },
            durations: Choice::list(DURATIONS),
            duplicate: equal.map(|equal| (equal.reference(), equal.path(project))),
            begun: history::begun(tx, &alert, before(now, 24 * DAYS))?.len(),
            sent: chart(&alert, &sent, now),
            images: images::list(tx, alert.id, IMAGES, 0)?,
            story,
            is_part: self.story.is_part(),
            draft: match &typed.note {
                Some(TypedNote::New(body)) => body.clone(),
                _ => String::new(),
            },
            draft_challenge: None,
            incident_challenge: None,
            may_write: !desk.project.archived,
            pages,
            url,
            issue_iid: related.issue_iid(&alert),
            owner,
            now,
            errors: Errors::default(),
            alert,
        })
    }
}

impl AlertPage {
    /// One page of what was said about the alert and became of it, the latest
    /// first, or of one discussion.
    fn story(
        &self, tx: &mut Tx<'_>, around: &NotePage<'_>, alert: &Alert, here: &str,
    ) -> Result<(Story, Pages)> {
        let talk = Talk::new(around.viewer, around.desk, &thing(alert));
        let (said, total) = match (&self.story.thread, self.story.note) {
            (_, Some(note)) => (vec![talk.alone(tx, note)?], 1),
            (Some(id), None) => {
                let one = talk.thread(tx, id, &self.paging)?;
                let total = one.total;
                (vec![one], total)
            }
            (None, None) => talk.latest(tx, &self.paging)?,
        };
        let story = Story::new(around.show(tx, said)?);
        Ok((story, Pages::of(&self.paging, total, self.story.list(here))))
    }
}

fn statuses() -> Vec<Choice> {
    let choice =
        |status: &Status| Choice { value: status.to_string(), label: status.label().to_owned() };
    Status::ALL.iter().map(choice).collect()
}

/// The description as safe HTML, or nothing. What it names leads on, as far as
/// the viewer sees it.
fn description(tx: &mut Tx<'_>, around: &NotePage<'_>, alert: &Alert) -> Result<String> {
    let text = alert.description.as_deref().unwrap_or_default().trim();
    let project = around.desk.project();
    let links = Links::find(tx, around.viewer, "", project, [text])?;
    Ok(links.shown(text, TextOptions { id: "d-", tasks: "" }))
}

/// Whether a browser may follow a text that strangers sent.
fn is_web(text: &str) -> bool {
    url::Url::parse(text).is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
}

fn facts(tx: &mut Tx<'_>, alert: &Alert) -> Result<Vec<(&'static str, String)>> {
    let integration = match alert.integration_id {
        Some(id) => history::integration_name(tx, id)?,
        None => None,
    };
    let hosts = (!alert.hosts.is_empty()).then(|| alert.hosts.join(", "));
    let known = [
        ("Service", alert.service.clone()),
        ("Tool", alert.monitoring_tool.clone()),
        ("Hosts", hosts),
        ("Environment", alert.environment_name.clone()),
        ("Query", alert.full_query()),
        ("Received by", integration),
    ];
    let known = known.into_iter();
    Ok(known.filter_map(|(name, text)| Some((name, text?))).collect())
}

/// What was sent, as text, by name: databases keep no order of fields.
fn fields(payload: &Value) -> Vec<(String, String)> {
    let text = |value: Value| match value {
        Value::String(text) => text,
        other => other.to_string(),
    };
    let mut flat = flat::of(payload);
    flat.sort_keys();
    flat.into_iter().map(|(name, value)| (name, text(value))).collect()
}

/// What was sent of it: by hour while it is young, by day later.
fn chart(
    alert: &Alert, sent: &[(Timestamp, i64)], now: Timestamp,
) -> (&'static str, Vec<(String, u64)>) {
    match alert.times.created_at > before(now, HOURS - 1) {
        true => ("Events by hour", of_hours(&last_hours(now, sent))),
        false => ("Events by day", of_days(&last_days(now, sent))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_addresses_of_the_web_are_followed() {
        assert!(is_web("https://wiki.example/disk"));
        for text in ["javascript:alert(1)", "data:text/html,x", "see the wiki", "//x", ""] {
            assert!(!is_web(text), "{text}");
        }
    }

    #[test]
    fn a_payload_is_shown_field_by_field() {
        let payload = json!({"c": null, "a": {"b": ["x", 1]}});
        let expected = [("a.b.0", "x"), ("a.b.1", "1"), ("c", "null")];
        let expected = expected.map(|(name, text)| (name.to_owned(), text.to_owned()));
        assert_eq!(fields(&payload), expected);
    }
}
