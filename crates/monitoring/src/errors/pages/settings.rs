//! `…/-/settings/error_tracking`: where errors go, and the keys of programs.

use super::views::ErrorSettings;
use crate::errors::limits::ErrorLimits;
use crate::errors::model::Setting;
use crate::errors::rules::keys;
use crate::errors::rules::settings::{self, External};
use crate::errors::store::{drops, keys as key_rows, settings as rows};
use identity::pages::page;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::Page;
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::ui::Choice;
use kernel::http::params::Flat;
use kernel::http::{Params, Response};
use spaces::Project;
use spaces::access::Purpose;
use spaces::pages::{Section, Visit};
use store::Tx;

const MAX_KEYS: i64 = 100;
/// Most reasons it shows; the protocol has fewer.
const MAX_DROPPED: i64 = 300;
const MODES: &[(&str, &str)] = &[
    ("integrated", "Here: programs send them to this server"),
    ("external", "In another tracker: they are shown here"),
];

kernel::choices! {
    pub enum Action { Save = "save", Add = "add", Remove = "remove" }
}

kernel::choices! {
    /// Where errors are received: here or elsewhere.
    pub enum Mode { Integrated = "integrated", External = "external" }
}

kernel::params! {
    pub struct Form {
        pub action: Action,
        /// The project tracks errors.
        pub active: Option<bool>,
        pub mode: Option<Mode>,
        pub external: Flat<External>,
        /// The key to remove.
        pub key_id: Option<i64>,
    }
}

#[derive(Clone)]
struct SettingsPage {
    app: App,
    visit: Visit,
}

pub(super) async fn show(app: App, visit: Visit) -> Result<Response> {
    form::show(&app.clone(), SettingsPage { app, visit }).await
}

pub(super) async fn change(app: App, visit: Visit, form: Params<Form>) -> Result<Response> {
    form::submit(&app.clone(), SettingsPage { app, visit }, form.0).await
}

impl FormPage for SettingsPage {
    type Form = Form;
    type View = ErrorSettings;
    const FIELDS: &'static [&'static str] = &["mode", "api_url", "token"];

    fn page(&self, app: &App) -> Page {
        page(app, &self.visit.viewer, "Error tracking")
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Form>) -> Result<ErrorSettings> {
        let space = self.visit.authorize(tx, Purpose::Update)?;
        let head = space.head(tx, &self.visit.viewer)?;
        let stored = rows::of_project(tx, head.id)?;
        let limits: ErrorLimits = kernel::settings::read(tx)?;
        let form = typed.form.as_ref();
        let active = stored.as_ref().is_some_and(|it| it.active);
        let mode = form.and_then(|form| form.mode);
        let api_url = form.and_then(|form| form.external.api_url.clone());
        Ok(ErrorSettings {
            page: head.page_below(page, Section::Settings),
            base_url: self.app.base_url().to_owned(),
            is_off: !limits.integrated,
            active: form.map_or(active, |form| form.active.unwrap_or(false)),
            mode: mode.unwrap_or(Mode::of(stored.as_ref())).to_string(),
            modes: Choice::list(MODES),
            has_token: stored.as_ref().is_some_and(|it| it.sealed_token.is_some()),
            api_url: api_url.or(stored.and_then(|it| it.api_url)).unwrap_or_default(),
            errors: typed.errors.clone(),
            dropped: drops::list(tx, head.id, MAX_DROPPED, 0)?,
            keys: key_rows::list(tx, head.id, MAX_KEYS, 0)?,
            head,
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<Self>> {
        let (app, viewer) = (&self.app, &self.visit.viewer);
        let space = self.visit.authorize(tx, Purpose::Update)?;
        let project = space.project()?;
        let text = match form.action {
            Action::Save => {
                let setting = save(app, tx, viewer, project, form)?;
                let receives = setting.active && setting.integrated;
                match receives && key_rows::count(tx, project.id)? == 0 {
                    true => "Settings saved. Make a key for the programs that report errors.",
                    false => "Settings saved.",
                }
            }
            Action::Add => {
                keys::create(tx, viewer, project)?;
                "Key created."
            }
            Action::Remove => {
                let id = form.key_id.ok_or_else(|| Error::missing("key_id"))?;
                keys::destroy(app, tx, viewer, project, id)?;
                "Key removed."
            }
        };
        Outcome::led(format!("{}/-/settings/error_tracking", space.url()), text)
    }
}

impl Mode {
    fn of(stored: Option<&Setting>) -> Mode {
        match stored {
            Some(setting) if !setting.integrated => Mode::External,
            _ => Mode::Integrated,
        }
    }
}

fn save(
    app: &App, tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, form: &Form,
) -> Result<Setting> {
    let change = settings::Change {
        active: form.active.unwrap_or(false),
        integrated: form.mode.map(|mode| mode == Mode::Integrated),
        external: Some(form.external.0.clone()),
    };
    let limits: ErrorLimits = kernel::settings::read(tx)?;
    if change.active && change.integrated == Some(true) && !limits.integrated {
        let text = "is switched off by administrators";
        return Err(Error::invalid("mode", text));
    }
    settings::put(app, tx, viewer, project, &change)
}
