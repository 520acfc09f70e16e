//! `…/-/settings/alerts`: where alerts come from, when they trouble nobody,
//! and what they trigger.

use super::project_of;
use super::views::{AlertSettings, IntegrationRow, WindowRow};
use crate::alerts::model::{Integration, Kind, Window};
use crate::alerts::presets::Preset;
use crate::alerts::rules::{integrations, settings, windows};
use crate::alerts::store::windows::NewWindow;
use crate::alerts::store::{
    integrations as integration_rows, settings as rows, windows as window_rows,
};
use identity::pages::refusal::FormState;
use identity::viewer::{SignedInViewer, Viewer};
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::ui::Choice;
use kernel::html::{Html, Moment, flash};
use kernel::http::{Params, Patch, RequestContext, Response};
use kernel::time::Timestamp;
use spaces::Project;
use spaces::access::Purpose;
use spaces::pages::Address;
use std::sync::Arc;
use store::Tx;

/// Most integrations, and most windows, that the page shows.
const MOST: i64 = 200;
/// Fields of the forms that show what is wrong with them, by the names that
/// rules have for them.
const FIELDS: &[&str] = &["name", "starts_at", "ends_at", "external_tool_url"];
const KINDS: &[(&str, &str)] = &[
    ("http", "Any sender"),
    ("prometheus", "Prometheus Alertmanager"),
];

/// What an integration is for, as pages say it.
pub(super) fn kind_label(kind: Kind) -> &'static str {
    match kind {
        Kind::Http => KINDS[0].1,
        Kind::Prometheus => KINDS[1].1,
    }
}

kernel::choices! {
    /// What the forms ask for.
    pub enum Action {
        /// To keep what alerts trigger.
        Save = "save",
        /// To say which other tool looks after incidents.
        External = "external",
        /// To make an integration.
        Create = "create",
        /// To open a maintenance window.
        Open = "open",
        /// To remove one.
        Close = "close",
    }
}

kernel::params! {
    /// The forms.
    pub struct Form {
        /// Which.
        pub action: Action,
        /// An incident is made of each alert.
        pub create_issue: Option<bool>,
        /// Owners and maintainers are mailed.
        pub send_email: Option<bool>,
        /// The incident is closed when the alert is over.
        pub auto_close_incident: Option<bool>,
        /// Another tool looks after incidents.
        pub external_tool_enabled: Option<bool>,
        /// Where it is.
        pub external_tool_url: Option<String>,
        /// Name of the integration.
        pub name: Option<String>,
        /// What it is for.
        pub kind: Option<Kind>,
        /// It receives alerts from the start.
        pub active: Option<bool>,
        /// A sender whose payloads are known, or blank.
        pub preset: Option<String>,
        /// Why the window is opened.
        pub window_name: Option<String>,
        /// The integration it is about; 0 for all.
        pub integration_id: Option<i64>,
        /// From when; from now on if blank.
        pub starts_at: Option<String>,
        /// Until when.
        pub ends_at: Option<String>,
        /// The window to remove.
        pub window_id: Option<i64>,
    }
}

pub(super) async fn show(
    app: App,
    viewer: SignedInViewer,
    asked: Arc<RequestContext>,
) -> Result<Response> {
    let address = Address::of(&asked)?;
    render(app, viewer.viewer(), address, FormState::default()).await
}

