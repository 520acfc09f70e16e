//! `/admin/settings`: what administrators may change about the instance, on
//! several pages. Each saves its own fields and nothing else; `/admin/settings`
//! itself finds a setting by what it says.

pub(crate) mod fields;
pub(crate) mod list;

use super::admin::page;
use super::views::{AdminSettings, FoundSetting, SettingsIndex};
use crate::instance::{self, Everything};
use crate::viewer::Admin;
use fields::{Field, SettingsPage};
use http::Method;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::{Errors, Flash, Html, flash, form};
use kernel::http::params::Source;
use kernel::http::{Call, FromCall, Params, Response, Routes, Text};
use kernel::ids::fold;
use list::PAGES;
use serde_json::{Map, Value};

const INDEX: &str = "/admin/settings";

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, INDEX, index);
    for page in PAGES {
        let show = move |app: App, admin: Admin| show(app, admin, page);
        r.page(Method::GET, page.path, show);
        let save = move |app: App, admin: Admin, typed: Typed| save(app, admin, typed, page);
        r.page(Method::POST, page.path, save).always();
    }
}

/// A form of settings as it was sent.
struct Typed(Source);

impl FromCall for Typed {
    async fn from_call(call: &mut Call) -> Result<Self> {
        Ok(Typed(call.merged().await?.clone()))
    }
}

async fn show(app: App, admin: Admin, shown: &'static SettingsPage) -> Result<Response> {
    let stored = app.read(instance::read).await?;
    render(&app, &admin, shown, &stored, Errors::default(), None)
}

fn render(
    app: &App, admin: &Admin, shown: &SettingsPage, values: &Map<String, Value>, errors: Errors,
    refusal: Option<Flash>,
) -> Result<Response> {
    let is_refused = refusal.is_some();
    let mut page = page(app, admin, shown.label, shown.label);
    page.flash = refusal.or(page.flash);
    let view = AdminSettings {
        page,
        tab: shown.label,
        url: shown.path,
        sections: shown.filled(values),
        errors,
    };
    Ok(Html::new(&view)?.refused(is_refused).response())
}

async fn save(
    app: App, admin: Admin, typed: Typed, shown: &'static SettingsPage,
) -> Result<Response> {
    let error = match write(&app, &admin, &typed.0, shown).await {
        Ok(()) => return flash::done(&app, shown.path, "Settings saved."),
        Err(Error::Invalid(wrong)) => {
            let fields: Vec<&Field> = shown.fields().collect();
            Error::Invalid(fields::with_units(wrong, &fields))
        }
        Err(error) => error,
    };
    let (errors, refusal) = form::in_form(error, &shown.keys())?;
    let mut values = app.read(instance::read).await?;
    values.extend(typed.0);
    render(&app, &admin, shown, &values, errors, refusal)
}

/// Stores what was typed into the fields of a page.
async fn write(app: &App, admin: &Admin, typed: &Source, shown: &SettingsPage) -> Result<()> {
    let values = fields::read(shown.fields(), typed).map_err(Error::Invalid)?;
    let sent = Everything::of(app, values)?;
    let (inner, by) = (app.clone(), admin.author());
    app.write(move |tx| sent.save(&inner, tx, &by).map(drop)).await
}

kernel::params! {
    /// What is looked for.
    pub struct Search {
        /// Words of a setting's label, hint or key.
        pub search: Text,
    }
}

async fn index(app: App, admin: Admin, asked: Params<Search>) -> Result<Response> {
    let stored = app.read(instance::read).await?;
    let search = asked.0.search.to_string();
    let view = SettingsIndex {
        page: page(&app, &admin, "All settings", "All settings"),
        found: match search.trim() {
            "" => Vec::new(),
            words => found(words, &stored),
        },
        search,
        pages: PAGES,
    };
    Ok(Html::new(&view)?.response())
}

/// The settings in whose words all of these stand.
fn found(words: &str, values: &Map<String, Value>) -> Vec<FoundSetting> {
    let words = fold(words);
    let wanted: Vec<&str> = words.split_whitespace().collect();
    let mut all = Vec::new();
    for page in PAGES {
        for section in page.sections {
            for field in section.fields {
                let said = [page.label, section.title, field.label, field.hint, field.key];
                let said = fold(&said.join(" "));
                if wanted.iter().all(|word| said.contains(word)) {
                    all.push(FoundSetting {
                        place: format!("{} › {}", page.label, section.title),
                        url: format!("{}#f-{}", page.path, field.key),
                        label: field.label,
                        hint: field.hint,
                        value: field.told(values),
                    });
                }
            }
        }
    }
    all
}
