//! `…/-/settings/alerts`: where alerts come from, when they trouble nobody,
//! and what they trigger.

use super::views::{AlertSettings, IntegrationRow, WindowRow};
use crate::alerts::model::{Integration, Kind, Window};
use crate::alerts::presets::Preset;
use crate::alerts::rules::{Manager, integrations, settings, windows};
use crate::alerts::store::windows::NewWindow;
use crate::alerts::store::{
    integrations as integration_rows, settings as rows, windows as window_rows,
};
use identity::pages::page;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::ui::Choice;
use kernel::html::{Moment, Page};
use kernel::http::{Params, Patch, Response};
use kernel::time::Timestamp;
use spaces::access::Purpose;
use spaces::pages::Visit;
use store::Tx;

/// Most integrations, and most windows, that the page shows.
const MOST: i64 = 200;
const KINDS: &[(&str, &str)] = &[
    ("http", "Any sender"),
    ("prometheus", "Prometheus Alertmanager"),
];

fn kind_label(kind: Kind) -> &'static str {
    match kind {
        Kind::Http => KINDS[0].1,
        Kind::Prometheus => KINDS[1].1,
    }
}

kernel::choices! {
    /// What the forms ask for.
    pub enum Action {
        Save = "save",
        /// Says which other tool looks after incidents.
        External = "external",
        Create = "create",
        /// Opens a maintenance window.
        Open = "open",
        Close = "close",
    }
}

kernel::params! {
    pub struct Form {
        pub action: Action,
        pub create_issue: Option<bool>,
        pub send_email: Option<bool>,
        pub auto_close_incident: Option<bool>,
        pub external_tool_enabled: Option<bool>,
        pub external_tool_url: Option<String>,
        pub name: Option<String>,
        pub kind: Option<Kind>,
        pub active: Option<bool>,
        /// Or blank.
        pub preset: Option<String>,
        pub window_name: Option<String>,
        /// The integration a window is about; 0 for all.
        pub integration_id: Option<i64>,
        /// From now on if blank.
        pub starts_at: Option<String>,
        pub ends_at: Option<String>,
        pub window_id: Option<i64>,
    }
}

#[derive(Clone)]
struct Settings {
    app: App,
    visit: Visit,
}

pub(super) async fn show(app: App, visit: Visit) -> Result<Response> {
    let page = Settings {
        app: app.clone(),
        visit,
    };
    form::show(&app, page).await
}

pub(super) async fn change(app: App, visit: Visit, form: Params<Form>) -> Result<Response> {
    let page = Settings {
        app: app.clone(),
        visit,
    };
    form::submit(&app, page, form.0).await
}

impl FormPage for Settings {
    type Form = Form;
    type View = AlertSettings;
    const FIELDS: &'static [&'static str] = &[
        "name",
        "window_name",
        "starts_at",
        "ends_at",
        "external_tool_url",
    ];

    fn page(&self, app: &App) -> Page {
        page(app, &self.visit.viewer, "Alerts")
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Form>) -> Result<AlertSettings> {
        let space = self.visit.authorize(tx, Purpose::Update)?;
        let project = space.project()?;
        let head = space.head(tx, &self.visit.viewer)?;
        let setting = rows::of_project(tx, project.id)?;
        let known = integration_rows::list(tx, project.id, MOST, 0)?;
        let found = window_rows::list(tx, project.id, MOST, 0)?;
        let (now, url) = (tx.now(), format!("{}/-/settings/alerts", space.url()));
        let form = typed.form.as_ref();
        let text = |of: fn(&Form) -> &Option<String>| {
            form.and_then(|form| of(form).clone()).unwrap_or_default()
        };
        let created = form.filter(|form| form.action == Action::Create);
        let external = form.filter(|form| form.action == Action::External);
        let external_tool_url = match external {
            Some(form) => form.external_tool_url.clone(),
            None => setting.external_tool_url,
        };
        let kind = form.and_then(|form| form.kind).unwrap_or(Kind::Http);
        let scope = form.and_then(|form| form.integration_id).unwrap_or(0);
        Ok(AlertSettings {
            page: space.crumbs(page, true),
            head,
            create_issue: setting.create_issue,
            send_email: setting.send_email,
            auto_close_incident: setting.auto_close_incident,
            external_tool_enabled: external.map_or(setting.external_tool_enabled, |form| {
                form.external_tool_enabled.unwrap_or(false)
            }),
            external_tool_url: external_tool_url.unwrap_or_default(),
            integrations: known.iter().map(|one| row(one, &url, now)).collect(),
            name: text(|form| &form.name),
            kind: kind.to_string(),
            kinds: Choice::list(KINDS),
            active: created.map_or(!setting.external_tool_enabled, |form| {
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
            errors: typed.errors.clone(),
            url,
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<Self>> {
        let space = self.visit.authorize(tx, Purpose::Update)?;
        let by = Manager {
            viewer: self.visit.viewer.clone(),
            project: space.project()?.clone(),
        };
        let here = format!("{}/-/settings/alerts", space.url());
        let text = match form.action {
            Action::Save | Action::External => {
                settings::update(tx, &by, &form.settings())?;
                "The settings are saved."
            }
            Action::Create => {
                let new = form.integration();
                let made = integrations::create(&self.app, tx, &by, &new, false)?;
                let page = format!("{here}/{}", made.id);
                return Outcome::led(page, "The integration is made.");
            }
            Action::Open => {
                let made = windows::create(tx, &by, &form.window(tx.now())?);
                made.map_err(|error| form::rename(error, "name", "window_name"))?;
                "The maintenance window is set."
            }
            Action::Close => {
                let id = form.window_id.ok_or_else(|| Error::missing("window_id"))?;
                windows::destroy(tx, &by, id)?;
                "The maintenance window is removed."
            }
        };
        Outcome::led(here, text)
    }
}

impl Form {
    fn settings(&self) -> settings::Change {
        let ticked = |sent: Option<bool>| Some(sent.unwrap_or(false));
        let unchanged = settings::Change {
            create_issue: None,
            issue_template_key: Patch::Absent,
            send_email: None,
            auto_close_incident: None,
            external_tool_enabled: None,
            external_tool_url: Patch::Absent,
        };
        match self.action {
            Action::External => settings::Change {
                external_tool_enabled: ticked(self.external_tool_enabled),
                external_tool_url: self
                    .external_tool_url
                    .clone()
                    .map_or(Patch::Null, Patch::Value),
                ..unchanged
            },
            _ => settings::Change {
                create_issue: ticked(self.create_issue),
                send_email: ticked(self.send_email),
                auto_close_incident: ticked(self.auto_close_incident),
                ..unchanged
            },
        }
    }

    fn integration(&self) -> integrations::Change {
        let mut new = integrations::Change {
            kind: self.kind,
            name: self.name.clone(),
            active: Some(self.active.unwrap_or(false)),
            ..integrations::Change::default()
        };
        let preset = self.preset.as_deref().unwrap_or_default();
        if let Some(preset) = Preset::from_text(preset) {
            preset.fill(&mut new);
        }
        new
    }

    fn window(&self, now: Timestamp) -> Result<NewWindow> {
        let name = self.window_name.as_deref().unwrap_or_default();
        let ends_at = moment("ends_at", &self.ends_at)?;
        Ok(NewWindow {
            integration_id: self.integration_id.filter(|id| *id != 0),
            name: name.trim().to_owned(),
            starts_at: moment("starts_at", &self.starts_at)?.unwrap_or(now),
            ends_at: ends_at.ok_or_else(|| Error::invalid("ends_at", "can't be blank"))?,
        })
    }
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