async fn render(
    app: App,
    viewer: Viewer,
    address: Address,
    typed: FormState<Form>,
) -> Result<Response> {
    let status = typed.refusal.status();
    let shown = typed.refusal.page(&app, &viewer, "Alerts");
    let view = app
        .read(move |tx| {
            let space = address.authorize(tx, &viewer, Purpose::Update)?;
            let project = project_of(&space)?;
            let head = space.head(tx, &viewer)?;
            let setting = rows::of_project(tx, project.id)?;
            let known = integration_rows::list(tx, project.id, MOST, 0)?;
            let found = window_rows::list(tx, project.id, MOST, 0)?;
            let (now, url) = (tx.now(), format!("{}/-/settings/alerts", space.url()));
            let form = typed.form.as_ref();
            let text = |of: fn(&Form) -> &Option<String>| {
                form.and_then(|form| of(form).clone()).unwrap_or_default()
            };
            let added = form.filter(|form| form.action == Action::Create);
            let external = form.filter(|form| form.action == Action::External);
            let kind = form.and_then(|form| form.kind).unwrap_or(Kind::Http);
            let scope = form.and_then(|form| form.integration_id).unwrap_or(0);
            Ok(AlertSettings {
                page: space.crumbs(shown, true),
                head,
                create_issue: setting.create_issue,
                send_email: setting.send_email,
                auto_close_incident: setting.auto_close_incident,
                external_tool_enabled: external.map_or(setting.external_tool_enabled, |form| {
                    form.external_tool_enabled.unwrap_or(false)
                }),
                external_tool_url: external
                    .map_or(setting.external_tool_url, |form| {
                        form.external_tool_url.clone()
                    })
                    .unwrap_or_default(),
                integrations: known.iter().map(|one| row(one, &url, now)).collect(),
                name: text(|form| &form.name),
                kind: kind.to_string(),
                kinds: Choice::list(KINDS),
                active: added.map_or(!setting.external_tool_enabled, |form| {
                    form.active.unwrap_or(false)
                }),
                preset: text(|form| &form.preset),
                presets: Choice::list(Preset::NAMES),
                windows: found.iter().map(|one| window(one, &known, now)).collect(),
                scopes: scopes(&known),
                scope: scope.to_string(),
                window_name: text(|form| &form.window_name),
                starts_at: text(|form| &form.starts_at),
                ends_at: text(|form| &form.ends_at),
                errors: typed.refusal.errors,
                url,
            })
        })
        .await?;
    Ok(Html::new(&view)?.status(status).response())
}

fn row(one: &Integration, url: &str, now: Timestamp) -> IntegrationRow {
    IntegrationRow {
        name: one.name.clone(),
        url: format!("{url}/{}", one.id),
        kind: kind_label(one.kind),
        active: one.active,
        last_received_at: Moment::maybe(one.last_received_at, now),
    }
}

fn window(one: &Window, integrations: &[Integration], now: Timestamp) -> WindowRow {
    let about = one.integration_id.map(|id| {
        let known = integrations.iter().find(|known| known.id == id);
        known.map_or("another integration", |known| known.name.as_str())
    });
    WindowRow {
        id: one.id,
        name: one.name.clone(),
        scope: about.unwrap_or("all integrations").to_owned(),
        starts_at: clock(one.starts_at),
        ends_at: clock(one.ends_at),
        is_open: one.starts_at <= now && now < one.ends_at,
    }
}

/// A time as people plan by it; how far away it is would not do.
fn clock(at: Timestamp) -> String {
    at.strftime("%-d %b %Y, %H:%M").to_string()
}

fn scopes(integrations: &[Integration]) -> Vec<Choice> {
    let mut scopes = Choice::list(&[("0", "All integrations")]);
    scopes.extend(integrations.iter().map(|one| Choice {
        value: one.id.to_string(),
        label: one.name.clone(),
    }));
    scopes
}

pub(super) async fn change(
    app: App,
    viewer: SignedInViewer,
    asked: Arc<RequestContext>,
    form: Params<Form>,
) -> Result<Response> {
    let Params(form) = form;
    let (viewer, address) = (viewer.viewer(), Address::of(&asked)?);
    let (handle, asker, wanted, place) =
        (app.clone(), viewer.clone(), form.clone(), address.clone());
    let done = app
        .write(move |tx| {
            let space = place.authorize(tx, &asker, Purpose::Update)?;
            let url = format!("{}/-/settings/alerts", space.url());
            apply(&handle, tx, &asker, project_of(&space)?, &url, &wanted)
        })
        .await;
    match done {
        Ok((url, text)) => flash::done(&app, &url, text),
        Err(error) => {
            let opens = form.action == Action::Open;
            let mut typed = FormState::refused(form, error, FIELDS)?;
            if opens {
                typed.refusal = typed.refusal.rename("name", "window_name");
            }
            render(app, viewer, address, typed).await
        }
    }
}

