//! `…/-/alert_management/<number>/details`: one alert, what was sent, what
//! became of it.

use super::list::AlertRelated;
use super::project_of;
use super::views::{AlertDetails, ImageRow, NoteRow};
use crate::alerts::model::{Alert, MetricImage, Status};
use crate::alerts::payload::flat;
use crate::alerts::rest::images::path;
use crate::alerts::rules::alerts::duplicate;
use crate::alerts::store::{alerts as rows, history, images};
use crate::hours::{DAYS, before, last_days, last_hours, of_days, of_hours};
use identity::entities::load_basic;
use identity::model::User;
use identity::pages::challenge::Challenge;
use identity::pages::refusal::Refusal;
use identity::viewer::{SignedInViewer, Viewer};
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::html::ui::Choice;
use kernel::html::{Html, Moment, Page, Pages};
use kernel::http::{Paging, Params, RequestContext, Response};
use kernel::time::Timestamp;
use planning::access::ProjectAccess;
use planning::rules::comments::may_change;
use planning::rules::references::Links;
use planning::store::notes::Note;
use serde_json::Value;
use spaces::access::Purpose;
use spaces::pages::{Address, Space};
use std::collections::HashMap;
use std::sync::Arc;
use store::Tx;

/// Most pictures shown.
const IMAGES: i64 = 100;

kernel::params! {
    /// An alert.
    pub struct OneAlert {
        /// Number of the alert.
        pub alert_iid: i64,
    }
}

/// What was typed into a form that is shown again.
#[derive(Default)]
pub(super) struct AlertForms {
    /// Who should look after it.
    pub assignee: Option<String>,
    pub text: Option<Text>,
    /// Why it is shown again.
    pub refusal: Refusal,
}

/// A text that was refused.
#[derive(Debug, Clone)]
pub(super) enum Text {
    /// Of a new note, and the discussion it answers in, or empty.
    New(String, String),
    /// Of a note that was there.
    Of(i64, String),
}

impl Text {
    fn of_note(&self, id: i64) -> Option<&str> {
        match self {
            Text::Of(note, body) if *note == id => Some(body),
            _ => None,
        }
    }
}

pub(super) async fn show(
    app: App,
    viewer: SignedInViewer,
    asked: Arc<RequestContext>,
    path: Params<OneAlert>,
    paging: Paging,
) -> Result<Response> {
    let (address, typed) = (Address::of(&asked)?, AlertForms::default());
    render(
        &app,
        viewer.viewer(),
        address,
        path.alert_iid,
        paging,
        typed,
    )
    .await
}

/// Fields of the forms that show what is wrong with them.
pub(super) const FIELDS: &[&str] = &[
    "status", "assignee", "duration", "file", "url", "url_text", "body",
];

/// The page again, with what was wrong.
pub(super) async fn again(
    app: &App,
    viewer: Viewer,
    address: Address,
    iid: i64,
    paging: Paging,
    error: Error,
) -> Result<Response> {
    let typed = AlertForms {
        refusal: Refusal::of(error, FIELDS)?,
        ..AlertForms::default()
    };
    render(app, viewer, address, iid, paging, typed).await
}

pub(super) async fn render(
    app: &App,
    viewer: Viewer,
    address: Address,
    iid: i64,
    paging: Paging,
    typed: AlertForms,
) -> Result<Response> {
    let status = typed.refusal.status();
    let shown = typed.refusal.page(app, &viewer, "Alert");
    let view = app
        .read(move |tx| {
            let space = address.authorize(tx, &viewer, Purpose::ReadAlerts)?;
            let alert = rows::find(tx, project_of(&space)?.id, iid)?.found("Alert")?;
            let desk = ProjectAccess {
                level: space.level(),
                project: project_of(&space)?.clone(),
            };
            let reader = Reader {
                viewer: &viewer,
                desk: &desk,
                alert: &alert,
            };
            details(tx, shown, &space, &reader, &paging, typed)
        })
        .await?;
    let html = Challenge::allow(view.challenge.as_ref(), Html::new(&view)?);
    Ok(html.status(status).response())
}

