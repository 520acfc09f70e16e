//! `/admin/package_limits`: the largest files of each format.

use http::Method;
use identity::pages::navigation::administration;
use identity::pages::views::{AdminSettings, SettingsField, SettingsSection};
use identity::viewer::{Admin, Viewer};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::Page;
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::http::params::{FromParams, Source};
use kernel::http::{Call, FromCall, Response, Routes};
use kernel::quantity::Unit;
use serde_json::Value;
use spaces::plan_limits::{self, PlanLimits, UpdateLimits};
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

/// The same without the formats.
const KEYS: [&str; FIELDS.len()] = {
    let mut keys = [""; FIELDS.len()];
    let mut at = 0;
    while at < keys.len() {
        keys[at] = FIELDS[at].0;
        at += 1;
    }
    keys
};

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, PATH, show);
    r.page(Method::POST, PATH, save);
}

async fn show(app: App, admin: Admin) -> Result<Response> {
    form::show(&app, Limits::of(&app, &admin)).await
}

async fn save(app: App, admin: Admin, form: TypedLimits) -> Result<Response> {
    form::submit(&app, Limits::of(&app, &admin), form).await
}

/// Limits as they were typed, by key.
#[derive(Clone)]
struct TypedLimits(Source);

impl FromCall for TypedLimits {
    async fn from_call(call: &mut Call) -> Result<Self> {
        Ok(TypedLimits(call.merged().await?.clone()))
    }
}

impl TypedLimits {
    fn of(&self, key: &str) -> Option<&str> {
        self.0.get(key).and_then(Value::as_str)
    }

    /// In bytes.
    fn read(&self) -> Result<UpdateLimits> {
        let (mut limits, mut wrong) = (Source::new(), Vec::new());
        for key in KEYS {
            match self.of(key).map(|text| Unit::Bytes.parse(text)) {
                Some(Ok(bytes)) => drop(limits.insert(key.to_owned(), bytes.into())),
                Some(Err(problem)) => wrong.push((key.to_owned(), vec![problem])),
                None => {}
            }
        }
        match wrong.is_empty() {
            true => UpdateLimits::from_params(&limits).map_err(Error::Parameters),
            false => Err(Error::Invalid(wrong)),
        }
    }
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
    type Form = TypedLimits;
    type View = AdminSettings;
    const FIELDS: &'static [&'static str] = &KEYS;

    fn page(&self, app: &App) -> Page {
        let page = identity::pages::page(app, &self.viewer, "Package limits");
        administration(page, "Package limits")
    }

    fn view(
        &self, tx: &mut Tx<'_>, page: Page, typed: &Typed<TypedLimits>,
    ) -> Result<AdminSettings> {
        let stored: PlanLimits = kernel::settings::read(tx)?;
        let values = serde_json::to_value(&stored).map_err(Error::internal)?;
        let field = |&(key, label): &(&'static str, &'static str)| {
            let bytes = values.get(key).and_then(Value::as_u64).unwrap_or(0);
            let again = typed.form.as_ref().and_then(|form| form.of(key));
            SettingsField {
                key,
                label,
                hint: if bytes == 0 { "No limit." } else { "" }.to_owned(),
                kind: "text",
                value: again.map_or_else(|| Unit::Bytes.show(bytes), str::to_owned),
                choices: Vec::new(),
            }
        };
        Ok(AdminSettings {
            page,
            tab: "Package limits",
            url: PATH,
            sections: vec![SettingsSection {
                title: "Largest files",
                text: "Such as «5 GiB»; a number alone counts bytes, and 0 is no limit. Files that are \
                       there already stay.",
                fields: FIELDS.iter().map(field).collect(),
            }],
            errors: typed.errors.clone(),
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &TypedLimits) -> Result<Outcome<Self>> {
        plan_limits::change(&self.app, tx, &self.viewer, &form.read()?)?;
        Outcome::led(PATH, "Limits saved.")
    }
}