fn apply(
    app: &App,
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    project: &Project,
    url: &str,
    form: &Form,
) -> Result<(String, &'static str)> {
    let here = url.to_owned();
    Ok(match form.action {
        Action::Save => {
            let change = settings::Change {
                create_issue: Some(form.create_issue.unwrap_or(false)),
                send_email: Some(form.send_email.unwrap_or(false)),
                auto_close_incident: Some(form.auto_close_incident.unwrap_or(false)),
                ..settings::Change::default()
            };
            settings::update(tx, viewer, project, &change)?;
            (here, "The settings are saved.")
        }
        Action::External => {
            let change = settings::Change {
                external_tool_enabled: Some(form.external_tool_enabled.unwrap_or(false)),
                external_tool_url: match form.external_tool_url.clone() {
                    Some(url) => Patch::Value(url),
                    None => Patch::Null,
                },
                ..settings::Change::default()
            };
            settings::update(tx, viewer, project, &change)?;
            (here, "The settings are saved.")
        }
        Action::Create => {
            let mut new = integrations::New {
                kind: form.kind.unwrap_or(Kind::Http),
                name: form.name.clone().unwrap_or_default(),
                active: form.active.unwrap_or(false),
                plain_address: false,
                change: integrations::Change::default(),
            };
            let preset = form.preset.as_deref().unwrap_or_default();
            if let Some(preset) = Preset::from_text(preset) {
                preset.fill(&mut new.change);
            }
            let made = integrations::create(app, tx, viewer, project, &new)?;
            (format!("{url}/{}", made.id), "The integration is made.")
        }
        Action::Open => {
            windows::create(tx, viewer, project, &new_window(tx.now(), form)?)?;
            (here, "The maintenance window is set.")
        }
        Action::Close => {
            let id = form.window_id.ok_or_else(|| Error::missing("window_id"))?;
            windows::destroy(tx, viewer, project, id)?;
            (here, "The maintenance window is removed.")
        }
    })
}

fn new_window(now: Timestamp, form: &Form) -> Result<NewWindow> {
    let ends_at = moment("ends_at", &form.ends_at)?;
    Ok(NewWindow {
        integration_id: form.integration_id.filter(|id| *id != 0),
        name: form
            .window_name
            .as_deref()
            .unwrap_or_default()
            .trim()
            .to_owned(),
        starts_at: moment("starts_at", &form.starts_at)?.unwrap_or(now),
        ends_at: ends_at.ok_or_else(|| Error::invalid("ends_at", "can't be blank"))?,
    })
}

/// A time as browsers send it, without a zone: UTC.
fn moment(field: &'static str, text: &Option<String>) -> Result<Option<Timestamp>> {
    let text = text.as_deref().unwrap_or_default().trim();
    if text.is_empty() {
        return Ok(None);
    }
    let exact = text.parse::<Timestamp>().ok();
    let civil = || {
        let civil = text.parse::<DateTime>().ok()?;
        Some(civil.to_zoned(TimeZone::UTC).ok()?.timestamp())
    };
    let wrong = || Error::invalid(field, "is no time such as 2025-05-05T10:00");
    exact.or_else(civil).map(Some).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_forms_are_utc() {
        let at = |text: &str| moment("ends_at", &Some(text.to_owned()));
        let expected: Timestamp = "2025-05-05T10:00:00Z".parse().unwrap();
        assert_eq!(at("2025-05-05T10:00").unwrap(), Some(expected));
        assert_eq!(at("2025-05-05T12:00:00+02:00").unwrap(), Some(expected));
        assert_eq!(at(" ").unwrap(), None);
        assert!(at("tomorrow").is_err() && at("99999-01-01T00:00").is_err());
    }
}
