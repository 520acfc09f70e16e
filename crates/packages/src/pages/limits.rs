//! `/admin/package_limits`: the largest files of each format.

use crate::limits::{self, PlanLimits, UpdateLimits};
use http::{Method, StatusCode};
use identity::pages::views::{AdminSettings, SettingsField, SettingsSection};
use identity::viewer::Admin;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::{Errors, Flash, Html, flash, ui};
use kernel::http::{Params, Response, Routes};
use serde_json::Value;

const PATH: &str = "/admin/package_limits";
/// Key and format of each limit.
const FIELDS: &[(&str, &str)] = &[
    ("generic_packages_max_file_size", "Generic file"),
    ("conan_max_file_size", "Conan file"),
    ("helm_max_file_size", "Helm chart"),
    ("maven_max_file_size", "Maven file"),
    ("npm_max_file_size", "npm archive"),
    ("nuget_max_file_size", "NuGet archive"),
    ("pypi_max_file_size", "PyPI file"),
    ("terraform_module_max_file_size", "Terraform module"),
];

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, PATH, show);
    r.page(Method::POST, PATH, save);
}

async fn show(app: App, admin: Admin) -> Result<Response> {
    render(&app, &admin, None).await
}

async fn render(app: &App, admin: &Admin, refusal: Option<Flash>) -> Result<Response> {
    let status = match refusal {
        Some(_) => StatusCode::UNPROCESSABLE_ENTITY,
        None => StatusCode::OK,
    };
    let stored: PlanLimits = app.read(kernel::settings::read).await?;
    let values = serde_json::to_value(&stored).map_err(Error::internal)?;
    let field = |&(key, label): &(&'static str, &'static str)| {
        let bytes = values.get(key).and_then(Value::as_u64).unwrap_or(0);
        SettingsField {
            key,
            label,
            hint: match bytes {
                0 => "No limit.".to_owned(),
                bytes => format!("Now {}.", ui::bytes(bytes)),
            },
            kind: "number",
            value: bytes.to_string(),
            choices: Vec::new(),
        }
    };
    let mut page = identity::pages::page(app, &admin.viewer(), "Package limits");
    page.active = "admin";
    page.flash = refusal.or(page.flash);
    let view = AdminSettings {
        page: page.crumb("Administration", "/admin"),
        tab: "Package limits",
        url: PATH,
        sections: vec![SettingsSection {
            title: "Largest files",
            text: "In bytes; 0 is no limit. Files that are there already stay.",
            fields: FIELDS.iter().map(field).collect(),
        }],
        errors: Errors::default(),
    };
    Ok(Html::new(&view)?.status(status).response())
}

async fn save(app: App, admin: Admin, form: Params<UpdateLimits>) -> Result<Response> {
    let (inner, viewer, Params(wanted)) = (app.clone(), admin.viewer(), form);
    let saved = app
        .write(move |tx| limits::change(&inner, tx, &viewer, &wanted))
        .await;
    match saved {
        Ok(_) => flash::done(&app, PATH, "The limits are saved."),
        Err(error) => render(&app, &admin, flash::in_form(error)?.1).await,
    }
}
