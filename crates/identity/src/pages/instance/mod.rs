//! `/admin/settings`: what administrators may change about the instance.

mod fields;

use super::views::{AdminSettings, SettingsField, SettingsSection};
use crate::instance::{self, Everything};
use crate::viewer::Admin;
use fields::{Control, Field, SECTIONS, Section};
use http::Method;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::ui::Choice;
use kernel::html::{Errors, Flash, Html, flash};
use kernel::http::{Response, Routes};
use serde_json::{Map, Value};

const PATH: &str = "/admin/settings";

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, PATH, show);
    r.page(Method::POST, PATH, save).always();
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(text).collect::<Vec<_>>().join(", "),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

fn sections(values: &Map<String, Value>) -> Vec<SettingsSection> {
    let section = |section: &Section| SettingsSection {
        title: section.title,
        text: section.text,
        fields: section.fields.iter().map(|field| shown(field, values)).collect(),
    };
    SECTIONS.iter().map(section).collect()
}

fn shown(field: &Field, values: &Map<String, Value>) -> SettingsField {
    let value = values.get(field.key).map(text).unwrap_or_default();
    let (kind, value) = match field.control {
        Control::Box => ("box", (value == "true" || value == "1").to_string()),
        Control::Number => ("number", value),
        Control::Text => ("text", value),
        // What was typed is not sent back either.
        Control::Secret => ("password", String::new()),
        Control::Choice(_) => ("choice", value),
    };
    SettingsField {
        key: field.key,
        label: field.label,
        hint: field.hint.to_owned(),
        kind,
        value,
        choices: match field.control {
            Control::Choice(choices) => Choice::list(choices),
            _ => Vec::new(),
        },
    }
}

async fn show(app: App, admin: Admin) -> Result<Response> {
    let stored = app.read(instance::read).await?;
    render(&app, &admin, &stored, Errors::default(), None)
}

fn render(
    app: &App,
    admin: &Admin,
    values: &Map<String, Value>,
    errors: Errors,
    refusal: Option<Flash>,
) -> Result<Response> {
    let is_refused = refusal.is_some();
    let mut page = super::admin::page(app, admin, "Settings", "Settings");
    page.flash = refusal.or(page.flash);
    let view = AdminSettings {
        page,
        tab: "Settings",
        url: PATH,
        sections: sections(values),
        errors,
    };
    Ok(Html::new(&view)?.refused(is_refused).response())
}

async fn save(app: App, admin: Admin, sent: Everything) -> Result<Response> {
    let by = admin.author();
    let (inner, mut typed) = (app.clone(), sent.sent().clone());
    match app.write(move |tx| sent.save(&inner, tx, &by)).await {
        Ok(_) => flash::done(&app, PATH, "Settings saved."),
        Err(error) => {
            let (errors, refusal) = flash::in_form(error)?;
            let mut values = app.read(instance::read).await?;
            values.append(&mut typed);
            render(&app, &admin, &values, errors, refusal)
        }
    }
}
