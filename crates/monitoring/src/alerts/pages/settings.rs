//! `…/-/settings/alerts`: where alerts come from, when they trouble nobody,
//! and what they trigger.

use super::views::AlertSettings;
use crate::access::Manager;
use crate::alerts::model::{Integration, Kind, NewWindow};
use crate::alerts::presets::Preset;
use crate::alerts::rules::{integrations, settings, windows};
use crate::alerts::store::{
    integrations as integration_rows, settings as rows, windows as window_rows,
};
use identity::pages::page;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::Page;
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::ui::Choice;
use kernel::http::{Flat, Params, Response, Text};
use kernel::time::Timestamp;
use spaces::access::Purpose;
use spaces::pages::{Section, Visit};
use store::Tx;

/// Most integrations, and most windows, that the page shows.
const MOST: i64 = 200;
const KINDS: &[(&str, &str)] = &[("http", "Any sender"), ("prometheus", "Prometheus Alertmanager")];

impl Integration {
    /// Whose alerts it takes: a known sender's, as far as it reads payloads as
    /// that one sends them.
    pub(super) fn sender(&self) -> &'static str {
        match (self.kind, Preset::of(&self.payload_mapping.0)) {
            (Kind::Prometheus, _) => KINDS[1].1,
            (Kind::Http, Some(preset)) => preset.label(),
            (Kind::Http, None) => KINDS[0].1,
        }
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
        pub new: Flat<NewFields>,
        pub window_id: Option<i64>,
    }
}

kernel::params! {
    /// What is typed of an integration or a maintenance window.
    #[derive(Default)]
    pub struct NewFields {
        pub name: Text,
        pub kind: Option<Kind>,
        pub active: Option<bool>,
        /// Or blank.
        pub preset: Text,
        pub window_name: Text,
        /// The integration a window is about; 0 for all.
        pub integration_id: Option<i64>,
        /// From now on if blank.
        pub starts_at: Text,
        pub ends_at: Text,
    }
}

#[derive(Clone)]
struct Settings {
    app: App,
    visit: Visit,
}

pub(super) async fn show(app: App, visit: Visit) -> Result<Response> {
    let page = Settings { app: app.clone(), visit };
    form::show(&app, page).await
}

pub(super) async fn change(app: App, visit: Visit, form: Params<Form>) -> Result<Response> {
    let page = Settings { app: app.clone(), visit };
    form::submit(&app, page, form.0).await
}

impl FormPage for Settings {
    type Form = Form;
    type View = AlertSettings;
    const FIELDS: &'static [&'static str] =
        &["name", "window_name", "starts_at", "ends_at", "external_tool_url"];

    fn page(&self, app: &App) -> Page {
        page(app, &self.visit.viewer, "Alerts")
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Form>) -> Result<AlertSettings> {
        let space = self.visit.authorize(tx, Purpose::Update)?;
        let project = space.project()?;
        let head = space.head(tx, &self.visit.viewer)?;
        let mut setting = rows::of_project(tx, project.id)?;
        let integrations = integration_rows::list(tx, project.id, MOST, 0)?;
        let form = typed.form.as_ref();
        let of = |action| form.filter(|form| form.action == action);
        let active = match of(Action::Create) {
            Some(form) => form.new.active.unwrap_or(false),
            None => !setting.external_tool_enabled,
        };
        if let Some(form) = of(Action::External) {
            setting.external_tool_enabled = form.external_tool_enabled.unwrap_or(false);
            setting.external_tool_url = form.external_tool_url.clone();
        }
        Ok(AlertSettings {
            url: format!("{}/-/settings/alerts", space.url()),
            page: head.page_below(page, Section::Settings),
            head,
            setting,
            scopes: scopes(&integrations),
            integrations,
            form: form.map(|form| form.new.0.clone()).unwrap_or_default(),
            kinds: Choice::list(KINDS),
            active,
            presets: Choice::list(Preset::NAMES),
            windows: window_rows::list(tx, project.id, MOST, 0)?,
            now: tx.now(),
            errors: typed.errors.clone(),
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<Self>> {
        let (space, by) = Manager::visit(tx, &self.visit)?;
        let here = format!("{}/-/settings/alerts", space.url());
        let text = match form.action {
            Action::Save | Action::External => {
                settings::update(tx, &by, &form.settings())?;
                "Settings saved."
            }
            Action::Create => {
                let new = form.new.integration();
                let made = integrations::create(&self.app, tx, &by, &new, false)?;
                let page = format!("{here}/{}", made.id);
                return Outcome::led(page, "Integration created.");
            }
            Action::Open => {
                let made = windows::create(tx, &by, &form.new.window()?);
                made.map_err(|error| form::rename(error, "name", "window_name"))?;
                "The maintenance window is set."
            }
            Action::Close => {
                let id = form.window_id.ok_or_else(|| Error::missing("window_id"))?;
                windows::destroy(tx, &by, id)?;
                "Maintenance window removed."
            }
        };
        Outcome::led(here, text)
    }
}

impl Form {
    fn settings(&self) -> settings::Change {
        let ticked = |sent: Option<bool>| Some(sent.unwrap_or(false));
        match self.action {
            Action::External => settings::Change {
                external_tool_enabled: ticked(self.external_tool_enabled),
                external_tool_url: self.external_tool_url.clone().into(),
                ..settings::Change::default()
            },
            _ => settings::Change {
                create_issue: ticked(self.create_issue),
                send_email: ticked(self.send_email),
                auto_close_incident: ticked(self.auto_close_incident),
                ..settings::Change::default()
            },
        }
    }
}

impl NewFields {
    pub(super) fn kind(&self) -> Kind {
        self.kind.unwrap_or_default()
    }

    pub(super) fn scope(&self) -> i64 {
        self.integration_id.unwrap_or(0)
    }

    fn integration(&self) -> integrations::Change {
        let mut new = integrations::Change {
            kind: self.kind,
            name: Some(self.name.0.clone()),
            active: Some(self.active.unwrap_or(false)),
            ..integrations::Change::default()
        };
        if let Some(preset) = Preset::from_text(&self.preset) {
            preset.fill(&mut new);
        }
        new
    }

    fn window(&self) -> Result<NewWindow> {
        let ends_at = moment("ends_at", &self.ends_at)?;
        Ok(NewWindow {
            integration_id: self.integration_id.filter(|id| *id != 0),
            name: self.window_name.0.clone(),
            starts_at: moment("starts_at", &self.starts_at)?,
            ends_at: ends_at.ok_or_else(|| Error::invalid("ends_at", "can't be blank"))?,
        })
    }
}

fn scopes(integrations: &[Integration]) -> Vec<Choice> {
    let mut scopes = Choice::list(&[("0", "All integrations")]);
    scopes.extend(
        integrations
            .iter()
            .map(|one| Choice { value: one.id.to_string(), label: one.name.clone() }),
    );
    scopes
}

/// A time as browsers send it, without a zone: UTC.
fn moment(field: &'static str, text: &str) -> Result<Option<Timestamp>> {
    let text = text.trim();
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
        let at = |text: &str| moment("ends_at", text);
        let expected: Timestamp = "2025-05-05T10:00:00Z".parse().unwrap();
        assert_eq!(at("2025-05-05T10:00").unwrap(), Some(expected));
        assert_eq!(at("2025-05-05T12:00:00+02:00").unwrap(), Some(expected));
        assert_eq!(at(" ").unwrap(), None);
        assert!(at("tomorrow").is_err() && at("99999-01-01T00:00").is_err());
    }
}
