//! `/admin/package_limits`: the largest files of each format.

use crate::limits::{self, PlanLimits, UpdateLimits};
use http::Method;
use identity::pages::navigation::administration;
use identity::pages::views::{AdminSettings, SettingsField, SettingsSection};
use identity::viewer::{Admin, Viewer};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::{Page, ui};
use kernel::http::{Params, Response, Routes};
use serde_json::Value;
use store::Tx;

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
    form::show(&app, Limits::of(&app, &admin)).await
}

async fn save(app: App, admin: Admin, form: Params<UpdateLimits>) -> Result<Response> {
    form::submit(&app, Limits::of(&app, &admin), form.0).await
}

#[derive(Clone)]
struct Limits {
    app: App,
    viewer: Viewer,
}

impl Limits {
    fn of(app: &App, admin: &Admin) -> Limits {
        Limits { app: app.clone(), viewer: admin.viewer() }
    }
}

impl FormPage for Limits {
    type Form = UpdateLimits;
    type View = AdminSettings;
    const FIELDS: &'static [&'static str] = &[];

    fn page(&self, app: &App) -> Page {
        let page = identity::pages::page(app, &self.viewer, "Package limits");
        administration(page, "Package limits")
    }

    fn view(
        &self,
        tx: &mut Tx<'_>,
        page: Page,
        typed: &Typed<UpdateLimits>,
    ) -> Result<AdminSettings> {
        let stored: PlanLimits = kernel::settings::read(tx)?;
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
        Ok(AdminSettings {
            page,
            tab: "Package limits",
            url: PATH,
            sections: vec![SettingsSection {
                title: "Largest files",
                text: "In bytes; 0 is no limit. Files that are there already stay.",
                fields: FIELDS.iter().map(field).collect(),
            }],
            errors: typed.errors.clone(),
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &UpdateLimits) -> Result<Outcome<Self>> {
        limits::change(&self.app, tx, &self.viewer, form)?;
        Outcome::led(PATH, "Limits saved.")
    }
}
