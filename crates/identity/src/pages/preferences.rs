//! `/-/user_settings/preferences`: how one's own pages look and tell times.

use super::navigation::own_settings;
use super::page;
use super::views::PreferencesPage;
use crate::users;
use crate::viewer::SignedInViewer;
use http::Method;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::ui::Choice;
use kernel::html::{Density, FirstDay, Page, Preferences, Theme};
use kernel::http::{Params, Response, Routes, Text};
use kernel::zones;
use store::Tx;

const PATH: &str = "/-/user_settings/preferences";

const THEMES: &[(&str, &str)] =
    &[("system", "As the system has it"), ("light", "Light"), ("dark", "Dark")];
const DENSITIES: &[(&str, &str)] =
    &[("comfortable", "Comfortable"), ("compact", "Compact: more on a screen")];
const DAYS: &[(&str, &str)] =
    &[("monday", "Monday"), ("saturday", "Saturday"), ("sunday", "Sunday")];

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, PATH, show);
    r.page(Method::POST, PATH, save);
}

kernel::params! {
    /// The form.
    #[derive(Default)]
    pub struct Form {
        pub theme: Option<Theme>,
        pub density: Option<Density>,
        pub first_day: Option<FirstDay>,
        /// A name, or empty for what the browser says.
        pub time_zone: Text,
    }
}

impl Form {
    fn of(stored: Preferences) -> Form {
        Form {
            theme: Some(stored.theme),
            density: Some(stored.density),
            first_day: Some(stored.first_day),
            time_zone: Text(stored.time_zone.unwrap_or_default()),
        }
    }

    /// What was sent; what was not stays.
    fn over(&self, stored: Preferences) -> Preferences {
        Preferences {
            theme: self.theme.unwrap_or(stored.theme),
            density: self.density.unwrap_or(stored.density),
            first_day: self.first_day.unwrap_or(stored.first_day),
            time_zone: Some(self.time_zone.to_string()),
        }
    }

    pub fn theme(&self) -> String {
        self.theme.unwrap_or_default().to_string()
    }

    pub fn density(&self) -> String {
        self.density.unwrap_or_default().to_string()
    }

    pub fn first_day(&self) -> String {
        self.first_day.unwrap_or_default().to_string()
    }
}

#[derive(Clone)]
struct Own(SignedInViewer);

async fn show(app: App, viewer: SignedInViewer) -> Result<Response> {
    form::show(&app, Own(viewer)).await
}

async fn save(app: App, viewer: SignedInViewer, form: Params<Form>) -> Result<Response> {
    form::submit(&app, Own(viewer), form.0).await
}

impl FormPage for Own {
    type Form = Form;
    type View = PreferencesPage;
    const FIELDS: &'static [&'static str] = &["theme", "density", "first_day", "time_zone"];

    fn page(&self, app: &App) -> Page {
        own_settings(page(app, &self.0.viewer(), "Preferences"), "Preferences")
    }

    fn view(&self, _: &mut Tx<'_>, page: Page, typed: &Typed<Form>) -> Result<PreferencesPage> {
        let stored = || Form::of(self.0.0.user.preferences());
        Ok(PreferencesPage {
            page,
            form: typed.form.clone().unwrap_or_else(stored),
            themes: Choice::list(THEMES),
            densities: Choice::list(DENSITIES),
            days: Choice::list(DAYS),
            zones: zones(),
            errors: typed.errors.clone(),
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<Self>> {
        let user = &self.0.0.user;
        let wanted = form.over(user.preferences());
        users::set_preferences(tx, &self.0.author(), user, &wanted)?;
        Outcome::led(PATH, "Preferences saved.")
    }
}

/// None, then all by name.
fn zones() -> Vec<Choice> {
    let zone = |name: &str| Choice { value: name.to_owned(), label: name.to_owned() };
    let none = Choice {
        value: String::new(),
        label: "As the browser has it".to_owned(),
    };
    let all = zones::names().into_iter().map(zone);
    std::iter::once(none).chain(all).collect()
}