fn details(
    tx: &mut Tx<'_>,
    page: Page,
    space: &Space,
    reader: &Reader<'_>,
    paging: &Paging,
    typed: AlertForms,
) -> Result<AlertDetails> {
    let (limit, offset) = (paging.per_page, paging.offset());
    let (now, alert) = (tx.now(), reader.alert);
    let project = space.full_path();
    let all = format!("{}/-/alert_management", space.url());
    let mut page = space.crumbs(page, true).crumb("Alerts", all.as_str());
    page.title = format!("{} ({})", alert.title, alert.reference());
    let row = AlertRelated::read(tx, std::slice::from_ref(alert))?.row(alert, project, now);
    let sent = history::hours(tx, alert.id, before(now, 24 * DAYS))?;
    let open = match alert.status.is_open() {
        true => None,
        false => duplicate(tx, alert)?,
    };
    Ok(AlertDetails {
        page,
        place: (project.to_owned(), space.url()),
        url: format!("{all}/{}", alert.iid),
        description: alert.description.clone().unwrap_or_default(),
        facts: facts(tx, alert)?,
        runbook: alert.runbook().map(|text| {
            let leads = is_web(&text);
            (text, leads)
        }),
        ended_at: Moment::maybe(alert.ended_at, now),
        created_at: Moment::new(alert.created_at, now),
        fields: fields(&alert.payload),
        statuses: Status::ALL
            .iter()
            .map(|one| Choice {
                value: one.to_string(),
                label: one.label().to_owned(),
            })
            .collect(),
        assignee: typed.assignee.unwrap_or_else(|| row.assignee.clone()),
        durations: Choice::list(&[
            ("3600", "1 hour"),
            ("7200", "2 hours"),
            ("28800", "8 hours"),
            ("86400", "1 day"),
            ("604800", "1 week"),
        ]),
        duplicate: open.map(|open| (open.reference(), open.path(project))),
        begun: begun(tx, alert, now)?,
        hours: of_hours(&last_hours(now, &sent)),
        days: of_days(&last_days(now, &sent)),
        images: images::list(tx, alert.id, IMAGES, 0)?
            .into_iter()
            .map(image)
            .collect(),
        notes: reader.notes(tx, limit, offset, typed.text.as_ref())?,
        draft: match &typed.text {
            Some(Text::New(body, discussion)) => (body.clone(), discussion.clone()),
            _ => (String::new(), String::new()),
        },
        solves_note: matches!(typed.text, Some(Text::New(..))),
        solves_incident: typed.text.is_none(),
        challenge: typed.refusal.challenge,
        may_write: reader.writes(),
        pages: Pages {
            page: (offset / limit.max(1) + 1).unsigned_abs(),
            per_page: limit.unsigned_abs(),
            total: history::notes_count(tx, alert.id)?.unsigned_abs(),
            url: row.url.clone(),
        },
        alert: row,
        errors: typed.refusal.errors,
    })
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
    Ok(known
        .filter_map(|(name, text)| Some((name, text?)))
        .collect())
}

/// What was sent, as text.
fn fields(payload: &Value) -> Vec<(String, String)> {
    let text = |value: Value| match value {
        Value::String(text) => text,
        other => other.to_string(),
    };
    let flat = flat::of(payload).into_iter();
    flat.map(|(name, value)| (name, text(value))).collect()
}

/// How often it and those equal to it began, on each of the last days.
fn begun(tx: &mut Tx<'_>, alert: &Alert, now: Timestamp) -> Result<Vec<(String, u64)>> {
    let begun = history::begun(tx, alert, before(now, 24 * DAYS))?.into_iter();
    let counts: Vec<(Timestamp, i64)> = begun.map(|at| (at, 1)).collect();
    Ok(of_days(&last_days(now, &counts)))
}

fn image(image: MetricImage) -> ImageRow {
    ImageRow {
        id: image.id,
        path: path(&image),
        name: image.file_name,
        url: image.url.unwrap_or_default(),
        text: image.url_text.unwrap_or_default(),
    }
}

/// Somebody before an alert they see.
struct Reader<'r> {
    viewer: &'r Viewer,
    desk: &'r ProjectAccess,
    alert: &'r Alert,
}

impl Reader<'_> {
    fn writes(&self) -> bool {
        !self.desk.project.archived
    }

    fn notes(
        &self,
        tx: &mut Tx<'_>,
        limit: i64,
        offset: i64,
        typed: Option<&Text>,
    ) -> Result<Vec<NoteRow>> {
        let found = history::notes(tx, self.alert.id, limit, offset)?;
        let mut authors: Vec<i64> = found.iter().filter_map(|note| note.author_id).collect();
        authors.sort_unstable();
        authors.dedup();
        let people = load_basic(tx, &authors)?;
        let texts = found.iter().map(|note| note.body.as_str());
        let links = Links::find(tx, self.viewer, "", Some(&self.desk.project), texts)?;
        let now = tx.now();
        let row = |note| self.note(note, &people, &links, now, typed);
        Ok(found.into_iter().map(row).collect())
    }

    fn note(
        &self,
        note: Note,
        people: &HashMap<i64, User>,
        links: &Links,
        now: Timestamp,
        typed: Option<&Text>,
    ) -> NoteRow {
        let typed = typed.and_then(|text| text.of_note(note.id));
        let author = note.author_id.and_then(|id| people.get(&id));
        NoteRow {
            id: note.id,
            author: author
                .filter(|_| !note.is_system)
                .map(|user| user.username.clone())
                .unwrap_or_default(),
            name: author.map_or_else(|| "Somebody".to_owned(), |user| user.name.clone()),
            may_change: self.writes() && may_change(self.viewer, self.desk, &note),
            is_system: note.is_system,
            is_internal: note.internal,
            is_edited: note.updated_at > note.created_at,
            in_thread: note.in_thread,
            html: links.render(&note.body),
            is_rewritten: typed.is_some(),
            body: typed.map_or(note.body, str::to_owned),
            discussion_id: note.discussion_id,
            created_at: Moment::new(note.created_at, now),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_addresses_of_the_web_are_followed() {
        assert!(is_web("https://wiki.example/disk"));
        for text in [
            "javascript:alert(1)",
            "data:text/html,x",
            "see the wiki",
            "//x",
            "",
        ] {
            assert!(!is_web(text), "{text}");
        }
    }

    #[test]
    fn a_payload_is_shown_field_by_field() {
        let payload = json!({"a": {"b": ["x", 1]}, "c": null});
        let expected = [("a.b.0", "x"), ("a.b.1", "1"), ("c", "null")];
        let expected = expected.map(|(name, text)| (name.to_owned(), text.to_owned()));
        assert_eq!(fields(&payload), expected);
    }
}
